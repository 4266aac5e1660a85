import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StatusLine } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { array, assert, integer, property, string } from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { lineFile } from "./line-file.ts"
import { type LineBudget, lineReader, MAX_LINE_BYTES } from "./line-reader.ts"
import { settledLines } from "./settled-lines.ts"
import { isTooLong, replaceFile } from "@chorus/disk"
import { readSnapshot, snapshot } from "./snapshot.ts"
import { cacheFolder, installationHash, socketPath } from "./socket-path.ts"
import { terminalBook } from "./terminal-book.ts"

const NOW = 1_794_740_000_000
const DAY = 24 * 3600_000
const line = (terminalId: string, event: StatusLine["event"], more: Partial<StatusLine> = {}): StatusLine => ({
  terminalId,
  agent: "claude",
  at: NOW,
  event,
  ...more,
})

let folder: ReturnType<typeof temporaryDirectory>
beforeEach(() => {
  folder = temporaryDirectory("book-")
})
afterEach(async () => {
  vi.useRealTimers()
  await folder[Symbol.asyncDispose]()
})

describe("the book of terminals", () => {
  it("tells a change with what was before, and nothing that changes nothing", () => {
    const book = terminalBook()
    const told: [string, string | undefined][] = []
    const stop = book.forward({ changed: (row, before) => told.push([row.state, before?.state]) })
    book.accept(line("a", "idle"), 1)
    book.accept(line("a", "running", { at: NOW + 1 }), 2)
    book.accept(line("a", "running", { at: NOW + 1 }), 3)
    stop()
    book.accept(line("a", "idle", { at: NOW + 2 }), 4)
    expect(told).toEqual([
      ["idle", undefined],
      ["running", "idle"],
    ])
    expect(book.get("a")?.heardAt).toBe(4)
  })

  it("puts late and repeated lines into their place: the order of arrival does not matter", () => {
    const lines = [
      line("a", "idle"),
      line("a", "running", { at: NOW + 1, turnStart: true }),
      line("a", "needsInput", { at: NOW + 2 }),
      line("a", "running", { at: NOW + 3 }),
      line("a", "finished", { at: NOW + 4, summary: "done" }),
    ]
    const after = (order: readonly StatusLine[]) => {
      const book = terminalBook()
      for (const one of order) book.accept(one, NOW)
      return book.rows()[0]
    }
    const inOrder = after(lines)
    expect(inOrder).toMatchObject({ state: "finished", summary: "done" })
    expect(after(lines.toReversed())).toEqual(inOrder)
    expect(after([...lines, ...lines])).toEqual(inOrder)
    assert(
      property(array(integer({ min: 0, max: 4 }), { maxLength: 10 }), (picks) => {
        expect(after([...picks.map((pick) => lines[pick] ?? line("a", "note")), ...lines])).toEqual(inOrder)
      }),
    )
  })

  it("shows its rows in the order of their names, whoever spoke last", () => {
    const book = terminalBook()
    for (const id of ["b", "c", "a", "b"]) book.accept(line(id, "idle"), 1)
    expect(book.rows().map(({ terminalId }) => terminalId)).toEqual(["a", "b", "c"])
  })

  it("tells everybody, also when one of them fails", () => {
    const book = terminalBook()
    const told: string[] = []
    const broken = () => {
      throw new Error("the disk is full")
    }
    book.forward({ changed: broken, removed: broken })
    book.forward({ changed: (row) => told.push(row.state), removed: (id) => told.push(`-${id}`) })
    expect(() => book.accept(line("a", "running"), 1)).not.toThrow()
    expect(() => book.forget("a")).not.toThrow()
    expect(told).toEqual(["running", "-a"])
  })

  it("forgets a terminal once, and never knew a stranger", () => {
    const book = terminalBook()
    const removed: string[] = []
    book.forward({ changed: () => undefined, removed: (id) => removed.push(id) })
    book.accept(line("a", "idle"), 1)
    for (const id of ["a", "a", "stranger"]) book.forget(id)
    expect([removed, book.rows(), book.get("a")]).toEqual([["a"], [], undefined])
  })

  it("gives up the one unheard of for longest when there are more than two thousand", () => {
    const book = terminalBook()
    const removed: string[] = []
    book.forward({ changed: () => undefined, removed: (id) => removed.push(id) })
    for (let n = 0; n < 2000; n++) book.accept(line(`t${n}`, "idle"), n)
    book.accept(line("t0", "note"), 3000)
    book.accept(line("new", "idle"), 3001)
    expect(removed).toEqual(["t1"])
    expect(book.entries()).toHaveLength(2000)
  })
})

describe("the copy on disk", () => {
  const path = () => join(folder.path, "deep", "s.json")
  const stored = (status: Record<string, unknown>, heardAt: unknown = NOW) => {
    replaceFile(
      path(),
      JSON.stringify({
        version: 1,
        terminals: [
          { heardAt, status: { terminalId: "a", agent: "codex", state: "running", sourceAt: NOW - 5, ...status } },
        ],
      }),
    )
    return readSnapshot(path(), NOW)[0]
  }

  it("brings back what was known, without the session", () => {
    vi.useFakeTimers()
    const book = terminalBook()
    book.accept(
      line("a", "running", {
        turnStart: true,
        toolDetail: "Edit x",
        sessionTitle: "T",
        sessionId: "secret-session",
        resumeCommand: "claude --resume secret-session",
        pid: 42,
      }),
      NOW,
    )
    snapshot(path(), book).save()
    expect(readFileSync(path(), "utf8")).not.toContain("secret-session")
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    const [entry] = readSnapshot(path(), NOW + 1000)
    expect(entry).toMatchObject({
      heardAt: NOW,
      status: { terminalId: "a", state: "running", detail: "Edit x", title: "T", pid: 42, resumeCommand: null },
    })
  })

  it("knows a terminal at once, as nobody else would after a sudden end, and what it does soon after", () => {
    vi.useFakeTimers()
    const book = terminalBook()
    const copy = snapshot(path(), book)
    const told = (terminalId: string, pid: number, toolDetail = "Edit x") => {
      book.accept(line(terminalId, "running", { turnStart: true, toolDetail, pid }), NOW)
      copy.save()
    }
    const known = () => readSnapshot(path(), NOW).map(({ status }) => [status.terminalId, status.detail])
    told("a", 42)
    expect(known()).toEqual([["a", "Edit x"]])
    told("a", 42, "Edit y")
    vi.advanceTimersByTime(499)
    expect(known()).toEqual([["a", "Edit x"]])
    vi.advanceTimersByTime(1)
    expect(known()).toEqual([["a", "Edit y"]])
    // Many that open at once do not keep the listener writing.
    for (let pid = 50; pid < 60; pid++) told(`t${pid}`, pid)
    expect(known()).toHaveLength(1)
    vi.advanceTimersByTime(50)
    expect(known()).toHaveLength(11)
  })

  it("is written at once when the listener ends, and only if something waits", () => {
    const copy = snapshot(path(), terminalBook())
    copy.flush()
    expect(existsSync(path())).toBe(false)
    copy.save()
    copy.flush()
    expect(JSON.parse(readFileSync(path(), "utf8"))).toEqual({ version: 1, terminals: [] })
  })

  it("that cannot be written ends nobody and leaves nothing behind", () => {
    mkdirSync(join(folder.path, "taken"))
    const copy = snapshot(join(folder.path, "taken"), terminalBook())
    copy.save()
    expect(() => copy.flush()).not.toThrow()
    expect(readdirSync(folder.path)).toEqual(["taken"])
  })

  it.each([
    ["a state nobody knows", { state: "exploded" }, { state: "unknown" }],
    ["words that steer a terminal", { title: "a\u001b[2Jb", detail: "x\ny" }, { title: "a [2Jb", detail: "x y" }],
    ["numbers that are none", { since: "long", pid: -4, exitCode: 1.5 }, { since: NOW - 5, pid: null, exitCode: null }],
    ["a time to come", { sourceAt: NOW + DAY }, { sourceAt: NOW }],
  ])("is made safe: %s", (_, status, read) => {
    expect(stored(status)?.status).toMatchObject(read)
  })

  it("is not believed about what was heard in a time to come", () => {
    expect(stored({}, NOW + DAY)?.heardAt).toBe(NOW)
  })

  it.each<[string, Record<string, unknown>, unknown]>([
    ["is a week old", {}, NOW - 7 * DAY - 1],
    ["has no time", {}, "yesterday"],
    ["has no agent", { agent: "vim" }, NOW],
    ["has a terminal that is none", { terminalId: "" }, NOW],
  ])("leaves out what %s", (_, status, heardAt) => {
    expect(stored(status, heardAt)).toBeUndefined()
  })

  it.each(["", "null", "[]", '{"terminals":7}', '{"terminals":[null,7,{"status":1}]}'])(
    "that says %s is empty",
    (text) => {
      writeFileSync(join(folder.path, "odd"), text)
      expect(readSnapshot(join(folder.path, "odd"), NOW)).toEqual([])
    },
  )
})

describe("the one line on disk", () => {
  it("follows the book, is not written in vain, and goes with the listener", () => {
    const path = join(folder.path, "line")
    const book = terminalBook()
    const file = lineFile(path, book)
    expect(readFileSync(path, "utf8")).toBe("")
    book.accept(line("a", "running"), 1)
    expect(readFileSync(path, "utf8")).toBe("●1\n")
    const before = statSync(path).ino
    book.accept(line("a", "running", { at: NOW + 1, toolDetail: "Edit y" }), 2)
    expect(statSync(path).ino).toBe(before)
    book.forget("a")
    expect(readFileSync(path, "utf8")).toBe("")
    file.close(false)
    book.accept(line("b", "running"), 3)
    expect(existsSync(path)).toBe(false)
  })
})

describe("cutting a stream into lines", () => {
  const read = (chunks: readonly Buffer[], budget: LineBudget = { left: 1_000_000 }) => {
    const lines: string[] = []
    const reader = lineReader(budget, (text) => lines.push(text))
    for (const chunk of chunks) reader.push(chunk)
    return { lines, reader, budget }
  }

  it("gives the same lines however the bytes are cut, letters of several bytes too", () => {
    assert(
      property(array(string({ maxLength: 8 }), { maxLength: 6 }), integer({ min: 1, max: 7 }), (texts, size) => {
        const wanted = [...texts.map((text) => text.replaceAll("\n", "")), "ü漢😀"].filter((text) => text !== "")
        const bytes = Buffer.from(wanted.map((text) => `${text}\n`).join(""))
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
          bytes.subarray(n * size, (n + 1) * size),
        )
        const { lines, budget } = read(chunks)
        expect(lines).toEqual(wanted.map((text) => Buffer.from(text).toString("utf8")))
        expect(budget.left).toBe(1_000_000)
      }),
    )
  })

  it("takes a line of the longest length and skips one byte more, up to its end", () => {
    const [longest, longer] = [Buffer.alloc(MAX_LINE_BYTES, 97), Buffer.alloc(MAX_LINE_BYTES + 1, 98)]
    const { lines } = read([
      longest,
      Buffer.from("\n"),
      longer,
      Buffer.from("tail\nnext\n"),
      Buffer.concat([longer, Buffer.from("\nlast\n")]),
    ])
    expect(lines.map((text) => [text[0], text.length])).toEqual([
      ["a", MAX_LINE_BYTES],
      ["n", 4],
      ["l", 4],
    ])
  })

  it("holds no more than all connections together may, and gives it back", () => {
    const budget = { left: 10 }
    const { lines, reader } = read([Buffer.from("12345678")], budget)
    expect(budget.left).toBe(2)
    expect(read([Buffer.from("abc"), Buffer.from("def\nshort\n")], budget).lines).toEqual(["short"])
    reader.push(Buffer.from("9\n"))
    expect([lines, budget.left]).toEqual([["123456789"], 10])
  })

  it("drops half a line when the connection ends", () => {
    const { lines, reader, budget } = read([Buffer.from("half")])
    reader.close()
    reader.push(Buffer.from(" more\n"))
    expect([lines, budget.left]).toEqual([[], 1_000_000])
  })
})

describe("second sources", () => {
  it("speak at once, but wait a moment with an end, and are silent once closed", () => {
    vi.useFakeTimers()
    const said: string[] = []
    const settled = settledLines(({ event, terminalId }) => said.push(`${terminalId} ${event}`))
    settled.pass(line("a", "idle"))
    settled.pass(line("b", "running"))
    expect(said).toEqual(["b running"])
    vi.advanceTimersByTime(300)
    expect(said).toEqual(["b running", "a idle"])
    settled.pass(line("c", "idle"))
    settled.close()
    vi.advanceTimersByTime(1000)
    expect(said).toHaveLength(2)
  })
})

describe("the place of the socket", () => {
  it.each<[Record<string, string>, NodeJS.Platform, string]>([
    [{ CHORUS_CACHE: "/c", HOME: "/h", XDG_CACHE_HOME: "/x" }, "linux", "/c"],
    [{ HOME: "/h", XDG_CACHE_HOME: "/x" }, "linux", "/x/chorus"],
    [{ HOME: "/h" }, "linux", "/h/.cache/chorus"],
    [{ HOME: "/h" }, "darwin", "/h/Library/Caches/chorus"],
  ])("with %j on %s is in %s", (env, platform, place) => {
    expect(cacheFolder(env, platform)).toBe(place)
  })

  it("is what was named, else one of this installation, and never too long", () => {
    expect(socketPath({ CHORUS_SOCK: "/run/s.sock" })).toBe("/run/s.sock")
    expect(socketPath({ CHORUS_CACHE: "/c" })).toBe(`/c/status-${installationHash()}.sock`)
    const long = `/c/${"x".repeat(100)}`
    expect(isTooLong(socketPath({ CHORUS_CACHE: long }))).toBe(false)
    expect(socketPath({ CHORUS_CACHE: long })).toBe(socketPath({ CHORUS_CACHE: long }))
    expect(socketPath({ CHORUS_CACHE: long })).not.toBe(socketPath({ CHORUS_CACHE: `${long}y` }))
    expect([isTooLong("x".repeat(103)), isTooLong("x".repeat(104)), isTooLong("ü".repeat(52))]).toEqual([
      false,
      true,
      true,
    ])
    expect(installationHash("/a")).not.toBe(installationHash("/b"))
  })
})
