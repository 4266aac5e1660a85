import { hostname } from "node:os"
import { type AgentId, type agents, ChorusError, type KeyId, Preset } from "@chorus/contracts"
import { Option } from "commander"
import { allAgents } from "../agent/agent-name.ts"
import { everyPage } from "../pages.ts"
import type { Target } from "../output.ts"
import { DEFAULT_URL } from "../server-address.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"
import { type ClaudeConnection, hasStore } from "./claude-connection.ts"

export interface Identity {
  readonly url: string
  readonly key: string
  readonly agent: string
  /** What came of looking for the agent, in words; undefined where the key was given. */
  readonly made: string | undefined
  /** Whether it is the key that Claude Code had. */
  readonly isKept?: boolean
  /** Whether an earlier key stays for the sessions that are open with it. */
  readonly leaves?: boolean
  /** The key that Claude Code had, where it stays with another agent, in words. */
  readonly stays?: string
}

/** As which agent Claude Code is to appear, and with what it goes to the board so far. */
export interface Wanted {
  readonly name?: string | undefined
  readonly had?: ClaudeConnection | undefined
}

const AGENT = "Claude Code"

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

/**
 * The one that Claude Code is already, or the agent of that name: made as a lead unless told otherwise; one that is
 * there changes only when told to.
 */
export async function agentFor(
  workplace: Workplace,
  name: string,
  preset: Preset[] | undefined,
  holder?: agents.AgentRow,
): Promise<{ readonly agent: agents.AgentRow; readonly made: string }> {
  const known = holder ?? (await allAgents(workplace, false)).find((agent) => agent.name === name)
  if (known === undefined) {
    const agent = await workplace.call("chorus_create_agent", { name, presets: preset ?? ["lead"] })
    return { agent, made: `added the agent ${name}, ${rightsOf(agent)}` }
  }
  const agent =
    preset === undefined
      ? known
      : await workplace.call("chorus_update_agent", { agentUuid: known.uuid as AgentId, presets: preset })
  return { agent, made: `${holder === undefined ? "found" : "kept"} the agent ${name}, ${rightsOf(agent)}` }
}

function rightsOf({ presets, permissions }: agents.AgentRow): string {
  const kind = presets.join(", ") || "with rights of its own"
  const may = new Set(permissions)
  if (!may.has("task:write")) return `${kind}: it reads`
  if (!may.has("idea:write")) return `${kind}: it builds tasks; with --preset lead it plans too`
  return may.has("task:admin") ? `${kind}: it plans, builds and decides` : `${kind}: it plans and builds`
}

/**
 * Has the address and the key used that Claude Code is to have: those given; or the key it has, where its agent stays
 * the same, as what that agent holds would else be nobody's; or a fresh key of an agent on this machine's Chorus. What
 * an earlier connect used goes only when that has worked, and no session is open with it, which would be heard no more;
 * the next connect takes it then. If it fails, the fresh key goes, and the agent where it was made for this, unless the
 * program holds that key by then.
 */
export async function withIdentity<T>(
  target: Target & PresetOption,
  { name, had }: Wanted,
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
    const found = await heldKey(workplace, had)
    const holder = name === undefined || name === found?.agent.name ? found?.agent : undefined
    const { agent, made } = await agentFor(workplace, holder?.name ?? name ?? AGENT, target.preset, holder)
    const agentUuid = agent.uuid as AgentId
    if (had !== undefined && found !== undefined && holder !== undefined && isWorking(found.key)) {
      const kept = { url: workplace.url ?? had.url, key: had.key, agent: agent.name, made, isKept: true }
      return use(kept, () => undefined)
    }
    const earlier = (await workingKeys(workplace, agentUuid)).filter(({ name }) => name === keyName())
    const stay = (await hasOpenSession(workplace, agentUuid)) ? earlier.filter(isInUse) : []
    const { key, uuid } = await workplace.call("chorus_create_key", { agentUuid, name: keyName() }, { retry: false })
    let isHeld = false
    const held = () => void (isHeld = true)
    try {
      const leaves = stay.length > 0
      const url = workplace.url ?? had?.url ?? DEFAULT_URL
      const stays =
        found !== undefined && holder === undefined && isWorking(found.key) ? staying(found, url) : undefined
      const used = await use({ url, key, agent: agent.name, made, leaves, ...(stays && { stays }) }, held)
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
export async function forgetIdentity(target: Target, { name, had }: Wanted, key = keyName()): Promise<boolean> {
  if (hasNoStore(target)) return false
  return inWorkplace(target, async (workplace) => {
    const held = name === undefined ? await heldKey(workplace, had) : undefined
    const known = held?.agent ?? (await allAgents(workplace, false)).find((agent) => agent.name === (name ?? AGENT))
    if (known === undefined) return false
    return (await revokeKeys(workplace, known.uuid as AgentId, (one) => one.name === key)) > 0
  })
}

/** The keys that Claude Code had, or that connecting on this machine made for other agents, and that still work; each in words. */
export async function stayingKeys(target: Target, had: ClaudeConnection | undefined): Promise<string[]> {
  if (hasNoStore(target)) return []
  return inWorkplace(target, async (workplace) => {
    const held = await heldKey(workplace, had)
    const agents = await allAgents(workplace, false)
    const keys = (await allKeys(workplace)).filter(isWorking)
    const url = workplace.url ?? had?.url ?? DEFAULT_URL
    return keys.flatMap((key) => {
      const agent = agents.find(({ uuid }) => uuid === key.agentUuid)
      if (agent === undefined || (key.name !== keyName() && key.uuid !== held?.key.uuid)) return []
      return [staying({ key, agent }, url)]
    })
  })
}

interface HeldKey {
  readonly key: agents.KeyRow
  readonly agent: agents.AgentRow
}

/** The key that Claude Code has among this Chorus's, with its agent; none where it is another's, or the agent is gone. */
async function heldKey(workplace: Workplace, had: ClaudeConnection | undefined): Promise<HeldKey | undefined> {
  if (had === undefined) return undefined
  const key = (await allKeys(workplace)).find(({ prefix }) => had.key.startsWith(prefix))
  const agent = key && (await allAgents(workplace, false)).find(({ uuid }) => uuid === key.agentUuid)
  return key === undefined || agent === undefined ? undefined : { key, agent }
}

function staying({ key, agent }: HeldKey, url: string): string {
  return `the key "${key.name}" of the agent ${agent.name} stays: revoke it at ${url}, in Settings → Agents and keys`
}

function hasNoStore({ url, database, data }: Target): boolean {
  return url !== undefined || (database === undefined && !hasStore(data))
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

async function workingKeys(workplace: Workplace, agentUuid: AgentId): Promise<agents.KeyRow[]> {
  return (await allKeys(workplace, agentUuid)).filter(({ revokedAt }) => revokedAt === null)
}

async function allKeys({ call }: Workplace, agentUuid?: AgentId): Promise<agents.KeyRow[]> {
  return everyPage(async (page) => {
    const answer = await call("chorus_list_keys", { ...page, ...(agentUuid && { agentUuid }) })
    return { rows: answer.keys, total: answer.total }
  })
}

function isWorking({ revokedAt, expiresAt }: agents.KeyRow): boolean {
  return revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now())
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
