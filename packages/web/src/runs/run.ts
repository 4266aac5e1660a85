import type { OutputOf, runs } from "@chorus/contracts"
import type { Tone } from "../design/index.ts"
import type { TextKey } from "../i18n/language.ts"
import { followOne, followRows } from "../live/follow.ts"

export type Run = runs.RunRow
export type Entry = OutputOf<typeof runs.getTranscript>["entries"][number]

export const RUN_TONE: Record<runs.RunState, Tone> = {
  queued: "todo",
  starting: "progress",
  running: "progress",
  waiting: "waiting",
  finished: "done",
  failed: "failed",
  stopped: "todo",
  lost: "failed",
}

export const RUN_LABEL: Record<runs.RunState, TextKey> = {
  queued: "runs.state.queued",
  starting: "runs.state.starting",
  running: "runs.state.running",
  waiting: "runs.state.waiting",
  finished: "runs.state.finished",
  failed: "runs.state.failed",
  stopped: "runs.state.stopped",
  lost: "runs.state.lost",
}

export const PROGRAM_NAME: Record<runs.RunProgram, string> = {
  claude: "Claude Code",
  codex: "Codex",
  opencode: "OpenCode",
  qwen: "Qwen Code",
  gemini: "Gemini CLI",
  command: "ACP",
}

export const followRuns = followRows<OutputOf<typeof runs.listRuns>>({ entity: "run", rows: "runs" })
export const followRunners = followRows<OutputOf<typeof runs.listRunners>>({ entity: "runner", rows: "runners" })
export const followRun = followOne<Run>("run")
