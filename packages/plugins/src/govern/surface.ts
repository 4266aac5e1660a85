import { createHash } from "node:crypto"
import { dirname } from "node:path"
import type { ExecutableSurface, SurfaceItem } from "@chorus/contracts"
import {
  collectHooks,
  type FilePart,
  type Inventory,
  isObject,
  isStringArray,
  type JsonObject,
  own,
  type Plugin,
} from "../read/index.ts"
import { describePackages } from "../install/node-packages.ts"
import { runtimeDownload } from "./download-shape.ts"
import { fileHash, scriptHash } from "./script-hash.ts"

/** Everything a plugin can make this machine do, with the scripts it starts, and one hash over all of it. */
export function executableSurface(plugin: Plugin, inventory: Inventory, source?: unknown): ExecutableSurface {
  const items: SurfaceItem[] = []
  const add = (kind: SurfaceItem["kind"], where: string, does: string, script = scriptHash(plugin.folder, does)) => {
    items.push({ kind, where, does, ...(script === undefined ? {} : { script }) })
    const download = kind === "connect" ? undefined : runtimeDownload(does)
    if (download !== undefined) items.push({ kind: "download", where, does: download })
  }
  const addFile = (kind: SurfaceItem["kind"], where: string, file: string) =>
    add(kind, where, `\${CLAUDE_PLUGIN_ROOT}/${file}`, fileHash(plugin.folder, file))
  for (const hook of inventory.hooks)
    add("hook", `${hook.event}${hook.matcher === undefined ? "" : `(${hook.matcher})`}`, hookDoes(hook.handler))
  for (const { name, config } of inventory.mcpServers) {
    if (typeof config["url"] === "string") add("connect", `MCP ${name}`, config["url"])
    else add("mcp", name, commandLine(config))
    if (typeof config["headersHelper"] === "string") add("mcp", `${name} headers`, config["headersHelper"])
  }
  for (const { path, server } of inventory.bundles) {
    if (server === undefined) add("download", "MCP bundle", `downloads ${path}`)
    else add("mcp", `${server.name} (bundle ${path})`, commandLine(server.config), server.sha256)
  }
  for (const { name, config } of inventory.lspServers) add("lsp", name, commandLine(config))
  for (const monitor of inventory.monitors) add("monitor", `${monitor.name} (${monitor.when})`, monitor.command)
  for (const file of inventory.binaries) addFile("binary", "on the PATH of the agent's shell", file)
  for (const file of inventory.modules) addFile("module", "inside the agent's process", file)
  for (const file of inventory.workflows) addFile("workflow", "workflow", file)
  for (const part of [...inventory.skills, ...inventory.commands]) {
    for (const command of inlineCommands(part.body))
      add("inline-command", part.name, command, scriptHash(plugin.folder, fromRoot(part, command)))
    for (const hook of ownHooks(part))
      add(
        "hook",
        `${hook.event}${hook.matcher === undefined ? "" : `(${hook.matcher})`} once ${part.name} is used`,
        hookDoes(hook.handler),
        scriptHash(plugin.folder, fromRoot(part, hookDoes(hook.handler))),
      )
    const tools = own(part.fields, "allowed-tools") ?? own(part.fields, "allowedTools")
    const listed = isStringArray(tools) ? tools.join(", ") : tools
    if (typeof listed === "string" && /\b(Bash|PowerShell)\b/.test(listed))
      add("setting", part.name, `uses without asking: ${listed}`)
  }
  for (const [key, value] of Object.entries(inventory.settings))
    if (key === "agent" || key === "subagentStatusLine") add("setting", key, JSON.stringify(value))
  const packages = describePackages(plugin.folder)
  if (packages !== undefined && "installs" in packages)
    items.push({ kind: "download", where: "when it is installed", does: packages.installs })
  if (isObject(source) && source["source"] === "command")
    add("install-command", "to install it", String(source["command"]))
  return surfaceOf(items)
}

export function surfaceOf(items: readonly SurfaceItem[]): ExecutableSurface {
  const sorted = items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return {
    items: sorted,
    sha256: createHash("sha256")
      .update(JSON.stringify(sorted.map(keyOf)))
      .digest("hex"),
  }
}

/** What an update adds and takes away. Where files are compared by themselves, a line with another script behind it is the same line. */
export function surfaceChange(
  before: ExecutableSurface | undefined,
  after: ExecutableSurface,
  linesOnly = false,
): { added: SurfaceItem[]; removed: SurfaceItem[] } {
  const key = (item: SurfaceItem) => keyOf(linesOnly ? { ...item, script: undefined } : item)
  const [had, has] = [new Set((before?.items ?? []).map(key)), new Set(after.items.map(key))]
  return {
    added: after.items.filter((item) => !had.has(key(item))),
    removed: (before?.items ?? []).filter((item) => !has.has(key(item))),
  }
}

function keyOf(item: Omit<SurfaceItem, "script"> & { script?: string | undefined }): string {
  return JSON.stringify([item.kind, item.where, item.does, item.script ?? ""])
}

function hookDoes(handler: JsonObject): string {
  if (handler["type"] === "command") return commandLine(handler)
  if (handler["type"] === "http") return `sends the event to ${String(handler["url"])}`
  if (handler["type"] === "mcp_tool") return `calls ${String(handler["server"])}.${String(handler["tool"])}`
  return `asks a model: ${String(handler["prompt"])}`
}

function commandLine(config: JsonObject): string {
  const args = isStringArray(config["args"]) ? config["args"] : []
  const env = isObject(config["env"])
    ? Object.entries(config["env"]).map(([name, value]) => `${name}=${String(value)} `)
    : []
  return env.join("") + [String(config["command"]), ...args.map(quoteIfNeeded)].join(" ")
}

function quoteIfNeeded(arg: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(arg) ? arg : JSON.stringify(arg)
}

/** Commands that run while a skill or command text is put together. */
export function inlineCommands(body: string): string[] {
  const blocks = [...body.matchAll(/^```!\s*\n([\s\S]*?)^```/gm)].map((match) => (match[1] ?? "").trim())
  const inline = [...body.matchAll(/(?:^|[\s(])!`([^`\n]+)`/gm)].map((match) => match[1] ?? "")
  return [...blocks, ...inline]
}

/** Hooks a skill brings in its front matter; they run from its first use to the end of the session. */
function ownHooks(part: FilePart) {
  const map = own(part.fields, "hooks")
  return isObject(map) ? collectHooks(map, part.file, () => undefined) : []
}

/** A skill names its files from its own folder. */
function fromRoot(part: FilePart, command: string): string {
  return command.replaceAll(/\$\{?CLAUDE_SKILL_DIR\}?/g, () => `\${CLAUDE_PLUGIN_ROOT}/${dirname(part.file)}`)
}
