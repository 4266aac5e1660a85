import {
  ChorusError,
  type InputOf,
  type OperationName,
  type OutputOf,
  type runs,
  type SignatureNamed,
} from "@chorus/contracts"

export type RunReport = Omit<InputOf<typeof runs.reportRun>, "runUuid" | "lease">

/** How a runner calls the server. */
export type Call = <Name extends OperationName>(
  name: Name,
  input: InputOf<SignatureNamed<Name>>,
  options?: { readonly retry?: boolean },
) => Promise<OutputOf<SignatureNamed<Name>>>

const GATHER_MS = 60
const BEAT_MS = 10_000
const RETRY_MS = 1000
const MOST_ENTRIES = 200
/** As much may wait to be told; more is not read from the agent before. */
const ROOM = 2000

export interface Reporter {
  /** Tells it with what else gathers within a moment. */
  tell(report: RunReport): void
  /** Something of the transcript changed. */
  grew(): void
  /** Resolves once there is room for more. */
  room(): Promise<void> | undefined
  /** Resolves when the server has heard everything, or will hear nothing more of this run from here. */
  last(end: RunReport): Promise<void>
  /** Stops telling, heard or not. */
  abandon(): void
}

export interface ReporterOptions {
  readonly call: Call
  readonly run: Pick<runs.LeasedRun, "uuid" | "lease">
  entries(): runs.ReportedEntry[]
  /** The run is no longer this runner's. */
  onNotHeld(): void
}

/** Tells the server of one run: in order, what gathers within a moment in one report, and again until it was heard. */
export function openReporter({ call, run, entries, onNotHeld }: ReporterOptions): Reporter {
  const waiting: runs.ReportedEntry[] = []
  let next: RunReport = {}
  let some = false
  /** When the last report went off. */
  let sent = 0
  let most = MOST_ENTRIES
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let gone = false
  let heardOf: (() => void)[] = []
  const beat = setInterval(() => schedule(true), BEAT_MS)

  function schedule(always = false): void {
    some ||= always
    // What comes after a pause is told at once; only what follows on its heels gathers.
    if (!gone) timer ??= setTimeout(() => void send(), Math.max(0, sent + GATHER_MS - Date.now()))
  }

  async function send(): Promise<void> {
    timer = undefined
    // Whoever sends looks again when that has arrived.
    if (sending !== undefined) return void (some = true)
    sent = Date.now()
    sending = report().finally(() => (sending = undefined))
    await sending
    if (some) schedule()
  }

  async function report(): Promise<void> {
    gather()
    some = false
    const told = { ...next, entries: waiting.slice(0, most) }
    next = {}
    try {
      // What says only how things stand is told again from here and needs no receipt; what counts once does.
      const retry = told.state !== undefined || told.tree !== undefined
      await call("chorus_report_run", { runUuid: run.uuid, lease: run.lease, ...told }, { retry })
      waiting.splice(0, told.entries.length)
      most = MOST_ENTRIES
      some ||= waiting.length > 0
    } catch (error) {
      if (isRefused(error)) return end()
      next = merged(told, next)
      some = true
      // Too much at once is told in smaller parts, and at last without the one thing that the server will not have.
      if (isTooMuch(error) && told.entries.length > 0) {
        if (most === 1) waiting.shift()
        most = most === 1 ? MOST_ENTRIES : Math.ceil(most / 8)
        return
      }
      await new Promise((wake) => setTimeout(wake, RETRY_MS))
    }
    if (waiting.length < ROOM) {
      for (const go of heardOf) go()
      heardOf = []
    }
  }

  /** Of an entry that still waits only the newest form counts. */
  function gather(): void {
    for (const entry of entries()) {
      const at = waiting.findIndex(({ id }) => id === entry.id)
      if (at === -1) waiting.push(entry)
      // What it printed is told once, with whichever form goes first.
      else waiting[at] = { ...waiting[at], ...entry }
    }
  }

  function end(): void {
    gone = true
    clearInterval(beat)
    clearTimeout(timer)
    for (const go of heardOf) go()
    onNotHeld()
  }

  return {
    tell(report) {
      next = merged(next, report)
      schedule(true)
    },
    grew: () => schedule(true),
    room: () => (gone || waiting.length < ROOM ? undefined : new Promise((go) => heardOf.push(go))),
    async last(told) {
      clearInterval(beat)
      clearTimeout(timer)
      await sending
      // The end is told with the last of the transcript, not before it.
      gather()
      while (!gone && waiting.length > MOST_ENTRIES) await report()
      next = merged(next, told)
      some = true
      while (!gone && some) await report()
      gone = true
    },
    abandon() {
      gone = true
      clearInterval(beat)
      clearTimeout(timer)
    },
  }
}

function merged(before: RunReport, after: RunReport): RunReport {
  const { entries: _before, ...first } = before
  const { entries: _after, ...then } = after
  return {
    ...first,
    ...then,
    asks: [...(first.asks ?? []), ...(then.asks ?? [])],
    settled: [...(first.settled ?? []), ...(then.settled ?? [])],
  }
}

/** It will hear nothing more of this run from here. */
function isRefused(error: unknown): boolean {
  return error instanceof ChorusError && [401, 403, 404, 409].includes(error.status)
}

function isTooMuch(error: unknown): boolean {
  return error instanceof ChorusError && [400, 413].includes(error.status)
}
