import type { StatusAgent, StatusEvent, StatusLine, StatusState, StatusTitleOrigin } from "@chorus/contracts"
import { readResumeCommand } from "./resume-command.ts"
import { oneLine } from "./text.ts"

const AGENTS = new Set<string>(["claude", "codex", "opencode"] satisfies StatusAgent[])
const EVENTS = new Set<string>([
  "running",
  "idle",
  "needsInput",
  "finished",
  "exited",
  "lost",
  "note",
] satisfies StatusEvent[])
const STATES = new Set<string>(["running", "idle", "needsInput", "finished", "unknown"] satisfies StatusState[])
const ORIGINS = new Set<string>(["prompt", "generated", "person"] satisfies StatusTitleOrigin[])
/** Epoch numbers below this are seconds, above it milliseconds. */
const SECONDS_BELOW = 100_000_000_000
const FUTURE_TOLERANCE_MS = 300_000

/**
 * A line as somebody sent it, made safe, or nothing when it is not one. Only known fields pass. Written by hand because the
 * listener reads thousands of these and must stay small; a test holds it to the contract's schema.
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
  return line
}

/**
 * Epoch milliseconds from seconds or milliseconds; a missing or impossible stamp is the time of arrival. A clock that counts
 * whole seconds cannot order what happens within one, so within the current second the arrival does.
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
