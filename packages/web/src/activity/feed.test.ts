import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { byDay, didKey, isWorthTelling, joined, lineOf } from "./feed.ts"

const event: LogEvent = {
  id: 7,
  at: "2026-05-01T10:00:00Z",
  kind: "session.checked_in",
  entityType: "checkin",
  entityUuid: "c1",
  projectUuid: "p",
  action: "created",
  patch: { taskUuid: "t1", sessionName: "worker", sessionUuid: "s1" },
  actor: { type: "agent", uuid: "a", name: "Ada" },
  requestId: null,
}

describe("the feed", () => {
  it("knows the words of a kind, and some words for kinds it does not know", () => {
    expect(didKey("task.verified")).toBe("activity.did.task.verified")
    expect(didKey("comet.sighted")).toBe("activity.did.other")
  })

  it("leaves signs of life out", () => {
    expect(isWorthTelling({ kind: "session.seen" })).toBe(false)
    expect(isWorthTelling({ kind: "task.claimed" })).toBe(true)
  })

  it("names what an event is about", () => {
    expect(lineOf(event, new Map([["t1", "Parser"]]))).toMatchObject({ targetTitle: "Parser", sessionName: "worker", action: "checked_in" })
  })

  it("joins pages without doubles, newest first, and groups by day", () => {
    const at = (id: number, createdAt: string) => ({ ...lineOf(event, new Map()), id, createdAt })
    const lines = joined([at(3, "2026-05-02"), at(2, "2026-05-01")], [at(2, "2026-05-01"), at(1, "2026-05-01")])
    expect(lines.map(({ id }) => id)).toEqual([3, 2, 1])
    expect(byDay(lines, (iso) => iso).map(({ day, lines: members }) => [day, members.length])).toEqual([
      ["2026-05-02", 1],
      ["2026-05-01", 2],
    ])
  })
})
