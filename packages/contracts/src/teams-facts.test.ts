import { describe, expect, it } from "vitest"
import { describeAnswer } from "../test/contract.ts"
import {
  TeamDecision,
  TeamDelivery,
  TeamFact,
  TeamMemberState,
  TeamMessageFact,
  TeamRequestFact,
} from "./teams-facts.ts"

const about = { team: "cats", at: "2026-03-01T10:00:00.000Z" }
const member = { agentId: "bob@cats", name: "bob", joinedAt: 1, mood: "good" }
const task = { id: "1", subject: "Fit", description: "", status: "pending", blocks: [], blockedBy: [], mood: "good" }

/** One of each, with what it may leave out. */
const FACTS: readonly [fact: string, fields: Record<string, unknown>, mayBeLeftOut: readonly string[]][] = [
  [
    "team",
    { era: "session", description: "A house for cats", leadSessionId: "abc", ledByChorus: false },
    ["description", "leadSessionId"],
  ],
  ["team_gone", {}, []],
  ["member", { member, state: "idle", lead: true }, []],
  ["member_left", { name: "bob" }, []],
  [
    "message",
    { id: "m1", from: "bob", to: "team-lead", kind: "text", text: "Done.", summary: "done", sentAt: about.at },
    ["summary"],
  ],
  [
    "request",
    {
      request: "permission",
      requestId: "p1",
      member: "bob",
      text: "run rm",
      toolName: "Bash",
      input: { command: "rm" },
      decidable: true,
    },
    ["toolName", "input"],
  ],
  [
    "request_settled",
    {
      request: "plan",
      requestId: "p1",
      member: "bob",
      approved: true,
      text: "Go on.",
      toolName: "Bash",
      how: "person",
      by: "Ada",
      settledAt: about.at,
    },
    ["text", "toolName", "how", "by", "settledAt"],
  ],
  ["task", { task, links: ["t1"] }, []],
  ["task_removed", { taskId: "1" }, []],
]

describe.each(FACTS)("the fact %s", (fact, fields, mayBeLeftOut) => {
  const whole = { ...about, fact, ...fields }

  it("comes through as it was told", () => expect(TeamFact.parse(whole)).toEqual(whole))

  it(`has everything but ${mayBeLeftOut.join(" and ") || "nothing"}`, () => {
    expect(Object.keys(fields).filter((name) => TeamFact.safeParse({ ...whole, [name]: undefined }).success)).toEqual(
      mayBeLeftOut,
    )
  })

  it("says of which team and when", () => {
    for (const name of ["team", "at"])
      expect(TeamFact.safeParse({ ...whole, [name]: undefined }).success, name).toBe(false)
  })
})

describe("a fact about a team", () => {
  it("is of no kind nobody knows", () => expect(TeamFact.safeParse({ ...about, fact: "party" }).success).toBe(false))

  it("keeps what others wrote about members and tasks, and drops what it does not know about itself", () => {
    expect(TeamFact.parse({ ...about, fact: "member", member, state: "idle", lead: true, note: "x" })).toEqual({
      ...about,
      fact: "member",
      member,
      state: "idle",
      lead: true,
    })
  })

  it.each(["plan", "permission", "shutdown"])("may be a request for a %s", (request) => {
    expect(
      TeamRequestFact.safeParse({
        ...about,
        fact: "request",
        request,
        requestId: "p1",
        member: "bob",
        text: "",
        decidable: false,
      }).success,
    ).toBe(true)
  })

  it("knows these states of a member", () =>
    expect(TeamMemberState.options).toEqual(["working", "idle", "needsInput", "leaving", "dead", "unknown"]))

  it("of a message is the same alone and among the facts", () => {
    const message = {
      ...about,
      fact: "message",
      id: "m1",
      from: "bob",
      to: "eve",
      kind: "text",
      text: "",
      sentAt: about.at,
    }
    expect(TeamMessageFact.parse(message)).toEqual(TeamFact.parse(message))
  })
})

const DECISIONS: readonly [decision: string, fields: Record<string, unknown>, mayBeLeftOut: readonly string[]][] = [
  ["message", { to: "bob", text: "Hurry.", summary: "hurry" }, ["summary"]],
  [
    "plan",
    { member: "bob", requestId: "p1", approved: false, feedback: "Smaller.", permissionMode: "acceptEdits" },
    ["feedback", "permissionMode"],
  ],
  [
    "permission",
    { member: "bob", requestId: "p1", approved: true, reason: "fine", updatedInput: { command: "ls" } },
    ["reason", "updatedInput"],
  ],
  ["shutdown", { member: "bob", reason: "All done." }, ["reason"]],
]

describe.each(DECISIONS)("the decision %s", (decision, fields, mayBeLeftOut) => {
  const whole = { team: "cats", by: "Ada", decision, ...fields }

  it("comes through as it was made", () => expect(TeamDecision.parse(whole)).toEqual(whole))

  it("has everything but what it may leave out", () => {
    expect(
      Object.keys(fields).filter((name) => TeamDecision.safeParse({ ...whole, [name]: undefined }).success),
    ).toEqual(mayBeLeftOut)
  })

  it("is always somebody's: whoever decided is named", () => {
    expect(TeamDecision.safeParse({ ...whole, by: "" }).success).toBe(false)
    expect(TeamDecision.safeParse({ ...whole, by: undefined }).success).toBe(false)
  })
})

describe("a decision", () => {
  it("is no empty message", () =>
    expect(TeamDecision.safeParse({ team: "cats", by: "Ada", decision: "message", to: "bob", text: "" }).success).toBe(
      false,
    ))

  it("gives no mode nobody knows", () => {
    expect(
      TeamDecision.safeParse({
        team: "cats",
        by: "Ada",
        decision: "plan",
        member: "bob",
        requestId: "p1",
        approved: true,
        permissionMode: "yolo",
      }).success,
    ).toBe(false)
  })
})

describeAnswer("TeamDelivery", TeamDelivery, { team: "cats", to: "bob", entryId: "m1", at: about.at })
