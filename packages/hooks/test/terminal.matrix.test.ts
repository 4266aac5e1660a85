import { describe, it } from "vitest"
import { everyVersion, openBoard, openClaude } from "./board.ts"
import { withoutServer } from "./terminal-steps.ts"

const ALL = await everyVersion()

describe("a server that is away", () => {
  it.each(ALL)("from the start puts no error on the screen of %s", async (version) => {
    await using board = await openBoard({ version, start: false })
    await using terminal = await openClaude(board, { version })
    await withoutServer(board, terminal, version)
  })

  it.each(ALL.filter((version) => version !== "2.1.325"))(
    "in mid-session puts no error on the screen of %s",
    async (version) => {
      await using board = await openBoard({ version })
      await using terminal = await openClaude(board, { version })
      await withoutServer(board, terminal, version)
    },
  )
})
