import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { applyEdits, modify, parse as parseJsonc } from "jsonc-parser"
import { linkTarget, replaceFile } from "@chorus/disk"
import { copyTree } from "../fetch/index.ts"
import {
  type FilePart,
  type Inventory,
  isObject,
  isStringArray,
  type JsonObject,
  objectField,
  own,
  type Plugin,
} from "../read/index.ts"
import { hookModule } from "./hook-module.ts"
import { descriptionOf, standardName, standardSkillFields, withFrontmatter } from "./markdown.ts"
import { Translation, type TranslationReport } from "./report.ts"
import { type KnownValues, NOTHING_KNOWN, settledServer } from "./values.ts"

const RECORD = "chorus-plugins.json"
const EMPTY_CONFIG = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'

/**
 * A plugin's parts for an OpenCode folder (`.opencode` or `~/.config/opencode`), where they replace what an earlier run
 * wrote for it.
 */
export function translateToOpencode(
  plugin: Plugin,
  inventory: Inventory,
  folder: string,
  known: KnownValues = NOTHING_KNOWN,
): TranslationReport {
  const translation = new Translation()
  const written: string[] = []
  const before = records(folder)[plugin.name] ?? []
  translation.later(() => forget(folder, before))
  const write = (name: string, text: string) => {
    written.push(name)
    translation.write(join(folder, name), text)
  }
  const isFree = (name: string, part: string) => {
    const isTheirs = existsSync(join(folder, name)) && !before.includes(name)
    if (isTheirs) translation.lose(part, `${name} is there already, and is not from an earlier run`)
    return !isTheirs && translation.take(name, part)
  }
  const rooted = (text: string) => text.replaceAll(/\$\{?CLAUDE_PLUGIN_ROOT\}?/g, plugin.folder)
  for (const part of inventory.skills) {
    const name = standardName(`${plugin.name}-${leaf(part)}`)
    if (!isFree(`skills/${name}`, `skill ${part.name}`)) continue
    if (part.file !== "SKILL.md")
      translation.later(() =>
        copyTree(join(plugin.folder, dirname(part.file)), join(folder, "skills", name), plugin.folder),
      )
    write(`skills/${name}/SKILL.md`, rooted(withFrontmatter(standardSkillFields(part, name), part.body)))
    written.push(`skills/${name}`)
    translation.carry(`skill ${part.name}`, `skills/${name}`)
  }
  for (const part of inventory.commands) {
    const name = `${standardName(plugin.name)}-${standardName(leaf(part))}`
    if (!isFree(`commands/${name}.md`, `command ${part.name}`)) continue
    write(`commands/${name}.md`, rooted(withFrontmatter({ description: descriptionOf(part) }, part.body)))
    translation.carry(
      `command ${part.name}`,
      `commands/${name}.md`,
      own(part.fields, "allowed-tools") === undefined ? undefined : "without its allowed tools",
    )
  }
  for (const part of inventory.agents) {
    const name = `${standardName(plugin.name)}-${standardName(leaf(part))}`
    if (!isFree(`agents/${name}.md`, `agent ${part.name}`)) continue
    const fields = { description: descriptionOf(part), mode: "subagent", permission: permissionsOf(part) }
    write(`agents/${name}.md`, rooted(withFrontmatter(fields, part.body)))
    translation.carry(
      `agent ${part.name}`,
      `agents/${name}.md`,
      own(part.fields, "model") === undefined ? undefined : "with OpenCode's own choice of model",
    )
  }
  written.push(...writeConfig(plugin, inventory, folder, known, before, translation))
  const file = `plugin/${standardName(plugin.name)}-hooks.js`
  const module = hookModule(plugin, inventory, file, known, translation)
  if (module !== undefined) write(file, module)
  loseTheRest(plugin, inventory, translation)
  translation.later(() => remember(folder, plugin.name, written))
  return translation.report(plugin.name, "opencode", folder)
}

/** How the record names an entry of opencode.json. */
const configKey = (kind: "mcp" | "lsp", name: string) => `config:${kind}/${name}`

/** MCP and language servers go into opencode.json; comments and everything else in it stay, and what an earlier run put there goes. */
function writeConfig(
  plugin: Plugin,
  inventory: Inventory,
  folder: string,
  known: KnownValues,
  before: readonly string[],
  translation: Translation,
): string[] {
  const entries = new Map<string, JsonObject>()
  const isTheirs = (kind: "mcp" | "lsp", name: string) =>
    Object.hasOwn(objectField(asObject(parseJsonc(configOf(folder).text)), kind), name) &&
    !before.includes(configKey(kind, name))
  for (const { name, config: written } of inventory.mcpServers) {
    const { config } = settledServer(written, plugin.folder, known)
    if (needsOption(config)) {
      translation.lose(`MCP server ${name}`, "it needs an option of the plugin; set it up by hand in opencode.json")
      continue
    }
    if (isTheirs("mcp", `${plugin.name}-${name}`)) {
      translation.lose(`MCP server ${name}`, "opencode.json already has a server of this name")
      continue
    }
    entries.set(configKey("mcp", `${plugin.name}-${name}`), mcpEntry(config))
    translation.carry(`MCP server ${name}`, `opencode.json mcp.${plugin.name}-${name}`)
  }
  for (const { name, config: written } of inventory.lspServers) {
    const { config } = settledServer(written, plugin.folder, known)
    if (needsOption(config))
      translation.lose(`LSP server ${name}`, "it needs an option of the plugin; set it up by hand in opencode.json")
    else if (isTheirs("lsp", name))
      translation.lose(`LSP server ${name}`, "opencode.json already has a language server of this name")
    else {
      entries.set(configKey("lsp", name), lspEntry(config))
      translation.carry(`LSP server ${name}`, `opencode.json lsp.${name}`)
    }
  }
  const gone = before.filter((key) => !entries.has(key))
  translation.later(() => changeConfig(folder, [...gone.map((key) => [key, undefined] as const), ...entries]))
  return [...entries.keys()]
}

function configOf(folder: string): { file: string; text: string } {
  const commented = join(folder, "opencode.jsonc")
  const file = existsSync(commented) ? commented : join(folder, "opencode.json")
  return { file, text: existsSync(file) ? readFileSync(file, "utf8") : EMPTY_CONFIG }
}

/** Sets entries of opencode.json by the names the record has for them, or removes them. What then holds nothing goes. */
function changeConfig(
  folder: string,
  changes: readonly (readonly [key: string, value: JsonObject | undefined])[],
): void {
  const { file, text: before } = configOf(folder)
  let text = before
  const set = (path: string[], value: unknown) => {
    const formattingOptions = { insertSpaces: true, tabSize: 2 }
    text = applyEdits(text, modify(text, path, value, { formattingOptions }))
  }
  for (const [key, value] of changes) {
    const [, kind, name] = /^config:(mcp|lsp)\/(.+)$/.exec(key) ?? []
    if (kind === undefined || name === undefined) continue
    set([kind, name], value)
    if (Object.keys(objectField(asObject(parseJsonc(text)), kind)).length === 0) set([kind], undefined)
  }
  if (text === before) return
  if (text === EMPTY_CONFIG) return rmSync(file, { force: true })
  mkdirSync(folder, { recursive: true })
  replaceFile(linkTarget(file), text, { mode: 0o644 })
}

function needsOption(config: JsonObject): boolean {
  return JSON.stringify(config).includes("${user_config.")
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function lspEntry(config: JsonObject): JsonObject {
  const extensions = isObject(config["extensionToLanguage"]) ? Object.keys(config["extensionToLanguage"]) : []
  return {
    command: commandOf(config),
    extensions,
    ...(isObject(config["env"]) ? { env: mapped(config["env"]) } : {}),
    ...(isObject(config["initializationOptions"]) ? { initialization: config["initializationOptions"] } : {}),
  }
}

function mcpEntry(config: JsonObject): JsonObject {
  if (typeof config["url"] === "string")
    return {
      type: "remote",
      url: inOpencode(config["url"]),
      ...(isObject(config["headers"]) ? { headers: mapped(config["headers"]) } : {}),
      enabled: true,
    }
  return {
    type: "local",
    command: commandOf(config),
    ...(isObject(config["env"]) ? { environment: mapped(config["env"]) } : {}),
    enabled: true,
  }
}

function commandOf(config: JsonObject): string[] {
  return [String(config["command"]), ...(isStringArray(config["args"]) ? config["args"] : [])].map((word) =>
    inOpencode(word),
  )
}

function mapped(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, inOpencode(String(value))]))
}

/** What is left to the environment, as OpenCode writes it. */
function inOpencode(text: string): string {
  return text.replaceAll(/\$\{([A-Z_][A-Z0-9_]*)\}/g, "{env:$1}")
}

/** A list of tools becomes permissions: what an agent was not given, it may not use. */
function permissionsOf(part: FilePart): JsonObject | undefined {
  const tools = own(part.fields, "tools")
  const names = typeof tools === "string" ? tools.split(/[\s,]+/) : isStringArray(tools) ? tools : undefined
  if (names === undefined) return undefined
  const has = (...wanted: string[]) => wanted.some((name) => names.some((tool) => tool.replace(/\(.*/, "") === name))
  return {
    edit: has("Edit", "Write", "NotebookEdit") ? "allow" : "deny",
    bash: has("Bash") ? "allow" : "deny",
    webfetch: has("WebFetch", "WebSearch") ? "allow" : "deny",
  }
}

function loseTheRest(plugin: Plugin, inventory: Inventory, translation: Translation): void {
  for (const bundle of inventory.bundles)
    translation.lose(`MCP bundle ${basename(bundle.path)}`, "OpenCode does not unpack bundles")
  for (const part of inventory.outputStyles) translation.lose(`output style ${part.name}`, "OpenCode has none")
  for (const { name } of inventory.monitors) translation.lose(`monitor ${name}`, "OpenCode has none")
  for (const file of inventory.themes) translation.lose(file, "themes have another format in OpenCode")
  for (const file of [...inventory.workflows, ...inventory.modules]) translation.lose(file, "OpenCode has no such part")
  for (const channel of inventory.channels) translation.lose(`channel ${channel}`, "OpenCode has none")
  for (const file of inventory.binaries) translation.lose(file, "OpenCode does not put a plugin's bin/ on the PATH")
  if (isObject(own(plugin.manifest, "userConfig"))) translation.lose("userConfig", "OpenCode does not ask for options")
}

/** Takes a plugin out of an OpenCode folder again, with everything earlier runs wrote for it there. */
export function removeFromOpencode(folder: string, name: string): void {
  const before = records(folder)[name]
  if (before === undefined) return
  forget(folder, before)
  changeConfig(
    folder,
    before.map((key) => [key, undefined]),
  )
  remember(folder, name, undefined)
}

/** Removes the files an earlier run wrote for a plugin. */
function forget(folder: string, before: readonly string[]): void {
  for (const path of before)
    if (/^(skills|commands|agents|plugin)\/[\w-]+(\.md|\.js|\/SKILL\.md)?$/.test(path))
      rmSync(join(folder, path), { recursive: true, force: true })
  for (const parent of ["skills", "commands", "agents", "plugin"]) removeEmpty(join(folder, parent))
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}

function remember(folder: string, name: string, written: readonly string[] | undefined): void {
  const { [name]: _before, ...others } = records(folder)
  const all = written === undefined ? others : { ...others, [name]: written }
  if (Object.keys(all).length === 0) return rmSync(join(folder, RECORD), { force: true })
  mkdirSync(folder, { recursive: true })
  replaceFile(join(folder, RECORD), `${JSON.stringify(all, null, 2)}\n`, { mode: 0o644 })
}

function records(folder: string): Record<string, string[]> {
  const value: unknown = existsSync(join(folder, RECORD)) ? parseJsonc(readFileSync(join(folder, RECORD), "utf8")) : {}
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).flatMap(([name, list]) => (isStringArray(list) ? [[name, list]] : [])))
    : {}
}

function leaf(part: FilePart): string {
  return part.name.split(":").slice(1).join("-")
}
