import { z } from "zod"

export const StatusAgent = z.enum(["claude", "codex", "opencode"])
export type StatusAgent = z.infer<typeof StatusAgent>

/** What a terminal's agent is doing. `finished` is a success when its exit code is 0 and a failure otherwise. */
export const StatusState = z.enum(["running", "idle", "needsInput", "finished", "unknown"])
export type StatusState = z.infer<typeof StatusState>

/**
 * What a line says happened. The first four are the ones any emitter may send; `exited` (the agent's process or session
 * is over), `lost` (nobody can vouch for the state any more), `seen` (a person has looked) and `note` (no change of
 * state) are what our own programs add.
 */
export const StatusEvent = z.enum(["running", "idle", "needsInput", "finished", "exited", "lost", "note", "seen"])
export type StatusEvent = z.infer<typeof StatusEvent>

/** Where a title comes from; a name given by a person is never replaced by one a model made up. */
export const StatusTitleOrigin = z.enum(["prompt", "generated", "person"])
export type StatusTitleOrigin = z.infer<typeof StatusTitleOrigin>

/** What is longer than this nobody reads before saying yes. */
const ASKS_LIMIT = 4000

/** One line on the listener's socket. Unknown fields are ignored. */
export const StatusLine = z.object({
  terminalId: z.string().min(1).max(200),
  event: StatusEvent,
  agent: StatusAgent,
  /** Epoch milliseconds. */
  at: z.number(),
  exitCode: z.number().int().optional(),
  toolDetail: z.string().optional(),
  summary: z.string().max(200).optional(),
  resumeCommand: z.string().optional(),
  sessionTitle: z.string().optional(),
  titleOrigin: StatusTitleOrigin.optional(),
  /** The signal that said so, such as `claude:Stop` or `codex:osc7501`. */
  source: z.string().optional(),
  reason: z.string().optional(),
  sessionId: z.string().optional(),
  turnId: z.string().optional(),
  /** A prompt was taken up: errors of the turn before no longer count. */
  turnStart: z.boolean().optional(),
  /** A tool failed in this turn; it sticks until the turn ends. */
  toolError: z.boolean().optional(),
  /** A failure the agent may still recover from by itself. */
  provisional: z.boolean().optional(),
  /** The line counts only when the terminal is in one of these states. */
  only: z.array(StatusState).optional(),
  /** The agent's process on this machine. */
  pid: z.number().int().positive().optional(),
  /** The tab as its terminal program calls it, and the folder the agent was started in. */
  tab: z.string().max(120).optional(),
  folder: z.string().max(4096).optional(),
  /** The agent program's own version. */
  version: z.string().max(60).optional(),
  /** Nobody comes back to where it runs: it has no terminal, or an agent started it in its own. */
  once: z.boolean().optional(),
  /** The agent was found here; nobody started it through Chorus. */
  outside: z.boolean().optional(),
  /**
   * By which a permission that is asked for can be granted or refused from elsewhere, where the program allows that.
   */
  ask: z.string().max(200).optional(),
  /** The whole of what is asked for, letter by letter; left out where it is too long to be read. */
  asks: z.string().max(ASKS_LIMIT).optional(),
})
export type StatusLine = z.infer<typeof StatusLine>

/** One terminal as every view shows it. */
export const StatusRow = z.object({
  terminalId: z.string(),
  agent: StatusAgent,
  state: StatusState,
  /** Epoch milliseconds at which this state began. */
  since: z.number(),
  source: z.string(),
  title: z.string().nullable(),
  detail: z.string().nullable(),
  summary: z.string().nullable(),
  exitCode: z.number().int().nullable(),
  resumeCommand: z.string().nullable(),
  reason: z.string().nullable(),
  /** It was found here; nobody started it through Chorus, so less is known of it. */
  outside: z.boolean(),
  /** What a yes or no given elsewhere must name to reach the agent; null where it has to be given in its terminal. */
  ask: z.string().nullable(),
  /** The whole of what is asked for; nobody says yes to what cannot be read, so without it there is no `ask` either. */
  asks: z.string().nullable(),
  /** The name of the folder it works in; where that lies stays on its machine. */
  folder: z.string().nullable(),
  /** Its turn has ended and nobody has looked yet. */
  unread: z.boolean(),
  /** Its program has ended, whatever its last turn came to. */
  ended: z.boolean(),
})
export type StatusRow = z.infer<typeof StatusRow>

/** A row as a companion reports it and as it was kept; one of before did not have what is new. */
export const ReportedRow = StatusRow.extend({
  outside: z.boolean().default(false),
  ask: z.string().nullable().default(null),
  asks: z.string().nullable().default(null),
  folder: z.string().nullable().default(null),
  unread: z.boolean().default(false),
  ended: z.boolean().default(false),
  /**
   * SHA-256 of the program's own id of its session, in hex: by it what its hooks tell is known as the same session's. The
   * id itself stays on its machine unless its person wants to come back to sessions.
   */
  sessionMark: z.string().max(64).nullable().default(null),
})
export type ReportedRow = z.infer<typeof ReportedRow>
