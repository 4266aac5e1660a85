import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createTeam } from "@chorus/teams"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolders, withStreams } from "../../test/command-line.ts"
import { openAskers } from "./askers.ts"

/** Higher than any process id that Linux gives. */
const NOBODY = 2 ** 22 + 1

const folder = scratchFolders()
let directory: string

beforeEach(() => {
  directory = folder()
})

const noted = () => readdirSync(join(directory, "for")).toSorted()
async function remain(): Promise<boolean> {
  let left = false
  await withStreams(
    { env: { CLAUDE_CONFIG_DIR: join(directory, "claude") } },
    async () => void (left = await openAskers(directory).remain()),
  )
  return left
}

describe("those who asked for a companion", () => {
  it("are nobody at first, and nothing is made to find that out", async () => {
    expect(await remain()).toBe(false)
    expect(existsSync(directory)).toBe(false)
  })

  it("remain as long as their process lives, noted once, for their owner's eyes", async () => {
    const askers = openAskers(directory)
    for (const _ of [1, 2]) askers.ask(process.pid)
    expect(noted()).toEqual([String(process.pid)])
    expect(statSync(join(directory, "for")).mode & 0o077).toBe(0)
    expect(await remain()).toBe(true)
  })

  it("are forgotten when they are gone, and the others stay", async () => {
    const askers = openAskers(directory)
    for (const pid of [NOBODY, process.pid]) askers.ask(pid)
    expect(await remain()).toBe(true)
    expect(noted()).toEqual([String(process.pid)])
  })

  it("include processes of others, which cannot be signalled but live", async () => {
    openAskers(directory).ask(process.ppid)
    expect(await remain()).toBe(true)
  })

  it("are forgotten when another process has their id", async () => {
    openAskers(directory).ask(process.pid)
    writeFileSync(join(directory, "for", String(process.pid)), "at another time")
    expect(await remain()).toBe(false)
    expect(noted()).toEqual([])
  })

  it.each(["0", "1", "-1", "1.5", "note.txt", String(NOBODY)])("are not %j, which is taken away", async (name) => {
    mkdirSync(join(directory, "for"), { recursive: true })
    writeFileSync(join(directory, "for", name), "")
    expect(await remain()).toBe(false)
    expect(noted()).toEqual([])
  })

  it("do not include a team whose members run nowhere, nor one that cannot be read", async () => {
    await createTeam({ name: "crew" }, { root: join(directory, "claude") })
    mkdirSync(join(directory, "claude", "teams", "broken"), { recursive: true })
    writeFileSync(join(directory, "claude", "teams", "broken", "config.json"), "[]")
    expect(await remain()).toBe(false)
  })
})
