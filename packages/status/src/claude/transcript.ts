import type { StatusLine } from "@chorus/contracts"
import { type AppendedLines, type HookCall, isRecord, type LineFacts, lineFrom, oneLine } from "../line/index.ts"

const READ_AT = new Set(["UserPromptSubmit", "Stop", "StopFailure", "SessionEnd", "SessionStart"])

/**
 * What a session's transcript adds to its hooks: its name, and a model request that failed for good, because a `claude -p`
 * that ends with one does not wait for its StopFailure hook.
 */
export async function claudeTranscriptLines(call: HookCall, files: AppendedLines): Promise<StatusLine[]> {
  const path = call.payload["transcript_path"]
  if (typeof path !== "string" || !path.endsWith(".jsonl") || !READ_AT.has(String(call.payload["hook_event_name"])))
    return []
  return (await files.read(path)).flatMap((line) => transcriptLine(call, line))
}

function transcriptLine(call: HookCall, text: string): StatusLine[] {
  if (!text.includes('-title"') && !text.includes('"isApiErrorMessage":true')) return []
  const record = parse(text)
  const note = (facts: LineFacts) => [lineFrom(call, "note", { ...facts, source: "claude:transcript" })]
  // What a person wrote (`/rename`) outranks what a model made up.
  if (record["type"] === "custom-title")
    return note({ sessionTitle: oneLine(record["customTitle"], 120), titleOrigin: "person" })
  if (record["type"] === "ai-title")
    return note({ sessionTitle: oneLine(record["aiTitle"], 120), titleOrigin: "generated" })
  const at = Date.parse(String(record["timestamp"]))
  if (record["isApiErrorMessage"] !== true || record["isSidechain"] === true || Number.isNaN(at)) return []
  const facts: LineFacts = {
    exitCode: 1,
    only: ["running", "needsInput"],
    reason: `the model request failed: ${errorText(record["message"])}`,
    source: "claude:transcript",
    turnId: undefined,
  }
  return [{ ...lineFrom(call, "finished", facts), at }]
}

function errorText(message: unknown): string {
  const content = isRecord(message) && Array.isArray(message["content"]) ? message["content"] : []
  const first: unknown = content.find((block: unknown) => isRecord(block) && block["type"] === "text")
  return oneLine(isRecord(first) ? first["text"] : undefined, 160) ?? "no reason given"
}

function parse(text: string): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(text)
    return isRecord(record) ? record : {}
  } catch {
    return {}
  }
}
