import { existsSync, readdirSync, utimesSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import { machine, makeStage, recoverSwap, swapIn, sweepStages } from "./staging.ts"

const scratch = useFolder()
const DEAD = 2 ** 22 + 7
const DAY = 24 * 60 * 60 * 1000

describe("a stage", () => {
  it("is a new empty folder each time, beside where its result goes", () => {
    const [one, other] = [makeStage(scratch.at("deep/cache")), makeStage(scratch.at("deep/cache"))]
    expect(one).not.toBe(other)
    expect([readdirSync(one), readdirSync(other)]).toEqual([[], []])
    expect(basename(one)).toMatch(new RegExp(`^temp_chorus_${machine()}_${process.pid}_[0-9a-f]{8}_[0-9a-f]{12}$`))
  })

  it("is swept when its process is gone, and kept while it lives", () => {
    const mine = makeStage(scratch.path)
    scratch.folder(`temp_chorus_${machine()}_${DEAD}_abc/deep`)
    // Its process id was given to another since.
    scratch.folder(`temp_chorus_${machine()}_${process.pid}_00000000_abc`)
    sweepStages(scratch.path)
    expect(readdirSync(scratch.path)).toEqual([basename(mine)])
  })

  it("of another machine that shares this home is swept after a day, not before", () => {
    const at = (name: string, age: number) =>
      utimesSync(scratch.folder(name), new Date(Date.now() - age), new Date(Date.now() - age))
    at(`temp_chorus_00000000_${process.pid}_old`, DAY + 60_000)
    at(`temp_chorus_00000000_${DEAD}_new`, DAY - 60_000)
    sweepStages(scratch.path)
    expect(readdirSync(scratch.path)).toEqual([`temp_chorus_00000000_${DEAD}_new`])
  })

  it("is all that is swept: neither what belongs to others nor what only looks like one", () => {
    const names = ["marketplace", `temp_${DEAD}`, "temp_chorus_zz_1_x", "temp_chorus_", "temp_git_123"]
    for (const name of names) scratch.folder(name)
    sweepStages(scratch.path)
    expect(readdirSync(scratch.path).sort()).toEqual([...names].sort())
    sweepStages(scratch.at("none"))
  })
})

describe("a swap", () => {
  const old = () => scratch.at("p.chorus-old")

  it("puts the new in the place of nothing and of the old, and leaves nothing else", () => {
    scratch.write({ "one/v": "1", "two/v": "2" })
    swapIn(scratch.at("one"), scratch.at("p"))
    swapIn(scratch.at("two"), scratch.at("p"))
    expect([scratch.read("p/v"), readdirSync(scratch.path)]).toEqual(["2", ["p"]])
  })

  it("works for a single file too", () => {
    scratch.write({ one: "1", p: "0" })
    swapIn(scratch.at("one"), scratch.at("p"))
    expect(scratch.read("p")).toBe("1")
  })

  it("that was interrupted after the old was put aside is undone", () => {
    scratch.write({ "p.chorus-old/v": "old" })
    recoverSwap(scratch.at("p"))
    expect([scratch.read("p/v"), existsSync(old())]).toEqual(["old", false])
  })

  it("that was interrupted after the new came is kept, and the next one clears up", () => {
    scratch.write({ "p/v": "new", "p.chorus-old/v": "old", "next/v": "next" })
    recoverSwap(scratch.at("p"))
    expect(scratch.read("p/v")).toBe("new")
    swapIn(scratch.at("next"), scratch.at("p"))
    expect([scratch.read("p/v"), existsSync(old())]).toEqual(["next", false])
  })

  it("whose new part is not there puts the old back into reach", () => {
    scratch.write({ "p/v": "old" })
    expect(() => swapIn(scratch.at("gone"), scratch.at("p"))).toThrow(/ENOENT/)
    recoverSwap(scratch.at("p"))
    expect(scratch.read("p/v")).toBe("old")
  })

  it("that never began needs nothing", () => {
    recoverSwap(join(scratch.path, "nowhere"))
    expect(readdirSync(scratch.path)).toEqual([])
  })
})
