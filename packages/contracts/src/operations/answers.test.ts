import { describe, expect, it } from "vitest"
import type { z } from "zod"
import * as agents from "./agents.ts"
import * as attachments from "./attachments.ts"
import * as attentions from "./attentions.ts"
import * as comments from "./comments.ts"
import * as documents from "./documents.ts"
import * as elaboration from "./elaboration.ts"
import * as ideas from "./ideas.ts"
import * as notifications from "./notifications.ts"
import * as people from "./people.ts"
import * as settings from "./project-settings.ts"
import * as visits from "./project-visits.ts"
import * as projects from "./projects.ts"
import * as proposals from "./proposals.ts"
import * as push from "./push.ts"
import * as references from "./references.ts"
import * as reviews from "./reviews.ts"
import * as sessions from "./sessions.ts"
import { type OperationName, signatures } from "./signatures.ts"
import * as tasks from "./tasks.ts"
import * as webhooks from "./webhooks.ts"
import * as work from "./work.ts"

function answerOf(name: OperationName): z.ZodType {
  const found = signatures.find((signature) => signature.name === name)
  if (found === undefined) throw new Error(`no operation ${name}`)
  return found.output
}

/** Which operations answer with the very row, or the very whole, by which the thing is shown elsewhere. */
const SAME_SHAPE: readonly [shape: string, schema: z.ZodType, operations: readonly OperationName[]][] = [
  ["an idea's row", ideas.IdeaRow, ["chorus_pm_create_idea", "chorus_edit_idea"]],
  ["an idea with its lineage", ideas.IdeaDetail, ["chorus_get_idea"]],
  ["a round of questions", elaboration.Round, ["chorus_pm_start_elaboration", "chorus_answer_elaboration"]],
  ["all questions of an idea", elaboration.Elaboration, ["chorus_get_elaboration", "chorus_pm_validate_elaboration"]],
  ["a proposal with its drafts", proposals.ProposalDetail, ["chorus_get_proposal"]],
  ["a document's row", documents.DocumentRow, ["chorus_pm_create_document", "chorus_pm_update_document"]],
  ["a document with its text", documents.DocumentDetail, ["chorus_get_document"]],
  ["a task with everything on it", tasks.TaskDetail, ["chorus_get_task"]],
  [
    "a task that somebody was given",
    tasks.ClaimedTask,
    ["chorus_claim_task", "chorus_pm_assign_task", "chorus_assign_task_to_person"],
  ],
  [
    "a task's step",
    tasks.TaskChange,
    [
      "chorus_release_task",
      "chorus_reclaim_task",
      "chorus_submit_for_verify",
      "chorus_admin_reopen_task",
      "chorus_admin_close_task",
      "chorus_move_task",
      "chorus_add_task_dependency",
      "chorus_remove_task_dependency",
    ],
  ],
  ["a task's last step, with what was overlooked", tasks.VerifiedTask, ["chorus_admin_verify_task"]],
  ["all one needs to begin", work.TaskBrief, ["chorus_start_task"]],
  ["a session's row", sessions.SessionRow, ["chorus_close_session", "chorus_reopen_session"]],
  [
    "a question to a person",
    attentions.AttentionRow,
    [
      "chorus_create_attention",
      "chorus_get_attention",
      "chorus_withdraw_attention",
      "chorus_attention_delivered",
      "chorus_answer_attention",
    ],
  ],
  ["a comment's row", comments.CommentRow, ["chorus_add_comment", "chorus_edit_comment"]],
  ["a notification's row", notifications.NotificationRow, ["chorus_archive_notification"]],
  ["a link elsewhere", references.ReferenceRow, ["chorus_add_reference", "chorus_update_reference"]],
  ["an attached file's row", attachments.AttachmentRow, ["chorus_add_attachment"]],
  ["a review with its findings", reviews.ReviewRow, ["chorus_submit_review"]],
  ["a finding", reviews.FindingRow, ["chorus_update_finding"]],
  [
    "a project's row",
    projects.ProjectRow,
    [
      "chorus_get_project",
      "chorus_admin_create_project",
      "chorus_update_project",
      "chorus_admin_move_project_to_group",
    ],
  ],
  ["a group's row", projects.GroupRow, ["chorus_admin_create_project_group", "chorus_admin_update_project_group"]],
  ["a project's settings", settings.ProjectSettings, ["chorus_get_project_settings", "chorus_update_project_settings"]],
  ["the settings of work", work.ToldWorkSettings, ["chorus_get_work_settings", "chorus_update_work_settings"]],
  ["what a project is to somebody", visits.ProjectVisit, ["chorus_visit_project", "chorus_pin_project"]],
  ["a person's row", people.MemberRow, ["chorus_update_member", "chorus_update_me"]],
  ["an agent's row", agents.AgentRow, ["chorus_create_agent", "chorus_update_agent"]],
  ["a key's row, without the key", agents.KeyRow, ["chorus_revoke_key"]],
  ["a delivery's row", webhooks.DeliveryRow, ["chorus_redeliver_webhook"]],
  ["a browser that is called", push.PushSubscriptionRow, ["chorus_subscribe_push"]],
]

describe("an answer", () => {
  it.each(
    SAME_SHAPE.flatMap(([shape, schema, operations]) => operations.map((operation) => ({ operation, shape, schema }))),
  )("of $operation is $shape", ({ operation, schema }) => {
    expect(answerOf(operation)).toBe(schema)
  })
})

/** What lists call their rows. */
const LISTS: Readonly<Partial<Record<OperationName, string>>> = {
  chorus_list_members: "members",
  chorus_list_events: "events",
  chorus_list_sign_ins: "signIns",
  chorus_list_agents: "agents",
  chorus_list_keys: "keys",
  chorus_list_projects: "projects",
  chorus_get_project_groups: "groups",
  chorus_get_my_projects: "visits",
  chorus_get_attachments: "attachments",
  chorus_get_documents: "documents",
  chorus_get_versions: "versions",
  chorus_get_ideas: "ideas",
  chorus_get_available_ideas: "ideas",
  chorus_get_idea_tree: "ideas",
  chorus_get_proposals: "proposals",
  chorus_get_proposal_revisions: "revisions",
  chorus_get_reviews: "reviews",
  chorus_list_attentions: "attentions",
  chorus_list_reservations: "reservations",
  chorus_reserve_paths: "reservations",
  chorus_list_sessions: "sessions",
  chorus_list_tasks: "tasks",
  chorus_get_available_tasks: "tasks",
  chorus_get_unblocked_tasks: "tasks",
  chorus_get_activity: "activities",
  chorus_get_comments: "comments",
  chorus_get_notifications: "notifications",
  chorus_list_bridges: "bridges",
  chorus_list_webhooks: "webhooks",
  chorus_list_webhook_deliveries: "deliveries",
  chorus_list_machines: "machines",
  chorus_list_terminals: "terminals",
  chorus_browse_plugins: "plugins",
  chorus_list_teams: "teams",
}

describe("a list", () => {
  it.each(Object.entries(LISTS))("of %s is called %s, and may be empty", (operation, name) => {
    const { issues } = answerOf(operation as OperationName).safeParse({ [name]: [] }).error ?? { issues: [] }
    expect(issues.map(({ path }) => path[0])).not.toContain(name)
    const missing = answerOf(operation as OperationName)
      .safeParse({})
      .error?.issues.map(({ path }) => path[0])
    expect(missing).toContain(name)
  })
})

describe("what is gone", () => {
  const DELETIONS: readonly OperationName[] = [
    "chorus_admin_delete_idea",
    "chorus_admin_delete_task",
    "chorus_admin_delete_document",
    "chorus_admin_delete_project_group",
    "chorus_delete_bridge",
    "chorus_delete_comment",
    "chorus_delete_label",
    "chorus_delete_view",
    "chorus_delete_webhook",
    "chorus_remove_attachment",
  ]

  it.each(DELETIONS)("by %s is told by its id, and never as perhaps", (operation) => {
    const gone = { uuid: "t1", deleted: true }
    expect(answerOf(operation).parse(gone)).toEqual(gone)
    expect(answerOf(operation).safeParse({ uuid: "t1", deleted: false }).success).toBe(false)
  })

  it("is told so by every operation whose name says that it deletes", () => {
    const named = signatures.map(({ name }) => name).filter((name) => name.includes("_delete_"))
    expect(named.filter((name) => !DELETIONS.includes(name))).toEqual([])
  })
})

/** Answers of a shape of their own. */
const OWN: readonly [operation: OperationName, answer: object][] = [
  [
    "chorus_pm_validate_proposal",
    { valid: false, issues: [{ id: "E4", level: "error", message: "No input.", field: "inputUuids" }] },
  ],
  [
    "chorus_pm_submit_proposal",
    { uuid: "r1", title: "A plan", status: "pending", revision: 1, valid: true, issues: [] },
  ],
  [
    "chorus_pm_create_proposal",
    {
      uuid: "r1",
      title: "A plan",
      status: "draft",
      documentDrafts: [{ draftUuid: "d1", title: "Why" }],
      taskDrafts: [],
      note: "One idea is not elaborated.",
    },
  ],
  ["chorus_pm_reject_proposal", { uuid: "r1", title: "A plan", status: "draft" }],
  ["chorus_admin_close_proposal", { uuid: "r1", title: "A plan", status: "closed" }],
  ["chorus_update_proposal", { uuid: "r1", title: "A plan", status: "draft" }],
  ["chorus_report_work", { uuid: "t1", title: "Fit", status: "in_progress", reportUuid: "x" }],
  ["chorus_release_idea", { uuid: "i1", status: "open", assignee: null }],
  ["chorus_update_idea_status", { uuid: "i1", status: "open", assignee: null, note: "The idea was released." }],
  ["chorus_remove_reference", { uuid: "l1", action: "reference_removed" }],
  ["chorus_release_paths", { released: 2 }],
  ["chorus_sweep_reservations", { expired: 0 }],
  ["chorus_return_lapsed_tasks", { returned: 0 }],
  ["chorus_create_sign_in_link", { signInPath: "/sign-in#abc", expiresAt: "2026-03-01T10:15:00.000Z" }],
  ["chorus_end_sign_in", { uuid: "s1", ended: true }],
  ["chorus_get_push", { publicKey: "BA…", subscriptions: [] }],
  ["chorus_unsubscribe_push", { removed: false }],
  ["chorus_note_page_in_view", { visibleAt: "2026-03-01T10:00:00.000Z" }],
  ["chorus_write_to_member", { orderUuid: "o1" }],
  ["chorus_ask_shutdown", { orderUuid: "o1" }],
  ["chorus_land_member", { orderUuid: "o1" }],
  ["chorus_relay_team", { toUuid: "m2" }],
  ["chorus_hook", { systemMessage: "You work on a task." }],
]

describe("an answer of its own shape", () => {
  it.each(OWN)("comes through as it was given: %s", (operation, answer) =>
    expect(answerOf(operation).parse(answer)).toEqual(answer),
  )

  it.each(OWN.filter(([operation]) => operation !== "chorus_hook"))("is not empty: %s", (operation) =>
    expect(answerOf(operation).safeParse({}).success).toBe(false),
  )
})
