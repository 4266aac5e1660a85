import { z } from "zod"
import { ActorRef, IdeaId, line, pageInput, pageOutput, ProjectId, ProposalId, prose, signature } from "../signature.ts"
import { CriterionInput, takesEarlyCriteria } from "./criteria.ts"
import {
  DocumentDraft,
  DocumentDraftIndex,
  DocumentDraftInput,
  Priority,
  TaskDraft,
  TaskDraftIndex,
  TaskDraftInput,
} from "./drafts.ts"
import { ReferenceInput, ReferenceRow } from "./references.ts"
import { Returned } from "./returned.ts"

export const ProposalStatus = z.enum(["draft", "pending", "approved", "closed"])
export type ProposalStatus = z.infer<typeof ProposalStatus>

export const ProposalRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  title: z.string(),
  status: ProposalStatus,
  inputType: z.enum(["idea", "document"]),
  inputUuids: z.array(z.string()),
  /** The first input idea. */
  ideaUuid: z.string().nullable(),
  /** How often it was submitted. */
  revision: z.number().int(),
  documentDraftCount: z.number().int(),
  taskDraftCount: z.number().int(),
  createdBy: ActorRef.nullable(),
  createdByType: z.string(),
  reviewNote: z.string().nullable(),
  submittedAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type ProposalRow = z.infer<typeof ProposalRow>

export const ProposalDetail = ProposalRow.extend({
  /** Set while it has been rejected and not submitted again. */
  returned: Returned.omit({ failed: true }).optional(),
  /** Set while it waits again: why the submission before came back, with those of its findings that are open. */
  askedBefore: Returned.omit({ failed: true }).optional(),
  description: z.string().nullable(),
  project: z.object({ uuid: z.string(), name: z.string() }),
  review: z
    .object({ reviewedBy: ActorRef.nullable(), reviewNote: z.string().nullable(), reviewedAt: z.string().nullable() })
    .nullable(),
  section: z.enum(["basic", "documents", "tasks", "full"]),
  references: z.array(ReferenceRow),
  documentDraftIndex: z.array(DocumentDraftIndex).optional(),
  taskDraftIndex: z.array(TaskDraftIndex).optional(),
  documentDrafts: z.array(DocumentDraft).optional(),
  taskDrafts: z.array(TaskDraft).optional(),
  materializedTasks: z.array(z.object({ draftUuid: z.string(), taskUuid: z.string(), title: z.string() })).optional(),
  materializedDocuments: z
    .array(z.object({ draftUuid: z.string(), documentUuid: z.string(), title: z.string() }))
    .optional(),
})
export type ProposalDetail = z.infer<typeof ProposalDetail>

export const ProposalIssue = z.object({
  /** Stable: E1…E5, E-AC, E-CYCLE, E-DANGLING, W1…W5, I1, I2. */
  id: z.string(),
  level: z.enum(["error", "warning", "info"]),
  message: z.string(),
  field: z.string().optional(),
})
export type ProposalIssue = z.infer<typeof ProposalIssue>

const Validation = z.object({ valid: z.boolean(), issues: z.array(ProposalIssue) })
const DraftRef = z.object({ draftUuid: z.string(), title: z.string(), key: z.string().optional() })
const Step = z.object({ uuid: z.string(), title: z.string(), status: ProposalStatus })
const reviewNote = prose(10_000).refine((text) => text.trim() !== "", "must say why")

/** In a batch a task may be named by `key`, and depend on others by their keys. */
const KeyedTaskDraft = TaskDraftInput.extend({
  key: line(64).optional(),
  dependsOnDraftUuids: z.array(line(64)).max(100).optional(),
})

export const getProposals = signature({
  name: "chorus_get_proposals",
  does: "List a project's proposals.",
  needs: "proposal:read",
  kind: "read",
  tool: "listed",
  input: z.object({
    projectUuid: ProjectId,
    status: ProposalStatus.optional(),
    ideaUuid: IdeaId.optional(),
    ...pageInput,
  }),
  output: z.object({ proposals: z.array(ProposalRow), ...pageOutput }),
})

export const getProposal = signature({
  name: "chorus_get_proposal",
  does: "Get one proposal; section adds the drafts in full.",
  needs: "proposal:read",
  kind: "read",
  tool: "listed",
  input: z.object({
    proposalUuid: ProposalId,
    section: z.enum(["basic", "documents", "tasks", "full"]).default("basic"),
  }),
  output: ProposalDetail,
})

export const createProposal = signature({
  name: "chorus_pm_create_proposal",
  does: "Start a proposal from ideas you hold, or from documents.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    projectUuid: ProjectId,
    title: line(),
    description: prose(50_000).optional(),
    inputType: z.enum(["idea", "document"]),
    inputUuids: z.array(z.uuid()).max(50),
    references: z.array(ReferenceInput).max(50).optional(),
    documentDrafts: z.array(DocumentDraftInput).max(50).optional(),
    taskDrafts: z.array(takesEarlyCriteria(KeyedTaskDraft)).max(200).optional(),
  }),
  output: Step.extend({
    documentDrafts: z.array(DraftRef),
    taskDrafts: z.array(DraftRef),
    note: z.string().optional(),
  }),
})

export const updateProposal = signature({
  name: "chorus_update_proposal",
  does: "Change a draft proposal's title or description.",
  needs: "proposal:write",
  kind: "write",
  tool: "none",
  input: z.object({
    proposalUuid: ProposalId,
    title: line().optional(),
    description: prose(50_000).nullable().optional(),
  }),
  output: Step,
})

export const validateProposal = signature({
  name: "chorus_pm_validate_proposal",
  does: "Check a proposal before submitting it.",
  needs: "proposal:write",
  kind: "read",
  tool: "listed",
  input: z.object({ proposalUuid: ProposalId }),
  output: Validation,
})

export const submitProposal = signature({
  name: "chorus_pm_submit_proposal",
  does: "Submit a draft proposal for approval.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: z.object({ proposalUuid: ProposalId }),
  output: Step.extend({ revision: z.number().int(), ...Validation.shape }),
})

/** A task of a plan that is submitted whole. */
export const PlannedTask = z.object({
  key: line(64),
  title: line(),
  description: prose(50_000).optional(),
  priority: Priority.optional(),
  storyPoints: z.number().min(0).max(10_000).optional(),
  criteria: z
    .array(z.union([line(2000), CriterionInput]))
    .min(1)
    .max(50),
  /** By key, or with what it may rely on: {key, contract}. */
  dependsOn: z
    .array(z.union([line(64), z.object({ key: line(64), contract: prose(4000) })]))
    .max(100)
    .optional(),
})

export const submitPlan = signature({
  name: "chorus_submit_plan",
  does: "Create (or revise), check and submit a whole proposal in one call; all or nothing.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    projectUuid: ProjectId,
    title: line(),
    description: prose(50_000).optional(),
    ideaUuids: z.array(IdeaId).max(50).default([]),
    /** Revises this draft proposal, keeping its ideas; a draft with the same title gets a new version, one not named goes. */
    proposalUuid: ProposalId.optional(),
    /** Claims open ideas and skips their questions, saying why. */
    skipElaboration: prose(2000).optional(),
    documents: z.array(DocumentDraftInput).max(50),
    tasks: z.array(PlannedTask).max(200),
  }),
  output: Step.extend({
    revision: z.number().int(),
    documentDrafts: z.array(DraftRef),
    taskDrafts: z.array(DraftRef),
    ...Validation.shape,
  }),
})

export const approveProposal = signature({
  name: "chorus_admin_approve_proposal",
  does: "Approve a proposal: its drafts become documents and tasks, once.",
  needs: "proposal:admin",
  kind: "write",
  tool: "listed",
  input: z.object({ proposalUuid: ProposalId, reviewNote: prose(10_000).optional() }),
  output: Step.extend({
    materializedTasks: z.array(z.object({ draftUuid: z.string(), taskUuid: z.string(), title: z.string() })),
    materializedDocuments: z.array(z.object({ draftUuid: z.string(), documentUuid: z.string(), title: z.string() })),
  }),
})

export const rejectProposal = signature({
  name: "chorus_pm_reject_proposal",
  does: "Reject a pending proposal with a note; it is a draft again.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  aliases: ["chorus_admin_reject_proposal"],
  input: z.object({ proposalUuid: ProposalId, reviewNote }),
  output: Step,
})

export const revokeProposal = signature({
  name: "chorus_pm_revoke_proposal",
  does: "Take back an approval: closes its tasks, returns its documents to drafts.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  aliases: ["chorus_admin_revoke_proposal"],
  input: z.object({ proposalUuid: ProposalId, reviewNote: prose(10_000).optional() }),
  output: Step.extend({
    closedTasks: z.array(z.object({ uuid: z.string(), title: z.string() })),
    deletedDocuments: z.array(z.object({ uuid: z.string(), title: z.string() })),
  }),
})

export const closeProposal = signature({
  name: "chorus_admin_close_proposal",
  does: "Close a proposal for good.",
  needs: "proposal:admin",
  kind: "write",
  tool: "listed",
  input: z.object({ proposalUuid: ProposalId, reviewNote }),
  output: Step,
})
