import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { type Comment, followComments, threadsOf } from "./threads.ts"

function comment(uuid: string, parentUuid: string | null = null, changes: Partial<Comment> = {}): Comment {
  return {
    uuid,
    projectUuid: "p",
    targetType: "task",
    targetUuid: "t",
    parentUuid,
    content: uuid,
    author: null,
    authorType: "user",
    authorUuid: "u",
    createdAt: `2026-01-01T00:00:0${uuid.slice(-1)}Z`,
    editedAt: null,
    deletedAt: null,
    ...changes,
  }
}

function event(changes: Parameters<typeof logEvent>[0]): LogEvent {
  return logEvent({
    kind: "comment.added",
    entityType: "comment",
    entityUuid: "c9",
    projectUuid: "p",
    action: "created",
    patch: {},
    ...changes,
  })
}

describe("threads", () => {
  it("gather answers, and answers to answers, under what they answer, oldest first", () => {
    const threads = threadsOf([comment("c4", "c3"), comment("c3", "c1"), comment("c2"), comment("c1")])
    expect(threads.map(({ first, answers }) => [first.uuid, answers.map(({ uuid }) => uuid)])).toEqual([
      ["c1", ["c3", "c4"]],
      ["c2", []],
    ])
  })

  it("keep the place of a deleted beginning only while it has answers", () => {
    const gone = { deletedAt: "2026-01-02T00:00:00Z" }
    expect(threadsOf([comment("c1", null, gone)])).toEqual([])
    expect(threadsOf([comment("c1", null, gone), comment("c2", "c1")])).toHaveLength(1)
  })

  it("end where comments answer each other in a circle or a parent is missing", () => {
    expect(threadsOf([comment("c1", "c2"), comment("c2", "c1")]).length).toBeGreaterThan(0)
    expect(threadsOf([comment("c2", "elsewhere")])[0]?.first.uuid).toBe("c2")
  })
})

describe("following comments", () => {
  const answer = { comments: [comment("c1")], returned: 1, page: 1, pageSize: 100, total: 1 }
  const follow = followComments("t")

  it("adds what is said here and changes what is rewritten", () => {
    expect(follow.apply(answer, event({ patch: { ...comment("c9") } }))?.comments.map(({ uuid }) => uuid)).toEqual([
      "c9",
      "c1",
    ])
    expect(
      follow.apply(answer, event({ entityUuid: "c1", action: "updated", patch: { content: "new" } }))?.comments[0]
        ?.content,
    ).toBe("new")
  })

  it("leaves what is said elsewhere", () => {
    expect(follow.apply(answer, event({ patch: { ...comment("c9"), targetUuid: "other" } }))).toBe(answer)
  })
})
