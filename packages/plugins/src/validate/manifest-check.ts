import { existsSync } from "node:fs"
import { join } from "node:path"
import { validRange } from "semver"
import { isObject, isStringArray, type JsonObject, own, typeName } from "../read/files.ts"
import { checkComponents, COMPONENT_KEYS } from "./component-check.ts"
import type { FindingFile, Report } from "./report.ts"
import { reportUnknown } from "./unknown-field.ts"
import { checkTypes } from "./types-check.ts"
import { ID_PART, INVISIBLE, checkPluginName } from "./name-check.ts"
import { checkChannels, checkUserConfig } from "./user-config-check.ts"

/** Only Anthropic's directory reads these; they are no part of a marketplace entry. */
const LISTING_KEYS = ["icon", "documentationUrl", "supportUrl", "privacyPolicyUrl", "termsOfServiceUrl"]
const METADATA_KEYS =
  "$schema name displayName version description author homepage repository license keywords metadata defaultEnabled engines dependencies settings userConfig channels types experimental".split(
    " ",
  )
const ENTRY_KEYS = ["source", "category", "tags", "strict", "relevance", "headers", "headersHelper"]

export interface ManifestContext {
  /** `plugin` is a plugin.json, `entry` a marketplace entry that may stand in for one. */
  readonly as: "plugin" | "entry"
  /** The plugin's folder, when its files are at hand. */
  readonly root: string | undefined
  /** The marketplace is Anthropic's own, so Anthropic's names are right. */
  readonly official: boolean
}

/** Checks every field of a manifest. `at` is where an entry stands in its catalogue. */
export function checkManifest(
  report: Report,
  file: FindingFile,
  manifest: JsonObject,
  context: ManifestContext,
  at: readonly (string | number)[] = [],
): void {
  if (context.as === "plugin") {
    checkPluginName(report, file, own(manifest, "name"), context)
    checkPresence(report, file, manifest)
  }
  checkMetadata(report, file, manifest, at)
  checkComponents(report, file, manifest, context, at)
  const types = own(manifest, "types")
  if (context.as === "plugin" && context.root !== undefined && types !== undefined)
    checkTypes(report, file, types, context.root)
  const known = new Set([
    ...METADATA_KEYS,
    ...COMPONENT_KEYS,
    ...(context.as === "plugin" ? [...LISTING_KEYS, "bugs"] : ENTRY_KEYS),
  ])
  for (const key of Object.keys(manifest))
    if (!known.has(key)) reportUnknown(report, file, [...at, key], known, context.as)
}

function checkPresence(report: Report, file: FindingFile, manifest: JsonObject): void {
  const missing = (key: string, why: string) =>
    report.warning(file, { code: `${key}_missing`, path: [key], message: `No ${key}. ${why}` })
  const lacks = (key: string) => own(manifest, key) === undefined || own(manifest, key) === ""
  if (lacks("version")) missing("version", "Updates are then told apart by commit or not at all.")
  if (lacks("description")) missing("description", "People cannot see what the plugin does.")
  if (own(manifest, "author") === undefined) missing("author", "People cannot see who made it.")
}

function checkMetadata(
  report: Report,
  file: FindingFile,
  manifest: JsonObject,
  at: readonly (string | number)[],
): void {
  const fail = (path: (string | number)[], message: string, fix?: string) =>
    report.error(file, { code: "field_type", path: [...at, ...path], message, fix })
  const ignored = (key: string, what: string) =>
    report.warning(file, {
      code: "field_ignored",
      path: [...at, key],
      message: `"${key}" must be ${what}; got ${typeName(manifest[key])}. It is ignored.`,
    })
  const has = (key: string) => Object.hasOwn(manifest, key) && manifest[key] !== undefined

  for (const key of ["$schema", "displayName", "version", "description", "license"])
    if (has(key) && typeof manifest[key] !== "string")
      fail([key], `"${key}" must be text; got ${typeName(manifest[key])}.`)
  if (typeof manifest["version"] === "string" && INVISIBLE.test(manifest["version"]))
    report.warning(file, {
      code: "version_invisible",
      path: [...at, "version"],
      message: "The version contains a line break, a control or a text-direction character.",
      fix: 'Write for example "1.0.0".',
    })
  if (has("repository") && typeof manifest["repository"] !== "string")
    fail(
      ["repository"],
      `"repository" must be text; got ${typeName(manifest["repository"])}.`,
      "Write the URL alone, not npm's object.",
    )
  if (has("author")) checkPerson(report, file, [...at, "author"], manifest["author"])
  if (has("homepage") && !(typeof manifest["homepage"] === "string" && URL.canParse(manifest["homepage"])))
    fail(["homepage"], '"homepage" must be a full URL.')
  if (has("keywords") && !isStringArray(manifest["keywords"])) fail(["keywords"], '"keywords" must be a list of texts.')
  if (has("metadata") && !isObject(manifest["metadata"])) ignored("metadata", "an object")
  if (has("defaultEnabled") && typeof manifest["defaultEnabled"] !== "boolean")
    fail(["defaultEnabled"], '"defaultEnabled" must be true or false.')
  if (has("engines")) {
    const engines = manifest["engines"]
    if (!isObject(engines)) ignored("engines", "an object")
    else if (Object.hasOwn(engines, "claude-code") && !isRange(engines["claude-code"]))
      fail(
        ["engines", "claude-code"],
        `Not a version range: ${JSON.stringify(engines["claude-code"])}.`,
        'Write for example ">=2.1.0".',
      )
  }
  if (has("dependencies")) checkDependencies(report, file, [...at, "dependencies"], manifest["dependencies"])
  if (has("settings")) checkSettings(report, file, at, manifest["settings"])
  if (has("userConfig")) checkUserConfig(report, file, [...at, "userConfig"], manifest["userConfig"])
  if (has("channels")) checkChannels(report, file, [...at, "channels"], manifest["channels"])
}

export function checkPerson(
  report: Report,
  file: FindingFile,
  path: readonly (string | number)[],
  person: unknown,
): void {
  const fail = (at: readonly (string | number)[], message: string, fix?: string) =>
    report.error(file, { code: "person_invalid", path: at, message, fix })
  if (!isObject(person))
    return fail(
      path,
      `"${String(path.at(-1))}" must be an object with a name; got ${typeName(person)}.`,
      typeof person === "string" ? `Write {"name": ${JSON.stringify(person)}}.` : undefined,
    )
  const name = own(person, "name")
  if (typeof name !== "string") fail([...path, "name"], "A name is needed.")
  else if (name === "") fail([...path, "name"], "The name is empty.")
  for (const key of ["email", "url"])
    if (Object.hasOwn(person, key) && typeof person[key] !== "string") fail([...path, key], `"${key}" must be text.`)
}

function checkDependencies(
  report: Report,
  file: FindingFile,
  path: readonly (string | number)[],
  value: unknown,
): void {
  if (!Array.isArray(value))
    return report.error(file, {
      code: "dependencies_type",
      path,
      message: `"dependencies" is a list; got ${typeName(value)}.`,
      fix: 'Write ["name", {"name": "other", "version": "^1.0"}].',
    })
  for (const [index, item] of value.entries()) {
    if (
      typeof item === "string"
        ? /^[A-Za-z0-9][\w.-]*(@[A-Za-z0-9][\w.-]*)?(@[^@\s]+)?$/.test(item)
        : isDependencyObject(item)
    )
      continue
    report.error(file, {
      code: "dependency_invalid",
      path: [...path, index],
      message: `Not a dependency: ${JSON.stringify(item)}.`,
      fix: 'Write "name", "name@marketplace" or {"name": …, "version": "^1.0"}.',
    })
  }
}

function isDependencyObject(item: unknown): boolean {
  if (!isObject(item) || typeof item["name"] !== "string" || !ID_PART.test(item["name"])) return false
  const marketplace = own(item, "marketplace")
  return marketplace === undefined || (typeof marketplace === "string" && ID_PART.test(marketplace))
}

function checkSettings(report: Report, file: FindingFile, at: readonly (string | number)[], settings: unknown): void {
  if (!isObject(settings))
    return report.error(file, {
      code: "settings_type",
      path: [...at, "settings"],
      message: `"settings" must be an object; got ${typeName(settings)}.`,
    })
  const agent = own(settings, "agent")
  if (typeof agent === "string")
    report.note(file, {
      code: "settings_agent_deprecated",
      path: [...at, "settings", "agent"],
      message: "A plugin's agent setting is deprecated.",
      fix: "Tell people to choose the agent in their own settings.",
    })
  if (isObject(agent))
    report.note(file, {
      code: "settings_agent_object",
      path: [...at, "settings", "agent"],
      message: "agent as an object of agents does nothing today.",
      fix: "Ship the agents as files in agents/.",
    })
  for (const key of Object.keys(settings))
    if (key !== "agent" && key !== "subagentStatusLine")
      report.note(file, {
        code: "settings_without_effect",
        path: [...at, "settings", key],
        message: `A plugin cannot set "${key}".`,
      })
}

/** The files beside the manifest that people expect to be read. */
export function checkSurroundings(report: Report, root: string): void {
  if (existsSync(join(root, "CLAUDE.md")))
    report.warning(
      { file: "CLAUDE.md" },
      {
        code: "claude_md_not_loaded",
        message: "A plugin's CLAUDE.md is not loaded.",
        fix: "Put what the model should know into a skill.",
      },
    )
  for (const folder of ["skills", "commands", "agents", "hooks"]) {
    if (existsSync(join(root, ".claude-plugin", folder)))
      report.note(
        { file: `.claude-plugin/${folder}` },
        {
          code: "component_misplaced",
          message: `Nothing inside .claude-plugin/ but the manifests is read.`,
          fix: `Move it to ${folder}/ beside .claude-plugin/.`,
        },
      )
  }
}

function isRange(value: unknown): boolean {
  return typeof value === "string" && validRange(value) !== null
}
