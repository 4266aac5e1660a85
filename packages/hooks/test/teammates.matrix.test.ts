import { describe, it } from "vitest"
import { everyVersion } from "./board.ts"
import { teammatesHandIn } from "./teammates.ts"

describe.each(await everyVersion())("teammates of Claude Code %s", (version) => {
  it.each(["in-process", "tmux"] as const)(
    "%s: hand in by their words and by their list, and end when they are shut down",
    { timeout: 300_000 },
    (mode) => teammatesHandIn(version, mode),
  )
})
