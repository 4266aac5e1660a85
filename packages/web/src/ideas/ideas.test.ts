import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { answersOf, givensOf, type Round, stillAsked } from "./answers.ts"
import { followIdeas, groupsOf, type TreeIdea, treeOf } from "./standing.ts"

function idea(uuid: string, changes: Partial<TreeIdea> = {}): TreeIdea {
  return {
    uuid,
    projectUuid: "p",
    shortId: "SHOP-1",
    title: uuid,
    status: "open",
    derivedStatus: "todo",
    badgeHint: "open",
    isContainer: false,
    parentUuid: null,
    labels: [],
    assignee: null,
    elaborationStatus: null,
    elaborationDepth: null,
    reportCount: 0,
    version: 1,
    createdBy: null,
    createdAt: "1",
    updatedAt: "1",
    depth: 0,
    childUuids: [],
    ...changes,
  }
}

function event(entityUuid: string, action: LogEvent["action"], patch: Record<string, unknown>): LogEvent {
  return logEvent({
    kind: "idea.updated",
    entityType: "idea",
    entityUuid,
    projectUuid: "p",
    action,
    patch,
  })
}

describe("ideas on the page", () => {
  it("stand in groups, what waits for a person first, the newest change on top", () => {
    const groups = groupsOf(
      [
        idea("a"),
        idea("b", { derivedStatus: "human_conduct_required" }),
        idea("c", { updatedAt: "2" }),
        idea("theme", { isContainer: true }),
      ],
      "",
    )
    expect(groups.map(({ standing, ideas }) => [standing, ideas.map(({ uuid }) => uuid)])).toEqual([
      ["human_conduct_required", ["b"]],
      ["todo", ["c", "a"]],
    ])
  })

  it("keep their themes when one is searched for", () => {
    expect(
      treeOf(
        [
          idea("theme", { isContainer: true }),
          idea("needle", { parentUuid: "theme" }),
          idea("other", { parentUuid: "theme" }),
        ],
        "needle",
      ).map(({ uuid }) => uuid),
    ).toEqual(["theme", "needle"])
  })
})

describe("following ideas", () => {
  const follow = followIdeas("p")
  const answer = { ideas: [idea("a"), idea("b")] }

  it("works the tree out again when an idea moves under another", () => {
    const after = follow.apply(answer, event("a", "updated", { parentUuid: "b" }))
    expect(after?.ideas.map(({ uuid, depth }) => [uuid, depth])).toEqual([
      ["b", 0],
      ["a", 1],
    ])
  })

  it("adds, drops and lets go of what leaves the project", () => {
    expect(follow.apply(answer, event("c", "created", { ...idea("c") }))?.ideas).toHaveLength(3)
    expect(follow.apply(answer, event("a", "deleted", {}))?.ideas).toHaveLength(1)
    expect(follow.apply(answer, event("a", "updated", { projectUuid: "elsewhere" }))?.ideas).toHaveLength(1)
  })
})

describe("answering questions", () => {
  const question = (questionId: string, required: boolean, selectedOptionId: string | null = null) => ({
    uuid: questionId,
    questionId,
    text: "?",
    category: "scope" as const,
    options: [{ id: "x", label: "X" }],
    required,
    answer: selectedOptionId === null ? null : { selectedOptionId, customText: null, answeredAt: "", answeredBy: null },
    earlier: [],
    issue: null,
  })
  const round: Round = {
    uuid: "r",
    ideaUuid: "i",
    roundNumber: 1,
    status: "pending_answers",
    isAppended: false,
    depth: "minimal",
    createdBy: null,
    validatedAt: null,
    askAgain: false,
    createdAt: "",
    questions: [question("q1", true), question("q2", false), question("q3", true, "x")],
  }

  it("needs an option or words for what is required", () => {
    expect(stillAsked(round, givensOf(round, {})).map(({ questionId }) => questionId)).toEqual(["q1"])
    expect(stillAsked(round, { ...givensOf(round, {}), q1: { option: null, text: "  " } })).toHaveLength(1)
    expect(stillAsked(round, { ...givensOf(round, {}), q1: { option: null, text: "words" } })).toHaveLength(0)
  })

  it("sends only what is new", () => {
    expect(answersOf(round, { ...givensOf(round, {}), q1: { option: "x", text: " because " } })).toEqual([
      { questionId: "q1", selectedOptionId: "x", customText: "because" },
    ])
    expect(answersOf(round, givensOf(round, {}))).toEqual([])
  })
})
