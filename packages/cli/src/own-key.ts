import { hostname } from "node:os"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import type { AgentId } from "@chorus/contracts"
import { readJson, replaceFile } from "@chorus/disk"
import { leanFetch } from "./lean-fetch.ts"
import { runningServer } from "@chorus/server/data-directory"

/**
 * The key with which a part of ours works on the server's own machine: the one it made itself before, or a new one,
 * under an agent of its own. Nothing while no server runs on this data.
 */
export async function ownKey(data: string, part: "runner" | "companion"): Promise<string | undefined> {
  const file = join(data, part, "key.json")
  const known = readJson(file) as { key?: string } | undefined
  const server = runningServer(data)
  if (known?.key !== undefined) return known.key
  if (server === undefined || server.url === "") return undefined
  const { call } = createClient({ url: server.url, key: server.token, fetch: leanFetch })
  const name = `${part === "runner" ? "Runner" : "Companion"} on ${hostname()}`.slice(0, 80)
  const agent = await call("chorus_create_agent", { name, presets: ["developer"] })
  const { key } = await call("chorus_create_key", { agentUuid: agent.uuid as AgentId, name: part })
  replaceFile(file, JSON.stringify({ key }), { mode: 0o600 })
  return key
}
