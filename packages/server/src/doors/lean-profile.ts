import type { Permission } from "@chorus/contracts"

interface Role {
  readonly name: "decider" | "planner" | "worker" | "reader"
  readonly has: Permission
  readonly tools: readonly string[]
}

/** What an agent needs for its part and no more; the first role whose permission it has. Tools not named here can still be called. */
const ROLES: readonly Role[] = [
  {
    name: "decider",
    has: "task:admin",
    tools: [
      "chorus_checkin",
      "chorus_search",
      "chorus_get_proposal",
      "chorus_get_task",
      "chorus_admin_approve_proposal",
      "chorus_pm_reject_proposal",
      "chorus_mark_acceptance_criteria",
      "chorus_admin_verify_task",
      "chorus_admin_reopen_task",
      "chorus_add_comment",
    ],
  },
  {
    name: "planner",
    has: "proposal:write",
    tools: [
      "chorus_checkin",
      "chorus_search",
      "chorus_get_idea",
      "chorus_claim_idea",
      "chorus_pm_start_elaboration",
      "chorus_get_elaboration",
      "chorus_submit_plan",
      "chorus_get_proposal",
      "chorus_create_tasks",
      "chorus_add_comment",
      "chorus_request_change",
    ],
  },
  {
    name: "worker",
    has: "task:write",
    tools: [
      "chorus_checkin",
      "chorus_next_task",
      "chorus_start_task",
      "chorus_report_work",
      "chorus_finish_task",
      "chorus_reserve_paths",
      "chorus_create_attention",
      "chorus_get_document",
      "chorus_get_task",
      "chorus_submit_review",
      "chorus_add_comment",
      "chorus_get_comments",
      "chorus_request_change",
    ],
  },
  {
    name: "reader",
    has: "task:read",
    tools: ["chorus_checkin", "chorus_search", "chorus_get_task", "chorus_get_document", "chorus_add_comment"],
  },
]

export function leanTools(permissions: ReadonlySet<Permission>): ReadonlySet<string> {
  return new Set(ROLES.find((role) => permissions.has(role.has))?.tools ?? ["chorus_checkin"])
}
