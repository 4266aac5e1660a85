import { resolve } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { valid } from "semver"
import type { PluginContext } from "../context.ts"
import { git } from "../fetch/index.ts"
import { readPlugin } from "../read/index.ts"
import { validatePath } from "../validate/validate.ts"

export interface TagRequest {
  readonly path: string
  readonly message?: string | undefined
  readonly push?: boolean | undefined
  readonly remote?: string | undefined
  readonly dryRun?: boolean | undefined
  /** Tags what is not committed or not valid, and moves a tag that is there. */
  readonly force?: boolean | undefined
}

/** Marks a release by the tag `<name>--v<version>`, by which others' version ranges find it. */
export async function tagRelease(
  context: PluginContext,
  request: TagRequest,
): Promise<{ tag: string; pushedTo: string | undefined }> {
  const folder = resolve(context.home.project, request.path)
  const { name, version, hasManifestFile } = readPlugin(folder)
  if (!hasManifestFile)
    throw new ChorusError("manifest_missing", `There is no plugin at ${folder}.`, {
      status: 404,
      next: "Name the folder that holds its .claude-plugin/plugin.json.",
    })
  if (version === undefined || valid(version) === null)
    throw new ChorusError(
      "version_missing",
      `The plugin's version is ${version === undefined ? "not set" : `"${version}", which is not a version`}.`,
      { next: 'Set "version": "1.0.0" in .claude-plugin/plugin.json.' },
    )
  const tag = `${name}--v${version}`
  const remote = request.remote ?? "origin"
  if (request.force !== true) await expectFit(context, folder, tag)
  if (request.dryRun === true) return { tag, pushedTo: undefined }
  const options = { policy: context.network }
  await git(
    [
      "-C",
      folder,
      "tag",
      "-a",
      ...(request.force === true ? ["-f"] : []),
      "-m",
      request.message ?? `${name} ${version}`,
      "--",
      tag,
    ],
    options,
  )
  if (request.push !== true) return { tag, pushedTo: undefined }
  await git(
    ["-C", folder, "push", ...(request.force === true ? ["--force"] : []), "--", remote, `refs/tags/${tag}`],
    options,
  )
  return { tag, pushedTo: remote }
}

async function expectFit(context: PluginContext, folder: string, tag: string): Promise<void> {
  const options = { policy: context.network }
  if (validatePath(folder).verdict === "errors")
    throw new ChorusError("error_validation", "The plugin is not valid, so it is not released.", {
      next: `Run chorus plugin validate ${folder}.`,
    })
  const changed = await git(["-C", folder, "status", "--porcelain", "--", "."], options)
  if (changed.trim() !== "")
    throw new ChorusError("not_committed", "There are changes that are not committed; the tag would not hold them.", {
      status: 409,
      next: "Commit them, or give --force.",
    })
  const there = await git(["-C", folder, "tag", "--list", "--", tag], options)
  if (there.trim() !== "")
    throw new ChorusError("already_tagged", `The tag ${tag} is already there.`, {
      status: 409,
      next: "Raise the version in plugin.json, or give --force to move the tag.",
    })
}
