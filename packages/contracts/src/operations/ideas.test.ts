import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import { ada, AT, builder, PAGE, PAGED, referenceRow } from "../../test/examples.ts"
import {
  flag,
  like,
  line,
  list,
  nullable,
  oneOf,
  optional,
  OTHER,
  paging,
  PROJECT,
  prose,
  TASK,
  uuid,
  whole,
} from "../../test/field-rule.ts"
import {
  assignIdea,
  claimIdea,
  closeIdea,
  createIdea,
  deleteIdea,
  DerivedStatus,
  editIdea,
  ElaborationDepth,
  ElaborationStatus,
  getAvailableIdeas,
  getIdea,
  getIdeas,
  getIdeaTree,
  IdeaBadge,
  IdeaDetail,
  IdeaRow,
  IdeaStatus,
  moveIdea,
  releaseIdea,
  updateIdeaStatus,
} from "./ideas.ts"

const IDEA = TASK

const ideaRow: IdeaRow = {
  uuid: IDEA,
  projectUuid: PROJECT,
  shortId: "HOUS-3",
  title: "A house for cats",
  status: "elaborating",
  derivedStatus: "human_conduct_required",
  badgeHint: "answer_questions",
  isContainer: false,
  parentUuid: OTHER,
  labels: [],
  assignee: builder,
  elaborationStatus: "pending_answers",
  elaborationDepth: "standard",
  reportCount: 0,
  createdBy: ada,
  version: 1,
  createdAt: AT,
  updatedAt: AT,
}
const NULLS_OF_A_ROW = ["parentUuid", "assignee", "elaborationStatus", "elaborationDepth", "createdBy"]
const related = {
  uuid: OTHER,
  title: "Pets",
  status: "open" as const,
  derivedStatus: "todo" as const,
  badgeHint: "open" as const,
  isContainer: true,
}

describe("the words for an idea", () => {
  it("are three statuses that are stored", () =>
    expect(IdeaStatus.options).toEqual(["open", "elaborating", "elaborated"]))
  it("are four standings that people read", () =>
    expect(DerivedStatus.options).toEqual(["todo", "in_progress", "human_conduct_required", "done"]))
  it("are eight badges, in the order in which an idea passes them", () => {
    expect(IdeaBadge.options).toEqual([
      "open",
      "researching",
      "answer_questions",
      "planning",
      "review_proposal",
      "building",
      "verify_work",
      "done",
    ])
  })
  it("are three depths of questions and three states of the answers", () => {
    expect(ElaborationDepth.options).toEqual(["minimal", "standard", "comprehensive"])
    expect(ElaborationStatus.options).toEqual(["pending_answers", "validating", "resolved"])
  })
})

describeInput(getIdeas, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, ...PAGE },
  fields: {
    projectUuid: uuid,
    status: optional(oneOf("open", "elaborating", "elaborated")),
    assigneeUuid: optional(uuid),
    label: optional(line(40)),
    ...paging,
  },
})

describeInput(getAvailableIdeas, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, page: 1, pageSize: 50 },
  fields: { projectUuid: uuid, ...paging },
})

describeInput(getIdeaTree, { smallest: { projectUuid: PROJECT }, fields: { projectUuid: uuid } })

describe.each([getIdea, claimIdea, releaseIdea, deleteIdea, closeIdea])("an operation on one idea", (signature) => {
  describeInput(signature, { smallest: { ideaUuid: IDEA }, fields: { ideaUuid: uuid } })
})

describeInput(createIdea, {
  smallest: { projectUuid: PROJECT, title: "A house for cats" },
  becomes: { projectUuid: PROJECT, title: "A house for cats", isContainer: false },
  fields: {
    projectUuid: uuid,
    title: line(256),
    content: optional(prose(200_000)),
    parentUuid: optional(nullable(uuid)),
    isContainer: optional(flag),
    labels: optional(list(line(40), 0, 20)),
    references: optional(list(like({ type: "docs", url: "https://example.org/cats", title: "Cats" }), 0, 50)),
  },
})

describeInput(editIdea, {
  smallest: { ideaUuid: IDEA },
  fields: {
    ideaUuid: uuid,
    title: optional(line(256)),
    content: optional(nullable(prose(200_000))),
    parentUuid: optional(nullable(uuid)),
    isContainer: optional(flag),
    labels: optional(list(line(40), 0, 20)),
    expectedVersion: optional(whole(1, Number.MAX_SAFE_INTEGER)),
  },
})

describe("chorus_edit_idea", () => {
  it("does not turn a theme into an idea by leaving the flag out", () => {
    expect(editIdea.input.parse({ ideaUuid: IDEA, title: "Cats" })).toEqual({ ideaUuid: IDEA, title: "Cats" })
  })

  it("takes an idea out of its theme with null", () => {
    expect(editIdea.input.parse({ ideaUuid: IDEA, parentUuid: null })).toEqual({ ideaUuid: IDEA, parentUuid: null })
  })

  it("answers to the name that set parents before", () => expect(editIdea.aliases).toEqual(["chorus_set_idea_parent"]))
})

describeInput(assignIdea, {
  smallest: { ideaUuid: IDEA, assigneeType: "agent", assigneeUuid: OTHER },
  fields: {
    ideaUuid: uuid,
    assigneeType: oneOf("agent", "user"),
    assigneeUuid: uuid,
    instanceUuid: optional(nullable(line(100))),
  },
})

describeInput(moveIdea, {
  smallest: { ideaUuid: IDEA, targetProjectUuid: PROJECT },
  fields: { ideaUuid: uuid, targetProjectUuid: uuid },
})

describeInput(updateIdeaStatus, {
  smallest: { ideaUuid: IDEA, status: "elaborated" },
  fields: { ideaUuid: uuid, status: line(40) },
})

describe("retired steps of an idea", () => {
  it.each([updateIdeaStatus, closeIdea])(
    "$name says that it is retired and stays off the list of tools",
    ({ does, tool }) => {
      expect(does).toMatch(/^Retired: /)
      expect(tool).toBe("hidden")
    },
  )

  it("answer with a note on what to do instead", () => {
    expect(closeIdea.output.safeParse({ uuid: IDEA, status: "open", assignee: null }).success).toBe(false)
    expect(
      closeIdea.output.safeParse({ uuid: IDEA, status: "open", assignee: null, note: "Ideas are no longer closed." })
        .success,
    ).toBe(true)
  })
})

describeAnswer("IdeaRow", IdeaRow, ideaRow, { mayBeNull: NULLS_OF_A_ROW })

describeAnswer(
  "IdeaDetail",
  IdeaDetail,
  {
    ...ideaRow,
    content: "With a door for each.",
    attachments: [],
    assignee: { ...builder, assignedAt: AT, assignedBy: ada },
    project: { uuid: PROJECT, name: "House" },
    elaborationReason: "small enough",
    parent: related,
    children: [related],
    descendantUuids: [OTHER],
    proposals: [{ uuid: OTHER, title: "Plan", status: "pending" }],
    reports: [{ uuid: OTHER, title: "Report", proposalUuid: null, createdAt: AT }],
    references: [referenceRow],
  },
  { mayBeNull: [...NULLS_OF_A_ROW, "content", "elaborationReason", "parent"] },
)

describeAnswer("of chorus_get_ideas", getIdeas.output, { ideas: [ideaRow], ...PAGED })

describeAnswer("of chorus_get_idea_tree", getIdeaTree.output, {
  ideas: [{ ...ideaRow, depth: 1, childUuids: [OTHER] }],
})

describeAnswer(
  "of chorus_claim_idea",
  claimIdea.output,
  { uuid: IDEA, status: "elaborating", assignee: builder },
  { mayBeNull: ["assignee"] },
)

describeAnswer(
  "of chorus_pm_assign_idea",
  assignIdea.output,
  { uuid: IDEA, status: "open", assignee: builder, wakeRequested: true, target: null },
  { mayBeNull: ["assignee", "target"] },
)

describeAnswer("of chorus_move_idea", moveIdea.output, {
  uuid: IDEA,
  project: { uuid: PROJECT, name: "House" },
  moved: { ideas: 2, proposals: 1, documents: 0, tasks: 5, activities: 0 },
})

describe("an idea's answer", () => {
  it("shows a relative by its standing, without its content", () => {
    const shown = IdeaDetail.shape.parent.parse({ ...related, content: "secret", projectUuid: PROJECT })
    expect(shown).toEqual(related)
  })

  it.each(["status", "derivedStatus", "badgeHint"] as const)("knows no other word for %s", (field) => {
    expect(IdeaRow.safeParse({ ...ideaRow, [field]: "lost" }).success).toBe(false)
  })
})
