import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StatusRow } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { resumeForwarder, resumeStore, stateFolder } from "../resume/resume-store.ts"
import { desktopCommand } from "./desktop-channel.ts"
import { type Notice, noticeFor, notificationForwarder } from "./notifier.ts"
import { notifySettings } from "./notify-settings.ts"
import { callSequence } from "./terminal-channel.ts"

const row = (state: StatusRow["state"], more: Partial<StatusRow> = {}): StatusRow => ({
  terminalId: "t",
  agent: "claude",
  state,
  since: 1,
  source: "s",
  title: null,
  detail: null,
  summary: null,
  exitCode: null,
  resumeCommand: null,
  reason: null,
  outside: false,
  ask: null,
  asks: null,
  folder: null,
  unread: false,
  ended: false,
  ...more,
})

let folder: ReturnType<typeof temporaryDirectory>
beforeEach(() => {
  folder = temporaryDirectory("notify-")
  vi.useFakeTimers()
})
afterEach(async () => {
  vi.useRealTimers()
  await folder[Symbol.asyncDispose]()
})

describe("a notice", () => {
  it.each<[string, StatusRow, StatusRow | undefined, Partial<Notice> | undefined]>([
    [
      "a question",
      row("needsInput", { detail: "May I?" }),
      row("running"),
      { kind: "needsInput", title: "claude needs you: t", body: "May I?" },
    ],
    [
      "a question of a new terminal",
      row("needsInput", { title: "Login" }),
      undefined,
      { title: "claude needs you: Login", body: "It waits for your answer." },
    ],
    [
      "an end",
      row("finished", { exitCode: 0, summary: "Done it" }),
      row("running"),
      { kind: "finished", body: "Done it" },
    ],
    ["an end without words", row("finished", { exitCode: 0 }), row("needsInput"), { kind: "finished", body: "Done." }],
    [
      "a failure",
      row("finished", { exitCode: 3, reason: "it broke", summary: "s" }),
      row("running"),
      { kind: "failed", title: "claude failed: t", body: "it broke" },
    ],
    [
      "a failure without a reason",
      row("finished", { exitCode: 3 }),
      row("unknown"),
      { kind: "failed", body: "exit code 3" },
    ],
    ["the end of a terminal that rested", row("finished", { exitCode: 0 }), row("idle"), undefined],
    ["an end that nobody saw begin", row("finished", { exitCode: 0 }), undefined, undefined],
    [
      "an end of before it was lost sight of",
      row("finished", { exitCode: 1 }),
      row("unknown", { since: 9000 }),
      undefined,
    ],
    ["a question of before that", row("needsInput"), row("unknown", { since: 9000 }), undefined],
    [
      "a question that nobody was called for yet",
      row("needsInput"),
      row("unknown", { since: 900 }),
      { kind: "needsInput" },
    ],
    [
      "an end meanwhile",
      row("finished", { since: 9500, exitCode: 1 }),
      row("unknown", { since: 9000 }),
      { kind: "failed" },
    ],
    ["work", row("running"), row("idle"), undefined],
    ["rest", row("idle"), row("running"), undefined],
    ["silence", row("unknown"), row("running"), undefined],
  ])("is worth a call or not: %s", (_, now, before, notice) => {
    expect(noticeFor(now, before)).toEqual(notice === undefined ? undefined : expect.objectContaining(notice))
  })

  it("is urgent only where a person is waited for", () => {
    const urgency = (kind: Notice["kind"]) =>
      desktopCommand({ terminalId: "t", kind, title: "x", body: "y" }, "linux")[1]
    expect([urgency("needsInput"), urgency("finished"), urgency("failed")]).toEqual([
      "--urgency=critical",
      "--urgency=normal",
      "--urgency=normal",
    ])
  })
})

describe("calling a person", () => {
  const called = () => {
    const notices: Notice[] = []
    const forwarder = notificationForwarder({
      channels: [{ name: "test", deliver: async (notice) => notices.push(notice) > 0 }],
      settings: {
        isOn: () => true,
        isReported: () => true,
        turn: async () => {},
        damagedFile: () => undefined,
        clear() {},
      },
    })
    return { notices, forwarder }
  }
  const settle = () => vi.advanceTimersByTimeAsync(1500)

  it("waits until a state has lasted, then calls once", async () => {
    const { notices, forwarder } = called()
    forwarder.changed(row("needsInput"), row("running"))
    await vi.advanceTimersByTimeAsync(1499)
    expect(notices).toEqual([])
    await settle()
    forwarder.changed(row("needsInput", { detail: "more words" }), row("needsInput"))
    await settle()
    expect(notices).toHaveLength(1)
  })

  it("goes through the terminal where no service takes it", async () => {
    const tried: string[] = []
    const channel = (name: string, takes: boolean) => ({
      name,
      deliver: async () => {
        tried.push(name)
        return takes
      },
    })
    const settings = {
      isOn: () => true,
      isReported: () => true,
      turn: async () => {},
      damagedFile: () => undefined,
      clear() {},
    }
    const calls = notificationForwarder({
      settings,
      settleMs: 1,
      channels: [channel("desktop", false), channel("terminal", true), channel("never", true)],
    })
    calls.changed(row("needsInput"), row("running"))
    await vi.waitFor(() => expect(tried).toEqual(["desktop", "terminal"]))
  })

  it.each([
    ["tmux", { TMUX: "/tmp/t,1,0", TERM_PROGRAM: "tmux" }, "\u0007"],
    ["kitty", { KITTY_WINDOW_ID: "3" }, "\u001b]9;claude needs you, now: Rm x\u001b\\"],
    ["GNOME's", { VTE_VERSION: "7200" }, "\u001b]777;notify;claude needs you, now;Rm x\u001b\\"],
    ["one nobody knows", {}, "\u0007"],
  ])("says in %s terminal what that understands, and nothing that steers it", (_, env, sequence) => {
    const notice = { terminalId: "t", kind: "needsInput", title: "claude needs you; now", body: "Rm\u001b x" } as const
    expect(callSequence(env, notice)).toBe(sequence)
  })

  it("calls for each of several terminals", async () => {
    const { notices, forwarder } = called()
    for (const terminalId of ["a", "b"]) forwarder.changed(row("needsInput", { terminalId }), undefined)
    await settle()
    expect(notices.map(({ terminalId }) => terminalId)).toEqual(["a", "b"])
  })

  it("does not call for a terminal that was taken off the list", async () => {
    const { notices, forwarder } = called()
    forwarder.changed(row("needsInput"), row("running"))
    forwarder.removed?.("t")
    forwarder.removed?.("t")
    await settle()
    expect(notices).toEqual([])
  })
})

describe("which channels may call", () => {
  it("is none until one is switched on, and counts at once in every reader", async () => {
    const [one, other] = [notifySettings(folder.path), notifySettings(folder.path)]
    expect(one.isOn("desktop")).toBe(false)
    await other.turn("desktop", true)
    await other.turn("phone", false)
    expect([one.isOn("desktop"), one.isOn("phone")]).toEqual([true, false])
    expect(statSync(join(folder.path, "notify.json")).mode & 0o777).toBe(0o600)
    one.clear()
    one.clear()
    expect(other.isOn("desktop")).toBe(false)
  })

  it("can be another for one agent", async () => {
    const settings = notifySettings(folder.path)
    await settings.turn("desktop", true)
    await settings.turn("desktop:codex", false)
    await settings.turn("report:opencode", false)
    expect([settings.isOn("desktop", "claude"), settings.isOn("desktop", "codex")]).toEqual([true, false])
    expect([settings.isReported("claude"), settings.isReported("opencode")]).toEqual([true, false])
  })

  it.each(["", "[]", "null", '{"desktop":"yes"}'])("is none where the file says %j", (text) => {
    writeFileSync(join(folder.path, "notify.json"), text)
    expect(notifySettings(folder.path).isOn("desktop")).toBe(false)
  })
})

describe("sessions to come back to", () => {
  const command = "claude --resume one"

  it("are kept when they are new or have a new name, and not at every step", async () => {
    const store = resumeStore(folder.path)
    await store.turn("claude", true)
    const written = () => statSync(join(folder.path, "resume.json")).ino
    const { changed } = resumeForwarder(store)
    const folderOf = { tab: null, folder: "/work", version: "2.1.325", once: false, pid: null }
    changed(row("running", { resumeCommand: command }), undefined, folderOf)
    await vi.waitFor(() => expect(store.list()).toHaveLength(1))
    const first = written()
    changed(row("idle", { resumeCommand: command }), row("running", { resumeCommand: command }))
    changed(row("idle"), row("running", { resumeCommand: command }))
    expect(written()).toBe(first)
    changed(row("idle", { resumeCommand: command, title: "Named" }), row("idle", { resumeCommand: command }), folderOf)
    const place = { terminalId: "t", folder: "/work" }
    const expected = { tab: null, folder: "/work", version: "2.1.325", command, title: "Named", at: 1 }
    await vi.waitFor(async () => expect(await store.find(place)).toMatchObject([expected]))
  })

  it("are kept with the next turn where they had begun before that was asked for", async () => {
    const store = resumeStore(folder.path)
    const { changed } = resumeForwarder(store)
    const known = (state: "idle" | "running") => row(state, { resumeCommand: command })
    changed(known("running"), undefined)
    changed(known("idle"), known("running"))
    await store.turn("claude", true)
    changed(known("running"), known("idle"))
    await vi.waitFor(() => expect(store.list()).toHaveLength(1))
  })

  it("are forgotten one by one, by agent, and all together", async () => {
    const store = resumeStore(folder.path)
    for (const agent of ["claude", "codex"] as const) await store.turn(agent, true)
    await store.record(row("idle", { resumeCommand: command }))
    await store.record(row("idle", { terminalId: "u", agent: "codex", resumeCommand: "codex resume two" }))
    await store.forget("t")
    await store.forget("never-there")
    expect(store.list().map(({ terminalId }) => terminalId)).toEqual(["u"])
    await store.turn("codex", false)
    expect([await store.find({ terminalId: "u", folder: "/" }), store.isOn("claude"), store.isOn("codex")]).toEqual([
      [],
      true,
      false,
    ])
    store.clear()
    expect(existsSync(join(folder.path, "resume.json"))).toBe(false)
  })

  it("with a command that is not ours, or a name that is none, are not believed", async () => {
    const store = resumeStore(folder.path)
    await store.turn("claude", true)
    await store.record(row("idle", { resumeCommand: "claude --resume a && rm -rf ~" }))
    await store.record(row("idle", { resumeCommand: "codex resume a" }))
    expect(store.list()).toEqual([])
    writeFileSync(
      join(folder.path, "resume.json"),
      JSON.stringify({
        on: ["claude"],
        sessions: [{ terminalId: "t", agent: "claude", command, title: { evil: 1 }, at: 1 }],
      }),
    )
    expect(store.list()).toEqual([])
    expect(readFileSync(join(folder.path, "resume.json"), "utf8")).toContain("evil")
  })

  it.each([
    [{ XDG_STATE_HOME: "/s", HOME: "/h" }, "/s/chorus"],
    [{ HOME: "/h" }, "/h/.local/state/chorus"],
  ])("lie with %j in %s", (env, place) => {
    expect(stateFolder(env)).toBe(place)
  })
})
