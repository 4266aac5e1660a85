import { StatusRow } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { statusRow, unknownTerminal } from "./terminal.ts"

describe("a terminal of which nothing is known", () => {
  const fresh = unknownTerminal({ terminalId: "tty1", agent: "codex", at: 17 })

  it("is unknown since it was heard of, and nobody vouches for it", () => {
    expect(fresh).toMatchObject({
      terminalId: "tty1",
      agent: "codex",
      state: "unknown",
      since: 17,
      source: "none",
      sourceAt: 17,
    })
  })

  it("has failed in nothing", () =>
    expect([fresh.toolFailed, fresh.provisional, fresh.cutShort, fresh.exitCode]).toEqual([false, false, false, null]))
})

describe("the row of a terminal", () => {
  const known = {
    ...unknownTerminal({ terminalId: "tty1", agent: "claude", at: 17 }),
    title: "Fit the door",
    pid: 4711,
    sessionId: "abc",
    turnId: "t1",
  }

  it("is what every view takes", () => expect(StatusRow.parse(statusRow(known))).toEqual(statusRow(known)))

  it("keeps to itself what only the rules need", () => {
    expect(Object.keys(statusRow(known))).toEqual([
      "terminalId",
      "agent",
      "state",
      "since",
      "source",
      "title",
      "detail",
      "summary",
      "exitCode",
      "resumeCommand",
      "reason",
      "outside",
      "ask",
      "asks",
      "folder",
      "unread",
      "ended",
    ])
  })
})
