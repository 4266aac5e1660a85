import { type ActorRef, ChorusError, type tasks } from "@chorus/contracts"
import type { TaskAction } from "@chorus/core"
import type { Db } from "@chorus/store"
import { holderOf, type TaskRecord } from "./task-row.ts"

const DONE_BY: Record<TaskAction, string> = {
  claim: "claimed",
  assign: "assigned",
  release: "released",
  reclaim: "taken back",
  start: "started",
  submit: "handed in",
  verify: "verified",
  reopen: "reopened",
  close: "closed",
}

/** Tells the loser of a claim who holds the task. */
export async function alreadyClaimed(db: Db, task: TaskRecord): Promise<ChorusError> {
  const holder = await holderOf(db, task)
  const who = holder === null ? `is ${task.status}` : `is held by ${holder.name} (${task.status})`
  return new ChorusError("already_claimed", `"${task.title}" ${who}.`, {
    status: 409,
    next: "Take another task: chorus_next_task finds one that is ready for you.",
    details: { taskUuid: task.uuid, status: task.status, holder },
  })
}

export function wrongStatus(task: TaskRecord, action: TaskAction): ChorusError {
  return new ChorusError(
    "wrong_status",
    `"${task.title}" is ${task.status}; from there it cannot be ${DONE_BY[action]}.`,
    {
      status: 409,
      next: "Get the task to see where it stands.",
      details: { taskUuid: task.uuid, status: task.status, action },
    },
  )
}

export function wrongMove(task: TaskRecord, status: tasks.TaskStatus): ChorusError {
  return new ChorusError("wrong_status", `"${task.title}" is ${task.status}; it cannot go straight to ${status}.`, {
    status: 409,
    next: "Move it one stage at a time: open, assigned, in_progress, to_verify, done.",
    details: { taskUuid: task.uuid, status: task.status, wanted: status },
  })
}

export function changedMeanwhile(task: TaskRecord): ChorusError {
  return new ChorusError("changed_meanwhile", `"${task.title}" was changed by somebody else at the same moment.`, {
    status: 409,
    next: "Get the task and decide again.",
    details: { taskUuid: task.uuid },
  })
}

export async function notHolder(db: Db, task: TaskRecord): Promise<ChorusError> {
  const holder: ActorRef | null = await holderOf(db, task)
  return new ChorusError(
    "not_holder",
    holder === null ? `Nobody holds "${task.title}".` : `"${task.title}" is held by ${holder.name}, not by you.`,
    {
      status: 403,
      next: holder === null ? "Claim it first, or start it with chorus_start_task." : "Work on a task you hold.",
      details: { taskUuid: task.uuid, holder },
    },
  )
}

export function blockedByDependencies(task: TaskRecord, blockers: readonly tasks.Blocker[]): ChorusError {
  const named = blockers.map(
    (blocker) =>
      `"${blocker.title}" (${blocker.status}${blocker.assignee === null ? "" : `, ${blocker.assignee.name}`})`,
  )
  return new ChorusError(
    "blocked_by_dependencies",
    `"${task.title}" waits for ${named.slice(0, 5).join(", ")}${named.length > 5 ? " …" : ""}.`,
    {
      status: 409,
      next: "Wait until these are done or closed, or take another task with chorus_next_task.",
      details: { taskUuid: task.uuid, blockers },
    },
  )
}

export function selfVerification(task: TaskRecord): ChorusError {
  return new ChorusError(
    "self_verification",
    `You worked on "${task.title}" yourself, so somebody else must judge it.`,
    {
      status: 403,
      next: "Let another person or agent verify it, or allow self-verification in the project's settings.",
      details: { taskUuid: task.uuid },
    },
  )
}
