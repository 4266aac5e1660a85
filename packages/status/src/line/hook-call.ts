import type { StatusAgent, StatusLine } from "@chorus/contracts"
import { isAgent, isRecord, isTerminalId, readAt } from "./read-line.ts"

/** What the emitter hands over from inside an agent: the hook's own input, untouched, and where it happened. */
export interface HookCall {
  terminalId: string
  agent: StatusAgent
  at: number
  pid: number | undefined
  payload: Record<string, unknown>
}

/** Reads a hook call off the socket: `{"hook":"claude","terminalId":…,"at":…,"pid":…,"payload":{…}}`, or nothing. */
export function readHookCall(value: unknown, receivedAt: number): HookCall | undefined {
  if (!isRecord(value) || !isAgent(value["hook"]) || !isTerminalId(value["terminalId"])) return undefined
  const payload = isRecord(value["payload"]) ? value["payload"] : payloadFromHead(value["head"])
  if (payload === undefined) return undefined
  const pid = Number.isInteger(value["pid"]) && Number(value["pid"]) > 1 ? Number(value["pid"]) : undefined
  return { terminalId: value["terminalId"], agent: value["hook"], at: readAt(value["at"], receivedAt), pid, payload }
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
 * A tool's input or output can be megabytes; the emitter then sends only the beginning as text. Its flat fields stand before
 * the bulk in every agent's payload, so the event itself is not lost.
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
