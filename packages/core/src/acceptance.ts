import type { criteria } from "@chorus/contracts"

export interface MarkedCriterion {
  readonly required: boolean
  readonly status: criteria.CriterionVerdict
  readonly devStatus: criteria.CriterionVerdict
}

/** Counts on the verifier's track. */
export function acceptanceSummary(items: readonly MarkedCriterion[]): criteria.AcceptanceSummary {
  const count = (among: readonly MarkedCriterion[], status: criteria.CriterionVerdict) =>
    among.filter((item) => item.status === status).length
  const required = items.filter((item) => item.required)
  return {
    total: items.length,
    required: required.length,
    passed: count(items, "passed"),
    failed: count(items, "failed"),
    pending: count(items, "pending"),
    requiredPassed: count(required, "passed"),
    requiredFailed: count(required, "failed"),
    requiredPending: count(required, "pending"),
  }
}

/** A failed required criterion decides; then all required passed; then any mark on either track. */
export function acceptanceStatus(items: readonly MarkedCriterion[]): criteria.AcceptanceStatus {
  const summary = acceptanceSummary(items)
  if (summary.requiredFailed > 0) return "failed"
  if (summary.required > 0 && summary.requiredPassed === summary.required) return "passed"
  const marked = items.some((item) => item.status !== "pending" || item.devStatus !== "pending")
  return marked ? "in_progress" : "not_started"
}

/** The verification gate: every required criterion passed on the verifier's track. A task without criteria passes. */
export function maySucceed(items: readonly MarkedCriterion[]): boolean {
  return items.every((item) => !item.required || item.status === "passed")
}
