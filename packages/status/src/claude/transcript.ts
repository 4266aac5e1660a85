import type { StatusLine } from "@chorus/contracts"
import { type AppendedLines, type HookCall, isRecord, type LineFacts, lineFrom, oneLine } from "../line/index.ts"

const TELLING = ['-title"', '"isApiErrorMessage":true', '"is_error":true', "[Request interrupted by user"]
const REFUSED = "The user doesn't want to proceed with this tool use"

/**
 * What a session's transcript adds to its hooks: its name, and what no hook tells of the turn's outcome. An edit that
 * cannot be applied fires none, Esc fires none, and a `claude -p` whose model request failed for good does not wait for
 * its StopFailure.
 */
export async function claudeTranscriptLines(call: HookCall, files: AppendedLines): Promise<StatusLine[]> {
  const path = call.payload["transcript_path"]
  if (typeof path !== "string" || !path.endsWith(".jsonl")) return []
  return (await files.read(path)).flatMap((line) => transcriptLine(call, line))
}

function transcriptLine(call: HookCall, text: string): StatusLine[] {
  if (!TELLING.some((sign) => text.includes(sign))) return []
  const record = parse(text)
  const line = (event: StatusLine["event"], facts: LineFacts) =>
    lineFrom(call, event, { ...facts, source: "claude:transcript" })
  // What a person wrote (`/rename`) outranks what a model made up.
  if (record["type"] === "custom-title")
    return [line("note", { sessionTitle: oneLine(record["customTitle"], 120), titleOrigin: "person" })]
  if (record["type"] === "ai-title")
    return [line("note", { sessionTitle: oneLine(record["aiTitle"], 120), titleOrigin: "generated" })]
  const at = Date.parse(String(record["timestamp"]))
  if (record["isSidechain"] === true || Number.isNaN(at)) return []
  const told = outcome(record)
  return told === undefined ? [] : [{ ...line(told[0], { ...told[1], turnId: undefined }), at }]
}

/** What a record of the main conversation says about how its turn goes. A refusal is the person's word, no failure. */
function outcome(record: Record<string, unknown>): [StatusLine["event"], LineFacts] | undefined {
  const blocks = contentOf(record["message"])
  if (record["isApiErrorMessage"] === true) {
    const reason = `the model request failed: ${wordsIn(blocks) ?? "no reason given"}`
    return ["finished", { exitCode: 1, only: ["running", "needsInput"], reason }]
  }
  if (record["type"] !== "user") return undefined
  if (wordsIn(blocks)?.startsWith("[Request interrupted by user"))
    return ["idle", { only: ["running", "needsInput", "unknown"], reason: "interrupted by the person" }]
  const failed = blocks.some((block) => block["is_error"] === true && !JSON.stringify(block).includes(REFUSED))
  return failed ? ["note", { toolError: true }] : undefined
}

function contentOf(message: unknown): Record<string, unknown>[] {
  return isRecord(message) && Array.isArray(message["content"]) ? message["content"].filter(isRecord) : []
}

function wordsIn(blocks: readonly Record<string, unknown>[]): string | undefined {
  return oneLine(blocks.find((block) => block["type"] === "text")?.["text"], 160)
}

function parse(text: string): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(text)
    return isRecord(record) ? record : {}
  } catch {
    return {}
  }
}
