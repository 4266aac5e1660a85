import { closeSync, openSync, utimesSync } from "node:fs"
import { join } from "node:path"

export interface SetClock {
  /** What a process is given of the machine it runs on. */
  readonly env: Readonly<Record<string, string>>
  advance(seconds: number): void
}

/**
 * A machine whose clock a test sets: it is as far ahead as a file's date says, which is read and written in one step.
 * What a program does every minute it does whenever it has nothing else to do.
 */
export function setClock(folder: string): SetClock {
  const file = join(folder, "clock")
  closeSync(openSync(file, "w"))
  let ahead = 0
  const advance = (seconds: number) => {
    ahead += seconds
    utimesSync(file, ahead, ahead)
  }
  advance(0)
  return {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}`, SET_CLOCK: file },
    advance,
  }
}

const PRELOAD = `
import { statSync } from "node:fs"
const Real = Date
const now = () => Real.now() + statSync(process.env.SET_CLOCK).mtimeMs
globalThis.Date = class extends Real {
  static now() { return now() }
  constructor(...given) { given.length === 0 ? super(now()) : super(...given) }
}
const every = setInterval
globalThis.setInterval = (work, ms, ...more) => every(work, ms === 60000 ? 10 : ms, ...more)
`
