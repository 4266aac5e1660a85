import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import type { TeamInboxEntry } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { codeOf, jsonIn, scratchTeam } from "../../test/scratch-team.ts"
import {
  allIn,
  allInNow,
  appendToInbox,
  historyFolder,
  historyOf,
  historySince,
  idOf,
  openInbox,
  takeFromInbox,
  unreadIn,
} from "./inbox-file.ts"
import type { TeamPaths } from "./team-paths.ts"

const at = "2026-02-01T00:00:00.000Z"
const message = (text: string, more: Partial<TeamInboxEntry> = {}): TeamInboxEntry => ({
  from: "alice",
  text,
  timestamp: at,
  read: false,
  ...more,
})
const texts = (messages: readonly { entry: TeamInboxEntry }[]) => messages.map(({ entry }) => entry.text)
const inboxOf = async (...entries: unknown[]): Promise<TeamPaths> => {
  const { paths } = await scratchTeam(["bob"])
  writeFileSync(paths.inbox("bob"), JSON.stringify(entries))
  return paths
}

describe("an inbox", () => {
  it("holds what was appended, in that order, when append returns", async () => {
    const paths = await inboxOf()
    for (const text of ["one", "two", "three"]) await appendToInbox(paths, "bob", message(text))
    expect(jsonIn(paths.inbox("bob"))).toEqual([message("one"), message("two"), message("three")])
  })

  it("loses none of many appends that are made at once", async () => {
    const paths = await inboxOf()
    const sent = Array.from({ length: 40 }, (_, n) => `message ${n}`)
    await Promise.all(sent.map((text) => appendToInbox(paths, "bob", message(text))))
    expect(texts(await allIn(paths, "bob")).sort()).toEqual(sent.sort())
    expect(existsSync(`${paths.inbox("bob")}.lock`)).toBe(false)
  })

  it("is made for a member that has none yet, and for its owner only", async () => {
    const { paths } = await scratchTeam()
    await appendToInbox(paths, "newcomer", message("welcome"))
    expect(texts(await unreadIn(paths, "newcomer"))).toEqual(["welcome"])
    expect(statSync(paths.inbox("newcomer")).mode & 0o777).toBe(0o600)
  })

  it("is opened empty once, and opening again keeps what is in it", async () => {
    const { paths } = await scratchTeam()
    await openInbox(paths, "carol")
    expect(jsonIn(paths.inbox("carol"))).toEqual([])
    await appendToInbox(paths, "carol", message("kept"))
    await openInbox(paths, "carol")
    expect(texts(await allIn(paths, "carol"))).toEqual(["kept"])
  })

  it("is empty where there is no file, or a folder in its place", async () => {
    const { paths } = await scratchTeam()
    expect(await unreadIn(paths, "nobody")).toEqual([])
    expect(await takeFromInbox(paths, "nobody", "named")).toEqual([])
    mkdirSync(paths.inbox("folder"))
    expect(await allIn(paths, "folder")).toEqual([])
    expect(allInNow(paths, "folder")).toEqual([])
  })

  it("says undefined at this very moment while somebody writes it", async () => {
    const paths = await inboxOf()
    writeFileSync(paths.inbox("bob"), '[{"from":')
    expect(allInNow(paths, "bob")).toBeUndefined()
  })

  it.each(["../carol", "a/b", "\0"])("stays in its folder under the name %j", async (name) => {
    const { paths } = await scratchTeam()
    await appendToInbox(paths, name, message("x"))
    expect(readdirSync(paths.inboxes)).toEqual([basename(paths.inbox(name))])
    expect(await takeFromInbox(paths, name, "named")).toHaveLength(1)
  })

  it.each(["inbox", "folder of inboxes", "team's folder"])(
    "that is reached through a link in the place of the %s is refused for reading, writing and taking",
    async (place) => {
      const paths = await inboxOf(message("secret"))
      const path =
        { inbox: paths.inbox("bob"), "folder of inboxes": paths.inboxes, "team's folder": paths.directory }[place] ?? ""
      renameSync(path, join(paths.root, "elsewhere"))
      symlinkSync(join(paths.root, "elsewhere"), path)
      for (const work of [
        unreadIn(paths, "bob"),
        allIn(paths, "bob"),
        appendToInbox(paths, "bob", message("x")),
        takeFromInbox(paths, "bob", "named"),
      ]) {
        expect(await codeOf(work)).toBe("symlink_refused")
      }
    },
  )
})

describe("taking", () => {
  it("marks messages read in a named team and leaves them there", async () => {
    const paths = await inboxOf(message("one"), message("two", { summary: "s", zzz: 1 }))
    expect(texts(await takeFromInbox(paths, "bob", "named"))).toEqual(["one", "two"])
    expect(jsonIn(paths.inbox("bob"))).toEqual([
      message("one", { read: true }),
      message("two", { summary: "s", zzz: 1, read: true }),
    ])
    expect(historyOf(paths, "bob")).toEqual([])
  })

  it("moves messages to the history in a session's team", async () => {
    const paths = await inboxOf(message("one", { msg_id: "m1" }), message("two", { msg_id: "m2" }))
    await takeFromInbox(paths, "bob", "session", ({ entry }) => entry.text === "one")
    expect(texts(await allIn(paths, "bob"))).toEqual(["two"])
    expect(historyOf(paths, "bob")).toEqual([{ id: "m1", entry: message("one", { msg_id: "m1" }) }])
  })

  it.each(["named", "session"] as const)("gives each message to one of many takers (%s)", async (era) => {
    const paths = await inboxOf(...Array.from({ length: 10 }, (_, n) => message(`m${n}`)))
    const takers = await Promise.all(Array.from({ length: 8 }, () => takeFromInbox(paths, "bob", era)))
    expect(texts(takers.flat())).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"])
  })

  it("does not write the file when nothing is wanted", async () => {
    const paths = await inboxOf(message("one"), message("old", { read: true }))
    const before = statSync(paths.inbox("bob")).ino
    expect(await takeFromInbox(paths, "bob", "session", () => false)).toEqual([])
    expect(statSync(paths.inbox("bob")).ino).toBe(before)
  })

  it("leaves what the protocol would not deliver where it is", async () => {
    const odd = [null, 7, "text", [], { from: "x" }, message("no time", { timestamp: undefined as unknown as string })]
    const paths = await inboxOf(...odd, message("good"))
    expect(texts(await takeFromInbox(paths, "bob", "session"))).toEqual(["good"])
    expect(jsonIn(paths.inbox("bob"))).toEqual(JSON.parse(JSON.stringify(odd)))
  })

  it("keeps the read messages of a named team where they are, however many", async () => {
    const read = Array.from({ length: 1000 }, (_, n) => message(`old ${n}`, { read: true }))
    const paths = await inboxOf(...read, message("new"), message("waits"))
    await takeFromInbox(paths, "bob", "named", ({ entry }) => entry.text === "new")
    expect(texts(await allIn(paths, "bob"))).toEqual([...read.map(({ text }) => text), "new", "waits"])
    expect(texts(await unreadIn(paths, "bob"))).toEqual(["waits"])
    expect(existsSync(historyFolder(paths))).toBe(false)
  })
})

describe("the id of a message", () => {
  it("is the writer's where it gave one", () => {
    expect(idOf(message("x", { msg_id: "given" }))).toBe("given")
  })

  it("is made of sender, time and text, and of nothing that may change", () => {
    expect(idOf(message("x"))).toBe(idOf(message("x", { read: true, color: "blue", summary: "s" })))
    const others = [
      message("y"),
      message("x", { from: "carol" }),
      message("x", { timestamp: "2026-02-01T00:00:00.001Z" }),
    ]
    expect(new Set([message("x"), ...others].map(idOf)).size).toBe(4)
  })

  it("tells two equal messages apart, and stays when one of them was read", async () => {
    const paths = await inboxOf(message("same"), message("same"))
    const before = (await allIn(paths, "bob")).map(({ id }) => id)
    expect(new Set(before).size).toBe(2)
    await takeFromInbox(paths, "bob", "named", ({ id }) => id === before[0])
    expect((await allIn(paths, "bob")).map(({ id }) => id)).toEqual(before)
    expect((await unreadIn(paths, "bob")).map(({ id }) => id)).toEqual(before.slice(1))
  })
})

describe("the history", () => {
  const historyFile = (paths: TeamPaths) => join(historyFolder(paths), "bob.jsonl")

  it("names each message once, though a taker died between history and inbox", async () => {
    const paths = await inboxOf(message("one", { msg_id: "m1" }))
    mkdirSync(historyFolder(paths), { recursive: true })
    writeFileSync(historyFile(paths), `${JSON.stringify(message("one", { msg_id: "m1" }))}\n`)
    await takeFromInbox(paths, "bob", "session")
    expect(historyOf(paths, "bob").map(({ id }) => id)).toEqual(["m1"])
  })

  it("keeps what is taken after a taker died in the middle of its line", async () => {
    const paths = await inboxOf(message("one", { msg_id: "m1" }), message("two", { msg_id: "m2" }))
    mkdirSync(historyFolder(paths), { recursive: true })
    writeFileSync(historyFile(paths), '{"from":"alice","text":"on')
    await takeFromInbox(paths, "bob", "session")
    expect(historyOf(paths, "bob").map(({ id }) => id)).toEqual(["m1", "m2"])
  })

  it("is read on from where the last look ended, and a line that is not finished waits", async () => {
    const paths = await inboxOf(message("ä", { msg_id: "m1" }))
    expect(historySince(paths, "bob", 0)).toEqual({ messages: [], bytes: 0 })
    await takeFromInbox(paths, "bob", "session")
    const first = historySince(paths, "bob", 0)
    expect(texts(first.messages)).toEqual(["ä"])
    const line = `${JSON.stringify(message("später", { msg_id: "m2" }))}\n`
    appendFileSync(historyFile(paths), line.slice(0, 30))
    expect(historySince(paths, "bob", first.bytes)).toEqual({ messages: [], bytes: first.bytes })
    appendFileSync(historyFile(paths), line.slice(30))
    const second = historySince(paths, "bob", first.bytes)
    expect(texts(second.messages)).toEqual(["später"])
    expect(second.bytes).toBe(readFileSync(historyFile(paths)).length)
  })

  it("is read from its start when it is a shorter one than before", async () => {
    const paths = await inboxOf(message("the first team's long farewell", { msg_id: "m1" }))
    await takeFromInbox(paths, "bob", "session")
    const { bytes } = historySince(paths, "bob", 0)
    rmSync(historyFile(paths))
    expect(historySince(paths, "bob", bytes)).toEqual({ messages: [], bytes: 0 })
    writeFileSync(paths.inbox("bob"), JSON.stringify([message("hi", { msg_id: "m2" })]))
    await takeFromInbox(paths, "bob", "session")
    expect(texts(historySince(paths, "bob", bytes).messages)).toEqual(["hi"])
  })
})
