import * as fc from "fast-check"
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
    expect(uuids(atHand(projects(4), [visit("p3", 1, true), visit("p1", 2, true)], undefined))).toEqual([
      "p1",
      "p3",
      "p0",
      "p2",
    ])
  })

  it("are of many those visited last, and the one the person is in", () => {
    const visits = Array.from({ length: 8 }, (_, index) => visit(`p${index + 10}`, index))
    expect(uuids(atHand(projects(30), visits, "p2"))).toEqual(["p2", ...visits.map(({ projectUuid }) => projectUuid)])
  })

  it("do not include a project that is gone", () => {
    expect(uuids(atHand(projects(1), [visit("gone", 5, true)], undefined))).toEqual(["p0"])
  })
})

describe("the projects at hand of anybody", () => {
  const minutes = fc.uniqueArray(fc.nat(59), { minLength: 20, maxLength: 20 })
  const visited = fc.array(fc.tuple(fc.nat(24), fc.boolean()), { maxLength: 20 })

  it("are each there once, all that is pinned first, and at most eight others beside the one at hand", () => {
    fc.assert(
      fc.property(visited, minutes, fc.nat(24), (places, times, here) => {
        const visits = [
          ...new Map(places.map(([at, pinned], index) => [at, visit(`p${at}`, times[index] ?? 0, pinned)])).values(),
        ]
        const pinned = new Set(visits.filter(({ pinnedAt }) => pinnedAt !== null).map(({ projectUuid }) => projectUuid))
        const shown = uuids(atHand(projects(25), visits, `p${here}`))
        expect(new Set(shown).size).toBe(shown.length)
        expect(new Set(shown.slice(0, pinned.size))).toEqual(pinned)
        expect(shown).toContain(`p${here}`)
        expect(shown.length - pinned.size).toBeLessThanOrEqual(9)
      }),
    )
  })
})
