import type { StatusAgent, StatusLine, StatusRow, StatusState, StatusTitleOrigin } from "@chorus/contracts"

/** Everything known about one terminal: what the views show, and what the rules need to read the next line. */
export interface TerminalStatus {
  readonly terminalId: string
  readonly agent: StatusAgent
  readonly state: StatusState
  readonly since: number
  /** Provenance: the signal that last vouched for the state, and when. */
  readonly source: string
  readonly sourceAt: number
  readonly title: string | null
  readonly titleOrigin: StatusTitleOrigin | null
  readonly detail: string | null
  /** The tool that was last said to run in this turn. */
  readonly tool: string | null
  readonly summary: string | null
  readonly exitCode: number | null
  readonly resumeCommand: string | null
  readonly reason: string | null
  readonly sessionId: string | null
  readonly turnId: string | null
  readonly pid: number | null
  readonly tab: string | null
  readonly folder: string | null
  readonly version: string | null
  /** Nobody comes back to where it runs. */
  readonly once: boolean
  /** A tool failed since the turn began. */
  readonly toolFailed: boolean
  /** The failure shown may still be undone by the agent's own retry. */
  readonly provisional: boolean
  /** The process ended while a turn was under way. */
  readonly cutShort: boolean
  /** The agent's process is over, whatever its last turn came to. */
  readonly ended: boolean
  readonly outside: boolean
  readonly ask: string | null
  readonly asks: string | null
  /** The turn ended and nobody has looked since. */
  readonly unread: boolean
  /** What its turn had come to before nobody could vouch for that any more. */
  readonly cameTo: Pick<TerminalStatus, "since" | "summary" | "exitCode" | "reason" | "unread"> | null
  /** What it was, and since when, before nobody could vouch for that any more. */
  readonly formerly: Pick<TerminalStatus, "state" | "since"> | null
}

export function unknownTerminal(line: Pick<StatusLine, "terminalId" | "agent" | "at">): TerminalStatus {
  return {
    terminalId: line.terminalId,
    agent: line.agent,
    state: "unknown",
    since: line.at,
    source: "none",
    sourceAt: line.at,
    title: null,
    titleOrigin: null,
    detail: null,
    tool: null,
    summary: null,
    exitCode: null,
    resumeCommand: null,
    reason: null,
    sessionId: null,
    turnId: null,
    pid: null,
    tab: null,
    folder: null,
    version: null,
    once: false,
    toolFailed: false,
    provisional: false,
    cutShort: false,
    ended: false,
    outside: false,
    ask: null,
    asks: null,
    unread: false,
    cameTo: null,
    formerly: null,
  }
}

/** What has failed has failed, and stays until somebody has seen it. */
export function isNewFailure({ state, exitCode, unread }: Pick<StatusRow, "state" | "exitCode" | "unread">): boolean {
  return state === "finished" && exitCode !== 0 && unread
}

/** The one row every view shows for this terminal. */
export function statusRow(status: TerminalStatus): StatusRow {
  const { terminalId, agent, state, since, source, title, detail, summary, exitCode, resumeCommand, reason } = status
  const { outside, unread, ended } = status
  const asks = state === "needsInput" ? status.asks : null
  const ask = asks === null ? null : status.ask
  const folder = status.folder?.split("/").findLast((part) => part !== "") ?? null
  const row = { terminalId, agent, state, since, source, title, detail, summary, exitCode, resumeCommand, reason }
  return { ...row, outside, ask, asks, folder, unread, ended }
}
