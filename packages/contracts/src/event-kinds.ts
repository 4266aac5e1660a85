import { z } from "zod"
import type { EventAction } from "./event.ts"
import { ENTITY_ROWS, type Entity } from "./event-rows.ts"
import { AttachmentRow } from "./operations/attachments.ts"
import { ProjectSettings } from "./operations/project-settings.ts"
import { RunPolicy } from "./operations/run-policy.ts"
import { ReferenceRow } from "./operations/references.ts"
import { Returned } from "./operations/returned.ts"
import { TaskRow } from "./operations/tasks.ts"
import { TeamMemberRow, TeamMessageRow, TeamTaskRow } from "./operations/team-room.ts"
import { ActorRef } from "./signature.ts"

/** What one kind of event tells. */
export interface EventDeclaration<
  E extends Entity = Entity,
  A extends EventAction = EventAction,
  Extra extends z.ZodRawShape = z.ZodRawShape,
> {
  readonly entity: E
  readonly actions: readonly A[]
  readonly says: string
  /** What the patch carries beside the row or, of what goes, all that it carries. */
  readonly extra: Extra
}

const MOVED = ["deleted", "created"] as const
const EITHER = ["created", "updated"] as const

const left = { title: z.string(), projectUuid: z.string() }
const previousParentUuid = z.string().nullable().optional()
const dependsOnUuids = z.array(z.string()).optional()
const verdict = z.object({
  criterion: z.string(),
  verdict: z.enum(["passed", "failed"]),
  evidence: z.string().optional(),
})
const marks = { passed: z.number().int(), failed: z.number().int(), verdicts: z.array(verdict).optional() }
const changedText = { version: z.number().int().optional() }
const settled = { deliveredAt: z.string().nullable(), error: z.string().nullable() }
const asker = {
  agentUuid: z.string().nullable(),
  /** What a change request asks for, and why. */
  asked: z.string().optional(),
}

/**
 * Every kind of event there is: the entity it is about, whether a reader adds, merges or drops it, and what it tells.
 * Nothing else can be written to the log; readers take unknown kinds as they come, because a newer server may have
 * more.
 */
export const EVENT_KINDS = {
  "agent.checked_in": event("agent", "updated", "An agent asked who it is and what waits for it."),
  "agent.created": event("agent", "created", "An agent was added."),
  "agent.updated": event(
    "agent",
    "updated",
    "An agent was renamed, archived, brought back, given to somebody else, or may do other things than before.",
  ),
  "attachment.added": event("attachment", "created", "A file was attached."),
  "attachment.removed": event(
    "attachment",
    "deleted",
    "An attached file was taken away.",
    AttachmentRow.pick({ targetType: true, targetUuid: true, name: true }).shape,
  ),
  "attention.answered": event("attention", "updated", "A person answered what waited for them.", asker),
  "attention.created": event("attention", "created", "Something waits for a person."),
  "attention.delivered": event("attention", "updated", "The answer has arrived where the agent reads it.", asker),
  "attention.left": event("attention", "updated", "From now on it can be answered in its terminal alone.", asker),
  "attention.unheard": event(
    "attention",
    "updated",
    "The answer given here did not reach the agent: its terminal was faster, or its program has ended.",
    asker,
  ),
  "attention.withdrawn": event(
    "attention",
    "updated",
    "It no longer waits: it was settled elsewhere, or whoever asked is gone.",
    asker,
  ),
  "bridge.created": event("bridge", EITHER, "A project is kept in step with a repository, or by another token."),
  "bridge.deleted": event("bridge", "deleted", "A project is no longer kept in step with a repository."),
  "change.commented": event(
    "change_thread",
    EITHER,
    "Somebody commented on a line of a change, answered there, or resolved it.",
  ),
  "change.pull_request_changed": event(
    "pull_request",
    "updated",
    "A pull request, its CI or its branch stand otherwise.",
  ),
  "change.pull_request_found": event("pull_request", "created", "The work of a task has a pull request at its forge."),
  "change.pushed": event("change", "created", "What a piece of work did to a repository has a new version."),
  "check.changed": event("check", EITHER, "A check of a task's work waits, runs, or has ended."),
  "comment.added": event("comment", "created", "A comment was written."),
  "comment.deleted": event("comment", "updated", "A comment was deleted."),
  "comment.edited": event("comment", "updated", "A comment was changed."),
  "delivery.dismissed": event("delivery", "deleted", "Something that was given up on its way out was put away."),
  "delivery.failed": event("delivery", "updated", "Something on its way out was given up; a person can send it again."),
  "delivery.queued": event("delivery", "updated", "Something waits to be fetched by a machine, or is sent once more.", {
    lane: z.string(),
  }),
  "document.created": event("document", "created", "A document was made, by hand or by approving a proposal."),
  "document.deleted": event("document", "deleted", "A document was deleted, or went back into its draft.", {
    title: z.string(),
  }),
  "document.moved": event("document", MOVED, "A document went to another project, with its idea.", left),
  "document.updated": event("document", "updated", "A document has a new version."),
  "draft.added": event("draft", "created", "A draft was added to a proposal."),
  "draft.removed": event("draft", "deleted", "A draft was taken out of a proposal.", ENTITY_ROWS.draft.shape),
  "draft.updated": event("draft", "updated", "A draft has a new version."),
  "elaboration.answered": event("idea", "updated", "Questions of a round were answered, or answered otherwise.", {
    /** Each question with its answer and, where there was one, the earlier. */
    said: z.string().optional(),
    askAgain: z.boolean().optional(),
    changed: z.boolean().optional(),
  }),
  "elaboration.skipped": event("idea", "updated", "An idea goes on without questions, for a stated reason.", {
    elaborationReason: z.string(),
  }),
  "elaboration.started": event("idea", "updated", "Questions about an idea began."),
  "elaboration.validated": event("idea", "updated", "The answers are enough; the idea is elaborated.", {
    /** By sending them; who hears of the answers has heard of this. */
    bySending: z.boolean().optional(),
  }),
  "finding.dismissed": event("finding", "updated", "A finding of a review was set aside."),
  "finding.reopened": event("finding", "updated", "A finding of a review is open again."),
  "finding.resolved": event("finding", "updated", "A finding of a review is settled."),
  "group.created": event("project_group", "created", "A project group was made."),
  "group.deleted": event("project_group", "deleted", "A project group was dissolved."),
  "group.updated": event("project_group", "updated", "A project group was changed."),
  "idea.assigned": event("idea", "updated", "An idea was given to somebody."),
  "idea.claimed": event("idea", "updated", "Somebody took an idea."),
  "idea.created": event("idea", "created", "An idea was written.", { content: z.string().nullable() }),
  "idea.deleted": event("idea", "deleted", "An idea was deleted.", { title: z.string(), previousParentUuid }),
  "idea.moved": event("idea", MOVED, "An idea went to another project.", { ...left, previousParentUuid }),
  "idea.progressed": event(
    "idea",
    "updated",
    "An idea stands elsewhere than before, because of its questions, proposals or tasks.",
  ),
  "idea.released": event("idea", "updated", "Somebody gave an idea back."),
  "idea.updated": event("idea", "updated", "An idea was changed.", {
    content: z.string().nullable().optional(),
    before: z.object({ title: z.string(), content: z.string().nullable() }).partial().optional(),
    previousParentUuid,
  }),
  "key.created": event("key", "created", "An agent has a further key."),
  "key.revoked": event("key", "updated", "A key no longer works."),
  "key.updated": event("key", "updated", "A key was given an end."),
  "label.created": event("label", "created", "A project has a new label."),
  "label.deleted": event("label", "deleted", "A label was deleted and taken off everything.", { name: z.string() }),
  "label.updated": event("label", "updated", "A label is called otherwise or has another colour.", {
    before: z.object({ name: z.string() }),
  }),
  "landing.changed": event("landing", "updated", "A landing is in another state: begun, landed, or why not."),
  "landing.queued": event("landing", "created", "A person wants a task's work brought into its branch, or discarded."),
  "machine.connected": event("machine", "created", "A companion reported for the first time."),
  "machine.inventoried": event("machine", "updated", "A companion told which plugins its machine has."),
  "member.invited": event("member", "created", "A person was invited."),
  "member.joined": event("member", "created", "A person joined through the identity provider."),
  "member.link_made": event("member", "updated", "A one-time link was made for a person."),
  "member.password_changed": event("member", "updated", "A person changed their password."),
  "member.password_reset": event("member", "updated", "A person's password was taken away by somebody who may."),
  "member.signed_in": event("member", "updated", "A person signed in."),
  "member.signed_out": event("member", "updated", "A person signed out, or was signed out."),
  "member.updated": event("member", "updated", "A person was changed: name, role, address, disabled or not."),
  "notification.archived": event("notification", "updated", "A notification was put away."),
  "notification.created": event("notification", "created", "Somebody was notified."),
  "notification.read": event("notification", "updated", "A notification was read."),
  "order.delivered": event("team_order", "updated", "What a person wrote to a team member has arrived.", settled),
  "order.failed": event(
    "team_order",
    "updated",
    "What a person wrote to a team member could not be delivered.",
    settled,
  ),
  "order.given": event(
    "team_order",
    "created",
    "A person wrote to a team member, asked it to shut down, or landed its work.",
  ),
  "plugins.curated": event("curated_plugins", "updated", "The workspace's set of plugins was changed."),
  "project.created": event("project", "created", "A project was made."),
  "project.moved": event("project", "updated", "A project went into another group, or out of one."),
  "project.run_policy_changed": event("project", "updated", "A project allows its runs more, or less.", {
    runPolicy: RunPolicy,
  }),
  "project.settings_changed": event(
    "project",
    "updated",
    "The rules of a project were changed.",
    ProjectSettings.partial().shape,
  ),
  "project.updated": event("project", "updated", "A project was changed."),
  "proposal.approved": event("proposal", "updated", "A proposal was approved; its drafts are documents and tasks now."),
  "proposal.closed": event("proposal", "updated", "A proposal was closed for good."),
  "proposal.created": event("proposal", "created", "A proposal was begun."),
  "proposal.moved": event("proposal", MOVED, "A proposal went to another project, with its idea.", left),
  "proposal.rejected": event("proposal", "updated", "A proposal was rejected with a note."),
  "proposal.revoked": event("proposal", "updated", "An approval was taken back."),
  "proposal.submitted": event("proposal", "updated", "A proposal was put up for approval."),
  "proposal.updated": event("proposal", "updated", "A proposal was changed.", {
    description: z.string().nullable().optional(),
  }),
  "reference.added": event("reference", "created", "A link to something elsewhere was added."),
  "reference.removed": event(
    "reference",
    "deleted",
    "A link to something elsewhere was taken away.",
    ReferenceRow.pick({ targetType: true, targetUuid: true, title: true }).shape,
  ),
  "reference.updated": event("reference", "updated", "A link to something elsewhere was changed."),
  "report.created": event("document", "created", "A report was written as a document."),
  "reservation.created": event("reservation", "created", "An agent said which paths it will change."),
  "reservation.expired": event("reservation", "updated", "A reservation ran out."),
  "reservation.prolonged": event("reservation", "updated", "A reservation was extended."),
  "reservation.released": event("reservation", "updated", "A reservation was given up."),
  "review.submitted": event("review", "created", "A plan or a piece of work was reviewed."),
  "round.answered": event("round", "updated", "Answers to a round of questions came in."),
  "round.asked": event("round", "created", "A round of questions was asked."),
  "rule.kept": event("run_rule", "created", "A person said yes to a call once for all."),
  "rule.revoked": event("run_rule", "deleted", "A yes that was given once for all was taken back."),
  "run.changed": event("run", "updated", "A run is in another state, or more is known of it."),
  "run.grew": event("run", "updated", "A run's agent said or did something; its transcript has it."),
  "run.queued": event("run", "created", "An agent was put to work on a task or an idea."),
  "runner.reported": event("runner", EITHER, "A machine told which agents it can run, and how many."),
  "session.checked_in": event("checkin", "created", "A session began work on a task."),
  "session.checked_out": event("checkin", "updated", "A session ended its work on a task."),
  "session.closed": event("session", "updated", "A session ended."),
  "session.created": event("session", "created", "A session began."),
  "session.reopened": event("session", "updated", "A session goes on."),
  "session.seen": event("session", "updated", "A session gave a sign of life."),
  "session.updated": event("session", "updated", "A session was changed: its name, its agent, what it is."),
  "task.assigned": event("task", "updated", "A task was given to somebody."),
  "task.checked": event("task", "updated", "The checks of a hand-in have ended, and it waits for a person.", {
    passed: z.number().int(),
    failed: z.number().int(),
  }),
  "task.claimed": event("task", "updated", "Somebody took a task."),
  "task.closed": event("task", "updated", "A task was closed without being done."),
  "task.created": event("task", "created", "A task was made, by hand or by approving a proposal.", { dependsOnUuids }),
  "task.criteria_checked": event("task", "updated", "Whoever did the task checked its criteria.", marks),
  "task.criteria_marked": event("task", "updated", "Criteria of a task were judged.", marks),
  "task.criteria_replaced": event("task", "updated", "A task has other criteria.", {
    title: z.string(),
    ...changedText,
    criteria: z.array(z.string()),
    before: z.object({ criteria: z.array(z.string()) }),
  }),
  "task.criteria_reset": event("task", "updated", "The verdicts on a task's criteria were cleared."),
  "task.deleted": event(
    "task",
    "deleted",
    "A task was deleted.",
    TaskRow.pick({ title: true, proposalUuid: true }).shape,
  ),
  "task.dependencies_changed": event("task", "updated", "A task waits for other tasks than before.", {
    dependsOnUuids,
  }),
  "task.moved": event("task", MOVED, "A task went to another project, with its idea.", left),
  "task.reclaimed": event(
    "task",
    "updated",
    "A task was taken from its holder: by somebody, or after a long silence.",
    {
      from: ActorRef.nullable().optional(),
      silentSince: z.string().optional(),
      reason: z.string().optional(),
    },
  ),
  "task.released": event("task", "updated", "Whoever held a task gave it back."),
  "task.reopened": event(
    "task",
    "updated",
    "Work that was handed in or done was sent back; or a closed task was reopened.",
    {
      force: z.boolean().optional(),
      reason: z.string().optional(),
      returned: Returned.optional(),
    },
  ),
  "task.reported": event("task", "updated", "A report on a task was written.", {
    to: z.enum(["dependents"]).optional(),
    reportUuid: z.string(),
    commentUuid: z.string(),
    sessionUuid: z.string().nullable(),
    preview: z.string(),
  }),
  "task.started": event("task", "updated", "Work on a task began."),
  "task.submitted": event("task", "updated", "A task was handed in for verification.", {
    /** Which hand-in it is, counted from one. */
    handIn: z.number().int().optional(),
    /** Chorus runs its checks before a person is asked. */
    checking: z.boolean().optional(),
  }),
  "task.taken_back": event("task", "updated", "Whoever handed a task in took it back before it was judged."),
  "task.unblocked": event("task", "updated", "Everything a task waited for is finished."),
  "task.updated": event("task", "updated", "A task was changed.", {
    description: z.string().nullable().optional(),
    ...changedText,
    before: z.object({ title: z.string(), description: z.string().nullable() }).partial().optional(),
  }),
  "task.verified": event(
    "task",
    "updated",
    "A task is done: somebody verified it, or it was done in the tracker it came from.",
  ),
  "team.appeared": event("team", EITHER, "A team appeared on a machine."),
  "team.gone": event("team", "updated", "A team is gone from its machine."),
  "team.member_changed": event("team", "updated", "A member of a team joined, or is in another state.", {
    member: TeamMemberRow,
  }),
  "team.member_left": event("team", "updated", "A member left a team.", {
    member: TeamMemberRow.pick({ name: true, leftAt: true, branch: true }),
  }),
  "team.message_sent": event("team", "updated", "A member of a team wrote to another.", { message: TeamMessageRow }),
  "team.task_changed": event("team", "updated", "A task of a team's own list was made or changed.", {
    task: TeamTaskRow,
  }),
  "team.task_removed": event("team", "updated", "A task of a team's own list was removed.", {
    removedTaskId: z.string(),
  }),
  "terminal.changed": event("terminal", EITHER, "A terminal with an agent appeared or is in another state."),
  "terminal.gone": event("terminal", "deleted", "A terminal is gone."),
  "usage.reported": event("usage", "created", "Tokens and cost of some work were reported."),
  "view.removed": event("view", "deleted", "A view that was shared with a project is gone.", { name: z.string() }),
  "view.shared": event("view", EITHER, "A saved view was shared with its project, or one that is was changed."),
  "webhook.created": event("webhook", "created", "A webhook was made."),
  "webhook.deleted": event("webhook", "deleted", "A webhook was deleted."),
  "webhook.redelivered": event("webhook", "updated", "A delivery is sent once more."),
  "webhook.updated": event("webhook", "updated", "A webhook was changed."),
  "workspace.created": event("workspace", "created", "The workspace was made: position 1 of its log."),
  "workspace.updated": event("workspace", "updated", "The settings of the workspace were changed."),
} as const satisfies Readonly<Record<`${string}.${string}`, EventDeclaration>>

export type EventKind = keyof typeof EVENT_KINDS

function event<E extends Entity, A extends EventAction>(
  entity: E,
  actions: A | readonly A[],
  says: string,
): EventDeclaration<E, A, Record<never, never>>
function event<E extends Entity, A extends EventAction, Extra extends z.ZodRawShape>(
  entity: E,
  actions: A | readonly A[],
  says: string,
  extra: Extra,
): EventDeclaration<E, A, Extra>
function event(
  entity: Entity,
  actions: EventAction | readonly EventAction[],
  says: string,
  extra: z.ZodRawShape = {},
): EventDeclaration {
  return { entity, actions: [actions].flat(), says, extra }
}
