import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { present } from "../../test/present.ts"
import {
  CELL_HEIGHT,
  CELL_WIDTH,
  celebrant,
  floorFor,
  frameOf,
  lookOf,
  placeOf,
  type Posture,
  postureOf,
  SCALE,
  seating,
  WALL_HEIGHT,
} from "./scene.ts"

const POSTURES: readonly Posture[] = ["typing", "resting", "asking", "celebrating", "asleep", "away"]

describe("how somebody sits", () => {
  it.each([
    ["typing", { state: "running" }],
    ["resting", { state: "idle" }],
    ["resting", { state: "finished" }],
    ["resting", {}],
    ["asleep", { status: "inactive" }],
    ["asking", { state: "needsInput" }],
    ["asking", { state: "needsInput", status: "inactive" }],
  ] as const)("is %s for %o", (posture, changes) => {
    expect(postureOf(present("s", changes), false)).toBe(posture)
  })

  it("lets joy hide no raised hand", () => {
    expect(postureOf(present("s"), true)).toBe("celebrating")
    expect(postureOf(present("s", { state: "needsInput" }), true)).toBe("asking")
  })
})

describe("pictures", () => {
  const changes = (posture: Posture) =>
    Array.from({ length: 80 }, (_, tick) => Number(frameOf(posture, tick, 0) !== frameOf(posture, tick + 1, 0))).reduce(
      (a, b) => a + b,
      0,
    )

  it("change no more often than they must", () => {
    expect(changes("typing")).toBe(80)
    expect(changes("resting")).toBe(8)
    expect(changes("asleep")).toBeLessThan(8)
    expect(changes("away")).toBe(0)
  })

  it("are out of step from person to person", () => {
    expect(frameOf("typing", 0, 1)).not.toBe(frameOf("typing", 0, 2))
  })

  it("are few, and the same ones come round again", () => {
    const frames = (posture: Posture) => new Set(Array.from({ length: 200 }, (_, tick) => frameOf(posture, tick, 7)))
    expect(POSTURES.map((posture) => frames(posture).size)).toEqual([4, 2, 2, 4, 2, 1])
  })

  it("show the same face for the same session, and many faces for many", () => {
    expect(lookOf("a", "b")).toEqual(lookOf("a", "b"))
    expect(
      new Set(Array.from({ length: 60 }, (_, at) => JSON.stringify(lookOf(`s${at}`, `a${at}`)))).size,
    ).toBeGreaterThan(12)
  })

  it("show an agent's sessions in one shirt, which tells it from others", () => {
    const shirts = (agent: string) => new Set(Array.from({ length: 20 }, (_, at) => lookOf(`s${at}`, agent).shirt))
    expect(["a", "b", "c"].map((agent) => shirts(agent).size)).toEqual([1, 1, 1])
    expect(new Set(Array.from({ length: 60 }, (_, at) => lookOf("s", `a${at}`).shirt)).size).toBe(8)
  })

  it("have a colour for every look", () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const { shirt, hair, skin } = lookOf(uuid, uuid)
        return shirt >= 0 && shirt < 8 && hair >= 0 && hair < 5 && skin >= 0 && skin < 4
      }),
    )
  })
})

describe("the floor", () => {
  it.each([
    [100, 1200, { columns: 9, rows: 12 }],
    [3, 50, { columns: 1, rows: 3 }],
    [4, 50, { columns: 1, rows: 4 }],
    [0, 1000, { columns: 7, rows: 3 }],
    [0, 0, { columns: 1, rows: 3 }],
  ])("for %i people in %i pixels is %o", (people, width, floor) => {
    expect(floorFor(people, width)).toEqual(floor)
  })

  it("has a desk for everybody, none outside the room and none on another", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 150 }),
        fc.integer({ min: CELL_WIDTH * SCALE, max: 2600 }),
        (people, width) => {
          const floor = floorFor(people, width)
          const places = Array.from({ length: people }, (_, at) => placeOf(at, floor))
          expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(people)
          for (const { x, y } of places) {
            expect((x + CELL_WIDTH) * SCALE).toBeLessThanOrEqual(width)
            expect(y).toBeGreaterThanOrEqual(WALL_HEIGHT)
            expect(y + CELL_HEIGHT).toBeLessThanOrEqual(WALL_HEIGHT + floor.rows * CELL_HEIGHT)
          }
        },
      ),
    )
  })

  it("begins a row where the last one is full", () => {
    expect([0, 1, 2, 3].map((at) => placeOf(at, { columns: 2, rows: 3 }))).toEqual([
      { x: 0, y: 26 },
      { x: 44, y: 26 },
      { x: 0, y: 72 },
      { x: 44, y: 72 },
    ])
  })
})

describe("seating", () => {
  it("leaves everybody where they are", () => {
    const first = seating(new Map(), ["a", "b", "c"])
    expect([...first]).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 2],
    ])
    expect([...seating(first, ["c", "a"])]).toEqual([
      ["c", 2],
      ["a", 0],
    ])
  })

  it("gives newcomers the first free desk", () => {
    const next = seating(seating(new Map(), ["a", "b", "c"]), ["d", "c", "a", "e"])
    expect([next.get("d"), next.get("e")]).toEqual([1, 3])
  })

  it("forgets the desk of who has gone", () => {
    const gone = seating(seating(new Map(), ["a", "b"]), ["b"])
    expect([...seating(gone, ["a", "b"])]).toEqual([
      ["b", 1],
      ["a", 0],
    ])
  })

  it("never puts two at one desk and moves nobody, whoever comes and goes", () => {
    const rooms = fc.array(fc.uniqueArray(fc.constantFrom(..."abcdefghij"), { maxLength: 8 }), {
      minLength: 2,
      maxLength: 12,
    })
    fc.assert(
      fc.property(rooms, (visits) => {
        let before: ReadonlyMap<string, number> = new Map()
        for (const people of visits) {
          const after = seating(before, people)
          expect([...after.keys()].toSorted()).toEqual(people.toSorted())
          expect(new Set(after.values()).size).toBe(people.length)
          for (const [who, desk] of after) if (before.has(who)) expect(desk).toBe(before.get(who))
          before = after
        }
      }),
    )
  })
})

describe("celebrating", () => {
  const left = (checkoutReason: unknown, changes: Parameters<typeof logEvent>[0] = {}) =>
    celebrant(
      logEvent({
        entityType: "checkin",
        kind: "session.checked_out",
        patch: { sessionUuid: "s", checkoutReason },
        ...changes,
      }),
    )

  it.each(["task_submitted", "task_done"])("follows %s", (reason) => {
    expect(left(reason)).toBe("s")
  })

  it.each(["session_closed", "task_released", null, undefined])("does not follow %s", (reason) => {
    expect(left(reason)).toBeUndefined()
  })

  it("is for leaving a task with work handed in, and for nothing else that happens", () => {
    expect(left("task_submitted", { kind: "session.checked_in" })).toBeUndefined()
    expect(left("task_submitted", { patch: { checkoutReason: "task_submitted" } })).toBeUndefined()
  })
})
