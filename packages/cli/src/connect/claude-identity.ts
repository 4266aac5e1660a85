import { hostname } from "node:os"
import { type AgentId, type agents, ChorusError, type KeyId, Preset } from "@chorus/contracts"
import { Option } from "commander"
import { allAgents } from "../agent/agent-name.ts"
import { everyPage } from "../pages.ts"
import type { Target } from "../output.ts"
import { DEFAULT_URL } from "../server-address.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"
import { hasStore } from "./claude-connection.ts"

export interface Identity {
  readonly url: string
  readonly key: string
  readonly agent: string
  /** What came of looking for the agent, in words; undefined where the key was given. */
  readonly made: string | undefined
  /** Whether an earlier key stays for the sessions that are open with it. */
  readonly leaves?: boolean
}

/** Who is open says so every minute, which is noted as often. */
const IN_USE_MS = 4 * 60_000

/** What a connected program's agent may do, where it is made or changed. */
export interface PresetOption {
  readonly preset?: Preset[]
}

export function presetOption(): Option {
  return new Option(
    "--preset <preset...>",
    "what its agent may do: lead plans and builds (the default), developer only builds",
  ).choices(Preset.options)
}

/** The agent of that name: made as a lead unless told otherwise; one that is there changes only when told to. */
export async function agentFor(
  workplace: Workplace,
  name: string,
  preset: Preset[] | undefined,
): Promise<{ readonly agent: agents.AgentRow; readonly made: string }> {
  const known = (await allAgents(workplace, false)).find((agent) => agent.name === name)
  if (known === undefined) {
    const agent = await workplace.call("chorus_create_agent", { name, presets: preset ?? ["lead"] })
    return { agent, made: `added the agent ${name}, ${rightsOf(agent)}` }
  }
  const agent =
    preset === undefined
      ? known
      : await workplace.call("chorus_update_agent", { agentUuid: known.uuid as AgentId, presets: preset })
  return { agent, made: `found the agent ${name}, ${rightsOf(agent)}` }
}

function rightsOf({ presets, permissions }: agents.AgentRow): string {
  const kind = presets.join(", ") || "with rights of its own"
  const may = new Set(permissions)
  if (!may.has("task:write")) return `${kind}: it reads`
  if (!may.has("idea:write")) return `${kind}: it builds tasks; with --preset lead it plans too`
  return may.has("task:admin") ? `${kind}: it plans, builds and decides` : `${kind}: it plans and builds`
}

/**
 * Has the address and the key used that Claude Code is to have: those given, or a fresh key of an agent on this machine's Chorus. What
 * an earlier connect used goes only when that has worked, and no session is open with it, which would be heard no more; the next connect
 * takes it then. If it fails, the fresh key goes, and the agent where it was made for this, unless
 * the program holds that key by then.
 */
export async function withIdentity<T>(
  target: Target & PresetOption,
  agentName: string,
  use: (identity: Identity, held: () => void) => Promise<T>,
): Promise<T> {
  if (target.url !== undefined) {
    if (target.key === undefined)
      throw new ChorusError("no_key", "A server elsewhere needs a key.", {
        next: "Make one there with `chorus agent add` and give it with --key.",
      })
    return use({ url: target.url.replace(/\/+$/, ""), key: target.key, agent: "", made: undefined }, () => undefined)
  }
  return inWorkplace(target, async (workplace) => {
    const { agent, made } = await agentFor(workplace, agentName, target.preset)
    const agentUuid = agent.uuid as AgentId
    const earlier = (await workingKeys(workplace, agentUuid)).filter(({ name }) => name === keyName())
    const stay = (await hasOpenSession(workplace, agentUuid)) ? earlier.filter(isInUse) : []
    const { key, uuid } = await workplace.call("chorus_create_key", { agentUuid, name: keyName() }, { retry: false })
    let isHeld = false
    const held = () => void (isHeld = true)
    try {
      const leaves = stay.length > 0
      const used = await use({ url: workplace.url ?? DEFAULT_URL, key, agent: agentName, made, leaves }, held)
      await revokeKeys(workplace, agentUuid, (other) => earlier.some(same(other)) && !stay.some(same(other)))
      return used
    } catch (error) {
      if (isHeld) throw error
      await revokeKeys(workplace, agentUuid, ({ uuid: other }) => other === uuid)
      if (made.startsWith("added")) await workplace.call("chorus_update_agent", { agentUuid, archived: true })
      throw error
    }
  })
}

/** Takes back the key that an earlier connect on this machine made; a new one replaces it. */
export async function forgetIdentity(target: Target, agentName: string, key = keyName()): Promise<boolean> {
  if (target.url !== undefined || (target.database === undefined && !hasStore(target.data))) return false
  return inWorkplace(target, async (workplace) => {
    const known = (await allAgents(workplace, false)).find((agent) => agent.name === agentName)
    if (known === undefined) return false
    return (await revokeKeys(workplace, known.uuid as AgentId, ({ name }) => name === key)) > 0
  })
}

/** Whether the server knows the key, and whose it is. */
export async function greet({ url, key }: Pick<Identity, "url" | "key">): Promise<string> {
  const response = await fetch(`${url}/api/v1/chorus_whoami`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: "{}",
    signal: AbortSignal.timeout(5000),
  }).catch(() => undefined)
  if (response === undefined)
    throw new ChorusError("no_server", `No Chorus answers at ${url}.`, {
      status: 503,
      next: "Start it there, or check the address; then connect again.",
    })
  if (!response.ok)
    throw new ChorusError("key_refused", `The Chorus at ${url} refuses the key (HTTP ${response.status}).`, {
      status: response.status,
      next: "Make a key with `chorus agent key` and connect again with --key.",
    })
  const answer = (await response.json().catch(() => undefined)) as { name?: unknown } | undefined
  if (typeof answer?.name === "string") return answer.name
  throw new ChorusError("not_chorus", `What answers at ${url} is not Chorus.`, {
    status: 502,
    next: "Check the address; a proxy in between may also answer in its place.",
  })
}

async function revokeKeys(
  workplace: Workplace,
  agentUuid: AgentId,
  goes: (key: agents.KeyRow) => boolean,
): Promise<number> {
  const old = (await workingKeys(workplace, agentUuid)).filter(goes)
  for (const { uuid } of old) await workplace.call("chorus_revoke_key", { keyUuid: uuid as KeyId })
  return old.length
}

async function workingKeys({ call }: Workplace, agentUuid: AgentId): Promise<agents.KeyRow[]> {
  const keys = await everyPage(async (page) => {
    const answer = await call("chorus_list_keys", { ...page, agentUuid })
    return { rows: answer.keys, total: answer.total }
  })
  return keys.filter(({ revokedAt }) => revokedAt === null)
}

async function hasOpenSession({ call }: Workplace, agentUuid: AgentId): Promise<boolean> {
  const active = await everyPage(async (page) => {
    const answer = await call("chorus_list_sessions", { ...page, status: "active" })
    return { rows: answer.sessions, total: answer.total }
  })
  return active.some((session) => session.agentUuid === agentUuid)
}

function isInUse({ lastUsedAt }: agents.KeyRow): boolean {
  return lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < IN_USE_MS
}

function same({ uuid }: agents.KeyRow) {
  return (other: agents.KeyRow): boolean => other.uuid === uuid
}

function keyName(): string {
  return `Claude Code on ${hostname()}`.slice(0, 100)
}
