import { z } from "zod"
import { ActorRef, IdeaId, line, pageInput, pageOutput, pagesOf, ProjectId, prose, signature } from "../signature.ts"
import { AttachmentRow } from "./attachments.ts"
import { LabelName, LabelNames } from "./labels.ts"
import { ReferenceInput, ReferenceRow } from "./references.ts"
import { expectedVersion } from "./versions.ts"

export const IdeaStatus = z.enum(["open", "elaborating", "elaborated"])
export type IdeaStatus = z.infer<typeof IdeaStatus>

/** Where an idea stands, as people read it; computed from its elaboration, proposals and tasks. */
export const DerivedStatus = z.enum(["todo", "in_progress", "human_conduct_required", "done"])
export type DerivedStatus = z.infer<typeof DerivedStatus>

/** What is going on, or what a person is asked to do. */
export const IdeaBadge = z.enum([
  "open",
  "researching",
  "answer_questions",
  "planning",
  "review_proposal",
  "building",
  "verify_work",
  "done",
])
export type IdeaBadge = z.infer<typeof IdeaBadge>

export const ElaborationDepth = z.enum(["minimal", "standard", "comprehensive"])
export const ElaborationStatus = z.enum(["pending_answers", "validating", "resolved"])

export const IdeaRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  /** What people call it, such as SHOP-12; accepted wherever an idea is named. */
  shortId: z.string(),
  title: z.string(),
  status: IdeaStatus,
  derivedStatus: DerivedStatus,
  badgeHint: IdeaBadge,
  isContainer: z.boolean(),
  parentUuid: z.string().nullable(),
  /** By name, in the order they were given. */
  labels: z.array(z.string()),
  assignee: ActorRef.nullable(),
  elaborationStatus: ElaborationStatus.nullable(),
  elaborationDepth: ElaborationDepth.nullable(),
  reportCount: z.number().int(),
  createdBy: ActorRef.nullable(),
  version: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type IdeaRow = z.infer<typeof IdeaRow>

const IdeaLink = IdeaRow.pick({
  uuid: true,
  title: true,
  status: true,
  derivedStatus: true,
  badgeHint: true,
  isContainer: true,
})

export const IdeaDetail = IdeaRow.extend({
  content: z.string().nullable(),
  attachments: z.array(AttachmentRow),
  assignee: ActorRef.extend({ assignedAt: z.string().nullable(), assignedBy: ActorRef.nullable() }).nullable(),
  project: z.object({ uuid: z.string(), name: z.string() }),
  elaborationReason: z.string().nullable(),
  parent: IdeaLink.nullable(),
  children: z.array(IdeaLink),
  descendantUuids: z.array(z.string()),
  proposals: z.array(z.object({ uuid: z.string(), title: z.string(), status: z.string() })),
  reports: z.array(
    z.object({ uuid: z.string(), title: z.string(), proposalUuid: z.string().nullable(), createdAt: z.string() }),
  ),
  references: z.array(ReferenceRow),
})
export type IdeaDetail = z.infer<typeof IdeaDetail>

const IdeaStep = z.object({ uuid: z.string(), status: IdeaStatus, assignee: ActorRef.nullable() })

export const getIdeas = signature({
  name: "chorus_get_ideas",
  does: "List a project's ideas.",
  needs: "idea:read",
  kind: "read",
  tool: "listed",
  input: z.object({
    projectUuid: ProjectId,
    status: IdeaStatus.optional(),
    assigneeUuid: z.uuid().optional(),
    label: LabelName.optional(),
    ...pageInput,
  }),
  output: z.object({ ideas: z.array(IdeaRow), ...pageOutput }),
})

export const getIdea = signature({
  name: "chorus_get_idea",
  does: "Get one idea with its lineage.",
  needs: "idea:read",
  kind: "read",
  tool: "listed",
  input: z.object({ ideaUuid: IdeaId }),
  output: IdeaDetail,
})

export const getAvailableIdeas = signature({
  name: "chorus_get_available_ideas",
  does: "List open ideas nobody has claimed.",
  needs: "idea:read",
  kind: "read",
  tool: "listed",
  input: z.object({ projectUuid: ProjectId, ...pagesOf(50) }),
  output: z.object({ ideas: z.array(IdeaRow), ...pageOutput }),
})

export const getIdeaTree = signature({
  name: "chorus_get_idea_tree",
  does: "Get every idea of a project as a tree of themes and children.",
  needs: "idea:read",
  kind: "read",
  tool: "none",
  input: z.object({ projectUuid: ProjectId }),
  /** Parents before their children, siblings oldest first. */
  output: z.object({ ideas: z.array(IdeaRow.extend({ depth: z.number().int(), childUuids: z.array(z.string()) })) }),
})

export const createIdea = signature({
  name: "chorus_pm_create_idea",
  does: "Write down an idea; isContainer makes it a theme for other ideas.",
  needs: "idea:write",
  kind: "write",
  tool: "listed",
  aliases: ["chorus_admin_create_idea"],
  input: z.object({
    projectUuid: ProjectId,
    title: line(),
    content: prose().optional(),
    parentUuid: IdeaId.nullable().optional(),
    isContainer: z.boolean().default(false),
    labels: LabelNames.optional(),
    references: z.array(ReferenceInput).max(50).optional(),
  }),
  output: IdeaRow,
})

export const editIdea = signature({
  name: "chorus_edit_idea",
  does: "Change an idea's title, content, labels, parent or theme flag.",
  needs: "idea:write",
  kind: "write",
  tool: "listed",
  aliases: ["chorus_set_idea_parent"],
  input: z.object({
    ideaUuid: IdeaId,
    title: line().optional(),
    content: prose().nullable().optional(),
    parentUuid: IdeaId.nullable().optional(),
    isContainer: z.boolean().optional(),
    labels: LabelNames.optional(),
    expectedVersion,
  }),
  output: IdeaRow,
})

export const claimIdea = signature({
  name: "chorus_claim_idea",
  does: "Claim an open idea for yourself.",
  needs: "idea:write",
  kind: "write",
  tool: "listed",
  input: z.object({ ideaUuid: IdeaId }),
  output: IdeaStep,
})

export const releaseIdea = signature({
  name: "chorus_release_idea",
  does: "Give back an idea you hold.",
  needs: "idea:write",
  kind: "write",
  tool: "listed",
  input: z.object({ ideaUuid: IdeaId }),
  output: IdeaStep,
})

export const assignIdea = signature({
  name: "chorus_pm_assign_idea",
  does: "Give an idea to an agent or a person.",
  needs: "idea:admin",
  kind: "write",
  tool: "listed",
  input: z.object({
    ideaUuid: IdeaId,
    assigneeType: z.enum(["agent", "user"]),
    assigneeUuid: z.uuid(),
    instanceUuid: line(100).nullable().optional(),
  }),
  output: IdeaStep.extend({ wakeRequested: z.boolean(), target: z.null() }),
})

export const moveIdea = signature({
  name: "chorus_move_idea",
  does: "Move an idea with all below it (ideas, proposals, documents, tasks) to another project.",
  needs: "idea:write",
  kind: "write",
  tool: "listed",
  input: z.object({ ideaUuid: IdeaId, targetProjectUuid: ProjectId }),
  output: z.object({
    uuid: z.string(),
    project: z.object({ uuid: z.string(), name: z.string() }),
    moved: z.object({
      ideas: z.number().int(),
      proposals: z.number().int(),
      documents: z.number().int(),
      tasks: z.number().int(),
      /** Always 0: the log keeps what happened where it happened. */
      activities: z.number().int(),
    }),
  }),
})

export const deleteIdea = signature({
  name: "chorus_admin_delete_idea",
  does: "Delete an idea; its children move up.",
  needs: "idea:admin",
  kind: "write",
  tool: "listed",
  input: z.object({ ideaUuid: IdeaId }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})

/** The statuses of early clients; only those that still mean a step are carried out. */
export const updateIdeaStatus = signature({
  name: "chorus_update_idea_status",
  does: "Retired: an idea's status follows its elaboration and proposals.",
  needs: "idea:write",
  kind: "write",
  tool: "hidden",
  input: z.object({ ideaUuid: IdeaId, status: line(40) }),
  output: IdeaStep.extend({ note: z.string() }),
})

export const closeIdea = signature({
  name: "chorus_admin_close_idea",
  does: "Retired: ideas are no longer closed.",
  needs: "idea:admin",
  kind: "write",
  tool: "hidden",
  input: z.object({ ideaUuid: IdeaId }),
  output: IdeaStep.extend({ note: z.string() }),
})
