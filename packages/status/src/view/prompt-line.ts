import type { StatusRow } from "@chorus/contracts"
import { oneLine } from "../line/index.ts"
import { age, stateLook } from "./state-look.ts"

export const LINE_FORMATS = ["prompt", "tmux", "starship"] as const
export type LineFormat = (typeof LINE_FORMATS)[number]

const TMUX_COLOUR = {
  green: "green",
  yellow: "yellow",
  red: "red",
  blue: "blue",
  gray: "colour245",
} as const

/** So many of those who wait are named, each with so many letters. */
const NAMED = 2
const NAME_LENGTH = 24
/** What tmux or a shell's prompt would read as more than a letter. */
const STEERING = /[#%`$\\{}]/g

const MINUTE_MS = 60_000

/**
 * All terminals in one short line, such as "?1 Mend the door ●2 ~1 4m ✓1"; nothing when nothing is going on. What was
 * seen is left out; since when somebody is unknown is told by the minute.
 */
export function promptLine(rows: readonly StatusRow[], format: LineFormat = "prompt", now = Date.now()): string {
  const groups = Map.groupBy(
    rows.filter((row) => row.unread || (row.state !== "idle" && row.state !== "finished")),
    (row) => stateLook(row).name,
  )
  return [...groups.values()]
    .flatMap((group) => (group[0] === undefined ? [] : [{ look: stateLook(group[0]), group }]))
    .sort((a, b) => a.look.order - b.look.order)
    .map(({ look, group }) => {
      const names = look.name === "needs input" ? namesOf(group) : ""
      const since = look.name === "unknown" ? ageOf(group, now) : ""
      const text = `${look.icon}${group.length}${names}${since}`
      return format === "tmux" ? `#[fg=${TMUX_COLOUR[look.colour]}]${text}#[default]` : text
    })
    .join(" ")
}

/** Of whom nothing has been known for longest. */
function ageOf(rows: readonly StatusRow[], now: number): string {
  const since = Math.min(...rows.map((row) => row.since))
  return now - since < MINUTE_MS ? "" : ` ${age(since, now)}`
}

/** Who has waited longest comes first. */
function namesOf(rows: readonly StatusRow[]): string {
  const names = rows
    .toSorted((a, b) => a.since - b.since)
    .map((row) => shortened((row.title ?? row.folder ?? row.terminalId).replaceAll(STEERING, "")) ?? row.agent)
  return ` ${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ", …" : ""}`
}

/** Cut at the end of a word, unless little would be left. */
function shortened(name: string): string | undefined {
  return oneLine(name, NAME_LENGTH)?.replace(/^(.{12,}) \S*…$/u, "$1…")
}
