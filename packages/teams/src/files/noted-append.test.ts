import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { dropNote, isNoted } from "@chorus/disk"
import { describe, expect, it } from "vitest"
import { scratchFolder, scratchTeam } from "../../test/scratch-team.ts"

async function place() {
  const team = await scratchTeam(["bob"])
  const note = join(scratchFolder(), "mark-1")
  const staged = join(team.paths.own, "staged", "mark-1-bob.json")
  const say = () => team.deliver({ from: "ada", to: "bob", text: "hello", note })
  const inbox = async () => (await team.inbox("bob")).map(({ entry }) => entry.text)
  return { team, note, staged, say, inbox }
}

describe("a letter with a note", () => {
  it("arrives once, however often it is sent, also when its reader has taken it", async () => {
    const { team, note, say, inbox } = await place()
    await say()
    await say()
    expect([await inbox(), isNoted(note)]).toEqual([["hello"], true])
    writeFileSync(team.paths.inbox("bob"), "[]")
    await say()
    expect(await inbox()).toEqual([])
  })

  it("is sent by the next process where one was killed before it had noted it", async () => {
    const { note, staged, say, inbox } = await place()
    mkdirSync(dirname(staged), { recursive: true })
    writeFileSync(staged, "[half")
    expect(isNoted(note)).toBe(false)
    await say()
    expect(await inbox()).toEqual(["hello"])
  })

  it.each(["", undefined])(
    "is sent by the next where one was killed before the letter was in place, note %j",
    async (half) => {
      const { note, staged, say, inbox } = await place()
      mkdirSync(dirname(staged), { recursive: true })
      writeFileSync(staged, "[]")
      writeFileSync(note, half ?? staged)
      expect(isNoted(note)).toBe(false)
      await say()
      expect([await inbox(), isNoted(note), existsSync(staged)]).toEqual([["hello"], true, false])
    },
  )

  it("that an inbox does not take counts as not sent, and leaves nothing when it is given up", async () => {
    const { team, note, staged, say } = await place()
    rmSync(team.paths.inbox("bob"))
    mkdirSync(join(team.paths.inbox("bob"), "in the way"), { recursive: true })
    await expect(say()).rejects.toThrow()
    expect([isNoted(note), readFileSync(note, "utf8")]).toEqual([false, staged])
    dropNote(note)
    expect([existsSync(note), existsSync(staged)]).toEqual([false, false])
  })

  it("keeps what lay in the inbox, byte by byte as others wrote it", async () => {
    const { team, say, inbox } = await place()
    await team.deliver({ from: "ada", to: "bob", text: "before" })
    const before = readFileSync(team.paths.inbox("bob"), "utf8")
    await say()
    expect(await inbox()).toEqual(["before", "hello"])
    expect(readFileSync(team.paths.inbox("bob"), "utf8").startsWith(before.slice(0, -2))).toBe(true)
  })
})
