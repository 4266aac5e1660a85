import type { StatusLine } from "@chorus/contracts"
import { type TerminalStatus, unknownTerminal } from "./terminal.ts"

/** Hooks of one turn run side by side, so one that began before the turn's end may be stamped just after it. */
const LATE_WITHIN_TURN_MS = 250

/** What a terminal is after one more line. Lines must come in the order of `compareLines`; `history` sees to that. */
export function applyStatusLine(before: TerminalStatus, line: StatusLine): TerminalStatus {
  const known = withFacts(before, line)
  if (line.only !== undefined && !line.only.includes(known.state)) return known
  switch (line.event) {
    case "running":
      return running(known, line)
    case "needsInput":
      return needsInput(known, line)
    case "seen":
      return { ...known, unread: false }
    case "idle":
      // One that merely says that nothing goes on takes nothing from a turn that was over before.
      if (known.cameTo !== null && line.only !== undefined)
        return enter(known, line, { state: "finished", ...known.cameTo })
      return enter(known, line, {
        state: "idle",
        // Where none was under way before it was lost sight of, no turn has ended that a second source could speak of.
        reason: line.only !== undefined && known.formerly?.state === "idle" ? null : (line.reason ?? null),
        summary: null,
        toolFailed: false,
      })
    case "finished":
      return finished(known, line)
    case "exited":
      return exited(known, line)
    case "lost":
      return known.ended
        ? known
        : enter(known, line, {
            state: "unknown",
            detail: known.detail,
            reason: line.reason ?? null,
            cameTo: known.state === "finished" ? cameTo(known) : known.cameTo,
            formerly: known.state === "unknown" ? known.formerly : { state: known.state, since: known.since },
          })
    case "note":
      return line.toolError === true && isActive(known) && isSameTurn(known, line)
        ? { ...known, toolFailed: true }
        : known
  }
}

function cameTo({ since, summary, exitCode, reason, unread }: TerminalStatus): TerminalStatus["cameTo"] {
  return { since, summary, exitCode, reason, unread }
}

function isActive(known: TerminalStatus): boolean {
  return known.state === "running" || known.state === "needsInput"
}

function running(known: TerminalStatus, line: StatusLine): TerminalStatus {
  if (isLate(known, line)) return known
  const newTurn =
    line.turnStart === true || known.state === "idle" || (known.state === "finished" && !known.provisional)
  // A second source says that work goes on, not with what: after an answer that is what was asked about.
  const tool = line.toolDetail ?? (line.only === undefined ? null : known.tool)
  return enter(known, line, {
    state: "running",
    detail: tool,
    tool,
    // Claude Code may note that it is busy once more before it notes that it waits.
    ...(line.only === undefined ? {} : { ask: known.ask, asks: known.asks }),
    summary: newTurn ? null : known.summary,
    toolFailed: line.toolError === true || (known.toolFailed && !newTurn),
  })
}

/**
 * Only an agent at work can ask: the same signal also comes as a heartbeat of an agent that has been idle for a minute.
 * A line that names the states in which it counts is no heartbeat.
 */
function needsInput(known: TerminalStatus, line: StatusLine): TerminalStatus {
  if (!isActive(known) && line.only === undefined) return known
  return enter(known, line, {
    state: "needsInput",
    detail: line.toolDetail ?? known.detail,
    // A second sign of the same question says less of it.
    ...(line.ask === undefined && line.asks === undefined
      ? { ask: known.ask, asks: known.asks }
      : { ask: line.ask ?? null, asks: line.asks ?? null }),
  })
}

function finished(known: TerminalStatus, line: StatusLine): TerminalStatus {
  // A program may say that it stopped after it has said that it failed; without new work in between the failure stays.
  const hasFailed = known.state === "finished" && known.exitCode !== 0 && !known.provisional
  if (hasFailed && line.exitCode === undefined) return known
  const failedTool = line.exitCode === undefined && known.toolFailed
  const exitCode = line.exitCode ?? (known.toolFailed ? 1 : 0)
  // One that tells again how its turn ended says nothing new.
  if (line.only !== undefined && known.cameTo?.exitCode === exitCode)
    return enter(known, line, { state: "finished", ...known.cameTo })
  return enter(known, line, {
    state: "finished",
    exitCode,
    summary: line.summary ?? null,
    reason: line.reason ?? (failedTool ? "a tool failed in this turn" : null),
    provisional: line.provisional === true,
    unread: known.state !== "finished" || known.unread,
    since: known.state === "finished" ? known.since : line.at,
  })
}

/** By SIGHUP, SIGINT or SIGTERM, as when its window is closed: nothing of its own failed. */
const ASKED_TO_END = [129, 130, 143]
/** By SIGKILL, which others send; any other signal that ends a program between turns is a crash of its own. */
const KILLED = 137
/** From here on an exit code tells of a signal. */
const SIGNALLED = 128

function exited(known: TerminalStatus, line: StatusLine): TerminalStatus {
  // Whoever only finds it gone knows less than its own last word, which may have come late.
  if (known.ended && line.source?.startsWith("watch:") === true) return known
  const ended = { ...known, pid: null, provisional: false, ended: true }
  const since = known.ended ? known.since : line.at
  if (isActive(known) || known.cutShort) {
    return enter(ended, line, {
      state: "finished",
      exitCode: line.exitCode === undefined || line.exitCode === 0 ? (known.exitCode ?? 1) : line.exitCode,
      reason: line.reason ?? known.reason ?? "the agent ended in the middle of a turn",
      cutShort: true,
      unread: known.state !== "finished" || known.unread,
    })
  }
  const reason = line.reason ?? "the session has ended"
  const exitCode = line.exitCode ?? 0
  const failed = exitCode !== 0 && !ASKED_TO_END.includes(exitCode)
  // A failure counts from when it failed.
  if (known.state === "finished" && known.exitCode !== 0) return { ...ended, reason: known.reason ?? reason }
  if (known.state === "finished" && !failed && !isDeath(line)) {
    const by = known.ended ? {} : { source: line.source ?? "line", sourceAt: line.at }
    return { ...ended, ...by, since, reason: known.reason ?? reason }
  }
  if (failed && exitCode < SIGNALLED && isUnheard(known))
    return enter(ended, line, { state: "idle", reason: `it did not begin: ${reason}`, since })
  if (failed && exitCode !== KILLED)
    return enter(ended, line, { state: "finished", exitCode, reason, unread: true, since })
  return enter(ended, line, { state: "idle", reason, unread: known.unread, since })
}

/** Started, and no word of its own since: one that was called wrongly tells whoever called it, and has failed at no work. */
function isUnheard({ state, source }: TerminalStatus): boolean {
  return state === "idle" && source === "launch"
}

/** It did not end by itself: what its last turn came to is no longer what it is. */
function isDeath(line: StatusLine): boolean {
  return line.source?.startsWith("watch:") === true || (line.exitCode !== undefined && line.exitCode > 128)
}

/** A command that was left behind by Esc may end long after its turn. */
function isSameTurn(known: TerminalStatus, line: StatusLine): boolean {
  return line.turnId === undefined || known.turnId === null || line.turnId === known.turnId
}

/** A step inside a turn that has already finished, stamped a moment too late by a slow hook. */
function isLate(known: TerminalStatus, line: StatusLine): boolean {
  if (known.state !== "finished" || known.provisional || line.turnStart === true) return false
  const sameTurn = line.turnId !== undefined && line.turnId === known.turnId
  return sameTurn && line.at - known.since < LATE_WITHIN_TURN_MS
}

/** One that a second source finds as it was has been so all the time. */
function beganAt(known: TerminalStatus, line: StatusLine, state: TerminalStatus["state"]): number {
  if (known.state === state) return known.since
  const isFoundAgain = known.state === "unknown" && line.only !== undefined && known.formerly?.state === state
  return isFoundAgain ? (known.formerly?.since ?? line.at) : line.at
}

/** Goes into a state; what belonged to the state before is dropped unless the change names it. */
function enter(
  known: TerminalStatus,
  line: StatusLine,
  change: Partial<TerminalStatus> & Pick<TerminalStatus, "state">,
): TerminalStatus {
  return {
    ...known,
    detail: null,
    exitCode: null,
    reason: null,
    provisional: false,
    cutShort: false,
    ask: null,
    asks: null,
    unread: false,
    cameTo: null,
    formerly: null,
    ended: line.event === "exited",
    since: beganAt(known, line, change.state),
    source: line.source ?? "line",
    sourceAt: line.at,
    ...change,
  }
}

/** Facts that hold whatever the state: whose session it is, its title, its process. */
function withFacts(before: TerminalStatus, line: StatusLine): TerminalStatus {
  const otherAgent = line.agent !== before.agent
  const otherSession = line.sessionId !== undefined && before.sessionId !== null && line.sessionId !== before.sessionId
  const base: TerminalStatus =
    otherAgent || isLaunch(line)
      ? { ...unknownTerminal(line), since: before.since }
      : otherSession
        ? { ...before, title: null, titleOrigin: null, resumeCommand: null, turnId: null }
        : before
  return {
    ...base,
    ...titleOf(base, line),
    resumeCommand: line.resumeCommand ?? base.resumeCommand,
    sessionId: line.sessionId ?? base.sessionId,
    turnId:
      line.event !== "note" && (line.turnStart === true || line.turnId !== undefined)
        ? (line.turnId ?? null)
        : base.turnId,
    pid: line.pid ?? base.pid,
    tab: line.tab ?? base.tab,
    folder: line.folder ?? base.folder,
    version: line.version ?? base.version,
    once: line.once ?? base.once,
    outside: line.outside ?? base.outside,
  }
}

/** A program that was just started has nothing of the one before it. */
function isLaunch(line: StatusLine): boolean {
  return line.event === "idle" && (line.source === "launch" || line.source === "found:process")
}

const TITLE_RANK = { prompt: 1, generated: 2, person: 3 } as const

/**
 * An empty title never replaces a known one, a weaker origin never a stronger; the first prompt stays the prompt's
 * title.
 */
function titleOf(base: TerminalStatus, line: StatusLine): Pick<TerminalStatus, "title" | "titleOrigin"> {
  const keep = { title: base.title, titleOrigin: base.titleOrigin }
  if (line.sessionTitle === undefined || line.sessionTitle === "") return keep
  const origin = line.titleOrigin ?? "generated"
  const rank = base.titleOrigin === null ? 0 : TITLE_RANK[base.titleOrigin]
  if (TITLE_RANK[origin] < rank || (origin === "prompt" && rank === TITLE_RANK.prompt)) return keep
  return { title: line.sessionTitle, titleOrigin: origin }
}
