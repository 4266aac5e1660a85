import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { readFromZip } from "../fetch/zip.ts"
import { serverFault } from "../validate/mcp-check.ts"
import { objectField } from "./catalogue.ts"
import { isObject, type JsonObject, kindInside, MAX_FILE_BYTES, own, parseJson } from "./files.ts"

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
