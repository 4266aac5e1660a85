import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput, faults } from "../../test/contract.ts"
import { ada, AT, builder, PAGE, PAGED, referenceRow } from "../../test/examples.ts"
import {
  filled,
  like,
  line,
  list,
  nullable,
  number,
  oneOf,
  optional,
  OTHER,
  paging,
  PROJECT,
  prose,
  TASK,
  uuid,
} from "../../test/field-rule.ts"
import {
  approveProposal,
  closeProposal,
  createProposal,
  getProposal,
  getProposals,
  ProposalDetail,
  ProposalIssue,
  ProposalRow,
  ProposalStatus,
  rejectProposal,
  revokeProposal,
  submitPlan,
  submitProposal,
  updateProposal,
  validateProposal,
} from "./proposals.ts"

const PROPOSAL = TASK
const TYPES = ["prd", "tech_design", "adr", "spec", "guide", "report"]
const criterion = { description: "The cat gets in." }
const taskDraft = { title: "Cut the hole", acceptanceCriteriaItems: [criterion] }
const documentDraft = { type: "prd", title: "Why", content: "Cats." }
const planTask = { key: "t1", title: "Cut the hole", criteria: ["The cat gets in."] }

const proposalRow: ProposalRow = {
  uuid: PROPOSAL,
  projectUuid: PROJECT,
  title: "A cat flap",
  status: "pending",
  inputType: "idea",
  inputUuids: [OTHER],
  ideaUuid: OTHER,
  revision: 2,
  documentDraftCount: 1,
  taskDraftCount: 3,
  createdBy: builder,
  createdByType: "agent",
  reviewNote: "Smaller, please.",
  submittedAt: AT,
  createdAt: AT,
  updatedAt: AT,
}
const NULLS_OF_A_ROW = ["ideaUuid", "createdBy", "reviewNote", "submittedAt"]

describe("the words for a proposal", () => {
  it("are four statuses", () => expect(ProposalStatus.options).toEqual(["draft", "pending", "approved", "closed"]))
})

describeInput(getProposals, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, ...PAGE },
  fields: {
    projectUuid: uuid,
    status: optional(oneOf("draft", "pending", "approved", "closed")),
    ideaUuid: optional(uuid),
    ...paging,
  },
})

describeInput(getProposal, {
  smallest: { proposalUuid: PROPOSAL },
  becomes: { proposalUuid: PROPOSAL, section: "basic" },
  fields: { proposalUuid: uuid, section: optional(oneOf("basic", "documents", "tasks", "full")) },
})

describe.each([validateProposal, submitProposal])("an operation on one proposal", (signature) => {
  describeInput(signature, { smallest: { proposalUuid: PROPOSAL }, fields: { proposalUuid: uuid } })
})

describeInput(createProposal, {
  smallest: { projectUuid: PROJECT, title: "A cat flap", inputType: "idea", inputUuids: [] },
  fields: {
    projectUuid: uuid,
    title: line(256),
    description: optional(prose(50_000)),
    inputType: oneOf("idea", "document"),
    inputUuids: list(uuid, 0, 50),
    references: optional(list(like({ type: "repo", url: "https://example.org/flap", title: "Flap" }), 0, 50)),
    documentDrafts: optional(list(like(documentDraft), 0, 50)),
    taskDrafts: optional(list(like(taskDraft), 0, 200)),
  },
})

describe("a task draft given with its proposal", () => {
  const withDraft = (change: object) =>
    createProposal.input.safeParse({
      projectUuid: PROJECT,
      title: "x",
      inputType: "idea",
      inputUuids: [],
      taskDrafts: [{ ...taskDraft, ...change }],
    }).success

  it("may have a key, by which others of the batch depend on it", () => {
    expect(withDraft({ key: "hole", dependsOnDraftUuids: ["frame", OTHER] })).toBe(true)
  })

  it("has at least one criterion and at most fifty", () => {
    const takes = [0, 1, 50, 51].filter((length) =>
      withDraft({ acceptanceCriteriaItems: Array.from({ length }, () => criterion) }),
    )
    expect(takes).toEqual([1, 50])
  })

  it("names keys of one line and 64 characters at most", () => {
    expect(withDraft({ key: "k".repeat(64) })).toBe(true)
    expect(withDraft({ key: "k".repeat(65) })).toBe(false)
    expect(withDraft({ dependsOnDraftUuids: ["two\nlines"] })).toBe(false)
  })
})

describeInput(updateProposal, {
  smallest: { proposalUuid: PROPOSAL },
  fields: { proposalUuid: uuid, title: optional(line(256)), description: optional(nullable(prose(50_000))) },
})

describeInput(submitPlan, {
  smallest: { projectUuid: PROJECT, title: "A cat flap", documents: [documentDraft as never], tasks: [planTask] },
  becomes: { projectUuid: PROJECT, title: "A cat flap", ideaUuids: [], documents: [documentDraft], tasks: [planTask] },
  fields: {
    projectUuid: uuid,
    title: line(256),
    description: optional(prose(50_000)),
    ideaUuids: optional(list(uuid, 0, 50)),
    proposalUuid: optional(uuid),
    skipElaboration: optional(prose(2000)),
    documents: list(like(documentDraft), 0, 50),
    "documents.0.type": oneOf(...TYPES),
    "documents.0.title": line(256),
    "documents.0.content": prose(500_000),
    tasks: list(like(planTask), 0, 200),
    "tasks.0.key": line(64),
    "tasks.0.title": line(256),
    "tasks.0.description": optional(prose(50_000)),
    "tasks.0.priority": optional(oneOf("low", "medium", "high")),
    "tasks.0.storyPoints": optional(number(0, 10_000)),
    "tasks.0.criteria": list(
      {
        ...like(criterion),
        takes: ["The cat gets in.", criterion, { ...criterion, required: false, command: "npm test" }],
        refuses: ["", 7, null, {}],
      },
      1,
      50,
    ),
    "tasks.0.dependsOn": optional(list(line(64), 0, 100)),
  },
})

describeInput(approveProposal, {
  smallest: { proposalUuid: PROPOSAL },
  fields: { proposalUuid: uuid, reviewNote: optional(prose(10_000)) },
})

describeInput(revokeProposal, {
  smallest: { proposalUuid: PROPOSAL },
  fields: { proposalUuid: uuid, reviewNote: optional(prose(10_000)) },
})

describe.each([rejectProposal, closeProposal])("sending a proposal back or closing it", (signature) => {
  describeInput(signature, {
    smallest: { proposalUuid: PROPOSAL, reviewNote: "Smaller, please." },
    fields: { proposalUuid: uuid, reviewNote: filled(prose(10_000)) },
  })

  it("asks for the reason in words", () => {
    expect(faults(signature.input, { proposalUuid: PROPOSAL, reviewNote: " " })).toEqual(["reviewNote: must say why"])
  })
})

describeAnswer("ProposalRow", ProposalRow, proposalRow, { mayBeNull: NULLS_OF_A_ROW })

describeAnswer(
  "ProposalDetail",
  ProposalDetail,
  {
    ...proposalRow,
    description: "In the kitchen door.",
    project: { uuid: PROJECT, name: "House" },
    review: { reviewedBy: ada, reviewNote: null, reviewedAt: AT },
    section: "full",
    references: [referenceRow],
    documentDraftIndex: [{ uuid: OTHER, type: "prd", title: "Why", version: 1, updatedAt: AT, contentLength: 5 }],
    taskDraftIndex: [
      {
        uuid: OTHER,
        title: "Cut",
        storyPoints: 1,
        priority: null,
        dependsOnDraftUuids: [],
        version: 1,
        updatedAt: AT,
        acceptanceCriteriaCount: 1,
      },
    ],
    documentDrafts: [{ uuid: OTHER, type: "prd", title: "Why", content: "Cats.", version: 1, updatedAt: AT }],
    taskDrafts: [
      {
        uuid: OTHER,
        title: "Cut",
        description: null,
        storyPoints: null,
        priority: "low",
        acceptanceCriteriaItems: [criterion],
        dependsOnDraftUuids: [],
        version: 1,
        updatedAt: AT,
      },
    ],
    materializedTasks: [{ draftUuid: OTHER, taskUuid: TASK, title: "Cut" }],
    materializedDocuments: [{ draftUuid: OTHER, documentUuid: TASK, title: "Why" }],
  },
  {
    mayBeNull: [...NULLS_OF_A_ROW, "description", "review"],
    mayBeLeftOut: [
      "documentDraftIndex",
      "taskDraftIndex",
      "documentDrafts",
      "taskDrafts",
      "materializedTasks",
      "materializedDocuments",
    ],
  },
)

describeAnswer(
  "ProposalIssue",
  ProposalIssue,
  { id: "E-CYCLE", level: "error", message: "Tasks wait for each other.", field: "tasks" },
  { mayBeLeftOut: ["field"] },
)

describeAnswer("of chorus_get_proposals", getProposals.output, { proposals: [proposalRow], ...PAGED })

describeAnswer("of chorus_submit_plan", submitPlan.output, {
  uuid: PROPOSAL,
  title: "A cat flap",
  status: "pending",
  revision: 1,
  documentDrafts: [{ draftUuid: OTHER, title: "Why" }],
  taskDrafts: [{ draftUuid: OTHER, title: "Cut the hole", key: "t1" }],
  valid: true,
  issues: [{ id: "W1", level: "warning", message: "No document." }],
})

describeAnswer("of chorus_admin_approve_proposal", approveProposal.output, {
  uuid: PROPOSAL,
  title: "A cat flap",
  status: "approved",
  materializedTasks: [{ draftUuid: OTHER, taskUuid: TASK, title: "Cut" }],
  materializedDocuments: [],
})

describeAnswer("of chorus_pm_revoke_proposal", revokeProposal.output, {
  uuid: PROPOSAL,
  title: "A cat flap",
  status: "draft",
  closedTasks: [{ uuid: TASK, title: "Cut" }],
  deletedDocuments: [{ uuid: OTHER, title: "Why" }],
})

describe("retired names of a proposal's steps", () => {
  it.each([
    [rejectProposal, "chorus_admin_reject_proposal"],
    [revokeProposal, "chorus_admin_revoke_proposal"],
  ])("$0.name still answers to %s", ({ aliases }, alias) => expect(aliases).toEqual([alias]))
})
