import type { tasks } from "@chorus/contracts"

type Status = tasks.TaskStatus

export type TaskAction =
  | "claim"
  | "assign"
  | "release"
  | "reclaim"
  | "start"
  | "submit"
  | "takeBack"
  | "verify"
  | "reopen"
  | "finish"
  | "putBack"
  | "close"

/** The whole life of a task: what each action makes of each status; where nothing is said, the action is refused. */
export const TASK_TRANSITIONS: Record<TaskAction, Partial<Record<Status, Status>>> = {
  claim: { open: "assigned" },
  assign: { open: "assigned", assigned: "assigned", in_progress: "assigned" },
  release: { assigned: "open", in_progress: "open" },
  reclaim: { assigned: "open", in_progress: "open" },
  start: { assigned: "in_progress" },
  submit: { in_progress: "to_verify" },
  takeBack: { to_verify: "in_progress" },
  verify: { to_verify: "done" },
  reopen: { to_verify: "in_progress", done: "in_progress", closed: "open" },
  // In the tracker a task came from it was done, or opened again; nobody here holds it.
  finish: { open: "done" },
  putBack: { done: "open" },
  close: { open: "closed", assigned: "closed", in_progress: "closed", to_verify: "closed", done: "closed" },
}

/** Where the action leads from this status, or undefined when it may not be taken. */
export function nextTaskStatus(status: Status, action: TaskAction): Status | undefined {
  return TASK_TRANSITIONS[action][status]
}

/** The statuses from which the action may be taken. */
export function taskStatusesFor(action: TaskAction): Status[] {
  return Object.keys(TASK_TRANSITIONS[action]) as Status[]
}

/** What a person means by dragging a card from one column to another. */
export function actionForMove(from: Status, to: Status): TaskAction | undefined {
  if (from === to) return undefined
  if (to === "open") return from === "closed" ? "reopen" : allowed(from, "release")
  if (to === "assigned") return allowed(from, "claim")
  if (to === "in_progress") return allowed(from, "start") ?? (from === "closed" ? undefined : allowed(from, "reopen"))
  if (to === "to_verify") return allowed(from, "submit")
  if (to === "done") return allowed(from, "verify")
  return allowed(from, "close")
}

/** Whether the work is over; only then may what depends on it begin. */
export function isFinished(status: Status): boolean {
  return status === "done" || status === "closed"
}

function allowed(from: Status, action: TaskAction): TaskAction | undefined {
  return nextTaskStatus(from, action) === undefined ? undefined : action
}
