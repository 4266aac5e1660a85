import type { LogEvent } from "@chorus/contracts"
import { type Doing, doingOf, type PresentSession } from "../agents/presence.ts"
import { hueOf } from "../design/index.ts"

/** The office is drawn in large pixels; one of them is this many pixels of the page. */
export const SCALE = 3
export const CELL_WIDTH = 44
export const CELL_HEIGHT = 46

/** The wall above the first row of desks. */
export const WALL_HEIGHT = 26

export type Posture = "typing" | "resting" | "asking" | "celebrating" | "asleep" | "away"

const POSTURE: Record<Doing, Posture> = {
  needsInput: "asking",
  working: "typing",
  resting: "resting",
  finished: "resting",
  silent: "asleep",
}

/** How somebody sits; joy over handed-in work lasts a moment and hides no raised hand. */
export function postureOf(session: PresentSession, celebrates: boolean): Posture {
  const doing = doingOf(session)
  return celebrates && doing !== "needsInput" ? "celebrating" : POSTURE[doing]
}

/** How many pictures a posture has, and how many ticks each is shown. */
const MOTION: Record<Posture, { readonly frames: number; readonly ticks: number }> = {
  typing: { frames: 4, ticks: 1 },
  resting: { frames: 2, ticks: 10 },
  asking: { frames: 2, ticks: 3 },
  celebrating: { frames: 4, ticks: 1 },
  asleep: { frames: 2, ticks: 14 },
  away: { frames: 1, ticks: 1 },
}

/** Which picture to show at a tick; people are out of step with each other by their seed. */
export function frameOf(posture: Posture, tick: number, seed: number): number {
  const { frames, ticks } = MOTION[posture]
  return Math.floor((tick + seed) / ticks) % frames
}

export interface Look {
  readonly shirt: number
  readonly hair: number
  readonly skin: number
}

/** The same face every time for the same session, in the colour of its agent. */
export function lookOf(uuid: string, agentUuid: string): Look {
  return { shirt: hueOf(agentUuid), hair: hueOf(`hair ${uuid}`) % 5, skin: hueOf(`skin ${uuid}`) % 4 }
}

export interface Floor {
  readonly columns: number
  readonly rows: number
}

const FEWEST_ROWS = 3

/** How many desks stand in a room this wide; there are always some free ones. */
export function floorFor(people: number, widthPx: number): Floor {
  const columns = Math.max(1, Math.floor(widthPx / (CELL_WIDTH * SCALE)))
  return { columns, rows: Math.max(FEWEST_ROWS, Math.ceil(people / columns)) }
}

export function placeOf(index: number, { columns }: Floor): { readonly x: number; readonly y: number } {
  return { x: (index % columns) * CELL_WIDTH, y: WALL_HEIGHT + Math.floor(index / columns) * CELL_HEIGHT }
}

/** Everybody keeps their desk while they are here; who comes takes the first free one. */
export function seating(before: ReadonlyMap<string, number>, present: readonly string[]): ReadonlyMap<string, number> {
  const kept = present.filter((uuid) => before.has(uuid))
  const seats = new Map(kept.map((uuid) => [uuid, before.get(uuid) ?? 0]))
  const taken = new Set(seats.values())
  let free = 0
  for (const uuid of present) {
    if (seats.has(uuid)) continue
    while (taken.has(free)) free++
    taken.add(free)
    seats.set(uuid, free)
  }
  return seats
}

/** The session that has just handed in work, if the event says so. */
export function celebrant({ kind, patch }: LogEvent): string | undefined {
  if (kind !== "session.checked_out") return undefined
  return patch.checkoutReason && HANDED_IN.has(patch.checkoutReason) ? patch.sessionUuid : undefined
}

const HANDED_IN = new Set(["task_submitted", "task_done"])
