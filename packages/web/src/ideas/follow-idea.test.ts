import type { elaboration, ideas, LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { followElaboration, followIdea } from "./follow-idea.ts"

const link = (uuid: string) => ({
  uuid,
  title: uuid,
  status: "open" as const,
  derivedStatus: "todo" as const,
  badgeHint: "open" as const,
  isContainer: false,
})

const IDEA = {
  uuid: "i1",
  title: "Light",
  assignee: null,
  parent: link("theme"),
  children: [link("child")],
  proposals: [{ uuid: "plan", title: "Lamps", status: "pending" }],
  reports: [{ uuid: "report", title: "Built", proposalUuid: "plan", createdAt: "" }],
} as unknown as ideas.IdeaDetail

function event(
  entityType: string,
  entityUuid: string,
  patch: Record<string, unknown> = {},
  action: LogEvent["action"] = "updated",
): LogEvent {
  return logEvent({
    kind: "x.y",
    entityType,
    entityUuid,
    projectUuid: "p",
    action,
    patch,
  })
}

describe("following one idea", () => {
  const after = (...told: Parameters<typeof event>) => followIdea("i1").apply(IDEA, event(...told))

  it("takes over what changed in itself", () => {
    expect(after("idea", "i1", { title: "More light", derivedStatus: "in_progress" })).toMatchObject({
      title: "More light",
      derivedStatus: "in_progress",
      uuid: "i1",
    })
  })

  it.each([
    ["it has another parent", event("idea", "i1", { parentUuid: null })],
    ["it is somebody else's, of whom the log tells less", event("idea", "i1", { assignee: { type: "agent" } })],
    ["it is deleted", event("idea", "i1", {}, "deleted")],
    ["its theme changes", event("idea", "theme", { title: "Comfort" })],
    ["a child changes", event("idea", "child", { title: "Dimmed" })],
    ["another becomes its child", event("idea", "other", { parentUuid: "i1" })],
    ["a proposal is made for it", event("proposal", "new", { inputUuids: ["i0", "i1"] }, "created")],
    ["its proposal is decided", event("proposal", "plan", { status: "approved" })],
    ["its proposal has another title", event("proposal", "plan", { title: "More lamps" })],
    [
      "a report is written on its proposal",
      event("document", "d1", { type: "report", proposalUuid: "plan" }, "created"),
    ],
    ["its report goes", event("document", "report", {}, "deleted")],
    ["a file comes", event("attachment", "f1", { targetUuid: "i1" }, "created")],
    ["a link goes", event("reference", "r1", { targetUuid: "i1" }, "deleted")],
  ])("asks again when %s", (_, told) => {
    expect(followIdea("i1").apply(IDEA, told)).toBeUndefined()
  })

  it.each([
    ["an idea of no relation", event("idea", "stranger", { title: "x" })],
    ["a proposal for other ideas", event("proposal", "new", { inputUuids: ["i0"] }, "created")],
    ["a detail of its proposal", event("proposal", "plan", { revision: 2 })],
    ["another's proposal", event("proposal", "foreign", { status: "approved" })],
    ["a file elsewhere", event("attachment", "f1", { targetUuid: "i2" }, "created")],
    ["a document of no relation", event("document", "d1", { proposalUuid: null }, "created")],
    ["a task", event("task", "t1", { status: "done" })],
  ])("does not care about %s", (_, told) => {
    expect(followIdea("i1").apply(IDEA, told)).toBe(IDEA)
  })
})

describe("following the questions about an idea", () => {
  const round = (uuid: string, changes: Partial<elaboration.Round> = {}) =>
    ({
      uuid,
      ideaUuid: "i1",
      roundNumber: 1,
      status: "pending_answers",
      questions: [],
      ...changes,
    }) as unknown as elaboration.Round
  const answer = {
    ideaUuid: "i1",
    status: "pending_answers",
    rounds: [round("r1")],
  } as unknown as elaboration.Elaboration
  const follow = followElaboration("i1")

  it("adds a round that comes, behind those that are there", () => {
    const after = follow.apply(answer, event("round", "r2", { ...round("r2", { roundNumber: 2 }) }, "created"))
    expect(after?.rounds.map(({ uuid, roundNumber }) => [uuid, roundNumber])).toEqual([
      ["r1", 1],
      ["r2", 2],
    ])
  })

  it("takes over what changed in a round it knows, and does not add it twice", () => {
    expect(follow.apply(answer, event("round", "r1", { status: "answered" }))?.rounds).toMatchObject([
      { uuid: "r1", status: "answered" },
    ])
    expect(follow.apply(answer, event("round", "r1", { ...round("r1") }, "created"))?.rounds).toHaveLength(1)
  })

  it("asks again when the elaboration itself takes a step", () => {
    expect(follow.apply(answer, event("idea", "i1", { elaborationStatus: "validating" }))).toBeUndefined()
    expect(follow.apply(answer, event("idea", "i1", { title: "x" }))).toBe(answer)
  })

  it("leaves alone what belongs to other ideas, and rounds it has never seen", () => {
    expect(follow.apply(answer, event("round", "r9", { ...round("r9", { ideaUuid: "i2" }) }, "created"))).toBe(answer)
    expect(follow.apply(answer, event("round", "r9", { status: "answered" }))).toBe(answer)
    expect(follow.apply(answer, event("idea", "i2", { elaborationStatus: "resolved" }))).toBe(answer)
  })
})
