import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import {
  ensureListener,
  listenerCommand,
  ping,
  readRows,
  startStatusService,
  tellTerminal,
  watchRows,
} from "@chorus/status"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { resumeStore } from "../src/resume/resume-store.ts"

const line = (terminalId: string, more: object = {}) =>
  `${JSON.stringify({ terminalId, event: "running", agent: "claude", at: Date.now(), ...more })}\n`

describe("one listener per socket", () => {
  it("is for its user alone", async () => {
    const { service, path } = await listening()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(path, "..")).mode & 0o077).toBe(0)
    expect((await ping(path))?.pid).toBe(process.pid)
    await service.close()
    expect(existsSync(path)).toBe(false)
  })

  it("never gives way to a second one while it lives, even when it is stopped", async () => {
    const path = socketIn()
    const first = await startProcess(path)
    await expect(service(path)).rejects.toMatchObject({ code: "listener_running" })
    process.kill(first.pid, "SIGSTOP")
    await expect(service(path)).rejects.toMatchObject({ code: "listener_running" })
    process.kill(first.pid, "SIGCONT")
    expect((await ping(path))?.pid).toBe(first.pid)
  })

  it("takes over from a dead one, and of many at once exactly one wins", async () => {
    const path = socketIn()
    const first = await startProcess(path)
    process.kill(first.pid, "SIGKILL")
    await first.ended
    expect(existsSync(path)).toBe(true)
    const contenders = await Promise.all(Array.from({ length: 6 }, () => startProcess(path, false)))
    const winner = await waitFor(() => ping(path), 60_000, "somebody to answer")
    const losers = contenders.filter(({ pid }) => pid !== winner.pid)
    expect(losers).toHaveLength(5)
    expect(await Promise.all(losers.map(({ ended }) => ended))).toEqual([1, 1, 1, 1, 1])
    expect((await ping(path))?.pid).toBe(winner.pid)
  })

  it("replaces an empty file, which nobody can answer on, and leaves one that holds something", async () => {
    const path = socketIn()
    writeFileSync(path, "somebody's words")
    await expect(service(path)).rejects.toMatchObject({ code: "socket_path_taken" })
    expect(readFileSync(path, "utf8")).toBe("somebody's words")
    writeFileSync(path, "")
    await service(path)
    expect(await ping(path)).toBeDefined()
  })
})

describe("what arrives", () => {
  it("may be garbage, huge, half or unknown, and harms nobody", async () => {
    const { path } = await listening()
    const sender = await open(path)
    sender.write('\u0000\u0001garbage\n[]\n{}\nnull\n"x"\n{"terminalId":1}\n\n')
    sender.write(Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a]))
    sender.write(
      `${line("huge", { toolDetail: "x".repeat(3_000_000) })}${line("after-huge", { unknownField: { deep: [1, 2, 3] } })}`,
    )
    const half = await open(path)
    half.end(line("half").slice(0, 40))
    await once(half, "close")
    const slow = await open(path)
    const whole = line("in-pieces")
    for (const piece of [whole.slice(0, 10), whole.slice(10, 30), whole.slice(30)]) slow.write(piece)
    await waitFor(async () => (await readRows(path)).length >= 2, 60_000, "the good lines")
    expect((await readRows(path)).map((row) => row.terminalId)).toEqual(["after-huge", "in-pieces"])
  })

  it("may come from a thousand connections at once", async () => {
    const { path } = await listening()
    await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        const socket = await open(path)
        socket.end(line(`t${index}`))
      }),
    )
    await waitFor(async () => (await readRows(path)).length === 1000, 60_000, "all thousand")
  })

  it("may hold a thousand half lines for ever without taking the memory for them", async () => {
    const { path, service } = await listening()
    const half = "x".repeat(200 * 1024)
    const held = await Promise.all(Array.from({ length: 1000 }, () => open(path)))
    for (const socket of held) socket.write(half)
    const sender = await open(path)
    sender.write(line("still-there"))
    await waitFor(
      async () => (await readRows(path)).some((row) => row.terminalId === "still-there"),
      60_000,
      "a good line between them",
    )
    expect(service.listener.connections()).toBeGreaterThan(1000)
    for (const socket of held) socket.destroy()
  })

  it("shows in every view the same", async () => {
    const { path, service } = await listening()
    let changes = 0
    const watch = watchRows(
      path,
      () => changes++,
      () => {},
    )
    onTestFinished(() => watch.close())
    const sender = await open(path)
    sender.write(line("t1") + line("t1", { event: "needsInput", toolDetail: "Edit a", at: Date.now() + 1 }))
    await waitFor(() => watch.rows.get("t1")?.state === "needsInput", 60_000, "the change")
    expect([...watch.rows.values()]).toEqual(await readRows(path))
    expect(service.listener.book.rows()).toEqual(await readRows(path))
    expect(changes).toBeGreaterThan(0)
  })
})

describe("a listener that starts anew", () => {
  it("knows what the former one knew, keeps no session id on disk, and does not call the dead alive", async () => {
    const path = socketIn()
    const first = await service(path)
    const sender = await open(path)
    const child = spawn("sleep", ["60"])
    sender.write(
      line("alive", {
        pid: child.pid,
        sessionTitle: "Alive",
        resumeCommand: "claude --resume secret-session-id",
        sessionId: "secret-session-id",
      }),
    )
    sender.write(
      line("dead", { pid: 2 ** 30 }) +
        line("nobody") +
        line("done", { event: "finished", exitCode: 0, summary: "All done." }),
    )
    await waitFor(() => first.listener.book.rows().length === 4, 60_000, "the lines")
    expect(first.listener.book.get("alive")?.status.resumeCommand).toBe("claude --resume secret-session-id")
    await first.close()
    expect(readFileSync(`${path}.json`, "utf8")).not.toContain("secret-session-id")
    expect(statSync(`${path}.json`).mode & 0o777).toBe(0o600)
    const second = await service(path)
    const states = Object.fromEntries(
      second.listener.book.rows().map((row) => [row.terminalId, `${row.state} ${row.reason ?? ""}`]),
    )
    expect(states).toEqual({
      alive: "unknown the listener was away; nothing was heard since",
      dead: "finished process 1073741824 is gone and did not say goodbye",
      nobody: "unknown the listener was away; nothing was heard since",
      done: "unknown the listener was away; nothing was heard since",
    })
    child.kill()
    await waitFor(() => second.listener.book.get("alive")?.status.ended, 60_000, "the end of the process to be noticed")
  })

  it("ignores a broken copy", async () => {
    const path = socketIn()
    writeFileSync(
      `${path}.json`,
      '{"terminals":[{"heardAt":1},{"status":{"terminalId":"x","agent":"claude","state":"on fire","sourceAt":"never"},"heardAt":9e15},7]}',
    )
    const second = await service(path)
    expect(second.listener.book.rows().map((row) => row.state)).toEqual(["unknown"])
  })
})

describe("on demand", () => {
  it("is small: it begins with no part of Node that it may do without", async () => {
    const [, bundle = ""] = /^(.*\.cjs)$/m.exec((await listenerCommand(socketIn())).join("\n")) ?? []
    const parts = [...readFileSync(bundle, "utf8").matchAll(/require\("node:([\w/]+)"\)/g)].map(([, name]) => name)
    expect([...new Set(parts)].toSorted()).toEqual(["fs", "net", "os", "path", "sqlite", "url", "util"])
  })

  it("starts by itself, once, and ends when nothing needs it", async () => {
    const path = socketIn()
    await Promise.all([ensureListener(path, 1500), ensureListener(path, 1500)])
    const pid = (await ping(path))?.pid ?? 0
    const agent = spawn("sleep", ["60"])
    const sender = await open(path)
    sender.end(line("t1", { pid: agent.pid }))
    await waitFor(async () => (await readRows(path)).length === 1, 60_000, "the line")
    expect(readFileSync(`${path}.line`, "utf8")).toBe("●1\n")
    const before = Date.now()
    await waitFor(() => Date.now() - before > 3000, 60_000, "longer than it stays without need")
    expect((await ping(path))?.pid).toBe(pid)
    // It is done, and nothing is left to be seen.
    const done = await open(path)
    done.end(line("t1", { pid: agent.pid, event: "finished", exitCode: 0 }))
    await waitFor(async () => (await readRows(path))[0]?.state === "finished", 60_000, "the end of its turn")
    agent.kill()
    await waitFor(() => !existsSync(path), 60_000, "the listener to end")
    expect(existsSync(`${path}.line`)).toBe(false)
  })

  it("leaves what failed in the line of a status bar until somebody has seen it", async () => {
    const path = socketIn()
    await ensureListener(path, 1500)
    const agent = spawn("sleep", ["60"])
    const sender = await open(path)
    sender.end(line("t1", { pid: agent.pid }))
    await waitFor(() => shown(path) === "●1\n", 60_000, "the line")
    agent.kill()
    await waitFor(() => !existsSync(path), 60_000, "the listener to end")
    expect(shown(path)).toBe("✗1\n")
    await ensureListener(path, 1500)
    await tellTerminal(path, "t1", { ask: "seen" })
    await waitFor(() => !existsSync(path), 60_000, "the next to end")
    expect(existsSync(`${path}.line`)).toBe(false)
  })

  it("stands for its line as long as it lives; what a former one left when the power failed is shown no more", async () => {
    const path = socketIn()
    const first = await startProcess(path)
    const sender = await open(path)
    sender.end(line("t1"))
    await waitFor(() => shown(path) === "●1\n", 60_000, "the line")
    const longAgo = new Date(Date.now() - 3_600_000)
    utimesSync(`${path}.line`, longAgo, longAgo)
    expect(shown(path)).toBe("")
    await waitFor(() => shown(path) === "●1\n", 60_000, "its word")
    process.kill(first.pid, "SIGKILL")
    await first.ended
    utimesSync(`${path}.line`, longAgo, longAgo)
    expect(shown(path)).toBe("")
  })

  it("leaves no line of a former one that was killed where the next cannot begin, and another's alone", async () => {
    const path = socketIn()
    const first = await startProcess(path)
    expect(await (await startProcess(path, false)).ended).toBe(1)
    expect(existsSync(`${path}.line`)).toBe(true)
    process.kill(first.pid, "SIGKILL")
    await first.ended
    expect(existsSync(`${path}.line`)).toBe(true)
    rmSync(path)
    mkdirSync(path)
    expect(await (await startProcess(path, false)).ended).toBe(1)
    expect(existsSync(`${path}.line`)).toBe(false)
  })
})

/** As the book has a status bar read it. */
function shown(path: string): string {
  const read = ["-name", "s.sock.line", "-mmin", "-2", "-exec", "cat", "{}", "+"]
  return execFileSync("find", [join(path, ".."), ...read], { encoding: "utf8" })
}

function socketIn(): string {
  const directory = temporaryDirectory("chorus-sock-")
  onTestFinished(directory.remove)
  return join(directory.path, "s.sock")
}

async function service(path: string) {
  const started = await startStatusService({
    socketPath: path,
    home: path,
    resume: resumeStore(join(path, "..", "state")),
  })
  onTestFinished(started.close)
  return started
}

async function listening() {
  const path = socketIn()
  return { path, service: await service(path) }
}

async function open(path: string) {
  const socket = connect(path)
  socket.on("error", () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, "connect")
  return socket
}

async function startProcess(path: string, wait = true) {
  const [node, ...args] = await listenerCommand(path)
  const child = spawn(node, args, { stdio: ["ignore", "pipe", "ignore"] })
  const ended = once(child, "exit").then(([code]) => code as number | null)
  onTestFinished(() => void child.kill("SIGKILL"))
  if (wait) await once(child.stdout, "data")
  return { pid: child.pid ?? 0, ended }
}
