import type { StatusAgent, StatusEvent, StatusLine, StatusState, StatusTitleOrigin } from "@chorus/contracts"
import { oneLine, wholeText } from "./text.ts"

const AGENTS = new Set<string>(["claude", "codex", "opencode"] satisfies StatusAgent[])
const EVENTS = new Set<string>([
  "running",
  "idle",
  "needsInput",
  "finished",
  "exited",
  "lost",
  "note",
  "seen",
] satisfies StatusEvent[])
const STATES = new Set<string>(["running", "idle", "needsInput", "finished", "unknown"] satisfies StatusState[])
const ORIGINS = new Set<string>(["prompt", "generated", "person"] satisfies StatusTitleOrigin[])
/** Epoch numbers below this are seconds, above it milliseconds. */
const SECONDS_BELOW = 100_000_000_000
const FUTURE_TOLERANCE_MS = 300_000

/**
 * A line as somebody sent it, made safe, or nothing when it is not one. Only known fields pass. Written by hand because
 * the listener reads thousands of these and must stay small; a test holds it to the contract's schema.
 */
export function readStatusLine(value: unknown, receivedAt: number): StatusLine | undefined {
  if (!isRecord(value) || !isTerminalId(value["terminalId"])) return undefined
  const { agent, event } = value
  if (!isAgent(agent) || !isEvent(event)) return undefined
  const line: StatusLine = { terminalId: value["terminalId"], event, agent, at: readAt(value["at"], receivedAt) }
  const toolDetail = oneLine(value["toolDetail"])
  const summary = oneLine(value["summary"])
  const sessionTitle = oneLine(value["sessionTitle"], 120)
  const source = oneLine(value["source"], 60)
  const reason = oneLine(value["reason"])
  const sessionId = oneLine(value["sessionId"], 128)
  const turnId = oneLine(value["turnId"], 128)
  if (isExitCode(value["exitCode"])) line.exitCode = value["exitCode"]
  if (toolDetail !== undefined) line.toolDetail = toolDetail
  if (summary !== undefined) line.summary = summary
  if (sessionTitle !== undefined) line.sessionTitle = sessionTitle
  if (isOrigin(value["titleOrigin"])) line.titleOrigin = value["titleOrigin"]
  if (readResumeCommand(agent, value["resumeCommand"]) !== undefined)
    line.resumeCommand = String(value["resumeCommand"])
  if (source !== undefined) line.source = source
  if (reason !== undefined) line.reason = reason
  if (sessionId !== undefined) line.sessionId = sessionId
  if (turnId !== undefined) line.turnId = turnId
  if (value["turnStart"] === true) line.turnStart = true
  if (value["toolError"] === true) line.toolError = true
  if (value["provisional"] === true) line.provisional = true
  if (Array.isArray(value["only"])) line.only = value["only"].filter(isState)
  if (isPid(value["pid"])) line.pid = value["pid"]
  const tab = oneLine(value["tab"], 120)
  if (tab !== undefined) line.tab = tab
  if (isFolder(value["folder"])) line.folder = value["folder"]
  const version = oneLine(value["version"], 60)
  if (version !== undefined) line.version = version
  if (value["once"] === true) line.once = true
  if (value["outside"] === true) line.outside = true
  const ask = oneLine(value["ask"], 200)
  if (ask !== undefined) line.ask = ask
  const asks = wholeText(value["asks"])
  if (asks !== undefined) line.asks = asks
  return line
}

/**
 * Epoch milliseconds from seconds or milliseconds; a missing or impossible stamp is the time of arrival. A clock that
 * counts whole seconds cannot order what happens within one, so within the current second the arrival does.
 */
export function readAt(value: unknown, receivedAt: number): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return receivedAt
  if (Number.isInteger(value) && value === Math.floor(receivedAt / 1000)) return receivedAt
  const at = Math.round(value < SECONDS_BELOW ? value * 1000 : value)
  return at > receivedAt + FUTURE_TOLERANCE_MS ? receivedAt : at
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isTerminalId(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 200 && oneLine(value, 200) === value
}

export function isAgent(value: unknown): value is StatusAgent {
  return typeof value === "string" && AGENTS.has(value)
}

function isEvent(value: unknown): value is StatusEvent {
  return typeof value === "string" && EVENTS.has(value)
}

function isState(value: unknown): value is StatusState {
  return typeof value === "string" && STATES.has(value)
}

function isOrigin(value: unknown): value is StatusTitleOrigin {
  return typeof value === "string" && ORIGINS.has(value)
}

function isExitCode(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= 0xffff_ffff
}

function isPid(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 0x7fff_ffff
}

/** A name with a line break in it could not be shown, nor typed. */
function isFolder(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("/") && value.length <= 4096 && !/\p{Cc}/u.test(value)
}

/** What the emitter hands over from inside an agent: the hook's own input, untouched, and where it happened. */
export interface HookCall {
  terminalId: string
  agent: StatusAgent
  at: number
  pid: number | undefined
  payload: Record<string, unknown>
  /** By which it is answered, when the hook waits for that. */
  ask?: string | undefined
  /** Only the beginning of what the hook was given has come. */
  isCut?: true
}

/** Reads a hook call off the socket: `{"hook":"claude","terminalId":…,"at":…,"pid":…,"payload":{…}}`, or nothing. */
export function readHookCall(value: unknown, receivedAt: number): HookCall | undefined {
  if (!isRecord(value) || !isAgent(value["hook"]) || !isTerminalId(value["terminalId"])) return undefined
  const payload = isRecord(value["payload"]) ? value["payload"] : payloadFromHead(value["head"])
  if (payload === undefined) return undefined
  const pid = Number.isInteger(value["pid"]) && Number(value["pid"]) > 1 ? Number(value["pid"]) : undefined
  const ask = oneLine(value["ask"], 200)
  const at = readAt(value["at"], receivedAt)
  const isCut = !isRecord(value["payload"])
  return {
    terminalId: value["terminalId"],
    agent: value["hook"],
    at,
    pid,
    payload,
    ...(ask && { ask }),
    ...(isCut && { isCut }),
  }
}

const HEAD_FIELDS = [
  "session_id",
  "transcript_path",
  "cwd",
  "hook_event_name",
  "prompt_id",
  "turn_id",
  "agent_id",
  "agent_type",
  "tool_name",
]

/**
 * A tool's input or output can be megabytes; the emitter then sends only the beginning as text. Its flat fields stand
 * before the bulk in every agent's payload, so the event itself is not lost.
 */
function payloadFromHead(head: unknown): Record<string, unknown> | undefined {
  if (typeof head !== "string") return undefined
  const payload: Record<string, unknown> = {}
  for (const field of HEAD_FIELDS) {
    const match = new RegExp(`"${field}"\\s*:\\s*"((?:[^"\\\\]|\\\\.){0,500})"`).exec(head)
    if (match !== null) payload[field] = unescaped(match[1] ?? "")
  }
  const file = /"file_path"\s*:\s*"((?:[^"\\]|\\.){0,500})"/.exec(head)?.[1]
  if (file !== undefined) payload["tool_input"] = { file_path: unescaped(file) }
  return payload["hook_event_name"] === undefined ? undefined : payload
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}

/** What an adapter adds to a line; what is undefined or false is left out. */
export type LineFacts = {
  [Field in keyof Omit<StatusLine, "terminalId" | "agent" | "at" | "event">]?: StatusLine[Field] | undefined
}

/** A line about this call, with what every hook tells and what the adapter makes of this one. */
export function lineFrom(call: HookCall, event: StatusLine["event"], facts: LineFacts = {}): StatusLine {
  const { payload } = call
  const told = {
    source: `${call.agent}:${String(payload["hook_event_name"]).slice(0, 40)}`,
    sessionId: textOf(payload["session_id"]),
    // A sub-agent may outlive the turn it was started in; its steps are not steps of that turn.
    turnId: payload["agent_id"] === undefined ? textOf(payload["prompt_id"] ?? payload["turn_id"]) : undefined,
    pid: call.pid,
    ...facts,
  }
  return { terminalId: call.terminalId, agent: call.agent, at: call.at, event, ...withoutEmpty(told) }
}

/** Leaves out what is undefined or false, so that two lines that say the same are the same. */
export function withoutEmpty<T extends object>(facts: T): T {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== false)) as T
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

/**
 * Letters, digits, `_` and `-`, never a leading dash: nothing a shell or an option parser could read as more than an
 * id.
 */
const SESSION_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/

const RESUME: Record<StatusAgent, readonly [program: string, option: string]> = {
  claude: ["claude", "--resume"],
  codex: ["codex", "resume"],
  opencode: ["opencode", "--session"],
}

/** The command that brings a session back; nothing when the id is not on the white list. */
export function resumeCommandFor(agent: StatusAgent, sessionId: unknown): string | undefined {
  if (typeof sessionId !== "string" || !SESSION_ID.test(sessionId)) return undefined
  return [...RESUME[agent], sessionId].join(" ")
}

/**
 * The words of a resume command somebody else wrote, or nothing unless it is exactly one we would write for that agent.
 */
export function readResumeCommand(agent: StatusAgent, command: unknown): readonly string[] | undefined {
  if (typeof command !== "string") return undefined
  const words = command.split(" ")
  return resumeCommandFor(agent, words[2]) === command ? words : undefined
}
