import type { ActorKind } from "@chorus/contracts"

export type DocumentType = "prd" | "tech_design" | "adr" | "spec" | "guide" | "report"

/** Something a person wants. A container (theme) gathers children and gets no proposal of its own. */
export interface IdeasTable {
  uuid: string
  projectUuid: string
  shortId: string | null
  title: string
  content: string | null
  status: "open" | "elaborating" | "elaborated"
  parentUuid: string | null
  isContainer: number
  /** Names, as a JSON array. */
  labels: string
  assigneeType: ActorKind | null
  assigneeUuid: string | null
  assignedAt: string | null
  assignedByType: ActorKind | null
  assignedByUuid: string | null
  elaborationDepth: "minimal" | "standard" | "comprehensive" | null
  elaborationStatus: "pending_answers" | "validating" | "resolved" | null
  elaborationReason: string | null
  version: number
  createdByType: ActorKind
  createdByUuid: string
  createdAt: string
  updatedAt: string
}

/** Where each idea stood when readers were last told; the truth is computed from the rows themselves. */
export interface IdeaStandingsTable {
  ideaUuid: string
  derivedStatus: string
  badgeHint: string
}

export interface ElaborationRoundsTable {
  uuid: string
  ideaUuid: string
  roundNumber: number
  status: "pending_answers" | "answered"
  isAppended: number
  depth: "minimal" | "standard" | "comprehensive"
  createdByType: ActorKind
  createdByUuid: string
  validatedAt: string | null
  /** Whoever answered wants to be asked further. */
  askAgain: number
  createdAt: string
}

/** The newest answer stands on the question; all answers stay in elaborationAnswers. */
export interface ElaborationQuestionsTable {
  uuid: string
  roundUuid: string
  questionId: string
  position: number
  text: string
  category: "functional" | "non_functional" | "business_context" | "technical_context" | "user_scenario" | "scope"
  options: string
  required: number
  selectedOptionId: string | null
  customText: string | null
  answeredAt: string | null
  answeredByType: ActorKind | null
  answeredByUuid: string | null
}

export interface ElaborationAnswersTable {
  uuid: string
  questionUuid: string
  selectedOptionId: string | null
  customText: string | null
  answeredAt: string
  answeredByType: ActorKind
  answeredByUuid: string
}

/** `revision` counts submissions. */
export interface ProposalsTable {
  uuid: string
  projectUuid: string
  title: string
  description: string | null
  inputType: "idea" | "document"
  status: "draft" | "pending" | "approved" | "closed"
  revision: number
  createdByType: ActorKind
  createdByUuid: string
  reviewedByType: ActorKind | null
  reviewedByUuid: string | null
  reviewNote: string | null
  reviewedAt: string | null
  submittedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface DocumentsTable {
  uuid: string
  projectUuid: string
  type: DocumentType
  title: string
  content: string
  version: number
  proposalUuid: string | null
  draftUuid: string | null
  createdByType: ActorKind
  createdByUuid: string
  createdAt: string
  updatedAt: string
}

/** Ideas, tasks and documents as they were written, version by version; what was never changed may have none. */
export interface TextVersionsTable {
  targetType: "idea" | "task" | "document"
  targetUuid: string
  version: number
  title: string
  content: string
  changedByType: ActorKind
  changedByUuid: string
  changedAt: string
}

export interface ProposalInputsTable {
  proposalUuid: string
  position: number
  ideaUuid: string | null
  documentUuid: string | null
}

export interface DocumentDraftsTable {
  uuid: string
  proposalUuid: string
  position: number
  type: DocumentType
  title: string
  content: string
  version: number
  createdAt: string
  updatedAt: string
}

/** Dependencies may dangle while a draft is being written; validation tells. */
export interface TaskDraftsTable {
  uuid: string
  proposalUuid: string
  position: number
  title: string
  description: string | null
  priority: "low" | "medium" | "high" | null
  storyPoints: number | null
  criteria: string
  dependsOnDraftUuids: string
  /** What it relies on of each draft it depends on. */
  contracts: string
  version: number
  createdAt: string
  updatedAt: string
}

/** Every state a draft has had, removal included (body null). */
export interface DraftVersionsTable {
  draftUuid: string
  version: number
  proposalUuid: string
  kind: "document" | "task"
  body: string
  changedByType: ActorKind
  changedByUuid: string
  changedAt: string
}

/** What was submitted and how it was decided, so that a reviewer can compare. */
export interface ProposalRevisionsTable {
  proposalUuid: string
  revision: number
  snapshot: string
  outcome: "pending" | "approved" | "rejected" | "revoked" | "closed"
  note: string | null
  submittedByType: ActorKind
  submittedByUuid: string
  submittedAt: string
  decidedByType: ActorKind | null
  decidedByUuid: string | null
  decidedAt: string | null
}

export interface ReferenceLinksTable {
  uuid: string
  projectUuid: string
  targetType: "idea" | "proposal" | "task" | "document"
  targetUuid: string
  type: "docs" | "repo" | "issue_pr" | "paper_blog"
  url: string
  title: string
  notes: string | null
  createdByType: ActorKind
  createdByUuid: string
  createdAt: string
  updatedAt: string
}

export interface AttachmentFilesTable {
  uuid: string
  projectUuid: string
  targetType: "idea" | "proposal" | "task" | "document"
  targetUuid: string
  name: string
  mediaType: string
  size: number
  sha256: string
  content: Uint8Array
  createdByType: ActorKind
  createdByUuid: string
  createdAt: string
}

export interface ReviewsTable {
  uuid: string
  projectUuid: string
  targetType: "idea" | "proposal" | "task"
  targetUuid: string
  round: number
  verdict: "pass" | "pass_with_notes" | "fail"
  summary: string
  reviewerType: ActorKind
  reviewerUuid: string
  createdAt: string
}

/** `key` stays the same across rounds (B1, N2 …). */
export interface FindingsTable {
  uuid: string
  reviewUuid: string
  targetUuid: string
  key: string
  severity: "blocker" | "note"
  text: string
  state: "open" | "resolved" | "dismissed"
  stateByType: ActorKind | null
  stateByUuid: string | null
  stateAt: string | null
  stateNote: string | null
  createdAt: string
}
