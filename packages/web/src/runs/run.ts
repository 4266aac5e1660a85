import type { EventOf, LogEvent, OutputOf, runs, runTranscript } from "@chorus/contracts"
import type { Tone } from "../design/index.ts"
import type { TextKey } from "../i18n/language.ts"
import { followAll, followOne, followRows, reloadWhen } from "../live/follow.ts"

export type Run = runs.RunRow
export type Entry = OutputOf<typeof runTranscript.getTranscript>["entries"][number]

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

/** Of a program that somebody names; undefined where it is none that we know by name. */
export function nameOfProgram(program: unknown): string | undefined {
  return Object.entries(PROGRAM_NAME).find(([known]) => known === program && known !== "command")?.[1]
}

type Listed = OutputOf<typeof runs.listRuns>

/** What a run in the queue waits for changes with machines, tasks and other runs: it is asked for anew. */
const mayEndWaiting = ({ entityType, kind }: LogEvent, rows: readonly Run[]) =>
  (entityType === "runner" || entityType === "task" || kind === "run.changed") &&
  rows.some(({ state }) => state === "queued")

const followWaiting = reloadWhen<Listed>((event, { runs: rows }) => mayEndWaiting(event, rows))

export const followRuns = followAll(followRows<Listed>({ entity: "run", rows: "runs" }), followWaiting)
export function followRunsOfTask(taskUuid: string) {
  const belongs = (run: Run) => run.taskUuid === taskUuid
  return followAll(followRows<Listed>({ entity: "run", rows: "runs", belongs }), followWaiting)
}
/** Which plan a task is of, its runs do not say: a new one is asked for. */
export function followRunsOfIdea(ideaUuid: string) {
  const belongs = (run: Run) => run.ideaUuid === ideaUuid || (run.taskUuid ?? null) !== null
  return followAll(
    reloadWhen<Listed>((event) => event.entityType === "run" && event.action === "created" && isOnTask(event)),
    followRows<Listed>({ entity: "run", rows: "runs", belongs }),
    followWaiting,
  )
}
const isOnTask = ({ patch }: EventOf<"run">) => (patch.taskUuid ?? null) !== null

export const followRunners = followRows<OutputOf<typeof runs.listRunners>>({ entity: "runner", rows: "runners" })
export const followRun = followAll(
  followOne<Run>("run"),
  reloadWhen<Run>((event, run) => mayEndWaiting(event, [run])),
)
