import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { copyTree } from "../fetch/index.ts"
import { type Inventory, isObject, own, type Plugin } from "../read/index.ts"
import { readJsonFile } from "../state/index.ts"
import { descriptionOf, dynamicParts, standardName, standardSkillFields, withFrontmatter } from "./markdown.ts"
import { Translation, type TranslationReport } from "./report.ts"
import { type KnownValues, NOTHING_KNOWN, settledServer } from "./values.ts"

/** Events Codex runs plugin hooks on. */
const EVENTS = new Set([
  "PreToolUse",
  "PostToolUse",
  "PermissionRequest",
  "UserPromptSubmit",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
])
/** What is written anew or left behind. Scripts of hooks may lie in their folder, so that one is copied. */
const NOT_COPIED = [
  ".claude-plugin",
  "hooks/hooks.json",
  "commands",
  "agents",
  "output-styles",
  "skills",
  ".mcp.json",
  ".lsp.json",
  "themes",
  "monitors",
  "workflows",
]
/** What the marketplace written for Codex is called. */
export const CODEX_MARKETPLACE = "chorus"
const CATALOGUE = ".agents/plugins/marketplace.json"
const DISPLAY = ["description", "version", "keywords", "author", "homepage", "repository", "license"]

/** A plugin as Codex takes it, to be written into `to`, and what cannot come along. */
export function translateToCodex(
  plugin: Plugin,
  inventory: Inventory,
  to: string,
  known: KnownValues = NOTHING_KNOWN,
): TranslationReport {
  const translation = new Translation()
  translation.later(() => {
    rmSync(to, { recursive: true, force: true })
    copyTree(plugin.folder, to)
    // Packages of a lockfile are not the plugin's own files, and its servers need them all the same.
    const packages = join(plugin.folder, "node_modules")
    if (existsSync(packages)) copyTree(packages, join(to, "node_modules"), plugin.folder)
    for (const name of NOT_COPIED) rmSync(join(to, name), { recursive: true, force: true })
  })
  const manifest: Record<string, unknown> = { name: standardName(plugin.name) }
  for (const key of DISPLAY) if (own(plugin.manifest, key) !== undefined) manifest[key] = own(plugin.manifest, key)
  if (writeSkills(plugin, inventory, to, translation)) manifest["skills"] = "./skills/"
  if (writeServers(inventory, to, known, translation)) manifest["mcpServers"] = "./.mcp.json"
  if (writeHooks(inventory, to, translation)) manifest["hooks"] = "./hooks/hooks.json"
  loseTheRest(plugin, inventory, translation)
  translation.write(join(to, ".codex-plugin/plugin.json"), asJson(manifest))
  return translation.report(plugin.name, "codex", to)
}

/** Where a plugin lies in the marketplace written for Codex. */
export function codexFolder(root: string, plugin: Plugin): string {
  return join(root, "plugins", standardName(plugin.name))
}

/** Lists a plugin in its `codexFolder` in the catalogue for `codex plugin marketplace add`, beside the others. */
export function listInCodex(root: string, plugin: Plugin): void {
  const name = standardName(plugin.name)
  const entry = {
    name,
    source: { source: "local", path: `./plugins/${name}` },
    policy: { installation: "AVAILABLE", authentication: "ON_USE" },
    category: "Developer Tools",
  }
  writeCatalogue(root, {
    name: CODEX_MARKETPLACE,
    interface: { displayName: CODEX_MARKETPLACE },
    plugins: [...listedWithout(root, name), entry],
  })
}

/** Takes a plugin out of the marketplace written for Codex again. */
export function removeFromCodex(root: string, name: string): void {
  rmSync(join(root, "plugins", standardName(name)), { recursive: true, force: true })
  if (!existsSync(join(root, CATALOGUE))) return
  writeCatalogue(root, { ...readJsonFile(join(root, CATALOGUE)), plugins: listedWithout(root, standardName(name)) })
}

/** Whether the marketplace in a folder listed nothing any more, and is gone with the folders that only it was in. */
export function removeEmptyMarketplace(root: string): boolean {
  const { name, plugins } = readJsonFile(join(root, CATALOGUE))
  if (name !== CODEX_MARKETPLACE || !Array.isArray(plugins) || plugins.length > 0) return false
  rmSync(join(root, CATALOGUE))
  for (const folder of [dirname(CATALOGUE), dirname(dirname(CATALOGUE)), "plugins", ""]) {
    const path = join(root, folder)
    if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path)
  }
  return true
}

function listedWithout(root: string, name: string): unknown[] {
  const listed = own(readJsonFile(join(root, CATALOGUE)), "plugins")
  return Array.isArray(listed) ? listed.filter((entry) => !isObject(entry) || entry["name"] !== name) : []
}

function writeCatalogue(root: string, content: unknown): void {
  const file = join(root, CATALOGUE)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, asJson(content))
}

/** Refuses a folder that holds anything but an earlier marketplace of ours: what is in its way there is deleted. */
export function checkCodexFolder(root: string): void {
  const isOurs = own(readJsonFile(join(root, CATALOGUE)), "name") === CODEX_MARKETPLACE
  if (isOurs || !existsSync(root) || readdirSync(root).length === 0) return
  throw new ChorusError("folder_taken", `${root} holds something else, which would be written over.`, {
    status: 409,
    next: "Name an empty folder with --out.",
  })
}

function writeSkills(plugin: Plugin, inventory: Inventory, to: string, translation: Translation): boolean {
  for (const part of inventory.skills) {
    const name = standardName(part.name.split(":").slice(1).join("-"))
    const folder = join(to, "skills", name)
    if (!translation.take(`skills/${name}`, `skill ${part.name}`)) continue
    if (part.file !== "SKILL.md")
      translation.later(() => copyTree(join(plugin.folder, dirname(part.file)), folder, plugin.folder))
    translation.write(join(folder, "SKILL.md"), withFrontmatter(standardSkillFields(part, name), part.body))
    const dropped = ["hooks", "context", "agent", "model", "disable-model-invocation"].filter(
      (key) => own(part.fields, key) !== undefined,
    )
    translation.carry(
      `skill ${part.name}`,
      `skills/${name}`,
      dropped.length === 0 ? undefined : `without ${dropped.join(", ")}`,
    )
  }
  for (const part of inventory.commands) {
    const dynamic = dynamicParts(part.body)
    if (dynamic.length > 0) {
      translation.lose(`command ${part.name}`, `it uses ${dynamic.join(" and ")}, which a skill cannot`)
      continue
    }
    const name = standardName(`source-command-${part.name.split(":").slice(1).join("-")}`)
    if (!translation.take(`skills/${name}`, `command ${part.name}`)) continue
    const text = withFrontmatter({ name, description: descriptionOf(part).slice(0, 1024) }, part.body)
    translation.write(join(to, "skills", name, "SKILL.md"), text)
    translation.carry(`command ${part.name}`, `skills/${name}`, "as a skill")
  }
  return translation.carried.length > 0
}

function writeServers(inventory: Inventory, to: string, known: KnownValues, translation: Translation): boolean {
  const servers: Record<string, unknown> = {}
  for (const { name, config: written } of inventory.mcpServers) {
    // Codex knows no variables: what it starts is the copy that was written here.
    const { config, open } = settledServer(written, to, known)
    const option = open.find((variable) => variable.startsWith("user_config."))
    if (option !== undefined)
      translation.lose(`MCP server ${name}`, `its option ${option.slice(12)} is secret or not set, and Codex has none`)
    else if (config["type"] === "ws" || config["type"] === "sse")
      translation.lose(`MCP server ${name}`, `Codex does not speak ${config["type"]}`)
    else {
      servers[name] = isObject(config["headers"]) ? { ...config, http_headers: config["headers"] } : config
      translation.carry(
        `MCP server ${name}`,
        ".mcp.json",
        open.length === 0 ? undefined : `Codex does not fill in ${open.join(", ")}: write it there`,
      )
    }
  }
  for (const bundle of inventory.bundles)
    translation.lose(`MCP bundle ${basename(bundle.path)}`, "Codex does not unpack bundles")
  if (Object.keys(servers).length === 0) return false
  translation.write(join(to, ".mcp.json"), asJson({ mcpServers: servers }))
  return true
}

function writeHooks(inventory: Inventory, to: string, translation: Translation): boolean {
  const events: Record<string, unknown[]> = {}
  for (const hook of inventory.hooks) {
    const part = `hook ${hook.event}${hook.matcher === undefined ? "" : `(${hook.matcher})`}`
    const text = JSON.stringify(hook.handler)
    if (!EVENTS.has(hook.event)) translation.lose(part, "Codex has no such event")
    else if (hook.type !== "command") translation.lose(part, `Codex runs commands only, not ${hook.type} hooks`)
    else if (text.includes("${user_config."))
      translation.lose(part, "it needs an option of the plugin, and Codex has none")
    else if (hook.handler["if"] !== undefined)
      translation.lose(part, 'its "if" condition is unknown to Codex, and without it it would run too often')
    else {
      ;(events[hook.event] ??= []).push({
        ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }),
        hooks: [hook.handler],
      })
      translation.carry(part, "hooks/hooks.json", "Codex asks the user to trust it")
    }
  }
  if (Object.keys(events).length === 0) return false
  translation.write(join(to, "hooks/hooks.json"), asJson({ hooks: events }))
  return true
}

function loseTheRest(plugin: Plugin, inventory: Inventory, translation: Translation): void {
  for (const part of inventory.agents)
    translation.lose(`agent ${part.name}`, "agent roles are configuration in Codex, no part of a plugin")
  for (const part of inventory.outputStyles) translation.lose(`output style ${part.name}`, "Codex has none")
  for (const { name } of inventory.lspServers) translation.lose(`LSP server ${name}`, "Codex has none")
  for (const { name } of inventory.monitors) translation.lose(`monitor ${name}`, "Codex has none")
  for (const file of [...inventory.workflows, ...inventory.themes, ...inventory.modules])
    translation.lose(file, "Codex has no such part")
  for (const channel of inventory.channels) translation.lose(`channel ${channel}`, "Codex has none")
  for (const file of inventory.binaries) translation.lose(file, "Codex does not put a plugin's bin/ on the PATH")
  for (const key of Object.keys(inventory.settings))
    translation.lose(`setting ${key}`, "Codex takes no settings from plugins")
  if (isObject(own(plugin.manifest, "userConfig"))) translation.lose("userConfig", "Codex does not ask for options")
  if (Array.isArray(own(plugin.manifest, "dependencies")))
    translation.lose("dependencies", "Codex does not resolve them; translate those plugins too")
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
