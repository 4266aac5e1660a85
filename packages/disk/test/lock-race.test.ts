import { expect, test } from "vitest"
import { raceFor } from "./lock-race.ts"
import { RACES } from "./races.ts"
import { scratchFolder } from "./worker.ts"

const KILLS = process.env["CHORUS_STRESS"] === "1" ? 350 : 8

test.each(Object.keys(RACES))(
  "six processes change %s while one after another is killed: no two are inside, nothing acknowledged is lost",
  { timeout: 1_800_000 },
  async (kind) => {
    const result = await raceFor(kind, scratchFolder(), KILLS)
    process.stdout.write(`  figure: ${kind}: ${JSON.stringify(result)}\n`)
    expect(result).toMatchObject({ kills: KILLS, overlaps: 0, lost: 0 })
    expect(result.changes).toBeGreaterThan(0)
  },
)
