import type { tasks } from "@chorus/contracts"
import { nextTaskStatus } from "./task-status.ts"

export interface HeldTask {
  readonly status: tasks.TaskStatus
  readonly assigneeType: string | null
  /**
   * Every sign that the holder is at it: the claim, the start, reports, and the last activity of each of its sessions.
   * ISO 8601.
   */
  readonly signsOfLife: readonly (string | null)[]
}

export type Lease =
  | { readonly state: "none" }
  | { readonly state: "person" }
  | { readonly state: "held"; readonly until: string }
  | { readonly state: "lapsed"; readonly since: string; readonly silentSince: string }

/**
 * Whether somebody may take the task back. Only an agent's hold can lapse, and only while it should be working: a task
 * that waits for a verdict is nobody's neglect. The time comes from the stored signs, so a sleeping server decides the
 * same after it wakes.
 */
export function leaseOf(task: HeldTask, now: string, leaseMinutes: number): Lease {
  if (nextTaskStatus(task.status, "reclaim") === undefined || task.assigneeType === null) return { state: "none" }
  if (task.assigneeType !== "agent") return { state: "person" }
  const last = Math.max(0, ...task.signsOfLife.map((sign) => (sign === null ? 0 : Date.parse(sign))))
  const until = last + leaseMinutes * 60_000
  const untilText = new Date(until).toISOString()
  if (until > Date.parse(now)) return { state: "held", until: untilText }
  return { state: "lapsed", since: untilText, silentSince: new Date(last).toISOString() }
}

/** Whoever watches over a process says every minute that it runs, so this long a silence means that it does not. */
export const WATCHED_MINUTES = 10

/** For how long a session may be silent, of which one that nobody watches is allowed so many minutes. */
export function patienceWith({ process }: { process: string | null }, minutes: number): number {
  return process === null ? minutes : Math.min(minutes, WATCHED_MINUTES)
}

/**
 * A session is inactive once it has been silent for too long; nothing happens at that moment, it is so when somebody
 * looks.
 */
export function sessionStatus(
  session: { status: "active" | "closed"; lastActiveAt: string; process: string | null },
  now: string,
  inactiveMinutes: number,
): "active" | "inactive" | "closed" {
  if (session.status === "closed") return "closed"
  const silentAt = Date.parse(session.lastActiveAt) + patienceWith(session, inactiveMinutes) * 60_000
  return silentAt > Date.parse(now) ? "active" : "inactive"
}
