import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput, faults } from "../../test/contract.ts"
import { ada, AT } from "../../test/examples.ts"
import {
  like,
  line,
  list,
  nullable,
  number,
  oneOf,
  optional,
  OTHER,
  prose,
  TASK,
  uuid,
  whole,
} from "../../test/field-rule.ts"
import {
  addDocumentDraft,
  addTaskDraft,
  DocumentDraft,
  DocumentDraftIndex,
  DocumentType,
  getDraftVersions,
  removeDocumentDraft,
  removeTaskDraft,
  TaskDraft,
  TaskDraftIndex,
  updateDocumentDraft,
  updateTaskDraft,
} from "./drafts.ts"

const named = { proposalUuid: TASK, draftUuid: OTHER }
const namedFields = {
  proposalUuid: uuid,
  draftUuid: uuid,
  expectedVersion: optional(whole(1, Number.MAX_SAFE_INTEGER)),
}
const TYPES = ["prd", "tech_design", "adr", "spec", "guide", "report"]
const criterion = { description: "It holds." }

describe("the types of documents", () => {
  it("are these six", () => expect(DocumentType.options).toEqual(TYPES))
})

describeInput(addDocumentDraft, {
  smallest: { proposalUuid: TASK, type: "prd", title: "Why", content: "" },
  fields: { proposalUuid: uuid, type: oneOf(...TYPES), title: line(256), content: prose(500_000) },
})

describeInput(updateDocumentDraft, {
  smallest: named,
  fields: {
    ...namedFields,
    type: optional(oneOf(...TYPES)),
    title: optional(line(256)),
    content: optional(prose(500_000)),
  },
})

describe.each([removeDocumentDraft, removeTaskDraft])("taking a draft away", (signature) => {
  describeInput(signature, { smallest: named, fields: namedFields })
})

describeInput(addTaskDraft, {
  smallest: { proposalUuid: TASK, title: "Cut", acceptanceCriteriaItems: [criterion] },
  fields: {
    proposalUuid: uuid,
    title: line(256),
    description: optional(prose(50_000)),
    storyPoints: optional(number(0, 10_000)),
    priority: optional(oneOf("low", "medium", "high")),
    acceptanceCriteriaItems: list(like(criterion), 1, 50),
    dependsOnDraftUuids: optional(list(uuid, 0, 100)),
    contracts: optional(like({ t1: "the table" })),
  },
})

describeInput(updateTaskDraft, {
  smallest: named,
  fields: {
    ...namedFields,
    title: optional(line(256)),
    description: optional(nullable(prose(50_000))),
    storyPoints: optional(nullable(number(0, 10_000))),
    priority: optional(nullable(oneOf("low", "medium", "high"))),
    acceptanceCriteriaItems: optional(list(like(criterion), 1, 50)),
    dependsOnDraftUuids: optional(list(uuid, 0, 100)),
    contracts: optional(like({ t1: "the table" })),
  },
})

describeInput(getDraftVersions, { smallest: named, fields: { proposalUuid: uuid, draftUuid: uuid } })

describe("a draft of a task", () => {
  it("never loses its last criterion", () => {
    expect(faults(updateTaskDraft.input, { ...named, acceptanceCriteriaItems: [] })).toHaveLength(1)
  })

  it("is checked against a version only when one is named, and versions begin at one", () => {
    expect(updateTaskDraft.input.parse(named)).not.toHaveProperty("expectedVersion")
    expect(faults(updateTaskDraft.input, { ...named, expectedVersion: 0 })).toHaveLength(1)
  })
})

describeAnswer("DocumentDraft", DocumentDraft, {
  uuid: OTHER,
  type: "adr",
  title: "Wood",
  content: "Oak.",
  version: 2,
  updatedAt: AT,
})

describeAnswer("DocumentDraftIndex", DocumentDraftIndex, {
  uuid: OTHER,
  type: "adr",
  title: "Wood",
  version: 2,
  updatedAt: AT,
  contentLength: 4,
})

describeAnswer(
  "TaskDraft",
  TaskDraft,
  {
    uuid: OTHER,
    title: "Cut",
    description: "With care.",
    storyPoints: 0.5,
    priority: "low",
    acceptanceCriteriaItems: [criterion],
    dependsOnDraftUuids: [TASK],
    contracts: { [TASK]: "planks of 2 m" },
    version: 1,
    updatedAt: AT,
  },
  { mayBeNull: ["description", "storyPoints", "priority"], mayBeLeftOut: ["contracts"] },
)

describe("a draft in a list", () => {
  it("tells how much there is to read, not the text", () => {
    const whole = {
      uuid: OTHER,
      type: "adr",
      title: "Wood",
      content: "Oak.",
      version: 2,
      updatedAt: AT,
      contentLength: 4,
    }
    expect(DocumentDraftIndex.parse(whole)).not.toHaveProperty("content")
  })

  it("tells how many criteria there are, not the criteria", () => {
    const index = {
      uuid: OTHER,
      title: "Cut",
      storyPoints: null,
      priority: null,
      dependsOnDraftUuids: [],
      version: 1,
      updatedAt: AT,
      acceptanceCriteriaCount: 3,
    }
    expect(TaskDraftIndex.parse({ ...index, description: "x", acceptanceCriteriaItems: [criterion] })).toEqual(index)
  })
})

describe("what changing a draft answers", () => {
  it.each([
    [addDocumentDraft, "document_draft_added"],
    [updateDocumentDraft, "document_draft_updated"],
    [removeDocumentDraft, "document_draft_removed"],
    [addTaskDraft, "task_draft_added"],
    [updateTaskDraft, "task_draft_updated"],
    [removeTaskDraft, "task_draft_removed"],
  ])("$0.name says %s and nothing else", ({ output }, action) => {
    const answer = { proposalUuid: TASK, action, draftUuid: OTHER, draftTitle: "Cut", version: 3 }
    expect(output.parse(answer)).toEqual(answer)
    expect(output.safeParse({ ...answer, action: "draft_changed" }).success).toBe(false)
  })
})

describeAnswer("of chorus_get_draft_versions", getDraftVersions.output, {
  draftUuid: OTHER,
  kind: "task",
  versions: [
    { version: 1, body: { title: "Cut" }, changedBy: ada, changedAt: AT },
    { version: 2, body: null, changedBy: null, changedAt: AT },
  ],
})
