import type { StatusRow } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { noticeFor, notificationForwarder, type Notice } from "../notify/notifier.ts"
import { desktopCommand } from "../notify/desktop-channel.ts"
import { promptLine } from "./prompt-line.ts"
import { screenLines } from "./screen.ts"
import { age } from "./state-look.ts"

const NOW = 1_000_000_000
const row = (terminalId: string, state: StatusRow["state"], more: Partial<StatusRow> = {}): StatusRow => ({
  terminalId,
  agent: "claude",
  state,
  since: NOW - 5000,
  source: "line",
  title: null,
  detail: null,
  summary: null,
  exitCode: state === "finished" ? 0 : null,
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
const plain = (_colour: string, text: string) => text
const rows = [
  row("a", "idle"),
  row("b", "running", { detail: "Bash: npm test" }),
  row("c", "needsInput", { detail: "Edit x" }),
  row("d", "finished", { summary: "All done.", unread: true }),
  row("e", "finished", { exitCode: 1, reason: "a tool failed", unread: true }),
]

describe("the screen", () => {
  it("shows what needs a person first, then failures, work, and the rest", () => {
    const lines = screenLines(rows, NOW, { columns: 100, rows: 20 }, plain)
    expect(lines.slice(1).map((line) => line.split(/\s+/)[1])).toEqual(["c", "e", "b", "d", "a"])
    expect(lines[1]).toMatch(/^\? c\s+claude\s+needs input\s+5s\s+Edit x$/)
    expect(lines[2]).toMatch(/failed\s+5s\s+a tool failed$/)
  })

  it("says by what signal each is known where there is room for it", () => {
    const known = [row("a", "running", { source: "claude:UserPromptSubmit", detail: "Edit x" })]
    const lines = (columns: number) => screenLines(known, NOW, { columns, rows: 20 }, plain)
    expect(lines(140)[0]).toMatch(/SINCE +SAID BY +TITLE/)
    expect(lines(140)[1]).toMatch(/running 5s +claude:UserPromptSubmit +Edit x$/)
    expect(lines(139).join()).not.toContain("claude:")
  })

  it("shows what has ended in grey and last, however its last turn went, but for what failed", () => {
    const painted = (colour: string, text: string) => `<${colour}>${text.trim()}`
    const over = [
      row("a", "finished", { ended: true, summary: "All done." }),
      row("b", "idle", { ended: true, reason: "killed by SIGKILL" }),
      row("c", "finished", { ended: true, exitCode: 137, reason: "killed by SIGKILL" }),
      row("d", "idle"),
    ]
    const lines = screenLines(over, NOW, { columns: 100, rows: 20 }, painted).slice(1)
    expect(lines.map((line) => line.replaceAll(/ +/g, " ").split("<dim>5s")[0])).toEqual([
      "<red>✗ c <dim>claude <red>failed ",
      "<gray>○ d <dim>claude <gray>idle ",
      "<gray>· a <dim>claude <gray>ended ",
      "<gray>· b <dim>claude <gray>ended ",
    ])
  })

  it("never gets wider or higher than the terminal", () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      row(`terminal-with-a-long-name-${index}`, "running", { title: "漢字 ".repeat(30), detail: "d".repeat(120) }),
    )
    const lines = screenLines(many, NOW, { columns: 80, rows: 24 }, plain)
    expect(lines.length).toBeLessThanOrEqual(24)
    const cells = (line: string) => Array.from(line).reduce((sum, letter) => sum + (/[漢字]/.test(letter) ? 2 : 1), 0)
    expect(Math.max(...lines.map(cells))).toBeLessThanOrEqual(80)
    expect(lines.at(-1)).toBe("… and 78 more")
  })

  it("says how to begin when there is nothing", () => {
    expect(screenLines([], NOW, { columns: 80, rows: 24 }, plain)).toEqual([
      "No agents yet. Start one with: chorus run claude",
    ])
  })
})

it("one line names who waits, first who has waited longest, in letters that steer nothing", () => {
  const waits = (terminalId: string, title: string, since: number) => row(terminalId, "needsInput", { title, since })
  const waiting = [waits("a", "Second", 20), waits("b", "#(rm x) `$HOME` %F{red}", 10), waits("c", "Third", 30)]
  expect(promptLine(waiting)).toBe("?3 (rm x) HOME Fred, Second, …")
  expect(promptLine([waits("a", "x".repeat(80), 1)])).toBe(`?1 ${"x".repeat(23)}…`)
})

it("one line leaves out what was seen", () => {
  expect(promptLine([row("d", "finished"), row("e", "finished", { exitCode: 1 })])).toBe("")
})

it("one line has what ended unseen in grey", () => {
  const over = [row("a", "finished", { ended: true, unread: true }), row("b", "idle", { ended: true })]
  expect(promptLine(over, "tmux")).toBe("#[fg=colour245]·1#[default]")
  expect(promptLine(over)).toBe("·1")
})

it("one line counts what goes on, idle ones not", () => {
  expect(promptLine(rows)).toBe("?1 c ✗1 ●1 ✓1")
  expect(promptLine(rows, "tmux")).toContain("#[fg=yellow]?1 c#[default]")
  expect(promptLine([row("a", "idle")])).toBe("")
})

it("ages are short", () => {
  expect([0, 61_000, 3 * 3600_000, 50 * 3600_000].map((ms) => age(NOW - ms, NOW))).toEqual(["0s", "1m", "3h", "2d"])
})

describe("notices", () => {
  it("are for questions and for the end of work, not for rest", () => {
    const running = row("x", "running", { title: "Login" })
    expect(noticeFor(row("x", "needsInput", { title: "Login", detail: "Bash: rm" }), running)).toEqual({
      terminalId: "x",
      kind: "needsInput",
      title: "claude needs you: Login",
      body: "Bash: rm",
    })
    expect(noticeFor(row("x", "finished", { exitCode: 1, reason: "killed by SIGKILL" }), running)).toMatchObject({
      kind: "failed",
      body: "killed by SIGKILL",
    })
    expect(noticeFor(row("x", "idle"), running)).toBeUndefined()
    expect(noticeFor(row("x", "finished"), undefined)).toBeUndefined()
  })

  it("count as sent only with the channel's receipt, and not when the state did not last", async () => {
    const told: [string, string, boolean][] = []
    const tried: Notice[] = []
    const channel = (name: string, receipt: () => Promise<boolean>) => ({
      name,
      deliver: (notice: Notice) => (tried.push(notice), receipt()),
    })
    const done = Promise.withResolvers<void>()
    const forwarder = notificationForwarder({
      channels: [
        channel("refusing", async () => false),
        channel("broken", async () => Promise.reject(new Error("no"))),
        channel("good", async () => true),
        channel("spare", async () => true),
      ],
      settings: {
        isOn: () => true,
        isReported: () => true,
        turn: async () => {},
        damagedFile: () => undefined,
        clear() {},
      },
      settleMs: 5,
      onDelivery: (notice, name, delivered) => told.push([notice.terminalId, name, delivered]) === 3 && done.resolve(),
    })
    forwarder.changed(row("brief", "needsInput"), row("brief", "running"))
    forwarder.changed(row("brief", "running"), row("brief", "needsInput"))
    forwarder.changed(row("lasting", "needsInput"), row("lasting", "running"))
    await done.promise
    expect(told).toEqual([
      ["lasting", "refusing", false],
      ["lasting", "broken", false],
      ["lasting", "good", true],
    ])
    expect(tried.map((notice) => notice.terminalId)).not.toContain("brief")
  })

  it("pass an agent's words as arguments, without markup", () => {
    const notice: Notice = { terminalId: "x", kind: "finished", title: "--hint=x", body: '<b>$(ls)</b> & "more"' }
    expect(desktopCommand(notice, "linux").slice(-3)).toEqual([
      "--",
      "--hint=x",
      '&lt;b&gt;$(ls)&lt;/b&gt; &amp; "more"',
    ])
    expect(desktopCommand(notice, "darwin").slice(-3)).toEqual(["--", "--hint=x", notice.body])
  })
})
