import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { lspFault } from "../validate/lsp-check.ts"
import { serverFault, serversIn } from "../validate/mcp-check.ts"
import { isBundle, readBundle, type BundlePart } from "./bundle.ts"
import { isObject, type JsonObject, kindInside, own, parseJson, readText } from "./files.ts"
import type { PartProblem } from "./inventory.ts"
import type { Plugin } from "./plugin.ts"

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
