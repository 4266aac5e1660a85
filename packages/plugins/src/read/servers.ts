import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { readFromZip } from "../fetch/zip.ts"
import { lspFault } from "../validate/lsp-check.ts"
import { serverFault, serversIn } from "../validate/mcp-check.ts"
import { isObject, type JsonObject, kindInside, MAX_FILE_BYTES, own, parseJson, readText } from "./files.ts"
import type { PartProblem } from "./inventory.ts"
import { objectField, type Plugin } from "./plugin.ts"

/** One MCP or language server a plugin brings. */
export interface ServerPart {
  readonly name: string
  readonly config: JsonObject
  readonly file: string
}

type Problem = (part: string, message: string, more?: Partial<PartProblem>) => void
type Kind = "mcpServers" | "lspServers"

/** The servers of a plugin: the standard file first, then what the manifest declares; the later of two with one name counts. */
export function readServers(
  plugin: Plugin,
  kind: Kind,
  standard: string,
  problem: Problem,
): { servers: ServerPart[]; bundles: BundlePart[] } {
  const servers = new Map<string, ServerPart>()
  const bundles: BundlePart[] = []
  const add = (map: JsonObject, file: string) => {
    for (const [name, config] of Object.entries(map)) {
      const fault = (kind === "mcpServers" ? serverFault(config) : lspFault(config))?.message
      if (fault === undefined && isObject(config)) servers.set(name, { name, config, file })
      else problem(kind, `${file}: server "${name}" was left out: ${fault ?? ""}`)
    }
  }
  const addFile = (file: string, declared: boolean) => {
    if (kindInside(plugin.folder, file) !== "file") {
      if (declared) problem(kind, `${kind} path not found: ${file}`)
      return
    }
    const { value, fault } = parseJson(readText(join(plugin.folder, file)) ?? "", {
      bom: kind === "mcpServers" ? "refuse" : "accept",
    })
    const found = kind === "mcpServers" ? serversIn(value)?.servers : isObject(value) ? value : undefined
    if (found === undefined) return problem(kind, `${file}: ${fault ?? "not a map of servers"}`)
    const broken = kind === "lspServers" && Object.values(found).some((config) => lspFault(config) !== undefined)
    if (broken) return problem(kind, `${file}: one of its servers is invalid, so none of them loads`)
    add(found, file)
  }
  const addBundle = (path: string) => {
    try {
      bundles.push(readBundle(plugin.folder, path))
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      problem(kind, error.message)
    }
  }
  addFile(standard, false)
  const declared = own(plugin.manifest, kind)
  for (const part of declared === undefined ? [] : [declared].flat()) {
    if (isObject(part)) add(part, ".claude-plugin/plugin.json")
    else if (typeof part === "string" && kind === "mcpServers" && isBundle(part)) addBundle(part)
    else if (typeof part === "string") addFile(part, true)
  }
  return { servers: [...servers.values()], bundles }
}

/** An MCP server packed with everything it needs; Claude Code unpacks and starts it. */
export interface BundlePart {
  /** As the manifest names it: a path in the plugin, or an address. */
  readonly path: string
  /** What the bundle calls itself and how it is started. Undefined for one that lies elsewhere. */
  readonly server?: {
    readonly name: string
    readonly config: JsonObject
    readonly sha256: string
    readonly userConfig: JsonObject
  }
}

export function isBundle(part: string): boolean {
  return /\.(mcpb|dxt)$/i.test(part) || /^https?:/i.test(part)
}

/** Reads a bundle of a plugin. Throws with the reason when Claude Code could not start it. */
export function readBundle(folder: string, path: string): BundlePart {
  if (/^https?:/i.test(path)) return { path }
  if (kindInside(folder, path) !== "file") throw unusable(path, "it is not in the plugin")
  const file = join(folder, path)
  const text = readFromZip(file, "manifest.json", MAX_FILE_BYTES)?.toString("utf8")
  if (text === undefined) throw unusable(path, "it holds no manifest.json")
  const { value, fault } = parseJson(text)
  if (!isObject(value))
    throw unusable(path, `its manifest.json is not an object${fault === undefined ? "" : `: ${fault}`}`)
  const [name, server] = [own(value, "name"), own(value, "server")]
  const config = isObject(server) ? own(server, "mcp_config") : undefined
  if (typeof name !== "string" || name === "") throw unusable(path, "its manifest.json gives no name")
  const wrong = serverFault(config)
  if (!isObject(config) || wrong !== undefined)
    throw unusable(path, `its server.mcp_config ${wrong?.message ?? "is missing"}`)
  return {
    path,
    server: {
      name,
      config,
      sha256: createHash("sha256").update(readFileSync(file)).digest("hex"),
      userConfig: objectField(value, "user_config"),
    },
  }
}

function unusable(path: string, why: string): ChorusError {
  return new ChorusError("bundle_unusable", `The MCP bundle ${path} cannot be started: ${why}.`, {
    next: "Tell the plugin's author.",
  })
}
