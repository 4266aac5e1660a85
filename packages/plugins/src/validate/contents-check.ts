import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  isObject,
  isStringArray,
  type JsonObject,
  kindInside,
  listFiles,
  listFolders,
  own,
  parseJson,
  readText,
} from "../read/files.ts"
import { strayLinks } from "../fetch/tree.ts"
import { describePackages } from "../install/node-packages.ts"
import { optionKeys } from "./component-check.ts"
import { checkHooksFile } from "./hooks-file-check.ts"
import { checkLspFile } from "./lsp-check.ts"
import { checkMarkdown, type MarkdownKind } from "./markdown-check.ts"
import { checkMcpFile } from "./mcp-check.ts"
import { NotesOnly, type Report } from "./report.ts"
import { checkMonitors } from "./user-config-check.ts"

/** Checks the files of a plugin: those in the standard places and those its manifest names. */
export function checkContents(report: Report, root: string, manifest: JsonObject): void {
  checkSkillFolders(report, root, "skills")
  for (const path of paths(manifest, "skills"))
    if (path !== "." && path !== "./") checkSkillPath(asNotes(report), root, path)
  checkMarkdownIn(report, root, manifest, "commands", "command")
  checkMarkdownIn(report, root, manifest, "agents", "agent")
  for (const name of unique(["hooks/hooks.json", ...paths(manifest, "hooks")]))
    withText(root, name, (text) => checkHooksFile(report, root, name, text))
  for (const name of unique([".mcp.json", ...paths(manifest, "mcpServers")]))
    if (name.endsWith(".json")) withText(root, name, (text) => checkMcpFile(report, name, text, optionKeys(manifest)))
  for (const name of unique([".lsp.json", ...paths(manifest, "lspServers")]))
    withText(root, name, (text) => checkLspFile(report, name, text))
  checkMonitorFile(report, root, manifest)
  checkSettingsFile(report, root)
  checkPackages(report, root)
}

/** Skills, agents and commands of a folder that has no manifest, such as `.claude`. Returns whether it held any. */
export function checkLooseContents(report: Report, root: string): boolean {
  const has = (folder: string) => existsSync(join(root, folder))
  if (!["skills", "agents", "commands"].some(has)) return false
  checkSkillFolders(report, root, "skills")
  for (const [folder, kind] of [
    ["agents", "agent"],
    ["commands", "command"],
  ] as const)
    for (const name of listFiles(join(root, folder), ".md")) checkFile(report, root, `${folder}/${name}`, kind)
  return true
}

/** A plugin may link to the rest of its marketplace, and nowhere else. */
export function checkLinks(report: Report, root: string, border: string): void {
  for (const file of strayLinks(root, border))
    report.error(
      { file },
      {
        code: "link_outward",
        message: "This link leads nowhere or out of the plugin; every install of it is refused.",
        fix: "Ship the file itself.",
      },
    )
}

export function checkSkillFolders(report: Report, root: string, folder: string): void {
  for (const name of listFolders(join(root, folder))) checkFile(report, root, join(folder, name, "SKILL.md"), "skill")
}

function checkSkillPath(report: Report, root: string, path: string): void {
  if (kindInside(root, path) !== "directory") return
  if (existsSync(join(root, path, "SKILL.md"))) checkFile(report, root, join(path, "SKILL.md"), "skill")
  else checkSkillFolders(report, root, path)
}

/** The standard folder is judged like the real program does, also where a key in the manifest replaces it; what the key names is our addition. */
function checkMarkdownIn(
  report: Report,
  root: string,
  manifest: JsonObject,
  key: "commands" | "agents",
  kind: MarkdownKind,
): void {
  for (const name of listFiles(join(root, key), ".md")) checkFile(report, root, `${key}/${name}`, kind)
  if (own(manifest, key) === undefined) return
  const named = paths(manifest, key)
  for (const path of named) {
    const isFolder = kindInside(root, path) === "directory"
    const names = isFolder ? listFiles(join(root, path), ".md").map((name) => join(path, name)) : [join(path)]
    for (const name of names)
      if (name.endsWith(".md") && !name.startsWith(`${key}/`)) checkFile(asNotes(report), root, name, kind)
  }
  const shadowed = existsSync(join(root, key)) && !named.some((path) => `${join(path)}/`.startsWith(`${key}/`))
  if (shadowed)
    report.note(
      { file: `${key}/` },
      { code: "folder_shadowed", message: `The manifest sets "${key}", so the folder ${key}/ is not read.` },
    )
}

function checkFile(report: Report, root: string, name: string, kind: MarkdownKind): void {
  withText(root, name, (text) => checkMarkdown(report, { file: name }, text, kind))
}

function checkMonitorFile(report: Report, root: string, manifest: JsonObject): void {
  const experimental = own(manifest, "experimental")
  const declared = (isObject(experimental) ? own(experimental, "monitors") : undefined) ?? own(manifest, "monitors")
  if (declared !== undefined && typeof declared !== "string") return
  const name = join(declared ?? "monitors/monitors.json")
  withText(root, name, (text) => {
    const { value, fault } = parseJson(text)
    const file = { file: name, text }
    if (fault !== undefined)
      report.warning(file, {
        code: "monitors_invalid",
        path: ["json"],
        offset: 0,
        message: `Not valid JSON: ${fault}. No monitor loads.`,
      })
    else if (!Array.isArray(value))
      report.warning(file, { code: "monitors_invalid", message: "The file holds a list of monitors." })
    else checkMonitors(report, file, [], value, "warning")
  })
}

function checkSettingsFile(report: Report, root: string): void {
  withText(root, "settings.json", (text) => {
    const { fault } = parseJson(text)
    if (fault !== undefined)
      report.note(
        { file: "settings.json", text },
        {
          code: "settings_invalid",
          offset: 0,
          message: `Not valid JSON: ${fault}. The plugin's settings are not applied.`,
        },
      )
  })
}

/** What an install does with the packages of a lockfile; no configuration of a package manager has a say in it. */
function checkPackages(report: Report, root: string): void {
  const packages = describePackages(root)
  if (packages === undefined) return
  const file = { file: "package-lock.json" }
  if ("fault" in packages)
    report.warning(file, {
      code: "packages_not_installed",
      message: `Its packages are not installed: ${packages.fault}.`,
    })
  else report.note(file, { code: "packages", message: `An install ${packages.installs}.` })
  if ("local" in packages && packages.local.length > 0)
    report.warning(file, {
      code: "packages_not_installed",
      message: `Its packages come from ${packages.local.join(", ")}, which is this machine: others cannot install them.`,
    })
  for (const name of [".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml"])
    if (existsSync(join(root, name)))
      report.note({ file: name }, { code: "package_settings_unread", message: "An install does not read this file." })
}

/** A report that tells everything and fails nothing. */
function asNotes(report: Report): Report {
  return new NotesOnly(report)
}

/** The paths a manifest key names, inline objects left out. */
function paths(manifest: JsonObject, key: string): string[] {
  const value = own(manifest, key)
  if (typeof value === "string") return [value]
  if (isStringArray(value)) return value
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string")
  if (key !== "commands" || !isObject(value)) return []
  return Object.values(value).flatMap((command) =>
    isObject(command) && typeof command["source"] === "string" ? [command["source"]] : [],
  )
}

function unique(names: string[]): string[] {
  return [...new Set(names.map((name) => join(name)))]
}

function withText(root: string, name: string, use: (text: string) => void): void {
  if (kindInside(root, name) !== "file") return
  const text = readText(join(root, name))
  if (text !== undefined) use(text)
}
