import type { StatusRow } from "@chorus/contracts"
import { array, assert, constantFrom, integer, property, record } from "fast-check"
import { describe, expect, it } from "vitest"
import { promptLine } from "./prompt-line.ts"
import { screenLines } from "./screen.ts"
import { age, byUrgency, stateLook, story } from "./state-look.ts"

const NOW = 1_794_740_000_000
const row = (terminalId: string, more: Partial<StatusRow> = {}): StatusRow => ({
  terminalId,
  agent: "claude",
  state: "running",
  since: NOW - 5000,
  title: null,
  detail: null,
  summary: null,
  exitCode: null,
  reason: null,
  outside: false,
  ask: null,
  asks: null,
  folder: null,
  unread: false,
  ended: false,
  resumeCommand: null,
  source: "test",
  ...more,
})
const plain = (_: string, text: string) => text
const lines = (rows: StatusRow[], columns: number, height = 50) =>
  screenLines(rows, NOW, { columns, rows: height }, plain)
/** Cells as a terminal counts them, for the letters used here. */
const cells = (text: string) => [...text].reduce((sum, letter) => sum + ("漢字✅⚡🚀한".includes(letter) ? 2 : 1), 0)

describe("the screen", () => {
  it("has a column for each thing, as wide as it must be", () => {
    expect(
      lines(
        [
          row("t1", { title: "Login", detail: "Edit a.ts" }),
          row("terminal-2", { agent: "opencode", state: "idle", since: NOW - 7_200_000 }),
        ],
        80,
      ),
    ).toEqual([
      "  TERMINAL   AGENT    STATE   SINCE TITLE WHAT",
      "● t1         claude   running 5s    Login Edit a.ts",
      "○ terminal-2 opencode idle    2h",
    ])
  })

  it.each([1, 2, 10, 18, 19, 30, 40, 53, 59, 60, 80, 99, 100, 200])(
    "is never wider than %i columns, whatever stands in it",
    (columns) => {
      const rows = [
        row("a-very-long-name-of-a-terminal-indeed", { title: "漢字".repeat(40), reason: "word ".repeat(60) }),
        row("✅⚡🚀", { state: "needsInput", title: "✅ done ⚡", detail: "🚀".repeat(90) }),
        row("한".repeat(30), { state: "finished", exitCode: 1 }),
      ]
      for (const line of lines(rows, columns)) expect(cells(line)).toBeLessThanOrEqual(columns)
      for (const line of lines([], columns)) expect(cells(line)).toBeLessThanOrEqual(columns)
    },
  )

  it("leaves out from the right what has no room, and keeps the terminal and its mark", () => {
    const rows = [row("t1", { state: "needsInput", title: "Login", detail: "May I?" })]
    expect(lines(rows, 12)).toEqual(["  TERMINAL …", "? t1       …"])
    expect(lines(rows, 40)[1]).toBe("? t1       claude needs input 5s    Log…")
  })

  it("shows so much of a long name as tells it from the others, where there is room", () => {
    const names = ["tmux-terminals-0-pts-3-17947400", "tmux-terminals-0-pts-3-17951234"]
    const rows = names.map((name) => row(name, { title: "Login", detail: "Edit a.ts" }))
    for (const columns of [80, 120, 170]) {
      const shown = lines(rows, columns)
        .slice(1)
        .map((line) => line.split(" ")[1]?.replace(/…$/, "") ?? "")
      for (const name of names) expect(shown.filter((text) => name.startsWith(text))).toHaveLength(1)
    }
  })

  it("says with a mark where it cut, never in the middle of a letter", () => {
    const [, line = ""] = lines([row("t", { detail: "漢字漢字漢字漢字漢字漢字" })], 55)
    expect(line).toMatch(/漢字…\s*$|漢…\s*$/)
    expect(line.isWellFormed()).toBe(true)
  })

  it("counts what does not fit in height, in its last line", () => {
    const rows = Array.from({ length: 9 }, (_, n) => row(`t${n}`))
    expect(lines(rows, 80, 6)).toHaveLength(6)
    expect(lines(rows, 80, 6).at(-1)).toBe("… and 5 more")
    expect(lines(rows, 80, 11).at(-1)).not.toContain("more")
    expect(lines(rows, 80, 1)).toHaveLength(3)
  })

  it("paints the mark and the state in the colour of the state, and no other text", () => {
    const painted: string[] = []
    screenLines(
      [row("t1", { state: "finished", exitCode: 2, reason: "why" })],
      NOW,
      { columns: 80, rows: 9 },
      (colour, text) => (painted.push(`${colour}:${text.trim()}`), text),
    )
    expect(painted).toEqual(expect.arrayContaining(["red:✗", "red:failed", "dim:claude", "dim:5s"]))
    expect(painted.filter((entry) => entry.startsWith("red"))).toHaveLength(2)
  })
})

describe("the order of rows", () => {
  const anyRow = record({
    terminalId: constantFrom("a", "b", "c"),
    state: constantFrom<StatusRow["state"]>("running", "idle", "needsInput", "finished", "unknown"),
    exitCode: constantFrom(null, 0, 1),
    since: integer({ min: 0, max: 3 }),
  })

  it("is the same from both sides, and needs a person first", () => {
    assert(
      property(anyRow, anyRow, (one, other) => {
        const [first, second] = [row(one.terminalId, one), row(other.terminalId, other)]
        if (first.terminalId !== second.terminalId)
          expect(Math.sign(byUrgency(first, second))).toBe(-Math.sign(byUrgency(second, first)))
        if (first.state === "needsInput" && second.state !== "needsInput")
          expect(byUrgency(first, second)).toBeLessThan(0)
      }),
    )
  })

  it("puts the newest of equals first, then goes by name", () => {
    const rows = [row("b", { since: 1 }), row("a", { since: 1 }), row("z", { since: 2 })]
    expect(rows.sort(byUrgency).map(({ terminalId }) => terminalId)).toEqual(["z", "a", "b"])
  })

  it("is by its own look: a failure is not a success", () => {
    expect([0, 1, null].map((exitCode) => stateLook({ state: "finished", exitCode, ended: false }).name)).toEqual([
      "finished",
      "failed",
      "failed",
    ])
  })
})

describe("words about a row", () => {
  it.each<[Partial<StatusRow>, string]>([
    [{ state: "finished", exitCode: 0, summary: "All done.", reason: "r", detail: "d" }, "All done."],
    [{ state: "finished", exitCode: 0, reason: "r" }, "r"],
    [{ state: "finished", exitCode: 1, summary: "s", reason: "it broke", detail: "d" }, "it broke"],
    [{ state: "finished", exitCode: 1, summary: "s" }, "s"],
    [{ state: "running", detail: "Edit", summary: "old" }, "Edit"],
    [{ state: "unknown", reason: "nothing was heard", detail: "Edit" }, "nothing was heard"],
    [{}, ""],
  ])("of %j are %j", (more, words) => {
    expect(story(row("t", more))).toBe(words)
  })

  it.each<[number, string]>([
    [-5000, "0s"],
    [0, "0s"],
    [59_499, "59s"],
    [59_500, "1m"],
    [3_599_000, "59m"],
    [3_600_000, "1h"],
    [86_399_000, "23h"],
    [86_400_000, "1d"],
    [40 * 86_400_000, "40d"],
  ])("for an age of %i ms are %s", (ms, words) => {
    expect(age(NOW - ms, NOW)).toBe(words)
  })
})

describe("the one line", () => {
  it("counts each look once, what needs a person first, and is empty when all rest", () => {
    const rows = [
      row("a"),
      row("b"),
      row("c", { state: "finished", exitCode: 0, unread: true }),
      row("d", { state: "finished", exitCode: 1, unread: true }),
      row("e", { state: "needsInput" }),
      row("f", { state: "idle" }),
      row("g", { state: "unknown" }),
    ]
    expect(promptLine(rows, "prompt", NOW)).toBe("?1 e ✗1 ●2 ~1 ✓1")
    expect(promptLine(rows, "starship", NOW)).toBe(promptLine(rows, "prompt", NOW))
    expect(promptLine(rows.slice(0, 1), "tmux")).toBe("#[fg=blue]●1#[default]")
    expect([promptLine([]), promptLine([row("f", { state: "idle" })], "tmux")]).toEqual(["", ""])
  })

  it("counts what has ended until it was seen, however it ended", () => {
    const over = { ended: true, unread: true } as const
    const rows = [row("a", { ...over, state: "finished", exitCode: 0 }), row("b", { ...over, state: "idle" })]
    expect(promptLine(rows, "prompt", NOW)).toBe("·2")
    expect(promptLine([row("b", { ...over, state: "idle", unread: false })], "prompt", NOW)).toBe("")
  })

  it("cuts a long name at the end of a word, where enough of it stays", () => {
    const named = (title: string) => promptLine([row("t", { state: "needsInput", title })], "prompt", NOW)
    expect(named("Mend the doors of the barn house")).toBe("?1 Mend the doors of the…")
    expect(named("Fix incomprehensibilities-everywhere")).toBe("?1 Fix incomprehensibiliti…")
  })

  it("says for how long nothing has been known of somebody, in grey", () => {
    const rows = [240_000, 59_000, 70_000].map((ms, n) => row(`t${n}`, { state: "unknown", since: NOW - ms }))
    expect(promptLine(rows, "prompt", NOW)).toBe("~3 4m")
    expect(promptLine(rows.slice(1), "tmux", NOW)).toBe("#[fg=colour245]~2 1m#[default]")
    expect(promptLine(rows.slice(1, 2), "prompt", NOW)).toBe("~1")
  })

  it("counts every row that is not idle", () => {
    assert(
      property(
        array(constantFrom<StatusRow["state"]>("running", "idle", "needsInput", "unknown"), { maxLength: 12 }),
        (states) => {
          const counted = [
            ...promptLine(
              states.map((state, n) => row(`t${n}`, { state })),
              "prompt",
              NOW,
            ).matchAll(/[?●~](\d+)/g),
          ].reduce((sum, [, count]) => sum + Number(count), 0)
          expect(counted).toBe(states.filter((state) => state !== "idle").length)
        },
      ),
    )
  })
})
