import type { StatusRow } from "@chorus/contracts"

/** How a state looks in every terminal view. */
export interface StateLook {
  icon: string
  name: string
  colour: "green" | "yellow" | "red" | "blue" | "gray"
  /** Lower comes first: what needs a person stands at the top. */
  order: number
}

export function stateLook(row: Pick<StatusRow, "state" | "exitCode" | "ended">): StateLook {
  const isFailure = row.state === "finished" && row.exitCode !== 0
  if (row.ended && !isFailure) return { icon: "·", name: "ended", colour: "gray", order: 6 }
  switch (row.state) {
    case "needsInput":
      return { icon: "?", name: "needs input", colour: "yellow", order: 0 }
    case "running":
      return { icon: "●", name: "running", colour: "blue", order: 2 }
    case "finished":
      return isFailure
        ? { icon: "✗", name: "failed", colour: "red", order: 1 }
        : { icon: "✓", name: "finished", colour: "green", order: 4 }
    case "unknown":
      return { icon: "~", name: "unknown", colour: "gray", order: 3 }
    case "idle":
      return { icon: "○", name: "idle", colour: "gray", order: 5 }
  }
}

/** What needs a person first, then what is newest. */
export function byUrgency(a: StatusRow, b: StatusRow): number {
  return stateLook(a).order - stateLook(b).order || b.since - a.since || (a.terminalId < b.terminalId ? -1 : 1)
}

/** "12s", "4m", "3h", "2d" since the state began. */
export function age(since: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - since) / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`
}

/** The most telling words about a row: after a success what was said last, else why, else what is being done. */
export function story(row: StatusRow): string {
  const told =
    row.state === "finished" && row.exitCode === 0
      ? (row.summary ?? row.reason)
      : (row.reason ?? row.detail ?? row.summary)
  return [row.outside ? "(not started through Chorus)" : "", told ?? ""].filter(Boolean).join(" ")
}
