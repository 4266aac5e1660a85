import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { attentionRow, logEvent, waitingItem as item } from "../../test/rows.ts"
import { awakeAt } from "./awake.ts"
import { endOf } from "./snooze.ts"
import { askedFor, byUrgency, choicesFor, inGroups, type Item, nextAfter, senderOf, titleOf } from "./decide.ts"
import { followNeedsYou } from "./use-needs-you.ts"

function asking(kind: "permission" | "input" | "plan" | "change", answerable = true): Item {
  return item({ kind: "attention", uuid: "a1", attention: attentionRow({ kind, answerable }) })
}

function event(
  entityType: string,
  action: LogEvent["action"],
  entityUuid: string,
  patch: Record<string, unknown>,
): LogEvent {
  return logEvent({
    kind: "x.y",
    entityType,
    entityUuid,
    projectUuid: "p",
    action,
    patch,
  })
}

describe("what a person can do", () => {
  it("depends on what waits", () => {
    expect(choicesFor(item({ kind: "proposal" }))).toMatchObject({ yes: "approve", no: "reject", note: true })
    expect(choicesFor(item())).toMatchObject({ yes: "verify", no: "sendBack" })
    expect(choicesFor(item({ kind: "elaboration" }))).toMatchObject({ yes: undefined, text: false })
    expect(choicesFor(asking("permission"))).toMatchObject({ yes: "allow", no: "deny", note: true })
    const { attention } = asking("permission")
    const ofTerminal = item({
      kind: "attention",
      attention: attention && { ...attention, detail: { terminalId: "t1" } },
    })
    expect(choicesFor(ofTerminal)).toMatchObject({ yes: "allow", no: "deny", note: false })
    expect(choicesFor(asking("input"))).toMatchObject({ yes: undefined, text: true })
    expect(choicesFor(asking("change"))).toMatchObject({ yes: "approve", no: "reject", note: true })
  })

  it("offers nothing where no answer would arrive", () => {
    expect(choicesFor(asking("permission", false))).toMatchObject({ yes: undefined, no: undefined, text: false })
  })

  it("shows what is wanted as it is", () => {
    expect(askedFor({ tool: "Bash", none: null, requestId: "7" })).toEqual({
      lines: [{ name: "tool", value: "Bash" }],
      rest: undefined,
    })
    const input = { command: ["npm", "install"], timeout: 5 }
    const lines = [
      { name: "tool", value: "Bash" },
      { name: "command", value: "npm install" },
    ]
    for (const sent of [input, JSON.stringify(input)]) {
      const asked = askedFor({ tool: "Bash", command: "true", input: sent })
      expect(asked.lines).toEqual(lines)
      expect(JSON.parse(asked.rest ?? "")).toEqual({ tool: "Bash", ...input })
    }
    expect(askedFor({ toolName: "write", input: { filepath: "/g/roses.txt", diff: "+rose" } }).lines).toEqual([
      { name: "tool", value: "write" },
      { name: "path", value: "/g/roses.txt" },
      { name: "patch", value: "+rose" },
    ])
    expect(askedFor({ tool: "Bash", input: "{ cut" }).rest).toContain("{ cut")
  })

  it("stands under what it is: only whoever waits for an answer is said to wait", () => {
    const asked = asking("input", false)
    const stuck = { ...asked, attention: asked.attention && { ...asked.attention, notice: "landing" as const } }
    const idle = {
      ...asked,
      attention: asked.attention && { ...asked.attention, detail: { notification: "idle_prompt" } },
    }
    const all = byUrgency([idle, item(), asking("change"), stuck, asking("permission")])
    expect(inGroups(all, "urgency").map(([name]) => name)).toEqual(["blocks", "stuck", "decide", "verify", "idle"])
    expect(inGroups(all, "kind").map(([name]) => name)).toEqual(["permission", "landing", "change", "task", "input"])
  })

  it("waits unless it was put off or has lapsed, until it is taken up again", () => {
    const asked = asking("permission")
    const lapsing = {
      ...asked,
      attention: asked.attention && { ...asked.attention, expiresAt: new Date(50).toISOString() },
    }
    const uuids = (until: Record<string, number>, now: number) =>
      awakeAt([item(), lapsing], until, now).map(({ uuid }) => uuid)
    expect(uuids({}, 49)).toEqual(["t1", "a1"])
    expect(uuids({ t1: 60 }, 49)).toEqual(["a1"])
    expect(uuids({ t1: 60 }, 50)).toEqual([])
    expect(uuids({ t1: 60 }, 60)).toEqual(["t1"])
  })

  it("of a terminal is from its session, and not from the companion that tells of it", () => {
    const text = (key: string, words?: object) => `${key} ${Object.values(words ?? {}).join(" ")}`.trim()
    const asked = asking("permission")
    const from = { type: "agent" as const, uuid: "c", name: "Companion on vm" }
    const of = (detail: Record<string, unknown>) =>
      senderOf(text, { from, attention: asked.attention && { ...asked.attention, detail } })
    const here = { terminalId: "t1", agent: "opencode", machine: "vm" }
    expect(of({ ...here, session: "Mend the door", cwd: "shop" })).toBe(
      "Mend the door · agents.onMachine opencode · shop vm",
    )
    expect(of({ ...here, session: null, cwd: null })).toBe("agents.onMachine opencode vm")
    expect(of({ tool: "Bash" })).toBe("Companion on vm")
  })

  it("of a member names it, its team and its program, and who tells of it", () => {
    const text = (key: string, words?: object) => `${key} ${Object.values(words ?? {}).join(" ")}`.trim()
    const asked = asking("permission")
    const from = { type: "agent" as const, uuid: "c", name: "Companion on vm" }
    const of = (detail: Record<string, unknown>) =>
      senderOf(text, { from, attention: asked.attention && { ...asked.attention, detail } })
    const rose = { member: "rose", team: "garden" }
    expect(of({ ...rose, program: "codex" })).toBe("needsYou.ofTeam rose garden · Codex · Companion on vm")
    for (const program of [undefined, "command", 7, "toString"])
      expect(of({ ...rose, program })).toBe("needsYou.ofTeam rose garden · Companion on vm")
    expect(of({ team: "garden" })).toBe("Companion on vm")
  })

  it("is called by what it is about, in the reader's language", () => {
    const of = (kind: "input" | "change", title: string, changes: object) => {
      const asked = asking(kind)
      return titleOf((key) => key, { title, attention: asked.attention && { ...asked.attention, ...changes } })
    }
    expect(of("change", 'Change "Wire"', { detail: { target: "Wire" } })).toBe("needsYou.changeOf")
    expect(of("input", "CR-1 Wire has not landed", { notice: "landing" })).toBe("CR-1 Wire")
    expect(of("input", "It has not landed", {})).toBe("It has not landed")
  })

  it("goes on with the next, else with the one before", () => {
    expect(nextAfter([{ uuid: "a" }, { uuid: "b" }, { uuid: "c" }], "b")).toBe("c")
    expect(nextAfter([{ uuid: "a" }, { uuid: "b" }], "b")).toBe("a")
    expect(nextAfter([{ uuid: "a" }], "a")).toBeUndefined()
  })
})

describe("following the queue", () => {
  const answer = {
    items: [item(), asking("input")],
    counts: { elaboration: 0, proposal: 0, task: 1, attention: 1, delivery: 0 },
    total: 2,
  }

  it("drops what is settled at once", () => {
    const after = followNeedsYou.apply(answer, event("task", "updated", "t1", { status: "done" }))
    expect(after).toMatchObject({ total: 1, counts: { task: 0 } })
    expect(followNeedsYou.apply(answer, event("attention", "updated", "a1", { state: "answered" }))?.total).toBe(1)
  })

  it("asks again when something begins to wait", () => {
    expect(followNeedsYou.apply(answer, event("task", "updated", "t9", { status: "to_verify" }))).toBeUndefined()
    expect(followNeedsYou.apply(answer, event("proposal", "updated", "p9", { status: "pending" }))).toBeUndefined()
    expect(followNeedsYou.apply(answer, event("round", "created", "r9", { status: "pending_answers" }))).toBeUndefined()
    expect(followNeedsYou.apply(answer, event("delivery", "updated", "d9", { state: "dead" }))).toBeUndefined()
  })

  it("does not care about the rest", () => {
    expect(followNeedsYou.apply(answer, event("task", "updated", "t9", { status: "in_progress" }))).toBe(answer)
    expect(followNeedsYou.apply(answer, event("task", "updated", "t1", { title: "x" }))).toBe(answer)
  })
})

describe("what is put off", () => {
  const at = (day: number, hour: number) => new Date(2026, 1, day, hour)

  it.each([
    ["hour", at(6, 23), at(7, 0)],
    ["tomorrow", at(6, 23), at(7, 9)],
    ["tomorrow", at(28, 8), at(29, 9)],
    // The sixth of February 2026 is a Friday.
    ["monday", at(6, 12), at(9, 9)],
    ["monday", at(8, 12), at(9, 9)],
    ["monday", at(9, 8), at(16, 9)],
  ] as const)("by %s comes back in the morning of the day that is meant, or in an hour", (length, now, end) => {
    expect(endOf(length, now)).toEqual(end)
  })
})
