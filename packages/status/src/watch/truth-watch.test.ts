import { describe, expect, it } from "vitest"
import { terminalBook } from "../listener/terminal-book.ts"
import type { ProcessRow } from "./process-table.ts"
import { TRUTH_LIMITS, truthWatch } from "./truth-watch.ts"

const MINUTE = 60_000

/** A book with one running agent, a clock and a process table that the test moves. */
function scene(pid: number | undefined) {
  const book = terminalBook()
  const world = {
    now: 1_000_000,
    alive: new Map<number, string>(pid === undefined ? [] : [[pid, "first"]]),
    rows: [] as ProcessRow[],
  }
  const watch = truthWatch({
    book,
    accept: (line) => book.accept(line, world.now),
    now: () => world.now,
    processes: {
      all: async () => world.rows,
      read: async (pids) =>
        new Map(
          pids.flatMap((known) => (world.alive.has(known) ? [[known, world.alive.get(known) ?? ""] as const] : [])),
        ),
    },
  })
  watch.close()
  book.accept(
    { terminalId: "t", agent: "claude", event: "running", at: world.now, ...(pid === undefined ? {} : { pid }) },
    world.now,
  )
  const wait = async (ms: number, step = TRUTH_LIMITS.tickMs) => {
    for (const end = world.now + ms; world.now < end;) {
      world.now += step
      await watch.tick()
    }
  }
  return { book, world, wait, row: () => book.rows()[0] }
}

describe("a running agent", () => {
  it("whose process is gone is finished at the next look, with the reason", async () => {
    const { world, wait, row } = scene(42)
    await wait(10_000)
    expect(row()?.state).toBe("running")
    world.alive.delete(42)
    await wait(TRUTH_LIMITS.tickMs)
    expect(row()).toMatchObject({
      state: "finished",
      exitCode: 1,
      source: "watch:process",
      reason: "process 42 is gone and did not say goodbye",
    })
  })

  it("whose process number went to another process is finished too", async () => {
    const { world, wait, row } = scene(42)
    await wait(4000)
    world.alive.set(42, "second")
    await wait(TRUTH_LIMITS.tickMs)
    expect(row()?.state).toBe("finished")
  })

  it("that is silent is unknown after the stated time, later when its process lives", async () => {
    const without = scene(undefined)
    await without.wait(9 * MINUTE, MINUTE / 6)
    expect(without.row()?.state).toBe("running")
    await without.wait(2 * MINUTE, MINUTE / 6)
    expect(without.row()).toMatchObject({
      state: "unknown",
      source: "watch:silence",
      reason: "nothing was heard for 10 min",
    })
    const alive = scene(42)
    await alive.wait(29 * MINUTE, MINUTE / 6)
    expect(alive.row()?.state).toBe("running")
    await alive.wait(2 * MINUTE, MINUTE / 6)
    expect(alive.row()?.reason).toBe("nothing was heard for 30 min; process 42 is alive")
  })

  it("on a machine that slept is unknown until it is heard of again", async () => {
    const { book, world, wait, row } = scene(42)
    await wait(4000)
    world.now += 3 * 60 * MINUTE
    await wait(TRUTH_LIMITS.tickMs)
    expect(row()).toMatchObject({
      state: "unknown",
      source: "watch:sleep",
      reason: "this machine slept for 3 h; nothing was heard since",
    })
    book.accept({ terminalId: "t", agent: "claude", event: "running", at: world.now, pid: 42 }, world.now)
    expect(row()?.state).toBe("running")
    await wait(10_000)
    expect(row()?.state).toBe("running")
  })
})

it("an agent that waits for a person may wait, but not when it is dead", async () => {
  const { book, world, wait, row } = scene(42)
  book.accept({ terminalId: "t", agent: "claude", event: "needsInput", at: world.now }, world.now)
  await wait(60 * MINUTE, MINUTE / 6)
  expect(row()?.state).toBe("needsInput")
  world.alive.delete(42)
  await wait(TRUTH_LIMITS.tickMs)
  expect(row()).toMatchObject({ state: "finished", exitCode: 1 })
})

it("a session that ended well leaves the list, and one that failed once it was seen", async () => {
  const { book, world, wait, row } = scene(42)
  const line = { terminalId: "t", agent: "claude", at: world.now } as const
  book.accept({ ...line, event: "exited", exitCode: 0, at: world.now + 1 }, world.now)
  book.accept({ ...line, terminalId: "well", event: "exited", exitCode: 0 }, world.now)
  await wait(TRUTH_LIMITS.endedMs + 2 * TRUTH_LIMITS.tickMs)
  expect(book.rows().map(({ terminalId, exitCode }) => [terminalId, exitCode])).toEqual([["t", 1]])
  await wait(24 * 60 * MINUTE, MINUTE)
  expect(row()?.unread).toBe(true)
  book.accept({ ...line, event: "seen", at: world.now }, world.now)
  await wait(TRUTH_LIMITS.tickMs)
  expect(book.rows()).toEqual([])
})

it("of runs that nobody comes back to, a folder's last is on the list, and each that failed until it was seen", async () => {
  const { book, world, wait } = scene(42)
  const run = (terminalId: string, exitCode: number, folder = "/shop") => {
    const line = { terminalId, agent: "codex", folder, once: true, at: world.now++ } as const
    book.accept({ ...line, event: "idle" }, world.now)
    book.accept({ ...line, event: "exited", exitCode, at: world.now++ }, world.now)
  }
  for (let n = 0; n < 5; n++) run(`process-${n}`, 0)
  run("process-bad", 4)
  run("process-6", 0)
  run("elsewhere-1", 0, "/other")
  await wait(TRUTH_LIMITS.tickMs)
  const listed = () => book.rows().flatMap(({ terminalId }) => (terminalId === "t" ? [] : [terminalId]))
  expect(listed()).toEqual(["elsewhere-1", "process-6", "process-bad"])
  book.accept({ terminalId: "process-bad", agent: "codex", event: "seen", at: world.now }, world.now)
  await wait(TRUTH_LIMITS.tickMs)
  expect(listed()).toEqual(["elsewhere-1", "process-6"])
})

it("a state stamped by a clock that runs ahead is still taken away", async () => {
  const { book, world, wait, row } = scene(42)
  book.accept(
    { terminalId: "t", agent: "claude", event: "running", at: world.now + 4 * MINUTE, toolDetail: "x" },
    world.now,
  )
  world.alive.delete(42)
  await wait(TRUTH_LIMITS.tickMs)
  expect(row()?.state).toBe("finished")
})

describe("Codex that has asked, in a terminal nobody reads along", () => {
  const asks = { terminalId: "t", agent: "codex", pid: 42 } as const
  const process = (pid: number, parent: number, startedAt: number): ProcessRow => ({
    pid,
    parent,
    startedAt,
    name: "bash",
    hasTerminal: true,
  })
  const scenario = (...rows: ProcessRow[]) => {
    const { book, world, wait, row } = scene(42)
    const at = world.now
    book.accept({ ...asks, event: "running", at, toolDetail: "Bash: make" }, at)
    book.accept({ ...asks, event: "needsInput", at: at + 1, toolDetail: "May I?" }, at)
    world.rows = rows
    for (const { pid } of rows) world.alive.set(pid, "first")
    return { wait: () => wait(TRUTH_LIMITS.tickMs), row }
  }

  it("goes on once it runs what it asked about, and says what that is", async () => {
    const { wait, row } = scenario(process(50, 42, 1_001_000), process(51, 50, 1_001_000))
    await wait()
    expect(row()).toMatchObject({ state: "running", source: "watch:process", detail: "Bash: make" })
  })

  it.each([
    ["has not begun anything", []],
    ["has servers and hooks from before", [process(50, 42, 999_000), process(51, 42, 1_000_100)]],
    ["has neighbours", [process(50, 7, 1_001_000)]],
  ])("still asks while it %s", async (_, rows) => {
    const { wait, row } = scenario(...rows)
    await wait()
    expect(row()?.state).toBe("needsInput")
  })
})
