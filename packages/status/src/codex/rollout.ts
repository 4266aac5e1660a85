import type { StatusLine } from "@chorus/contracts"
import { type AppendedLines, type HookCall, isRecord, lineFrom } from "../line/index.ts"

const READ_AT = new Set(["PostToolUse", "Stop", "PostModelRequest"])

/** Failed tools of this session from its rollout file: the hooks carry a command's output but not its exit code. */
export async function codexFailureLines(call: HookCall, files: AppendedLines): Promise<StatusLine[]> {
  const path = call.payload["transcript_path"]
  if (typeof path !== "string" || !path.endsWith(".jsonl") || !READ_AT.has(String(call.payload["hook_event_name"])))
    return []
  return failuresIn(await files.read(path)).map(({ at, turnId }) => ({
    ...lineFrom(call, "note", { toolError: true, turnId, source: "codex:rollout" }),
    at,
  }))
}

/** When tools failed, and in which turn. A call the person declined is no failure. */
export function failuresIn(lines: readonly string[]): { at: number; turnId: string | undefined }[] {
  return lines.flatMap((line) => {
    if (!line.includes('"item_completed"') || !line.includes('"failed"')) return []
    const payload = payloadOf(line)
    const item = isRecord(payload["item"]) ? payload["item"] : {}
    const at = payload["completed_at_ms"]
    if (item["status"] !== "failed" || typeof at !== "number") return []
    return [{ at, turnId: typeof payload["turn_id"] === "string" ? payload["turn_id"] : undefined }]
  })
}

function payloadOf(line: string): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(line)
    return isRecord(record) && isRecord(record["payload"]) ? record["payload"] : {}
  } catch {
    return {}
  }
}
