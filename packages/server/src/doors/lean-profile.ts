import type { Permission } from "@chorus/contracts"

interface Part {
  readonly has: Permission
  readonly tools: readonly string[]
}

/** Everybody's: where one stands and what waits. */
const ALWAYS = ["chorus_checkin", "chorus_inbox"]

/** What each part of the work takes and no more; an agent has the tools of every part it may play. Tools not named here can still be called. */
const PARTS: readonly Part[] = [
  {
    has: "task:read",
    tools: [
      "chorus_get_task",
      "chorus_get_document",
      "chorus_get_attachment",
      "chorus_get_proposal",
      "chorus_add_comment",
    ],
  },
  {
    has: "task:write",
    tools: [
      "chorus_next_task",
      "chorus_start_task",
      "chorus_report_work",
      "chorus_finish_task",
      "chorus_create_attention",
      "chorus_reserve_paths",
      "chorus_submit_review",
      "chorus_request_change",
      "chorus_get_change",
      "chorus_comment_on_change",
    ],
  },
  {
    has: "proposal:write",
    tools: [
      "chorus_get_idea",
      "chorus_claim_idea",
      "chorus_pm_start_elaboration",
      "chorus_pm_skip_elaboration",
      "chorus_submit_plan",
    ],
  },
  {
    has: "task:admin",
    tools: [
      "chorus_admin_approve_proposal",
      "chorus_pm_reject_proposal",
      "chorus_mark_acceptance_criteria",
      "chorus_admin_verify_task",
      "chorus_admin_reopen_task",
      "chorus_start_run",
      "chorus_list_runs",
      "chorus_get_run",
      "chorus_send_to_run",
      "chorus_stop_run",
    ],
  },
]

/** For who reads the work of others: what waits for it, all of that in one call, and what is found. */
export const REVIEW_TOOLS: ReadonlySet<string> = new Set([
  ...ALWAYS,
  "chorus_get_task",
  "chorus_get_document",
  "chorus_get_attachment",
  "chorus_get_proposal",
  "chorus_get_comments",
  "chorus_get_change",
  "chorus_comment_on_change",
  "chorus_get_reviews",
  "chorus_submit_review",
])

/** For who plans an idea: what it says, what is known already, a question to its people, and the plan. */
export const PLAN_TOOLS: ReadonlySet<string> = new Set([
  ...ALWAYS,
  "chorus_get_idea",
  "chorus_claim_idea",
  "chorus_search",
  "chorus_get_document",
  "chorus_get_attachment",
  "chorus_get_proposal",
  "chorus_get_comments",
  "chorus_add_comment",
  "chorus_pm_start_elaboration",
  "chorus_pm_skip_elaboration",
  "chorus_submit_plan",
])

/** Fields that hooks and the companion fill in, or that another lean tool has; they are taken all the same. */
export const UNSAID_FIELDS: Readonly<Record<string, readonly string[]>> = {
  chorus_create_attention: ["kind", "detail", "answerable", "expiresInMinutes"],
  chorus_get_change: ["version", "since", "room"],
  chorus_report_work: ["status", "sessionUuid", "insist"],
  chorus_reserve_paths: ["sessionUuid", "ttlMinutes"],
}

export function leanTools(permissions: ReadonlySet<Permission>): ReadonlySet<string> {
  return new Set([...ALWAYS, ...PARTS.flatMap(({ has, tools }) => (permissions.has(has) ? tools : []))])
}
