import { describe, expect, it } from "vitest"
import { atHand } from "./at-hand.ts"

const projects = (count: number) => Array.from({ length: count }, (_, index) => ({ uuid: `p${index}` }))
const visit = (projectUuid: string, minute: number, pinned = false) => {
  const at = `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`
  return { projectUuid, lastVisitedAt: at, pinnedAt: pinned ? at : null }
}
const uuids = (list: readonly { uuid: string }[]) => list.map(({ uuid }) => uuid)

describe("the projects at hand", () => {
  it("are all of a few, in their own order, whatever was visited last", () => {
    expect(uuids(atHand(projects(4), [visit("p3", 9), visit("p1", 2)], undefined))).toEqual(["p0", "p1", "p2", "p3"])
  })

  it("begin with what is pinned", () => {
    expect(uuids(atHand(projects(4), [visit("p3", 1, true), visit("p1", 2, true)], undefined))).toEqual(["p1", "p3", "p0", "p2"])
  })

  it("are of many those visited last, and the one the person is in", () => {
    const visits = Array.from({ length: 8 }, (_, index) => visit(`p${index + 10}`, index))
    expect(uuids(atHand(projects(30), visits, "p2"))).toEqual(["p2", ...visits.map(({ projectUuid }) => projectUuid)])
  })

  it("do not include a project that is gone", () => {
    expect(uuids(atHand(projects(1), [visit("gone", 5, true)], undefined))).toEqual(["p0"])
  })
})
