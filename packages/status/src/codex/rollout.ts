import type { StatusLine } from "@chorus/contracts"
import {
  type AppendedLines,
  type HookCall,
  isRecord,
  type LineFacts,
  lineFrom,
  oneLine,
  summaryOf,
} from "../line/index.ts"

const TELLING = /"status":"failed"|_call_output"|"task_started"|"task_complete"|"turn_aborted"/
/** How Codex answers the model when it could not begin to do what was asked; no item and no hook tells of it. */
const NOT_BEGUN =
  /^(apply_patch verification failed|exec_command failed|failed to parse function arguments|unsupported call)/
export const UNDER_WAY: StatusLine["only"] = ["running", "needsInput", "unknown"]

/**
 * What a session's rollout file adds to its hooks: tools that failed, because the hooks carry a command's output but
 * not its exit code, and how its turns begin and end, which older versions and sessions without our hooks tell nowhere
 * else.
 */
export async function codexRolloutLines(call: HookCall, files: AppendedLines): Promise<StatusLine[]> {
  const path = call.payload["transcript_path"]
  if (typeof path !== "string" || !path.endsWith(".jsonl")) return []
  return (await files.read(path)).flatMap((text) => {
    const record = TELLING.test(text) ? parse(text) : {}
    const at = Date.parse(String(record["timestamp"]))
    const payload = isRecord(record["payload"]) ? record["payload"] : {}
    const told = Number.isNaN(at) ? undefined : outcome(payload)
    if (told === undefined) return []
    const turnId = turnOf(payload)
    return [{ ...lineFrom(call, told[0], { ...told[1], turnId, source: "codex:rollout" }), at }]
  })
}

/** What a record says about its turn. A call that the person declined is no failure. */
function outcome(payload: Record<string, unknown>): [StatusLine["event"], LineFacts] | undefined {
  const { type, item, output, error } = payload
  if (type === "task_started") return ["running", { only: ["idle", "finished", "unknown"] }]
  if (type === "turn_aborted") return ["idle", { only: UNDER_WAY, reason: "interrupted by the person" }]
  if (type === "task_complete" && isRecord(error))
    return ["finished", { only: UNDER_WAY, exitCode: 1, reason: `the model request failed: ${errorText(error)}` }]
  if (type === "task_complete")
    return ["finished", { only: UNDER_WAY, summary: summaryOf(payload["last_agent_message"]) }]
  const failed = isRecord(item) ? item["status"] === "failed" : typeof output === "string" && NOT_BEGUN.test(output)
  return failed ? ["note", { toolError: true }] : undefined
}

/** What Codex says of a failed request; the model's own words stand inside it as JSON. */
export function errorText(error: unknown): string {
  const text = isRecord(error) ? error["message"] : error
  const inner = typeof text === "string" ? /"message"\s*:\s*"([^"]+)"/.exec(text)?.[1] : undefined
  return oneLine(inner ?? text, 160) ?? "no reason given"
}

function turnOf(payload: Record<string, unknown>): string | undefined {
  const more = payload["internal_chat_message_metadata_passthrough"]
  const turn = payload["turn_id"] ?? (isRecord(more) ? more["turn_id"] : undefined)
  return typeof turn === "string" ? turn : undefined
}

function parse(text: string): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(text)
    return isRecord(record) ? record : {}
  } catch {
    return {}
  }
}
