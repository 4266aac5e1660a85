import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StatusRow } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { tell } from "../../test/tell.ts"
import { resumeStore } from "../resume/resume-store.ts"
import { copyOf, readSnapshot } from "./snapshot.ts"
import { startStatusService, type StatusService } from "./status-service.ts"

const HOUR = 3600_000
const REFUSED = "The user doesn't want to proceed with this tool use"
let folder: ReturnType<typeof temporaryDirectory>
let now: number
let services: StatusService[]
beforeEach(() => {
  folder = temporaryDirectory("service-")
  now = 1_794_740_000_000
  services = []
})
afterEach(async () => {
  for (const service of services) await service.close()
  await folder[Symbol.asyncDispose]()
})

async function start(forwarders: { changed(row: StatusRow): void }[] = []): Promise<StatusService> {
  const service = await startStatusService({
    socketPath: join(folder.path, "s"),
    home: folder.path,
    now: () => now,
    resume: resumeStore(join(folder.path, "state")),
    forwarders,
  })
  services.push(service)
  return service
}

const line = (terminalId: string, event: string, more: object = {}) => ({
  terminalId,
  event,
  agent: "claude",
  at: now,
  ...more,
})
const rowOf = ({ listener }: StatusService, terminalId: string) =>
  listener.book.rows().find((row) => row.terminalId === terminalId)
const soon = { timeout: 9000, interval: 5 }

/** A hook as the emitter hands it over. */
function hook(
  { listener }: StatusService,
  agent: "claude" | "codex",
  payload: Record<string, unknown>,
  pid?: number,
): Promise<void> {
  return tell(listener.socketPath, { hook: agent, terminalId: "t", at: now, pid, payload })
}

describe("a listener that starts anew", () => {
  it("knows what its predecessor knew, but does not claim that an agent nobody can see still runs", async () => {
    const first = await start()
    first.listener.accept(line("unseen", "running", { toolDetail: "Edit a" }))
    first.listener.accept(line("alive", "running", { pid: process.pid, sessionTitle: "Mine" }))
    first.listener.accept(line("dead", "running", { pid: 999_999_999 }))
    first.listener.accept(line("asking", "needsInput"))
    await first.close()
    now += HOUR / 6
    const second = await start()
    expect(rowOf(second, "unseen")).toMatchObject({
      state: "unknown",
      reason: "the listener was away; nothing was heard since",
    })
    expect(rowOf(second, "alive")).toMatchObject({ state: "unknown", title: "Mine" })
    expect(rowOf(second, "dead")).toMatchObject({ state: "finished", source: "watch:process" })
  })

  it("keeps a failure that nobody has seen, and through two of its deaths what a turn had come to", async () => {
    const of = (terminalId: string, event: string, more: object = {}) =>
      line(terminalId, event, { agent: "codex", pid: process.pid, ...more })
    const first = await start()
    for (const terminalId of ["failed", "done"]) first.listener.accept(of(terminalId, "running"))
    now += 1000
    first.listener.accept(of("failed", "finished", { exitCode: 1, reason: "no quota" }))
    first.listener.accept(of("done", "finished", { summary: "All green." }))
    first.listener.accept(of("done", "seen"))
    const since = now
    await first.close()
    now += HOUR
    const second = await start()
    expect(rowOf(second, "failed")).toMatchObject({ state: "finished", exitCode: 1, reason: "no quota", unread: true })
    expect(rowOf(second, "done")).toMatchObject({ state: "unknown" })
    await second.close()
    now += HOUR
    const third = await start()
    now += 1000
    third.listener.accept(of("done", "idle", { only: ["unknown"] }))
    expect(rowOf(third, "done")).toMatchObject({ state: "finished", summary: "All green.", since, unread: false })
  })

  it("keeps what a turn came to while Claude Code's own file says that nothing has begun since", async () => {
    const config = join(folder.path, "elsewhere")
    const agent = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], CLAUDE_CONFIG_DIR: config } })
    onTestFinished(() => void agent.kill())
    await once(agent, "spawn")
    const pid = agent.pid ?? 0
    mkdirSync(join(config, "sessions"), { recursive: true })
    const says = (status: string) =>
      writeFileSync(join(config, "sessions", `${pid}.json`), JSON.stringify({ pid, status, statusUpdatedAt: now }))
    const first = await start()
    for (const name of ["failed", "done"]) first.listener.accept(line(name, "running", { pid }))
    first.listener.accept(
      line("failed", "finished", { at: now + 1, exitCode: 1, reason: "a tool failed in this turn" }),
    )
    first.listener.accept(line("done", "finished", { at: now + 1, exitCode: 0 }))
    says("idle")
    await first.close()
    now += 1000
    const second = await start()
    expect(rowOf(second, "failed")).toMatchObject({ state: "finished", exitCode: 1, unread: true })
    expect(rowOf(second, "done")).toMatchObject({ state: "finished", exitCode: 0 })
    await second.close()
    now += 1000
    says("busy")
    expect(rowOf(await start(), "failed")).toMatchObject({ state: "running", source: "claude:session-file" })
  })

  it("does not say of Claude Code that was only opened that a turn of it has ended", async () => {
    const config = join(folder.path, "elsewhere")
    const agent = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], CLAUDE_CONFIG_DIR: config } })
    onTestFinished(() => void agent.kill())
    await once(agent, "spawn")
    const pid = agent.pid ?? 0
    mkdirSync(join(config, "sessions"), { recursive: true })
    const first = await start()
    first.listener.accept(line("fresh", "idle", { pid, source: "launch" }))
    first.listener.accept(line("works", "running", { pid }))
    // It takes its time to start.
    const idle = { pid, status: "idle", statusUpdatedAt: now + 5000 }
    writeFileSync(join(config, "sessions", `${pid}.json`), JSON.stringify(idle))
    await first.close()
    now += 10_000
    const second = await start()
    expect(rowOf(second, "fresh")).toMatchObject({ state: "idle", reason: null })
    expect(rowOf(second, "works")).toMatchObject({ state: "idle", reason: expect.stringContaining("interrupted") })
  })

  it("keeps what a turn of Codex came to once that says that nothing goes on, unless one has begun", async () => {
    const first = await start()
    for (const name of ["rests", "works"]) {
      const codex = { agent: "codex" as const, pid: process.pid }
      first.listener.accept(line(name, "running", codex))
      first.listener.accept(line(name, "finished", { ...codex, at: now + 1, exitCode: 0, summary: "All is well." }))
    }
    await first.close()
    now += 1000
    const second = await start()
    expect(rowOf(second, "rests")).toMatchObject({ state: "unknown", source: "watch:restart" })
    const osc = (terminalId: string, state: string) =>
      tell(second.listener.socketPath, { osc: `state=${state}:app=codex`, terminalId, at: now + 2 })
    await osc("rests", "idle")
    await osc("works", "working")
    await vi.waitFor(() => {
      expect(rowOf(second, "rests")).toMatchObject({ state: "finished", exitCode: 0, summary: "All is well." })
      expect(rowOf(second, "works")).toMatchObject({ state: "running", exitCode: null })
    }, soon)
    now += 1000
    await osc("works", "idle")
    await vi.waitFor(() => expect(rowOf(second, "works")?.state).toBe("idle"), soon)
  })

  it("does not know what was taken off the list, however soon the former one was killed", async () => {
    const first = await start()
    first.listener.accept(line("off", "idle"))
    first.listener.accept(line("on", "idle"))
    first.listener.book.forget("off")
    const kept = readSnapshot(copyOf(join(folder.path, "s")), now)
    expect(kept.map(({ status }) => status.terminalId)).toEqual(["on"])
  })

  it("has forgotten what is older than a week", async () => {
    const first = await start()
    first.listener.accept(line("old", "idle"))
    await first.close()
    now += 7 * 24 * HOUR + 1
    expect((await start()).listener.book.rows()).toEqual([])
  })
})

describe("a listener is needed", () => {
  it("by a live agent, not by what is merely remembered", async () => {
    const service = await start()
    expect(service.isNeeded()).toBe(false)
    service.listener.accept(line("a", "idle"))
    expect(service.isNeeded()).toBe(false)
    service.listener.accept(line("b", "idle", { pid: process.pid }))
    expect(service.isNeeded()).toBe(true)
    service.listener.accept(line("b", "exited", { at: now + 1 }))
    expect(service.isNeeded()).toBe(false)
  })
})

describe("what the agents' own files add", () => {
  it("brings a title that Claude Code writes after its hook", async () => {
    const service = await start()
    const transcript = join(folder.path, "config", "projects", "p", "s.jsonl")
    mkdirSync(join(transcript, ".."), { recursive: true })
    writeFileSync(transcript, "")
    await hook(service, "claude", { hook_event_name: "UserPromptSubmit", prompt: "Go", transcript_path: transcript })
    expect(rowOf(service, "t")?.title).toBe("Go")
    await hook(service, "claude", { hook_event_name: "Stop", transcript_path: transcript })
    appendFileSync(transcript, `${JSON.stringify({ type: "ai-title", aiTitle: "A better name" })}\n`)
    await vi.waitFor(
      () => expect(rowOf(service, "t")).toMatchObject({ state: "finished", title: "A better name" }),
      soon,
    )
  })

  it("sees in Claude Code's session file that a question was answered, of which no hook tells", async () => {
    const service = await start()
    const sessions = join(folder.path, "config", "sessions")
    mkdirSync(sessions, { recursive: true })
    const says = (status: string, at: number) =>
      writeFileSync(
        join(sessions, `${process.pid}.json`),
        JSON.stringify({ pid: process.pid, status, statusUpdatedAt: at }),
      )
    says("busy", now - 10)
    const transcript_path = join(folder.path, "config", "projects", "p", "s.jsonl")
    await hook(service, "claude", { hook_event_name: "UserPromptSubmit", prompt: "Go", transcript_path }, process.pid)
    await hook(
      service,
      "claude",
      { hook_event_name: "PermissionRequest", tool_name: "Bash", transcript_path },
      process.pid,
    )
    expect(rowOf(service, "t")?.state).toBe("needsInput")
    says("busy", now + 5)
    await vi.waitFor(
      () => expect(rowOf(service, "t")).toMatchObject({ state: "running", source: "claude:session-file" }),
      soon,
    )
  })

  it("finds in Claude Code's transcript how a turn ended that no hook tells of", async () => {
    const service = await start()
    const transcript_path = join(folder.path, "config", "projects", "p", "s.jsonl")
    mkdirSync(join(transcript_path, ".."), { recursive: true })
    const keeps = (record: object) =>
      appendFileSync(transcript_path, `${JSON.stringify({ timestamp: new Date(now).toISOString(), ...record })}\n`)
    const said = (...content: object[]) => ({ message: { content } })
    const turn = async () => {
      now += 1000
      await hook(service, "claude", { hook_event_name: "UserPromptSubmit", prompt: "Go", transcript_path })
      now += 1000
    }
    await turn()
    keeps({ type: "user", ...said({ type: "tool_result", is_error: true, content: "String to replace not found" }) })
    now += 1000
    await hook(service, "claude", { hook_event_name: "Stop", transcript_path })
    await vi.waitFor(() => expect(rowOf(service, "t")).toMatchObject({ state: "finished", exitCode: 1 }), soon)
    await turn()
    keeps({ type: "assistant", isApiErrorMessage: true, ...said({ type: "text", text: "400 no" }) })
    await vi.waitFor(
      () => expect(rowOf(service, "t")).toMatchObject({ exitCode: 1, reason: "the model request failed: 400 no" }),
      soon,
    )
    await turn()
    keeps({ type: "user", ...said({ type: "tool_result", is_error: true, content: `${REFUSED}. It was rejected.` }) })
    keeps({ type: "user", ...said({ type: "text", text: "[Request interrupted by user for tool use]" }) })
    await vi.waitFor(
      () => expect(rowOf(service, "t")).toMatchObject({ state: "idle", reason: "interrupted by the person" }),
      soon,
    )
  })

  it("finds in Codex's rollout that a command failed, and the session's name in its index", async () => {
    const service = await start()
    const home = join(folder.path, "codex")
    const transcript_path = join(home, "sessions", "r.jsonl")
    mkdirSync(join(home, "sessions"), { recursive: true })
    writeFileSync(join(home, "session_index.jsonl"), '{"id":"s1","thread_name":"Named"}\n')
    const at = { session_id: "s1", turn_id: "u1", transcript_path }
    await hook(service, "codex", { hook_event_name: "UserPromptSubmit", prompt: "Go", ...at })
    const payload = { type: "item_completed", turn_id: "u1", item: { status: "failed" } }
    writeFileSync(transcript_path, `${JSON.stringify({ timestamp: new Date(now + 5).toISOString(), payload })}\n`)
    await hook(service, "codex", { hook_event_name: "PostToolUse", ...at })
    now += 10
    await hook(service, "codex", { hook_event_name: "Stop", last_assistant_message: "I tried.", ...at })
    await vi.waitFor(
      () =>
        expect(rowOf(service, "t")).toMatchObject({
          state: "finished",
          exitCode: 1,
          title: "Named",
          summary: "I tried.",
        }),
      soon,
    )
  })
})

describe("everybody who is told", () => {
  it("hears each change, also when the one before could not take it", async () => {
    const heard: string[] = []
    const service = await start([
      {
        changed() {
          throw new Error("no room")
        },
      },
      { changed: ({ state }) => heard.push(state) },
    ])
    service.listener.accept(line("a", "idle"))
    service.listener.accept(line("a", "running", { at: now + 1 }))
    expect(heard).toEqual(["idle", "running"])
  })
})
