import { describe, expect, it } from "vitest"
import { present } from "../../test/present.ts"
import { seatsOf } from "./seats.ts"

const floor = { columns: 2, rows: 2 }
const agent = { uuid: "builder" }
const people = [
  { session: present("ada", { state: "running" }), agent },
  { session: present("bob", { state: "needsInput" }), agent },
]
const taken = new Map([
  ["ada", 2],
  ["bob", 0],
])

describe("the desks of the room", () => {
  it("are all there, with whoever sits at them and without", () => {
    expect(seatsOf(people, taken, new Set(), floor).map(({ key, posture, x, y }) => ({ key, posture, x, y }))).toEqual([
      { key: "bob", posture: "asking", x: 0, y: 26 },
      { key: "free 1", posture: "away", x: 44, y: 26 },
      { key: "ada", posture: "typing", x: 0, y: 72 },
      { key: "free 3", posture: "away", x: 44, y: 72 },
    ])
  })

  it("show joy at the desk of who has it", () => {
    const seats = seatsOf(people, taken, new Set(["ada", "bob"]), floor)
    expect(seats.find(({ key }) => key === "ada")?.posture).toBe("celebrating")
    expect(seats.find(({ key }) => key === "bob")?.posture).toBe("asking")
  })

  it("stand empty while nobody is in", () => {
    expect(seatsOf([], new Map(), new Set(), floor).every(({ posture }) => posture === "away")).toBe(true)
  })

  it("give the same person the same look and step at whatever desk", () => {
    const [here] = seatsOf(people, new Map([["ada", 0]]), new Set(), floor)
    const there = seatsOf(people, taken, new Set(), floor)[2]
    expect([there?.look, there?.seed]).toEqual([here?.look, here?.seed])
  })
})
