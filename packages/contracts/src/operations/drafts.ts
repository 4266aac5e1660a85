import { z } from "zod"
import { ActorRef, DraftId, line, ProposalId, prose, signature } from "../signature.ts"
import { CriterionInput, takesEarlyCriteria } from "./criteria.ts"

export const DocumentType = z.enum(["prd", "tech_design", "adr", "spec", "guide", "report"])
export type DocumentType = z.infer<typeof DocumentType>

export const Priority = z.enum(["low", "medium", "high"])
export type Priority = z.infer<typeof Priority>

const content = prose(500_000)
const storyPoints = z.number().min(0).max(10_000)
const criteria = z.array(CriterionInput).min(1).max(50)
const dependencies = z.array(DraftId).max(100)

/** By the draft depended on, what the dependent may rely on. */
export const Contracts = z.record(z.string().max(100), prose(4000))

/** Refused with stale_version when the draft has moved on; without it the last write wins and every version is kept. */
const expectedVersion = z.number().int().min(1).optional()

export const DocumentDraftInput = z.object({ type: DocumentType, title: line(), content })
export const TaskDraftInput = z.object({
  title: line(),
  description: prose(50_000).optional(),
  storyPoints: storyPoints.optional(),
  priority: Priority.optional(),
  acceptanceCriteriaItems: criteria,
  dependsOnDraftUuids: dependencies.optional(),
  contracts: Contracts.optional(),
})

export const DocumentDraft = z.object({
  uuid: z.string(),
  type: DocumentType,
  title: z.string(),
  content: z.string(),
  version: z.number().int(),
  updatedAt: z.string(),
})
export type DocumentDraft = z.infer<typeof DocumentDraft>

export const TaskDraft = z.object({
  uuid: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  storyPoints: z.number().nullable(),
  priority: Priority.nullable(),
  acceptanceCriteriaItems: z.array(CriterionInput),
  dependsOnDraftUuids: z.array(z.string()),
  contracts: Contracts.optional(),
  version: z.number().int(),
  updatedAt: z.string(),
})
export type TaskDraft = z.infer<typeof TaskDraft>

/** A draft without its body, as lists and events carry it. */
export const DocumentDraftIndex = DocumentDraft.omit({ content: true }).extend({ contentLength: z.number().int() })
export const TaskDraftIndex = TaskDraft.omit({
  description: true,
  acceptanceCriteriaItems: true,
  contracts: true,
}).extend({
  acceptanceCriteriaCount: z.number().int(),
})
export type DocumentDraftIndex = z.infer<typeof DocumentDraftIndex>
export type TaskDraftIndex = z.infer<typeof TaskDraftIndex>

function changed<const Action extends string>(action: Action) {
  return z.object({
    proposalUuid: z.string(),
    action: z.literal(action),
    draftUuid: z.string(),
    draftTitle: z.string(),
    version: z.number().int(),
  })
}

const named = { proposalUuid: ProposalId, draftUuid: DraftId, expectedVersion }

export const addDocumentDraft = signature({
  name: "chorus_pm_add_document_draft",
  does: "Add a document draft to a draft proposal.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: z.object({ proposalUuid: ProposalId, ...DocumentDraftInput.shape }),
  output: changed("document_draft_added"),
})

export const updateDocumentDraft = signature({
  name: "chorus_pm_update_document_draft",
  does: "Change a document draft.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: z.object({ ...named, ...DocumentDraftInput.partial().shape }),
  output: changed("document_draft_updated"),
})

export const removeDocumentDraft = signature({
  name: "chorus_pm_remove_document_draft",
  does: "Remove a document draft.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: z.object(named),
  output: changed("document_draft_removed"),
})

export const addTaskDraft = signature({
  name: "chorus_pm_add_task_draft",
  does: "Add a task draft to a draft proposal.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: takesEarlyCriteria(z.object({ proposalUuid: ProposalId, ...TaskDraftInput.shape })),
  output: changed("task_draft_added"),
})

export const updateTaskDraft = signature({
  name: "chorus_pm_update_task_draft",
  does: "Change a task draft.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: takesEarlyCriteria(
    z.object({
      ...named,
      ...TaskDraftInput.partial().shape,
      description: prose(50_000).nullable().optional(),
      storyPoints: storyPoints.nullable().optional(),
      priority: Priority.nullable().optional(),
    }),
  ),
  output: changed("task_draft_updated"),
})

export const removeTaskDraft = signature({
  name: "chorus_pm_remove_task_draft",
  does: "Remove a task draft.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: z.object(named),
  output: changed("task_draft_removed"),
})

export const getDraftVersions = signature({
  name: "chorus_get_draft_versions",
  does: "Get every version a draft has had, oldest first; a removal has no body.",
  needs: "proposal:read",
  kind: "read",
  tool: "none",
  input: z.object({ proposalUuid: ProposalId, draftUuid: DraftId }),
  output: z.object({
    draftUuid: z.string(),
    kind: z.enum(["document", "task"]),
    versions: z.array(
      z.object({
        version: z.number().int(),
        body: z.record(z.string(), z.unknown()).nullable(),
        changedBy: ActorRef.nullable(),
        changedAt: z.string(),
      }),
    ),
  }),
})
