import type { runs } from "@chorus/contracts"

type RunState = runs.RunState

/** Where a run stands, and what of its agent has to be known to say so. */
export interface RunProgress {
  readonly state: RunState
  /** Why, where the state alone does not say it. */
  readonly reason: string | null
  /** A prompt is open. */
  readonly prompting: boolean
  /** Requests of the agent that wait for a person. */
  readonly asks: readonly string[]
  /** Sub-agents at work. */
  readonly children: readonly string[]
  /** The last turn is over, and how it ended. */
  readonly turnEnd: string | null
  /** A person has to say how it goes on. */
  readonly held: boolean
  /** A person stopped it; the process has not ended yet. */
  readonly stopping: boolean
}

/** What can happen to a run; any of it at any time, because frames, faults and people come in no order. */
export type RunFact =
  | { readonly fact: "leased" | "ready" | "prompted" | "worked" | "quiet" | "stop" | "resumed" }
  | { readonly fact: "turn-ended"; readonly stopReason: string; readonly failure?: string | undefined }
  | { readonly fact: "prompt-refused"; readonly code: number; readonly message: string }
  | { readonly fact: "asked" | "settled"; readonly id: string }
  | { readonly fact: "child"; readonly id: string; readonly running: boolean }
  | { readonly fact: "failed"; readonly reason: string }
  | { readonly fact: "gone"; readonly reason?: string | undefined }

/** What the protocol answers with where the person has to sign in first. */
export const SIGN_IN_NEEDED = -32_000
const SIGN_IN = "Sign in to the program on its machine, then tell it to go on."
const ENDED_BY_ITSELF = "The program ended by itself. Take the run up again: it goes on in the same conversation."

/** What a person is told of a turn that did not come to its own end, with the protocol's word for those who look it up. */
const CUT_SHORT: Readonly<Record<string, string>> = {
  max_tokens:
    "Its last answer was cut off at the model's limit (max_tokens). Tell it to go on if the work is not done.",
  max_turn_requests:
    "It made as many calls as its program allows in one turn (max_turn_requests). Tell it to go on if the work is not done.",
  refusal: "Its model would not go on (refusal). Say it in other words, or start a run with another model.",
}

const ENDS: readonly RunState[] = ["finished", "failed", "stopped", "lost"]

export const QUEUED_RUN: RunProgress = {
  state: "queued",
  reason: null,
  prompting: false,
  asks: [],
  children: [],
  turnEnd: null,
  held: false,
  stopping: false,
}

export function isEnded(state: RunState): boolean {
  return ENDS.includes(state)
}

/** Whether a runner that holds the run may report this state after that one: an end stays, and the queue is the server's. */
export function mayFollow(before: RunState, after: RunState): boolean {
  return !isEnded(before) && before !== "queued" && after !== "queued"
}

/** Whether its agent is at work: not in the queue, while it starts, nor while it waits for a person. */
export function isAtWork(state: RunState): boolean {
  return state === "running"
}

/** How long a run was at work and how long it waited for a person, in milliseconds, from its first start on until then. */
export function runTime(
  { state, stateSince, workMs, waitMs }: Pick<runs.RunRow, "state" | "stateSince" | "workMs" | "waitMs">,
  until: string,
): Pick<runs.RunRow, "workMs" | "waitMs"> {
  const since = Math.max(0, Date.parse(until) - Date.parse(stateSince))
  return {
    workMs: workMs + (isAtWork(state) ? since : 0),
    waitMs: waitMs + (state === "waiting" ? since : 0),
  }
}

/** What becomes of a run. Whatever makes no sense where the run stands changes nothing. */
export function afterFact(run: RunProgress, fact: RunFact): RunProgress {
  if (isEnded(run.state)) return fact.fact === "resumed" ? QUEUED_RUN : run
  if (run.state === "queued") return fromQueue(run, fact)
  return run.state === "starting" ? fromStart(run, fact) : fromWork(run, fact)
}

function fromQueue(run: RunProgress, fact: RunFact): RunProgress {
  if (fact.fact === "leased") return { ...run, state: "starting" }
  if (fact.fact === "stop") return end(run, "stopped")
  return fact.fact === "failed" ? end(run, "failed", fact.reason) : run
}

function fromStart(run: RunProgress, fact: RunFact): RunProgress {
  switch (fact.fact) {
    case "ready":
      return standing(run)
    case "prompted":
      return standing({ ...run, prompting: true })
    case "stop":
      return { ...run, stopping: true }
    case "failed":
      return run.stopping ? end(run, "stopped") : end(run, "failed", fact.reason)
    case "gone":
      // It never answered, whatever its exit code says.
      return run.stopping ? end(run, "stopped") : end(run, "failed", fact.reason ?? "The program ended at its start.")
    case "prompt-refused":
      return fromWork(run, fact)
    default:
      return run
  }
}

function fromWork(run: RunProgress, fact: RunFact): RunProgress {
  switch (fact.fact) {
    case "prompted":
      return standing({ ...run, prompting: true, held: false, turnEnd: null, reason: null })
    case "asked":
      return run.asks.includes(fact.id) ? run : standing({ ...run, asks: [...run.asks, fact.id] })
    case "settled":
      return standing({ ...run, asks: run.asks.filter((id) => id !== fact.id) })
    case "child":
      return { ...run, children: [...run.children.filter((id) => id !== fact.id), ...(fact.running ? [fact.id] : [])] }
    case "turn-ended":
      return turnEnded({ ...run, prompting: false, asks: [] }, fact)
    case "prompt-refused":
      if (run.stopping) return end(run, "stopped")
      if (fact.code !== SIGN_IN_NEEDED) return end(run, "failed", fact.message)
      return standing({
        ...run,
        prompting: false,
        asks: [],
        held: true,
        reason: `${fact.message.replace(/\.$/, "")}. ${SIGN_IN}`,
      })
    case "quiet":
      return isOver(run) ? end(run, "finished", wordsFor(run.turnEnd)) : run
    case "stop":
      return { ...run, stopping: true }
    case "failed":
      return run.stopping ? end(run, "stopped") : end(run, "failed", fact.reason)
    case "gone":
      return run.stopping ? end(run, "stopped") : end(run, "lost", fact.reason ?? ENDED_BY_ITSELF)
    default:
      return run
  }
}

function turnEnded(run: RunProgress, { stopReason, failure }: RunFact & { fact: "turn-ended" }): RunProgress {
  if (run.stopping) return end(run, "stopped")
  if (failure !== undefined) return end(run, "failed", failure)
  // Interrupted, or the program takes a refusal for the end of the turn: only a person knows how it goes on.
  if (stopReason === "cancelled")
    return standing({ ...run, held: true, reason: "The turn was ended before it was over. Say how it goes on." })
  return standing({ ...run, turnEnd: stopReason })
}

/** The turn is over, and nothing goes on behind it. */
function isOver({ prompting, asks, children, turnEnd, held }: RunProgress): boolean {
  return turnEnd !== null && !prompting && !held && asks.length === 0 && children.length === 0
}

function wordsFor(turnEnd: string | null): string | null {
  return turnEnd === null || turnEnd === "end_turn" ? null : (CUT_SHORT[turnEnd] ?? turnEnd)
}

function standing(run: RunProgress): RunProgress {
  return { ...run, state: run.asks.length > 0 || run.held ? "waiting" : "running" }
}

function end(run: RunProgress, state: RunState, reason: string | null = null): RunProgress {
  return { ...QUEUED_RUN, turnEnd: run.turnEnd, state, reason }
}
