import { describe, expect, it } from "vitest"
import type { PresentSession } from "../agents/presence.ts"
import { CELL_HEIGHT, CELL_WIDTH, celebrant, floorFor, frameOf, lookOf, placeOf, postureOf, SCALE, seating, WALL_HEIGHT } from "./scene.ts"

function session(changes: Partial<PresentSession>): PresentSession {
  return { uuid: "s", agentUuid: "a", name: "s", description: null, status: "active", source: null, externalId: null, machine: null, parentUuid: null, state: null, stateSince: null, stateDetail: null, lastWords: null, lastActiveAt: "1", createdAt: "1", updatedAt: "1", closedAt: null, working: [], ...changes }
}

describe("how somebody sits", () => {
  it("follows from what is known", () => {
    expect(postureOf(session({ state: "running" }), false)).toBe("typing")
    expect(postureOf(session({ state: "idle" }), false)).toBe("resting")
    expect(postureOf(session({ status: "inactive" }), false)).toBe("asleep")
    expect(postureOf(session({ state: "needsInput" }), false)).toBe("asking")
  })

  it("lets joy hide no raised hand", () => {
    expect(postureOf(session({}), true)).toBe("celebrating")
    expect(postureOf(session({ state: "needsInput" }), true)).toBe("asking")
  })
})

describe("pictures", () => {
  it("change no more often than they must", () => {
    const changes = (posture: Parameters<typeof frameOf>[0]) => Array.from({ length: 80 }, (_, tick) => Number(frameOf(posture, tick, 0) !== frameOf(posture, tick + 1, 0))).reduce((a, b) => a + b, 0)
    expect(changes("typing")).toBe(80)
    expect(changes("resting")).toBe(8)
    expect(changes("asleep")).toBeLessThan(8)
  })

  it("are out of step from person to person", () => {
    expect(frameOf("typing", 0, 1)).not.toBe(frameOf("typing", 0, 2))
  })

  it("show the same face for the same session", () => {
    expect(lookOf("a")).toEqual(lookOf("a"))
    expect(new Set(Array.from({ length: 60 }, (_, at) => JSON.stringify(lookOf(`s${at}`)))).size).toBeGreaterThan(20)
  })
})

describe("the floor", () => {
  it("has a desk for everybody and none outside the room", () => {
    const floor = floorFor(100, 1200)
    expect(floor.columns * CELL_WIDTH * SCALE).toBeLessThanOrEqual(1200)
    expect(floor.columns * floor.rows).toBeGreaterThanOrEqual(100)
    expect(placeOf(floor.columns, floor)).toEqual({ x: 0, y: WALL_HEIGHT + CELL_HEIGHT })
  })

  it("works in a narrow room", () => {
    expect(floorFor(3, 50)).toEqual({ columns: 1, rows: 3 })
    expect(floorFor(0, 1000)).toEqual({ columns: 7, rows: 3 })
  })
})

describe("seating", () => {
  it("leaves everybody where they are", () => {
    const first = seating(new Map(), ["a", "b", "c"])
    expect([...first]).toEqual([["a", 0], ["b", 1], ["c", 2]])
    expect([...seating(first, ["c", "a"])]).toEqual([["c", 2], ["a", 0]])
  })

  it("gives newcomers the first free desk", () => {
    expect(seating(seating(new Map(), ["a", "b", "c"]), ["d", "c", "a", "e"]).get("d")).toBe(1)
    expect(seating(seating(new Map(), ["a", "b", "c"]), ["d", "c", "a", "e"]).get("e")).toBe(3)
  })
})

describe("celebrating", () => {
  it("is for handed-in work alone", () => {
    const left = (checkoutReason: string | null) => celebrant({ entityType: "checkin", kind: "session.checked_out", patch: { sessionUuid: "s", checkoutReason } })
    expect(left("task_submitted")).toBe("s")
    expect(left("session_closed")).toBeUndefined()
    expect(left(null)).toBeUndefined()
  })
})
