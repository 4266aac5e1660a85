/** One step of a task's life as the log tells it. */
export interface TaskStepFact {
  readonly taskUuid: string
  readonly at: string
  /** The status from then on; null is a task that was deleted. */
  readonly status: FlowStatus | null
  readonly points?: number | null
}

export const FLOW_STATUSES = ["open", "assigned", "in_progress", "to_verify", "done", "closed"] as const
export type FlowStatus = (typeof FLOW_STATUSES)[number]

export interface FlowDay {
  readonly day: string
  readonly counts: Record<FlowStatus, number>
  readonly points: Record<FlowStatus, number>
  readonly finished: number
  readonly finishedPoints: number
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The last `days` days up to `now`, each as `YYYY-MM-DD` in a place `offsetMinutes` east of UTC. */
export function lastDays(now: string, days: number, offsetMinutes: number): string[] {
  const today = Date.parse(`${dayOf(now, offsetMinutes)}T00:00:00Z`)
  return Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}

export function dayOf(at: string, offsetMinutes: number): string {
  return new Date(Date.parse(at) + offsetMinutes * 60_000).toISOString().slice(0, 10)
}

/**
 * How many tasks stood in each status when each day ended, and how many became done on it. `steps` are in order of time and reach back to
 * the first; a task done, reopened and done again counts on the day it was done for good.
 */
export function flowByDay(steps: readonly TaskStepFact[], days: readonly string[], offsetMinutes: number): FlowDay[] {
  const standing = new Map<string, { status: FlowStatus; points: number; doneOn: string | undefined }>()
  const ends: { counts: Record<FlowStatus, number>; points: Record<FlowStatus, number> }[] = []
  let next = 0
  for (const day of days) {
    for (let step = steps[next]; step !== undefined && dayOf(step.at, offsetMinutes) <= day; step = steps[++next])
      take(step)
    ends.push(tally())
  }
  const finished = [...standing.values()].filter(({ status }) => status === "done")
  return days.map((day, index) => {
    const onDay = finished.filter(({ doneOn }) => doneOn === day)
    const { counts, points } = ends[index] ?? tally()
    return {
      day,
      counts,
      points,
      finished: onDay.length,
      finishedPoints: onDay.reduce((sum, task) => sum + task.points, 0),
    }
  })

  function take({ taskUuid, at, status, points }: TaskStepFact): void {
    if (status === null) return void standing.delete(taskUuid)
    const known = standing.get(taskUuid)
    const doneOn = status !== "done" ? undefined : known?.status === "done" ? known.doneOn : dayOf(at, offsetMinutes)
    standing.set(taskUuid, { status, points: points ?? known?.points ?? 0, doneOn })
  }

  function tally() {
    const counts = zeroes()
    const points = zeroes()
    for (const task of standing.values()) {
      counts[task.status] += 1
      points[task.status] += task.points
    }
    return { counts, points }
  }
}

export interface Spread {
  readonly count: number
  readonly median: number | null
  readonly p85: number | null
  readonly longest: number | null
}

/** The middle, the 85th percentile and the longest of some durations. */
export function spreadOf(durations: readonly number[]): Spread {
  const sorted = [...durations].sort((a, b) => a - b)
  return {
    count: sorted.length,
    median: quantile(sorted, 0.5),
    p85: quantile(sorted, 0.85),
    longest: sorted.at(-1) ?? null,
  }
}

function quantile(sorted: readonly number[], share: number): number | null {
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)]
  const above = sorted[Math.ceil(place)]
  if (below === undefined || above === undefined) return null
  return below + (above - below) * (place - Math.floor(place))
}

function zeroes(): Record<FlowStatus, number> {
  return { open: 0, assigned: 0, in_progress: 0, to_verify: 0, done: 0, closed: 0 }
}
