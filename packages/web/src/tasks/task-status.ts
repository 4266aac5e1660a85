import type { criteria, reviews, tasks } from "@chorus/contracts"
import type { Tone } from "../design/index.ts"
import type { TextKey } from "../i18n/language.ts"

export const TASK_TONE: Record<tasks.TaskStatus, Tone> = {
  open: "todo",
  assigned: "todo",
  in_progress: "progress",
  to_verify: "waiting",
  done: "done",
  closed: "todo",
}

export const TASK_LABEL: Record<tasks.TaskStatus, TextKey> = {
  open: "tasks.status.open",
  assigned: "tasks.status.assigned",
  in_progress: "tasks.status.in_progress",
  to_verify: "tasks.status.to_verify",
  done: "tasks.status.done",
  closed: "tasks.status.closed",
}

export const VERDICT_TONE: Record<criteria.CriterionVerdict, Tone> = {
  pending: "todo",
  passed: "done",
  failed: "failed",
}

export const REVIEW_LABEL: Record<reviews.ReviewVerdict, TextKey> = {
  pass: "tasks.review.pass",
  pass_with_notes: "tasks.review.notes",
  fail: "tasks.review.fail",
}

export const REVIEW_TONE: Record<reviews.ReviewVerdict, Tone> = {
  pass: "done",
  pass_with_notes: "progress",
  fail: "failed",
}

/** The criteria a verifier still has to judge before the task may be accepted. */
export function unjudged(items: readonly criteria.CriterionRow[]): criteria.CriterionRow[] {
  return items.filter(({ required, status }) => required && status === "pending")
}

/** A criterion as it is sent, so that it stays or goes elsewhere as it is. */
export function criterionInput({ description, required, command }: criteria.CriterionRow): criteria.CriterionInput {
  return { description, required, ...(command === null ? {} : { command }) }
}

/** Once handed in, work is measured by what it was built for. */
export function mayMeasure(status: tasks.TaskStatus): boolean {
  return status === "open" || status === "assigned" || status === "in_progress"
}
