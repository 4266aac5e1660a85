import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { logEvent, stayRow, taskRow } from "../../test/rows.ts"
import { type BoardAnswer, followBoard, silentSince } from "./follow-board.ts"

const follow = followBoard("p")
const answer: BoardAnswer = {
  tasks: [taskRow(), taskRow({ uuid: "t2" })],
  checkins: [stayRow()],
  returned: [],
  position: 0,
}

function after(...events: Parameters<typeof logEvent>[0][]): BoardAnswer {
  return events.reduce<BoardAnswer>((now, changes) => follow.apply(now, logEvent(changes)) ?? now, answer)
}

describe("the board and the log", () => {
  it("changes the one card and leaves the others as they are", () => {
    const next = after({ entityUuid: "t2", patch: { status: "done", title: "New" } })
    expect(next.tasks[1]).toEqual(taskRow({ uuid: "t2", status: "done", title: "New" }))
    expect(next.tasks[0]).toBe(answer.tasks[0])
  })

  it.each([
    ["a change of a card it does not have", { entityUuid: "t9", patch: { status: "done" } }],
    ["the end of a card it does not have", { entityUuid: "t9", action: "deleted" as const }],
    ["another project's card", { projectUuid: "q", entityUuid: "t1", action: "deleted" as const }],
    ["an event of no project", { projectUuid: null }],
    ["an idea", { entityType: "idea", entityUuid: "t1", patch: { status: "done" } }],
    [
      "a stay that ended and was never seen",
      { entityType: "checkin", entityUuid: "c9", patch: { ...stayRow({ uuid: "c9", checkoutAt: "2026-01-02" }) } },
    ],
  ])("is the same object after %s", (_, changes) => {
    expect(follow.apply(answer, logEvent(changes))).toBe(answer)
  })

  it("shows a stay once, however often it is told", () => {
    const told = { entityType: "checkin", entityUuid: "c1", action: "created" as const, patch: { ...stayRow() } }
    expect(after(told, told).checkins).toEqual([stayRow()])
  })

  it("ends one stay and leaves the others", () => {
    const second = stayRow({ uuid: "c2", sessionUuid: "s2", sessionName: "other" })
    const next = after(
      { entityType: "checkin", entityUuid: "c2", action: "created", patch: { ...second } },
      { entityType: "checkin", entityUuid: "c1", patch: { ...stayRow({ checkoutAt: "2026-01-02" }) } },
    )
    expect(next.checkins).toEqual([second])
  })

  describe("whose program died", () => {
    const lost = stayRow({ checkoutAt: "2026-01-02", checkoutReason: "session_lost" })
    const died = { entityType: "checkin" as const, entityUuid: "c1", patch: { ...lost } }
    const begun = { entityUuid: "t1", patch: { status: "in_progress" as const } }

    it("is still on the card of work in progress, and not as one at work", () => {
      expect(after(begun, died).checkins).toEqual([lost])
      expect(silentSince(lost, 0)).toBe("2026-01-02")
    })

    it.each([
      ["the task is free again", { entityUuid: "t1", patch: { status: "open" as const } }],
      [
        "somebody takes it up",
        {
          entityType: "checkin" as const,
          entityUuid: "c2",
          action: "created" as const,
          patch: { ...stayRow({ uuid: "c2" }) },
        },
      ],
    ])("is not, once %s", (_, then) => {
      expect(after(begun, died, then, begun).checkins.filter(({ checkoutAt }) => checkoutAt !== null)).toEqual([])
    })
  })

  it("takes who is at a card for silent after six minutes without a sign of life, of which each counts", () => {
    const [told] = after({ entityType: "session", entityUuid: "s1", projectUuid: null, patch: {} }).checkins
    expect(told && silentSince(told, Date.parse("2026-01-01T00:06:00.000Z"))).toBeUndefined()
    expect(told && silentSince(told, Date.parse("2026-01-01T00:06:01.000Z"))).toBe("2026-01-01T00:00:00.000Z")
    const lastActiveAt = "2026-01-01T00:05:00.000Z"
    const seen = { entityType: "session" as const, entityUuid: "s1", projectUuid: null, patch: { lastActiveAt } }
    const [heard] = after(seen).checkins
    expect(heard && silentSince(heard, Date.parse("2026-01-01T00:11:00.000Z"))).toBeUndefined()
    expect(heard && silentSince(heard, Date.parse("2026-01-01T00:11:01.000Z"))).toBe(lastActiveAt)
  })

  it("never has a card twice and never keeps one that is gone", () => {
    const step = fc.record({
      entityUuid: fc.constantFrom("t1", "t2", "t3"),
      action: fc.constantFrom("created", "updated", "deleted"),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const known = new Set(["t1", "t2"])
        let now = answer
        for (const { entityUuid, action } of steps) {
          now = follow.apply(now, logEvent({ entityUuid, action, patch: { ...taskRow({ uuid: entityUuid }) } })) ?? now
          if (action === "created") known.add(entityUuid)
          if (action === "deleted") known.delete(entityUuid)
        }
        expect(now.tasks.map(({ uuid }) => uuid).toSorted()).toEqual([...known].toSorted())
      }),
    )
  })
})
