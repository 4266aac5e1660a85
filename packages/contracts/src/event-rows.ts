import { z } from "zod"
import { AgentRow, KeyRow } from "./operations/agents.ts"
import { AttachmentRow } from "./operations/attachments.ts"
import { AttentionRow } from "./operations/attentions.ts"
import { BridgeRow } from "./operations/bridges.ts"
import { ChangeRow, ThreadRow } from "./operations/changes.ts"
import { CheckRow } from "./operations/checks.ts"
import { CommentRow } from "./operations/comments.ts"
import { DeliveryRow } from "./operations/deliveries.ts"
import { DocumentRow } from "./operations/documents.ts"
import { DocumentDraftIndex, TaskDraftIndex } from "./operations/drafts.ts"
import { Round } from "./operations/elaboration.ts"
import { IdeaRow } from "./operations/ideas.ts"
import { LabelRow } from "./operations/labels.ts"
import { LandingRow } from "./operations/landings.ts"
import { MachineRow, TerminalRow } from "./operations/machines.ts"
import { NotificationRow } from "./operations/notifications.ts"
import { MemberRow } from "./operations/people.ts"
import { GroupRow, ProjectRow } from "./operations/projects.ts"
import { ProposalRow } from "./operations/proposals.ts"
import { PullRequestRow } from "./operations/pull-requests.ts"
import { ReferenceRow } from "./operations/references.ts"
import { ReservationRow } from "./operations/reservations.ts"
import { FindingRow, ReviewRow } from "./operations/reviews.ts"
import { RunRule } from "./operations/run-policy.ts"
import { RunnerRow, RunRow } from "./operations/runs.ts"
import { CheckinRow, SessionRow } from "./operations/sessions.ts"
import { TaskRow } from "./operations/tasks.ts"
import { TeamMemberRow, TeamRow } from "./operations/team-room.ts"
import { ViewRow } from "./operations/views.ts"
import { WebhookRow } from "./operations/webhooks.ts"
import { WorkSettings } from "./operations/work.ts"
import { CuratedSet } from "./plugins.ts"
import { TeamOrder } from "./teams-facts.ts"

/** A draft without its body: a document's has a type and a length, a task's what the graph of a plan shows. */
const DraftRow = z.object({
  proposalUuid: z.string(),
  kind: z.enum(["document", "task"]),
  ...DocumentDraftIndex.partial().shape,
  ...TaskDraftIndex.partial().shape,
  ...DocumentDraftIndex.pick({ uuid: true, title: true, version: true, updatedAt: true }).shape,
})

/** What a person asked of a team. */
const TeamOrderRow = z.object({
  uuid: z.string(),
  teamUuid: z.string(),
  machineUuid: z.string(),
  decision: TeamOrder,
  createdAt: z.string(),
})

const UsageRow = z.object({
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  cacheReadTokens: z.number().int(),
  cacheCreationTokens: z.number().int(),
  costUsd: z.number().nullable(),
  model: z.string().nullable(),
  taskUuid: z.string().nullable(),
  sessionUuid: z.string().nullable(),
  agentUuid: z.string(),
})

/**
 * What the log tells of, and the row in which lists carry each: an event's patch is such a row, whole or in part.
 * A change of a row is a change of the log, and breaks the compile wherever one is written or followed.
 */
export const ENTITY_ROWS = {
  agent: AgentRow,
  attachment: AttachmentRow,
  attention: AttentionRow,
  bridge: BridgeRow,
  change: ChangeRow,
  change_thread: ThreadRow,
  check: CheckRow,
  checkin: CheckinRow,
  comment: CommentRow,
  curated_plugins: CuratedSet,
  delivery: DeliveryRow,
  document: DocumentRow,
  draft: DraftRow,
  finding: FindingRow,
  idea: IdeaRow,
  key: KeyRow,
  label: LabelRow,
  landing: LandingRow,
  machine: MachineRow,
  member: MemberRow,
  notification: NotificationRow,
  project: ProjectRow,
  project_group: GroupRow,
  proposal: ProposalRow,
  pull_request: PullRequestRow,
  reference: ReferenceRow,
  reservation: ReservationRow,
  review: ReviewRow,
  round: Round,
  run: RunRow,
  run_rule: RunRule,
  runner: RunnerRow,
  session: SessionRow,
  task: TaskRow,
  team: TeamRow.extend({ members: z.array(TeamMemberRow) }),
  team_order: TeamOrderRow.extend({ machineUuid: z.string() }),
  terminal: TerminalRow,
  usage: UsageRow,
  view: ViewRow,
  webhook: WebhookRow,
  workspace: z.object({ name: z.string(), work: WorkSettings.optional() }),
} as const satisfies Record<string, z.ZodObject>

export type Entity = keyof typeof ENTITY_ROWS
export type RowOf<E extends Entity> = z.infer<(typeof ENTITY_ROWS)[E]>
