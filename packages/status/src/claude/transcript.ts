import type { StatusLine } from "@chorus/contracts"
import { type HookCall, lineFrom } from "../line/hook-call.ts"
import { isRecord } from "../line/read-line.ts"
import type { AppendedLines } from "../line/appended-lines.ts"

const READ_AT = new Set(["UserPromptSubmit", "Stop", "StopFailure", "SessionEnd", "SessionStart"])

/** The session's name from its transcript: what `/rename` wrote (custom-title), else what a model made up (ai-title). */
export async function claudeTitleLines(call: HookCall, files: AppendedLines): Promise<StatusLine[]> {
  const path = call.payload["transcript_path"]
  if (typeof path !== "string" || !path.endsWith(".jsonl") || !READ_AT.has(String(call.payload["hook_event_name"]))) return []
  return titlesIn(await files.read(path)).map((title) => lineFrom(call, "note", { ...title, source: "claude:transcript" }))
}

export function titlesIn(lines: readonly string[]): Pick<StatusLine, "sessionTitle" | "titleOrigin">[] {
  const found: Pick<StatusLine, "sessionTitle" | "titleOrigin">[] = []
  for (const line of lines) {
    if (!line.includes("-title")) continue
    const record = parse(line)
    if (!isRecord(record)) continue
    if (record["type"] === "custom-title" && typeof record["customTitle"] === "string") found.push({ sessionTitle: record["customTitle"], titleOrigin: "person" })
    if (record["type"] === "ai-title" && typeof record["aiTitle"] === "string") found.push({ sessionTitle: record["aiTitle"], titleOrigin: "generated" })
  }
  return found
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
