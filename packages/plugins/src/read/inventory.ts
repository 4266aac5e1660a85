import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type BundlePart, readServers, type ServerPart } from "./servers.ts"
import { isObject, type JsonObject, kindInside, listFiles, listFolders, own, readText } from "./files.ts"
import { readFrontmatter } from "./frontmatter.ts"
import { readHooks, type HookPart } from "./hooks.ts"
import type { Plugin } from "./plugin.ts"

/** A file of a plugin that is a component, with the name people call it by. */
export interface FilePart {
  readonly name: string
  readonly file: string
  readonly fields: JsonObject
  /** The text below the front matter. */
  readonly body: string
}

export interface MonitorPart {
  readonly name: string
  readonly command: string
  readonly when: string
}

/** A component that was left out, and why. The rest of the plugin loads. */
export interface PartProblem {
  readonly part: string
  readonly message: string
  /** A hook that may guard permissions could not be loaded: then nothing of the plugin may. */
  readonly fatal: boolean
  readonly type: "generic-error" | "hook-load-failed" | "folder-shadowed-by-manifest"
}

export interface Inventory {
  readonly commands: readonly FilePart[]
  readonly agents: readonly FilePart[]
  readonly skills: readonly FilePart[]
  readonly outputStyles: readonly FilePart[]
  readonly workflows: readonly string[]
  readonly themes: readonly string[]
  readonly hooks: readonly HookPart[]
  readonly modules: readonly string[]
  readonly mcpServers: readonly ServerPart[]
  readonly bundles: readonly BundlePart[]
  readonly lspServers: readonly ServerPart[]
  readonly monitors: readonly MonitorPart[]
  readonly channels: readonly string[]
  readonly binaries: readonly string[]
  readonly settings: JsonObject
  readonly problems: readonly PartProblem[]
}

/** Everything a plugin contributes: what lies in the standard places and what its manifest names. */
export function readInventory(plugin: Plugin): Inventory {
  const problems: PartProblem[] = []
  const problem = (part: string, message: string, more: Partial<PartProblem> = {}) =>
    problems.push({ part, message, fatal: false, type: "generic-error", ...more })
  const find = (key: string, folder: string, suffix: string) => findFiles(plugin, key, folder, suffix, problem)
  const hooks = readHooks(plugin, problem)
  const mcp = readServers(plugin, "mcpServers", ".mcp.json", problem)
  const lsp = readServers(plugin, "lspServers", ".lsp.json", problem)
  const experimental = own(plugin.manifest, "experimental")
  return {
    commands: [
      ...find("commands", "commands", ".md").map((file) => filePart(plugin, file, () => commandName(plugin, file))),
      ...inlineCommands(plugin),
    ],
    agents: find("agents", "agents", ".md").map((file) =>
      filePart(plugin, file, (fields) => agentName(plugin, file, fields)),
    ),
    skills: skillFiles(plugin, problem).map((file) =>
      filePart(plugin, file, (fields) => skillName(plugin, file, fields)),
    ),
    outputStyles: find("outputStyles", "output-styles", ".md").map((file) =>
      filePart(plugin, file, () => basename(file, ".md")),
    ),
    workflows: find("workflows", "workflows", ".js"),
    themes: find(
      isObject(experimental) && own(experimental, "themes") !== undefined ? "experimental.themes" : "themes",
      "themes",
      ".json",
    ),
    hooks: hooks.hooks,
    modules: hooks.modules,
    mcpServers: mcp.servers,
    bundles: mcp.bundles,
    lspServers: lsp.servers,
    monitors: readMonitors(plugin, problem),
    channels: listOf(own(plugin.manifest, "channels")).flatMap((channel) =>
      isObject(channel) && typeof channel["server"] === "string" ? [channel["server"]] : [],
    ),
    binaries: listFiles(join(plugin.folder, "bin"), "").map((name) => `bin/${name}`),
    settings: isObject(own(plugin.manifest, "settings"))
      ? (own(plugin.manifest, "settings") as JsonObject)
      : readObject(plugin.folder, "settings.json"),
    problems,
  }
}

type Problem = (part: string, message: string, more?: Partial<PartProblem>) => void

/** Files of a kind: those the manifest names, or the standard folder when it names none. */
function findFiles(plugin: Plugin, key: string, folder: string, suffix: string, problem: Problem): string[] {
  const declared = key.startsWith("experimental.")
    ? own(plugin.manifest["experimental"] as JsonObject, key.slice(13))
    : own(plugin.manifest, key)
  if (declared === undefined) return listFiles(join(plugin.folder, folder), suffix).map((name) => `${folder}/${name}`)
  const paths = isObject(declared)
    ? Object.values(declared).flatMap((command) =>
        isObject(command) && typeof command["source"] === "string" ? [command["source"]] : [],
      )
    : listOf(declared).filter((path) => typeof path === "string")
  const found = paths.flatMap((path) => filesAt(plugin, key, path, suffix, problem))
  if (existsSync(join(plugin.folder, folder)) && !paths.some((path) => `${join(path)}/`.startsWith(`${folder}/`))) {
    problem(key, `The folder ${folder}/ is not read because the manifest sets "${key}".`, {
      type: "folder-shadowed-by-manifest",
    })
  }
  return [...new Set(found)]
}

function filesAt(plugin: Plugin, key: string, path: string, suffix: string, problem: Problem): string[] {
  const kind = usable(plugin, key, path, problem)
  if (kind === "directory") return listFiles(join(plugin.folder, path), suffix).map((name) => join(path, name))
  return kind === "file" ? [join(path)] : []
}

/** `skills/<folder>/SKILL.md`, what the manifest adds, and a SKILL.md at the top of a plugin that has neither. */
function skillFiles(plugin: Plugin, problem: Problem): string[] {
  const declared = listOf(own(plugin.manifest, "skills")).filter((path) => typeof path === "string")
  const standard = skillsBelow(plugin.folder, "skills")
  if (declared.length === 0 && standard.length === 0 && !existsSync(join(plugin.folder, "skills")))
    return kindInside(plugin.folder, "SKILL.md") === "file" ? ["SKILL.md"] : []
  const added = declared.flatMap((path) => {
    if (usable(plugin, "skills", path, problem) !== "directory") return []
    const chosen = join(path, "SKILL.md")
    return kindInside(plugin.folder, chosen) === "file" ? [chosen] : skillsBelow(plugin.folder, join(path))
  })
  return [...new Set([...standard, ...added])]
}

function skillsBelow(root: string, folder: string): string[] {
  return listFolders(join(root, folder))
    .map((name) => join(folder, name, "SKILL.md"))
    .filter((file) => kindInside(root, file) === "file")
}

/** What a declared path leads to; reported and dropped when it leads nowhere or out. */
export function usable(plugin: Plugin, part: string, path: string, problem: Problem): "file" | "directory" | undefined {
  const kind = path.includes("\\") ? "escapes" : kindInside(plugin.folder, path)
  if (kind === "missing") problem(part, `${part} path not found: ${path}`)
  if (kind === "escapes") problem(part, `${part} path escapes plugin directory: ${path}`)
  return kind === "file" || kind === "directory" ? kind : undefined
}

function inlineCommands(plugin: Plugin): FilePart[] {
  const declared = own(plugin.manifest, "commands")
  if (!isObject(declared)) return []
  return Object.entries(declared).flatMap(([name, command]) =>
    isObject(command) && typeof command["content"] === "string"
      ? [{ name: `${plugin.name}:${name}`, file: "", fields: command, body: command["content"] }]
      : [],
  )
}

function filePart(plugin: Plugin, file: string, nameOf: (fields: JsonObject) => string): FilePart {
  const text = readText(join(plugin.folder, file)) ?? ""
  const front = readFrontmatter(text)
  const [fields, body] = front.kind === "fields" ? [front.fields, front.body] : [{}, text]
  return { name: `${plugin.name}:${nameOf(fields)}`, file, fields, body }
}

/** `commands/db/migrate.md` is `db:migrate`; a key of the manifest's map names the command itself. */
function commandName(plugin: Plugin, file: string): string {
  const declared = own(plugin.manifest, "commands")
  const key = isObject(declared)
    ? Object.entries(declared).find(
        ([, command]) => isObject(command) && typeof command["source"] === "string" && join(command["source"]) === file,
      )?.[0]
    : undefined
  return key ?? nested(file, "commands", basename(file, ".md"))
}

function agentName(plugin: Plugin, file: string, fields: JsonObject): string {
  const name = own(fields, "name")
  const chosen = typeof name === "string" && name !== "" ? name : basename(file, ".md")
  return own(plugin.manifest, "agents") === undefined ? nested(file, "agents", chosen) : chosen
}

/** A skill is called like its folder; one that is the plugin itself, or that the manifest names alone, may choose. */
function skillName(plugin: Plugin, file: string, fields: JsonObject): string {
  const folder = dirname(file)
  const isAlone =
    file === "SKILL.md" ||
    listOf(own(plugin.manifest, "skills")).some((path) => typeof path === "string" && join(path, "SKILL.md") === file)
  const name = isAlone ? own(fields, "name") : undefined
  return typeof name === "string" && name !== "" ? name : folder === "." ? plugin.name : basename(folder)
}

function nested(file: string, folder: string, name: string): string {
  const between = dirname(file).split("/").slice(1)
  return file.startsWith(`${folder}/`) ? [...between, name].join(":") : name
}

function readMonitors(plugin: Plugin, problem: Problem): MonitorPart[] {
  const experimental = own(plugin.manifest, "experimental")
  const declared =
    (isObject(experimental) ? own(experimental, "monitors") : undefined) ?? own(plugin.manifest, "monitors")
  const file = typeof declared === "string" ? declared : "monitors/monitors.json"
  if (typeof declared === "string" && usable(plugin, "monitors", file, problem) === undefined) return []
  const list = Array.isArray(declared) ? declared : readList(plugin.folder, file)
  return list.flatMap((monitor) => {
    if (isObject(monitor) && typeof monitor["name"] === "string" && typeof monitor["command"] === "string")
      return [
        {
          name: monitor["name"],
          command: monitor["command"],
          when: typeof monitor["when"] === "string" ? monitor["when"] : "always",
        },
      ]
    problem("monitors", `A monitor in ${file} is not one and was left out.`)
    return []
  })
}

export function listOf(value: unknown): unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

function readObject(folder: string, file: string): JsonObject {
  const value = readValue(folder, file)
  return isObject(value) ? value : {}
}

function readList(folder: string, file: string): unknown[] {
  const value = readValue(folder, file)
  return Array.isArray(value) ? value : []
}

function readValue(folder: string, file: string): unknown {
  if (kindInside(folder, file) !== "file") return undefined
  try {
    return JSON.parse(readText(join(folder, file)) ?? "null") as unknown
  } catch {
    return undefined
  }
}
