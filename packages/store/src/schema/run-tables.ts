/** A machine that can run agents. */
export interface RunnersTable {
  machineUuid: string
  programs: string
  folders: string
  slots: number
  busy: number
  checks: number
  seenAt: string
  /** When it last asked for work to land; null where its policy allows none. */
  landsAt: string | null
  /** The same of work to propose, where it may push. */
  pushesAt: string | null
  /** Its memory and disk, as it last told; null where it never did. */
  room: string | null
}

type LandingEnd = "landed" | "clean" | "conflict" | "broken" | "refused" | "discarded" | "withdrawn" | "proposed"
type LandingState = "queued" | "at_work" | LandingEnd

/** One attempt to bring a task's work into its branch. */
export interface LandingsTable {
  uuid: string
  workspaceUuid: string
  taskUuid: string
  /** Those that were put on the way together have the same, and come in the order of their ranks. */
  train: string | null
  rank: number
  act: "land" | "preview" | "discard" | "propose"
  how: "squash" | "merge" | "rebase"
  state: LandingState
  reason: string | null
  files: string
  version: number | null
  branch: string | null
  onto: string | null
  commit: string | null
  pushed: number
  runUuid: string | null
  machineUuid: string | null
  machineName: string | null
  byType: "user" | "agent" | "system"
  byUuid: string
  lease: string | null
  leaseUntil: string | null
  createdAt: string
  endedAt: string | null
}

/** How the work of a task stands at its forge; without an address it was only looked for. */
export interface PullRequestsTable {
  taskUuid: string
  url: string | null
  state: "open" | "merged" | "closed" | null
  checks: "passed" | "failed" | "running" | null
  ahead: number | null
  behind: number | null
  lookedAt: string
  changedAt: string
}

/** One stretch of work by an agent that Chorus started. */
export interface RunsTable {
  uuid: string
  workspaceUuid: string
  work: "plan" | "build" | "review" | "answer"
  /** What it is at work on: one of the two. */
  taskUuid: string | null
  ideaUuid: string | null
  /** Among those that were queued together, which comes first. */
  rank: number
  budget: string
  warning: string | null
  /** Why Chorus itself has told its machine to stop it. */
  stoppedFor: "budget" | "loop" | null
  stopReason: string | null
  /** When something was last heard of the agent itself. */
  heardAt: string | null
  /** The call it made last, and how often in a row. */
  lastCall: string | null
  tree: string | null
  stillTurns: number
  forkOf: string | null
  forkTurn: number | null
  program: "claude" | "codex" | "opencode" | "qwen" | "gemini" | "command"
  command: string | null
  model: string | null
  mode: "ask" | "edit" | "all" | null
  folder: string | null
  inPlace: number
  /** What people have to say at its next start, each by itself: a JSON list. */
  words: string | null
  state: "queued" | "starting" | "running" | "waiting" | "finished" | "failed" | "stopped" | "lost"
  reason: string | null
  stateSince: string
  machineName: string | null
  machineUuid: string | null
  agentUuid: string | null
  startedByType: "user" | "agent" | "system"
  startedByUuid: string
  sessionUuid: string | null
  sessionId: string | null
  branch: string | null
  worktree: string | null
  baseCommit: string | null
  turns: number
  /** How long it was at work, and how long it waited for a person, until it got into its state. */
  workMs: number
  waitMs: number
  usage: string
  revision: number
  /** By which the runner that won it proves that it still holds it. */
  lease: string | null
  leaseUntil: string | null
  /** The agent's own key, which ends with the run. */
  keyUuid: string | null
  createdAt: string
  startedAt: string | null
  endedAt: string | null
}

/** One thing that a run's agent said or did. */
export interface RunEntriesTable {
  runUuid: string
  id: string
  /** The run's revision with which it took this form. */
  revision: number
  place: number
  body: string
  /** All that is kept of what a call printed, where the entry shows only a part. */
  output: string | null
}

/** A yes of a person's that is given again. */
export interface RunRulesTable {
  uuid: string
  workspaceUuid: string
  projectUuid: string
  runUuid: string | null
  kind: string
  title: string
  byUuid: string
  createdAt: string
  used: number
}

/** A command run on a task's work. `decides` marks those of a hand-in, by which it goes on to a person or back. */
export interface ChecksTable {
  uuid: string
  taskUuid: string
  criterionUuid: string | null
  name: string
  command: string
  state: "queued" | "running" | "passed" | "failed" | "not_run"
  exitCode: number | null
  reason: string | null
  durationMs: number | null
  output: string
  outputBytes: number
  /** Paths, as a JSON array. */
  touched: string
  source: "chorus" | "person" | "agent"
  byType: "user" | "agent" | "system"
  byUuid: string
  machineUuid: string | null
  machine: string | null
  environment: string | null
  tree: string | null
  runUuid: string | null
  handIn: number
  decides: number
  /** Whether it is no check but the built thing itself, started for a person; then where it listens. */
  preview: number
  port: number | null
  near: number
  /** By which the runner that took it proves that it still holds it. */
  lease: string | null
  leaseUntil: string | null
  attempts: number
  createdAt: string
  endedAt: string | null
}
