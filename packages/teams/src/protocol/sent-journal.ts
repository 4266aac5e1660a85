import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { appendJsonLines, fileNameOf, jsonLines, type TeamPaths } from "../files/index.ts"

/** What an agent sent through us. An agent's tools and its host are different processes; this is how the host knows. */
export interface SentNote {
  readonly to: string
  readonly kind: string
  readonly at: string
  readonly summary?: string | undefined
  readonly requestId?: string | undefined
}

export function noteSent(paths: TeamPaths, agent: string, note: SentNote): void {
  // Deleted meanwhile, the team would come back as a folder of ours.
  if (existsSync(paths.config)) appendJsonLines(journalPath(paths, agent), [note])
}

/** How much has been written so far; give it back to `sentSince` later. */
export function sentMark(paths: TeamPaths, agent: string): number {
  return statSync(journalPath(paths, agent), { throwIfNoEntry: false })?.size ?? 0
}

export function sentSince(paths: TeamPaths, agent: string, mark: number): SentNote[] {
  if (sentMark(paths, agent) <= mark) return []
  return jsonLines(readFileSync(journalPath(paths, agent)).subarray(mark).toString("utf8")) as SentNote[]
}

function journalPath(paths: TeamPaths, agent: string): string {
  return join(paths.own, "sent", `${fileNameOf(agent)}.jsonl`)
}
