import type { StatusEvent, StatusLine } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { addToHistory, beginHistory } from "./history.ts"
import { statusRow, unknownTerminal } from "./terminal.ts"

type Step = [event: StatusEvent, more?: Partial<StatusLine>]

/** The status after these steps, ten seconds apart unless a step says when. */
function after(...steps: Step[]) {
  const lines = steps.map(([event, more], index): StatusLine => ({
    terminalId: "t",
    agent: "claude",
    at: 10_000 * (index + 1),
    event,
    ...more,
  }))
  const [first, ...rest] = lines
  if (first === undefined) return unknownTerminal({ terminalId: "t", agent: "claude", at: 0 })
  return rest.reduce(addToHistory, beginHistory(first)).status
}

describe("needs input", () => {
  it.each(["idle", "finished", "exited"] as const)("is ignored after %s", (event) => {
    expect(after(["running"], [event], ["needsInput"]).state).not.toBe("needsInput")
  })

  it("is ignored when nothing was heard before", () => {
    expect(after(["needsInput"]).state).toBe("unknown")
  })

  it("is lifted by the tool that goes on", () => {
    expect(after(["running"], ["needsInput", { toolDetail: "Bash: rm x" }], ["running"])).toMatchObject({
      state: "running",
      detail: null,
    })
  })

  it("gives way to the tool it was about when a second source says that work goes on", () => {
    const tool: Step = ["running", { toolDetail: "Bash: rm x" }]
    const asked: Step = ["needsInput", { toolDetail: "May I remove it?" }]
    const seen: Step = ["running", { only: ["needsInput"] }]
    expect(after(tool, asked, seen)).toMatchObject({ state: "running", detail: "Bash: rm x" })
    expect(after(tool, asked, seen, ["running"]).detail).toBeNull()
  })

  it("shows what is asked, or what was under way", () => {
    expect(after(["running", { toolDetail: "Edit a" }], ["needsInput"]).detail).toBe("Edit a")
    expect(after(["running", { toolDetail: "Edit a" }], ["needsInput", { toolDetail: "Bash: rm x" }]).detail).toBe(
      "Bash: rm x",
    )
  })
})

describe("the end of a turn", () => {
  it("succeeds without a failed tool and fails with one, and says why", () => {
    expect(after(["running"], ["finished", { summary: "Done." }])).toMatchObject({
      state: "finished",
      exitCode: 0,
      summary: "Done.",
      reason: null,
    })
    expect(after(["running"], ["running", { toolError: true }], ["running"], ["finished"])).toMatchObject({
      exitCode: 1,
      reason: "a tool failed in this turn",
    })
  })

  it("forgets a failed tool when the next turn starts", () => {
    expect(after(["running", { toolError: true }], ["running", { turnStart: true }], ["finished"]).exitCode).toBe(0)
    expect(after(["running", { toolError: true }], ["finished"], ["running"], ["finished"]).exitCode).toBe(0)
  })

  it("stays a failure when the program then says that it stopped", () => {
    const failed: Step = ["finished", { exitCode: 1, reason: "the model request failed" }]
    expect(after(["running"], failed, ["finished"])).toMatchObject({ exitCode: 1, reason: "the model request failed" })
    expect(after(["running"], failed, ["running"], ["finished"]).exitCode).toBe(0)
  })

  it("is not spoilt by a tool of an earlier turn that fails late", () => {
    const late: Step = ["note", { toolError: true, turnId: "p1" }]
    const turn = (turnId: string): Step => ["running", { turnId, turnStart: true }]
    expect(after(turn("p1"), ["idle"], turn("p2"), late, ["finished", { turnId: "p2" }]).exitCode).toBe(0)
    expect(after(turn("p1"), late, ["finished", { turnId: "p1" }]).exitCode).toBe(1)
  })

  it("keeps an exit code the line names", () => {
    expect(after(["running", { toolError: true }], ["finished", { exitCode: 0 }]).exitCode).toBe(0)
  })

  it("stays finished when a hook of the same turn is stamped a moment later, and leaves it when work goes on", () => {
    const turn = { turnId: "p1" }
    expect(after(["running", turn], ["finished", turn], ["running", { ...turn, at: 20_100 }]).state).toBe("finished")
    expect(after(["running", turn], ["finished", turn], ["running", { ...turn, at: 21_000 }]).state).toBe("running")
    expect(
      after(["running", turn], ["finished", turn], ["running", { turnId: "p2", turnStart: true, at: 20_100 }]).state,
    ).toBe("running")
  })

  it("takes back a provisional failure when the agent tries again, and remembers failed tools", () => {
    const failed: Step = ["finished", { exitCode: 1, provisional: true, turnId: "p1" }]
    const started: Step = ["running", { turnId: "p1", turnStart: true, toolError: true }]
    expect(after(started, failed).state).toBe("finished")
    expect(after(started, failed, ["running", { turnId: "p1", at: 20_001 }]).state).toBe("running")
    expect(after(started, failed, ["running", { turnId: "p1", at: 20_001 }], ["finished"]).exitCode).toBe(1)
  })
})

describe("the end of an agent", () => {
  it("is what its launcher said of it, though somebody found it gone before that was heard", () => {
    const gone: Step = ["exited", { source: "watch:process", reason: "process 7 is gone" }]
    expect(after(["running"], ["finished"], ["exited", { exitCode: 0, source: "launch" }], gone)).toMatchObject({
      state: "finished",
      exitCode: 0,
      reason: "the session has ended",
    })
  })

  it("in the middle of a turn is a failure with a reason", () => {
    expect(after(["running"], ["exited"])).toMatchObject({
      state: "finished",
      exitCode: 1,
      reason: "the agent ended in the middle of a turn",
    })
    expect(
      after(["running"], ["needsInput"], ["exited", { exitCode: 137, reason: "killed by SIGKILL" }]),
    ).toMatchObject({ exitCode: 137, reason: "killed by SIGKILL" })
  })

  it("takes the process's word over the session's", () => {
    expect(after(["running"], ["exited"], ["exited", { exitCode: 143, reason: "killed by SIGTERM" }])).toMatchObject({
      state: "finished",
      exitCode: 143,
      reason: "killed by SIGTERM",
    })
  })

  it("keeps the outcome of a finished turn", () => {
    expect(after(["running"], ["finished"], ["exited"])).toMatchObject({
      state: "finished",
      exitCode: 0,
      reason: "the session has ended",
      pid: null,
    })
  })

  it("by a kill or unseen is no success, whatever the turn before came to; a crash of its own is a failure", () => {
    const gone: Step = ["exited", { source: "watch:process", reason: "process 7 is gone" }]
    const killed: Step = ["exited", { exitCode: 137, reason: "killed by SIGKILL" }]
    expect(after(["running"], ["finished"], gone)).toMatchObject({ state: "idle", reason: "process 7 is gone" })
    expect(after(["running"], ["finished"], killed)).toMatchObject({ state: "idle", reason: "killed by SIGKILL" })
    expect(after(["running"], ["finished"], gone, killed).state).toBe("idle")
    for (const exitCode of [101, 134, 139])
      expect(after(["running"], ["finished"], ["exited", { exitCode }])).toMatchObject({ state: "finished", exitCode })
    expect(after(["running"], ["finished"], gone, ["exited", { exitCode: 139 }])).toMatchObject({ exitCode: 139 })
    expect(after(["running"], ["finished", { exitCode: 1 }], gone)).toMatchObject({ state: "finished", exitCode: 1 })
  })

  it("by a kill between two turns is no failure either, whichever way the one before was over", () => {
    const killed: Step = ["exited", { exitCode: 137, reason: "killed by SIGKILL" }]
    const interrupted: Step = ["idle", { reason: "interrupted by the person" }]
    expect(after(["running"], interrupted, killed)).toMatchObject({ state: "idle", reason: "killed by SIGKILL" })
    expect(after(["idle"], killed).state).toBe("idle")
    expect(after(["idle"], ["exited", { exitCode: 139 }])).toMatchObject({ state: "finished", exitCode: 139 })
  })

  it("counts from when it was over, and names who said so, whichever way its last turn ended", () => {
    const left: Step = ["exited", { source: "claude:SessionEnd" }]
    const launcher: Step = ["exited", { exitCode: 0, source: "launch" }]
    const over = { since: 30_000, source: "claude:SessionEnd", sourceAt: 30_000, ended: true }
    expect(after(["running"], ["finished"], left)).toMatchObject({ ...over, state: "finished", exitCode: 0 })
    expect(after(["running"], ["idle"], left)).toMatchObject({ ...over, state: "idle" })
    expect(after(["running"], ["finished"], left, launcher)).toMatchObject({ since: 30_000, ended: true })
    expect(after(["running"], ["finished"], ["exited", { exitCode: 139 }])).toMatchObject({
      since: 30_000,
      exitCode: 139,
    })
  })

  it("leaves an idle terminal idle unless it crashed", () => {
    expect(after(["idle"], ["exited", { exitCode: 130, reason: "killed by SIGINT" }]).state).toBe("idle")
    expect(after(["idle"], ["exited", { exitCode: 0 }])).toMatchObject({
      state: "idle",
      reason: "the session has ended",
    })
    expect(after(["idle"], ["exited", { exitCode: 1 }])).toMatchObject({ state: "finished", exitCode: 1 })
  })

  it("before a first word of its own is no failure at work, unless it crashed: it was called wrongly", () => {
    const launch: Step = ["idle", { source: "launch", pid: 4 }]
    const wrong: Step = ["exited", { exitCode: 2, reason: "ended with exit code 2", source: "launch" }]
    const over = { state: "idle", ended: true, unread: false }
    expect(after(launch, wrong)).toMatchObject({ ...over, reason: "it did not begin: ended with exit code 2" })
    expect(after(["running"], ["finished", { exitCode: 1 }], ["exited"], launch, wrong)).toMatchObject(over)
    expect(after(launch, ["idle", { source: "claude:SessionStart" }], wrong)).toMatchObject({ exitCode: 2 })
    expect(after(launch, ["exited", { exitCode: 139 }])).toMatchObject({ state: "finished", exitCode: 139 })
  })
})

describe("a state nobody can vouch for", () => {
  it("has begun when it began, once somebody says that it still is so; what an agent does anew begins anew", () => {
    const lost: Step = ["lost", { reason: "away" }]
    const still: Step = ["needsInput", { only: ["unknown"] }]
    expect(after(["running"], ["needsInput"], lost, lost, still)).toMatchObject({ state: "needsInput", since: 20_000 })
    expect(after(["running"], lost, ["running", { only: ["unknown"] }]).since).toBe(10_000)
    expect(after(["running"], lost, still)).toMatchObject({ state: "needsInput", since: 30_000 })
    expect(after(["running"], lost, ["running"]).since).toBe(30_000)
  })

  it("has come to what it had, seen or not, when its program tells again how its turn ended", () => {
    const lost: Step = ["lost", { reason: "away" }]
    const again: Step = ["finished", { only: ["unknown"], summary: "Done." }]
    const done: Step = ["finished", { summary: "Done." }]
    expect(after(["running"], done, ["seen"], lost, again)).toMatchObject({ unread: false, since: 20_000 })
    expect(after(["running"], done, lost, again)).toMatchObject({ unread: true, since: 20_000, summary: "Done." })
    const failed: Step = ["finished", { only: ["unknown"], exitCode: 1 }]
    expect(after(["running"], done, ["seen"], lost, failed)).toMatchObject({ exitCode: 1, unread: true, since: 50_000 })
    expect(after(["running"], done, ["seen"], lost, ["running"], ["finished"])).toMatchObject({ unread: true })
  })

  it("is unknown, says why, and comes back with the next sign", () => {
    const lost: Step = ["lost", { reason: "this machine slept" }]
    expect(after(["running", { toolError: true }], lost)).toMatchObject({
      state: "unknown",
      reason: "this machine slept",
    })
    expect(after(["running", { toolError: true }], lost, ["running"], ["finished"]).exitCode).toBe(1)
    expect(after(["running"], ["needsInput"], lost).state).toBe("unknown")
    expect(after(["running"], ["finished"], lost).state).toBe("unknown")
    expect(after(["running"], ["finished"], ["exited"], lost).state).toBe("finished")
  })
})

describe("guarded lines", () => {
  it("count only in the states they name", () => {
    const settle: Step = ["idle", { only: ["running", "needsInput"], reason: "no Stop came" }]
    expect(after(["running"], settle)).toMatchObject({ state: "idle", reason: "no Stop came" })
    expect(after(["running"], ["finished"], settle).state).toBe("finished")
  })
})

describe("what stays with a session", () => {
  it("prefers a person's title over a generated one over the first prompt", () => {
    const prompt = (sessionTitle: string): Step => ["running", { sessionTitle, titleOrigin: "prompt" }]
    const generated: Step = ["note", { sessionTitle: "Generated", titleOrigin: "generated" }]
    const person: Step = ["note", { sessionTitle: "Mine", titleOrigin: "person" }]
    expect(after(prompt("first"), prompt("second")).title).toBe("first")
    expect(after(prompt("first"), generated, prompt("second")).title).toBe("Generated")
    expect(after(person, generated).title).toBe("Mine")
    expect(after(generated, ["note", { sessionTitle: "" }]).title).toBe("Generated")
  })

  it("is dropped with another session or another agent", () => {
    const first: Step = ["running", { sessionId: "a", sessionTitle: "First", resumeCommand: "claude --resume a" }]
    expect(after(first, ["idle", { sessionId: "b" }])).toMatchObject({
      title: null,
      resumeCommand: null,
      sessionId: "b",
    })
    expect(after(first, ["note", { agent: "codex" }])).toMatchObject({ agent: "codex", state: "unknown", title: null })
  })
})

describe("a program that is started", () => {
  it("has nothing of the one before it in that terminal", () => {
    const before: Step = [
      "finished",
      { sessionId: "a", sessionTitle: "Before", resumeCommand: "codex resume a", pid: 3 },
    ]
    const launch: Step = ["idle", { source: "launch", pid: 4 }]
    expect(after(["running"], before, ["exited"], launch)).toMatchObject({
      state: "idle",
      title: null,
      resumeCommand: null,
      sessionId: null,
      pid: 4,
    })
    expect(after(["idle", { sessionTitle: "Kept" }], ["idle"]).title).toBe("Kept")
  })
})

describe("provenance", () => {
  it("names the signal and when the state began", () => {
    const status = after(
      ["running", { source: "claude:UserPromptSubmit" }],
      ["running", { source: "claude:PreToolUse" }],
    )
    expect(status).toMatchObject({ source: "claude:PreToolUse", sourceAt: 20_000, since: 10_000 })
    expect(statusRow(status)).toEqual({
      terminalId: "t",
      agent: "claude",
      state: "running",
      since: 10_000,
      source: "claude:PreToolUse",
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
    })
  })
})

describe("what nobody has looked at", () => {
  it("is a turn that ended, until somebody looks or the next begins", () => {
    expect(after(["running"], ["finished"]).unread).toBe(true)
    expect(after(["running"], ["exited"]).unread).toBe(true)
    expect(after(["running"], ["finished"], ["seen"]).unread).toBe(false)
    expect(after(["running"], ["finished"], ["seen"], ["finished"], ["exited"]).unread).toBe(false)
    expect(after(["running"], ["finished"], ["running"]).unread).toBe(false)
    expect(after(["running"], ["idle"]).unread).toBe(false)
  })

  it("stays so when its program is killed", () => {
    const killed: Step = ["exited", { exitCode: 137, reason: "killed by SIGKILL" }]
    expect(after(["running"], ["finished"], killed)).toMatchObject({ ended: true, unread: true })
    expect(after(["running"], ["finished"], ["seen"], killed).unread).toBe(false)
    expect(after(["running"], ["finished"], killed, ["seen"]).unread).toBe(false)
  })
})

describe("a permission that can be given elsewhere", () => {
  it("is named as long as it is asked for", () => {
    const asked: Step = ["needsInput", { ask: "a1" }]
    expect(after(["running"], asked).ask).toBe("a1")
    expect(after(["running"], asked, ["needsInput"]).ask).toBe("a1")
    expect(after(["running"], asked, ["needsInput", { ask: "a2" }]).ask).toBe("a2")
    expect(after(["running"], asked, ["running"]).ask).toBeNull()
    expect(after(["running"], asked, ["running"], ["needsInput"]).ask).toBeNull()
  })

  it("is one only where all of it can be read", () => {
    const row = (...steps: Step[]) => statusRow(after(["running"], ...steps))
    const whole: Step = ["needsInput", { ask: "a1", asks: "ls\nrm -rf /" }]
    expect(row(whole)).toMatchObject({ ask: "a1", asks: "ls\nrm -rf /" })
    expect(row(whole, ["needsInput"])).toMatchObject({ ask: "a1", asks: "ls\nrm -rf /" })
    expect(row(["needsInput", { ask: "a1" }])).toMatchObject({ ask: null, asks: null })
    expect(row(whole, ["needsInput", { ask: "a2" }])).toMatchObject({ ask: null, asks: null })
    expect(row(whole, ["running"])).toMatchObject({ ask: null, asks: null })
  })
})
