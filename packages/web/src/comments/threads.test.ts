import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { type Comment, followComments, threadsOf } from "./threads.ts"

function comment(uuid: string, changes: Partial<Comment> = {}): Comment {
  return {
    uuid,
    projectUuid: "p",
    targetType: "task",
    targetUuid: "t",
    parentUuid: null,
    content: uuid,
    author: null,
    authorType: "user",
    authorUuid: "u",
    createdAt: "2026-01-01T00:00:00Z",
    editedAt: null,
    deletedAt: null,
    ...changes,
  }
}

const names = ["a", "b", "c", "d", "e"]
/** Any conversation, also one no server would give: circles, missing parents, deleted ones. */
const conversation = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 5 }).chain((uuids) =>
  fc.tuple(
    ...uuids.map((uuid) =>
      fc
        .record({
          parentUuid: fc.constantFrom(null, ...names, "elsewhere"),
          createdAt: fc.constantFrom("1", "2", "3"),
          deletedAt: fc.constantFrom(null, null, "9"),
        })
        .map((changes) => comment(uuid, changes)),
    ),
  ),
)

describe("threads of any conversation", () => {
  it("show every comment that is left exactly once", () => {
    fc.assert(
      fc.property(conversation, (rows) => {
        const shown = threadsOf(rows).flatMap(({ first, answers }) => [first, ...answers])
        const uuids = shown.map(({ uuid }) => uuid)
        expect(new Set(uuids).size).toBe(uuids.length)
        for (const { uuid, deletedAt } of rows) if (deletedAt === null) expect(uuids).toContain(uuid)
      }),
    )
  })

  it("do not depend on the order in which the comments came", () => {
    fc.assert(
      fc.property(
        conversation.filter((rows) =>
          rows.every(({ parentUuid }) => parentUuid === null || parentUuid === "elsewhere"),
        ),
        (rows) => {
          expect(threadsOf(rows.toReversed())).toEqual(threadsOf(rows))
        },
      ),
    )
  })

  it("keep answers in the order they were given", () => {
    fc.assert(
      fc.property(conversation, (rows) => {
        for (const { answers } of threadsOf(rows)) {
          const times = answers.map(({ createdAt }) => createdAt)
          expect(times).toEqual(times.toSorted())
        }
      }),
    )
  })

  it("part what was said in the same moment by their ids", () => {
    expect(threadsOf([comment("b"), comment("a")]).map(({ first }) => first.uuid)).toEqual(["a", "b"])
  })

  it("leave a deleted answer out", () => {
    const [thread] = threadsOf([
      comment("a"),
      comment("b", { parentUuid: "a", deletedAt: "9", createdAt: "2026-01-02" }),
    ])
    expect(thread?.answers).toEqual([])
  })
})

describe("comments and the log", () => {
  const answer = { comments: [comment("a")], returned: 1, page: 1, pageSize: 100, total: 7 }
  const follow = followComments("t")
  const said = (changes: Parameters<typeof logEvent>[0]) =>
    follow.apply(answer, logEvent({ entityType: "comment", entityUuid: "z", ...changes }))

  it("count what is new, and only that", () => {
    expect(said({ action: "created", patch: { ...comment("z") } })?.total).toBe(8)
    expect(said({ entityUuid: "a", action: "updated", patch: { editedAt: "9" } })?.total).toBe(7)
  })

  it("do not show twice what was in the answer already", () => {
    expect(said({ entityUuid: "a", action: "created", patch: { ...comment("a", { content: "before" }) } })).toBe(answer)
  })

  it("keep a deleted one for its place", () => {
    expect(said({ entityUuid: "a", action: "updated", patch: { deletedAt: "9", content: "" } })?.comments).toEqual([
      comment("a", { deletedAt: "9", content: "" }),
    ])
  })

  it.each([
    ["a task changed", { entityType: "task", entityUuid: "a", patch: { content: "x" } }],
    ["somebody spoke elsewhere", { action: "created" as const, patch: { ...comment("z", { targetUuid: "other" }) } }],
  ])("stay the same object when %s", (_, changes) => {
    expect(said(changes)).toBe(answer)
  })
})
