import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { tell } from "../../test/tell.ts"
import { claimSocket, isAnswered } from "@chorus/disk"
import { forgetTerminal, ping, readRows, type RowWatch, watchRows } from "./listener-client.ts"
import { type Listener, startListener } from "./listener.ts"

const NOW = 1_794_740_000_000
let folder: ReturnType<typeof temporaryDirectory>
let path: string
let closing: (() => Promise<unknown> | unknown)[]
beforeEach(() => {
  folder = temporaryDirectory("sock-")
  path = join(folder.path, "s")
  closing = []
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  await folder[Symbol.asyncDispose]()
})

async function listening(): Promise<Listener> {
  const listener = await startListener({ socketPath: path, now: () => NOW })
  closing.push(() => listener.close())
  return listener
}

/** Somebody else's server at the path, which does as told with each connection. */
async function stranger(meet: (socket: Socket) => void): Promise<void> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    meet(socket)
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
}

const say = (...lines: (object | string)[]) => tell(path, ...lines)
const line = (terminalId: string, event: string, more: object = {}) => ({
  terminalId,
  event,
  agent: "claude",
  at: NOW,
  ...more,
})

describe("the listener", () => {
  it("takes lines, hook calls and terminal marks on one socket", async () => {
    const listener = await listening()
    await say(
      line("a", "running"),
      {
        hook: "claude",
        terminalId: "b",
        at: NOW,
        pid: 77,
        payload: { hook_event_name: "UserPromptSubmit", prompt: "Go" },
      },
      { hook: "codex", terminalId: "c", at: NOW, payload: { hook_event_name: "PermissionRequest" } },
      { osc: "state=error:app=codex", terminalId: "d", at: NOW },
      { hook: "opencode", terminalId: "e", payload: { hook_event_name: "Stop" } },
    )
    expect(listener.book.rows().map(({ terminalId, state, agent }) => [terminalId, agent, state])).toEqual([
      ["a", "claude", "running"],
      ["b", "claude", "running"],
      ["c", "codex", "needsInput"],
      ["d", "codex", "finished"],
    ])
  })

  it("goes on after anything that is no line", async () => {
    const listener = await listening()
    await say(
      "",
      "not JSON",
      "[]",
      "null",
      "7",
      '"text"',
      "{}",
      { ask: 7 },
      { hook: "claude" },
      { terminalId: "x" },
      line("a\u0000b", "running"),
      line("a", "exploded"),
      '{"__proto__":{"terminalId":"p"}}',
      line("ok", "idle"),
    )
    expect(listener.book.rows().map(({ terminalId }) => terminalId)).toEqual(["ok"])
  })

  it("tells a hook call to whoever looks further, after its lines", async () => {
    const seen: unknown[] = []
    const listener = await startListener({
      socketPath: path,
      onHook: (call) => seen.push([call.terminalId, listener.book.get("b")?.status.state]),
    })
    closing.push(() => listener.close())
    await say({ hook: "claude", terminalId: "b", payload: { hook_event_name: "UserPromptSubmit" } })
    expect(seen).toEqual([["b", "running"]])
  })

  it("answers who it is, what it knows, and forgets on request", async () => {
    await listening()
    await say(line("a", "idle"), line("b", "running"))
    expect(await ping(path)).toEqual({ pid: process.pid, protocol: 1 })
    expect((await readRows(path)).map(({ terminalId }) => terminalId)).toEqual(["a", "b"])
    expect((await forgetTerminal(path, "a")).map(({ terminalId }) => terminalId)).toEqual(["b"])
    expect(await forgetTerminal(path, "never-there")).toHaveLength(1)
  })

  it("lets nobody else in, and cleans up after itself", async () => {
    const listener = await listening()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await listener.close()
    expect(existsSync(path)).toBe(false)
    expect(await ping(path, 100)).toBeUndefined()
  })

  it("ends its views when it closes", async () => {
    const listener = await listening()
    const ended = new Promise<void>((resolve) =>
      watchRows(
        path,
        () => void listener.close(),
        () => resolve(),
      ),
    )
    await ended
    await vi.waitFor(() => expect([listener.viewers(), listener.connections()]).toEqual([0, 0]), {
      timeout: 9000,
      interval: 5,
    })
  })
})

describe("a view", () => {
  async function watching(): Promise<RowWatch & { until(holds: (watch: RowWatch) => boolean): Promise<void> }> {
    let changed = () => undefined as void
    const watch = watchRows(
      path,
      () => changed(),
      () => undefined,
    )
    closing.push(() => watch.close())
    const until = (holds: (watch: RowWatch) => boolean) =>
      new Promise<void>((resolve) => {
        changed = () => (holds(watch) ? resolve() : undefined)
        changed()
      })
    return { ...watch, rows: watch.rows, until }
  }

  it("gets everything at first, then each change and each farewell", async () => {
    const listener = await listening()
    await say(line("a", "idle"))
    const view = await watching()
    await view.until(({ rows }) => rows.get("a")?.state === "idle")
    await say(line("a", "running", { at: NOW + 1 }), line("b", "idle"))
    await view.until(({ rows }) => rows.get("a")?.state === "running" && rows.has("b"))
    listener.book.forget("a")
    await view.until(({ rows }) => !rows.has("a"))
    expect([...view.rows.keys()]).toEqual(["b"])
    expect(listener.viewers()).toBe(1)
  })

  it("that asks twice is still one view", async () => {
    const listener = await listening()
    const socket = connect(path)
    closing.push(() => socket.destroy())
    let answers = 0
    await new Promise<void>((resolve) => {
      socket.on("data", (chunk) => ((answers += String(chunk).split("\n").length - 1), answers >= 2 && resolve()))
      socket.write('{"ask":"watch"}\n{"ask":"watch"}\n')
    })
    expect(listener.viewers()).toBe(1)
  })

  it("that went away is not counted, and costs nobody anything", async () => {
    const listener = await listening()
    const view = await watching()
    await view.until(() => listener.viewers() === 1)
    view.close()
    await vi.waitFor(() => expect(listener.viewers()).toBe(0), { timeout: 9000, interval: 5 })
    await say(line("a", "running"))
    expect(listener.book.rows()).toHaveLength(1)
  })
})

describe("asking where nobody of ours listens", () => {
  const silent = {
    code: "listener_silent",
    status: 503,
    next: expect.stringContaining("chorus status listen") as unknown,
  }

  it("fails at once where there is no socket", async () => {
    await expect(readRows(path)).rejects.toMatchObject(silent)
    expect(await ping(path)).toBeUndefined()
  })

  it.each<[string, (socket: Socket) => void]>([
    ["who hangs up without a word", (socket) => socket.end()],
    ["who cuts the line", (socket) => socket.destroy()],
    ["who speaks another language", (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["who answers with a list", (socket) => socket.write("[]\n")],
    ["who answers something else", (socket) => socket.write('{"hello":1}\n')],
  ])("fails with somebody %s, and ends nobody", async (_, meet) => {
    await stranger(meet)
    await expect(readRows(path)).rejects.toMatchObject(silent)
    expect(await ping(path)).toBeUndefined()
  })

  it("gives up on somebody who never answers", async () => {
    await stranger(() => undefined)
    expect(await ping(path, 30)).toBeUndefined()
  })

  it.each<[string, (socket: Socket) => void]>([
    ["speaks another language", (socket) => socket.write("HELLO\n")],
    ["hangs up", (socket) => socket.end()],
  ])("ends a view once, where somebody %s", async (_, meet) => {
    await stranger(meet)
    const ends: unknown[] = []
    await new Promise<void>((resolve) =>
      watchRows(
        path,
        () => undefined,
        (error) => (ends.push(error), resolve()),
      ),
    )
    expect(ends).toEqual([undefined])
  })

  it("ends a view with the reason where there is no socket", async () => {
    const error = await new Promise((resolve) => watchRows(path, () => undefined, resolve))
    expect(error).toMatchObject({ code: "ENOENT" })
  })
})

describe("claiming the socket", () => {
  const claim = async (): Promise<Server> => {
    const server = createServer()
    await claimSocket(server, path)
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    return server
  }

  it("is refused while somebody answers, and takes over what a dead one left", async () => {
    const first = await claim()
    await expect(claim()).rejects.toMatchObject({ code: "listener_running", status: 409 })
    expect(await isAnswered(path)).toBe(true)
    await new Promise((resolve) => first.close(resolve))
    expect(await isAnswered(path)).toBe(false)
    await claim()
  })

  it("takes the place of an empty file, as a copied socket becomes one", async () => {
    writeFileSync(path, "")
    await claim()
    expect(await isAnswered(path)).toBe(true)
  })

  it("never removes a file that holds something, nor follows a link to one", async () => {
    writeFileSync(path, "precious")
    await expect(claim()).rejects.toMatchObject({ code: "socket_path_taken", next: "Set CHORUS_SOCK to another path." })
    expect(readFileSync(path, "utf8")).toBe("precious")
    const target = path
    path = join(folder.path, "link")
    symlinkSync(target, path)
    await expect(claim()).rejects.toMatchObject({ code: "socket_path_taken" })
    expect(existsSync(target)).toBe(true)
  })

  it("names a path that no system takes", async () => {
    path = join(folder.path, "x".repeat(100))
    await expect(claim()).rejects.toMatchObject({
      code: "socket_path_too_long",
      next: "Set CHORUS_SOCK to a shorter path.",
    })
  })
})

it("reads what was told before it began in the order in which it happened: nobody hears of a failure that was none", async () => {
  const listener = await startListener({ socketPath: path, now: () => NOW, collects: true })
  closing.push(() => listener.close())
  const seen: string[] = []
  listener.book.forward({ changed: ({ state, exitCode }) => seen.push(`${state} ${exitCode ?? ""}`.trim()) })
  const line = (event: string, at: number, more: object = {}) => ({
    terminalId: "t",
    agent: "claude",
    event,
    at,
    ...more,
  })
  await tell(path, line("exited", NOW - 1, { exitCode: 0, source: "launch" }))
  await tell(path, line("finished", NOW - 2, { exitCode: 0 }), line("running", NOW - 3))
  expect([await readRows(path), seen]).toEqual([[], []])
  listener.begin()
  expect(seen).toEqual(["running", "finished 0", "finished 0"])
  await tell(path, line("running", NOW))
  expect(seen.at(-1)).toBe("running")
})
