import { join } from "node:path"
import type { StatusLine } from "@chorus/contracts"
import { type AppendedLines, type HookCall, isRecord, lineFrom } from "../line/index.ts"

/** Session names from `$CODEX_HOME/session_index.jsonl`: the newest line of a session counts, be it generated or `/rename`d. */
export function sessionIndex(files: AppendedLines) {
  const names = new Map<string, string>()
  return async function titleLines(call: HookCall): Promise<StatusLine[]> {
    const { transcript_path: transcript, session_id: session } = call.payload
    if (typeof transcript !== "string" || typeof session !== "string") return []
    const home = transcript.split("/sessions/")[0] ?? ""
    for (const [id, name] of namesIn(await files.read(join(home, "session_index.jsonl")))) names.set(id, name)
    const name = names.get(session)
    return name === undefined
      ? []
      : [lineFrom(call, "note", { sessionTitle: name, titleOrigin: "generated", source: "codex:session-index" })]
  }
}

export function namesIn(lines: readonly string[]): [id: string, name: string][] {
  return lines.flatMap((line): [string, string][] => {
    try {
      const entry: unknown = JSON.parse(line)
      return isRecord(entry) && typeof entry["id"] === "string" && typeof entry["thread_name"] === "string"
        ? [[entry["id"], entry["thread_name"]]]
        : []
    } catch {
      return []
    }
  })
}
