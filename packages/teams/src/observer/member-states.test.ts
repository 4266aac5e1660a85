import type { TeamMember, TeamMessageBody } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import type { Received } from "../files/inbox-file.ts"
import { MemberStates, type Weight } from "./member-states.ts"
import { taskLinks } from "./task-links.ts"

const AT = "2026-01-01T00:00:00.000Z"
const FULL: Weight = { plan: true, permission: true, person: undefined }
const NONE: Weight = { plan: false, permission: false, person: undefined }
let states: MemberStates
beforeEach(() => {
  states = new MemberStates()
})

const received = (from: string, body: string | TeamMessageBody): Received => ({
  id: "i",
  entry: { from, text: typeof body === "string" ? body : JSON.stringify(body), timestamp: AT },
})
const hear = (from: string, to: string, body: string | TeamMessageBody, weight: Weight = FULL) =>
  states.hear(to, received(from, body), weight)
const stateOf = (name: string, more: Partial<TeamMember> = {}) =>
  states.stateOf({ agentId: `${name}@t`, name, joinedAt: 0, ...more })

const plan = (requestId: string): TeamMessageBody => ({
  type: "plan_approval_request",
  from: "bob",
  timestamp: AT,
  planFilePath: "/p",
  planContent: "# Plan",
  requestId,
})
const planAnswer = (requestId: string, approved: boolean): TeamMessageBody => ({
  type: "plan_approval_response",
  requestId,
  approved,
  timestamp: AT,
  ...(approved ? {} : { feedback: "smaller" }),
})
const permission = (id: string): TeamMessageBody => ({
  type: "permission_request",
  request_id: id,
  agent_id: "bob",
  tool_name: "Bash",
  tool_use_id: "u",
  description: "List",
  input: { command: "ls" },
  permission_suggestions: [],
})
const permissionAnswer = (id: string, allowed: boolean): TeamMessageBody =>
  allowed
    ? {
        type: "permission_response",
        request_id: id,
        subtype: "success",
        response: { updated_input: {}, permission_updates: [] },
      }
    : { type: "permission_response", request_id: id, subtype: "error", error: "no" }
const shutdown = (requestId: string): TeamMessageBody => ({
  type: "shutdown_request",
  requestId,
  from: "team-lead",
  reason: "done",
  timestamp: AT,
})
const goodbye = (requestId: string): TeamMessageBody => ({
  type: "shutdown_approved",
  requestId,
  from: "bob",
  timestamp: AT,
})
const refusal = (requestId: string): TeamMessageBody => ({
  type: "shutdown_rejected",
  requestId,
  from: "bob",
  reason: "busy",
  timestamp: AT,
})
const idle = (): TeamMessageBody => ({ type: "idle_notification", from: "bob", timestamp: AT })

describe("the state of a member", () => {
  it("is unknown until something is heard", () => {
    expect(stateOf("bob")).toBe("unknown")
  })

  it("is working once it got words, idle once it said so", () => {
    hear("team-lead", "bob", "go")
    expect(stateOf("bob", { backendType: "in-process" })).toBe("working")
    hear("bob", "team-lead", idle())
    expect(stateOf("bob")).toBe("idle")
    hear("alice", "bob", '{"type":"something_new"}')
    expect(stateOf("bob")).toBe("working")
  })

  it("of one that came by itself is not told from what it gets, before it says when a turn is over", () => {
    hear("team-lead", "bob", "go")
    expect(stateOf("bob")).toBe("unknown")
    hear("bob", "team-lead", idle())
    hear("team-lead", "bob", "go on")
    expect(stateOf("bob")).toBe("working")
  })

  it("of the lead is not told from what it gets", () => {
    hear("bob", "team-lead", "hello")
    expect(stateOf("team-lead")).toBe("unknown")
  })

  it("is what the roster says where it says it, over what was heard", () => {
    hear("bob", "team-lead", idle())
    expect(stateOf("bob", { isActive: true })).toBe("working")
    hear("team-lead", "bob", "go")
    expect(stateOf("bob", { isActive: false })).toBe("idle")
  })

  it("is needsInput while a plan or a permission waits, also when it says it is idle", () => {
    hear("bob", "team-lead", plan("p1"))
    hear("bob", "team-lead", idle())
    expect(stateOf("bob", { isActive: false })).toBe("needsInput")
    hear("team-lead", "bob", planAnswer("p1", true))
    expect(stateOf("bob", { isActive: false })).toBe("idle")
  })

  it("is needsInput until the last of several requests is settled", () => {
    hear("bob", "team-lead", permission("a"))
    hear("bob", "team-lead", permission("b"))
    hear("team-lead", "bob", permissionAnswer("a", true))
    expect(stateOf("bob")).toBe("needsInput")
    hear("team-lead", "bob", permissionAnswer("b", false))
    expect(stateOf("bob")).not.toBe("needsInput")
  })

  it("does not need input because somebody asks it to shut down", () => {
    hear("team-lead", "bob", shutdown("s1"))
    expect(stateOf("bob", { isActive: true })).toBe("working")
  })

  it("is leaving once it said goodbye, whatever the roster still says", () => {
    hear("bob", "team-lead", goodbye("s1"))
    expect(stateOf("bob", { isActive: true })).toBe("leaving")
    expect(stateOf("alice")).toBe("unknown")
  })
})

describe("a request", () => {
  it("is opened by the one who asks, with what a person needs to decide", () => {
    expect(hear("bob", "team-lead", plan("p1"))).toEqual({
      opened: { request: "plan", requestId: "p1", member: "bob", text: "# Plan" },
    })
    expect(hear("bob", "team-lead", permission("a"))).toEqual({
      opened: {
        request: "permission",
        requestId: "a",
        member: "bob",
        text: "List",
        toolName: "Bash",
        input: { command: "ls" },
      },
    })
    expect(hear("team-lead", "bob", shutdown("s1"))).toEqual({
      opened: { request: "shutdown", requestId: "s1", member: "bob", text: "done" },
    })
  })

  it.each<[string, () => unknown, unknown]>([
    [
      "a plan approved",
      () => hear("team-lead", "bob", planAnswer("r", true)),
      { request: "plan", requestId: "r", member: "bob", approved: true, text: undefined, how: "lead", settledAt: AT },
    ],
    [
      "a plan refused",
      () => hear("team-lead", "bob", planAnswer("r", false)),
      { request: "plan", requestId: "r", member: "bob", approved: false, text: "smaller", how: "lead", settledAt: AT },
    ],
    [
      "a tool allowed",
      () => hear("team-lead", "bob", permissionAnswer("r", true)),
      {
        request: "permission",
        requestId: "r",
        member: "bob",
        approved: true,
        text: undefined,
        how: "lead",
        settledAt: AT,
      },
    ],
    [
      "a tool refused",
      () => hear("team-lead", "bob", permissionAnswer("r", false)),
      { request: "permission", requestId: "r", member: "bob", approved: false, text: "no", how: "lead", settledAt: AT },
    ],
    [
      "a goodbye",
      () => hear("bob", "team-lead", goodbye("r")),
      { request: "shutdown", requestId: "r", member: "bob", approved: true, how: "member", settledAt: AT },
    ],
    [
      "a refusal to go",
      () => hear("bob", "team-lead", refusal("r")),
      {
        request: "shutdown",
        requestId: "r",
        member: "bob",
        approved: false,
        text: "busy",
        how: "member",
        settledAt: AT,
      },
    ],
  ])("is settled by %s, also when its beginning was missed", (_, answer, settled) => {
    expect(answer()).toEqual({ settled })
  })

  it("says by whose word it is over: a person's by name, and the tool it was about", () => {
    hear("bob", "team-lead", permission("a"))
    expect(hear("team-lead", "bob", permissionAnswer("a", true), { ...FULL, person: { by: "Ada" } })).toMatchObject({
      settled: { how: "person", by: "Ada", toolName: "Bash", settledAt: AT },
    })
    expect(hear("team-lead", "bob", planAnswer("p", true), { ...FULL, person: { by: undefined } })).toMatchObject({
      settled: { how: "person", by: undefined },
    })
  })

  it("is not settled by an answer that the member would not obey", () => {
    hear("bob", "team-lead", plan("p1"))
    hear("bob", "team-lead", permission("a"))
    expect(hear("mallory", "bob", planAnswer("p1", true), NONE)).toEqual({})
    expect(hear("mallory", "bob", permissionAnswer("a", false), NONE)).toEqual({})
    expect(hear("team-lead", "bob", permissionAnswer("a", true), { ...FULL, permission: false })).toEqual({})
    expect([states.request("p1")?.member, states.request("a")?.member, stateOf("bob")]).toEqual([
      "bob",
      "bob",
      "needsInput",
    ])
  })

  it("of one member is neither taken over nor settled by another", () => {
    hear("bob", "team-lead", plan("p1"))
    expect(hear("mallory", "team-lead", plan("p1"))).toEqual({})
    expect(hear("team-lead", "mallory", planAnswer("p1", true))).toEqual({})
    hear("team-lead", "bob", shutdown("s1"))
    expect(hear("mallory", "team-lead", goodbye("s1"))).toEqual({})
    expect(hear("mallory", "team-lead", refusal("s1"))).toEqual({})
    expect([states.request("p1")?.member, states.request("s1")?.member]).toEqual(["bob", "bob"])
  })

  it("whose answer is heard first, as inboxes are read by name, is not open", () => {
    hear("team-lead", "bob", planAnswer("p1", true))
    expect(hear("bob", "team-lead", plan("p1"))).toEqual({})
    hear("bob", "team-lead", goodbye("s1"))
    expect(hear("team-lead", "bob", shutdown("s1"))).toEqual({})
    expect([states.request("p1"), states.request("s1"), stateOf("bob")]).toEqual([undefined, undefined, "leaving"])
  })

  it("heard after an answer that was about another's of that id is open", () => {
    hear("team-lead", "mallory", planAnswer("p1", true))
    expect(hear("bob", "team-lead", plan("p1")).opened?.member).toBe("bob")
  })

  it("for a plan is over when its member hands in another; what it asks besides is not", () => {
    hear("bob", "team-lead", permission("a"))
    hear("bob", "team-lead", plan("p1"))
    hear("ann", "team-lead", plan("p2"))
    expect(hear("bob", "team-lead", plan("p3"))).toMatchObject({
      opened: { requestId: "p3" },
      settled: { request: "plan", requestId: "p1", member: "bob", approved: false, how: "replaced" },
    })
    expect(["a", "p1", "p2", "p3"].filter((id) => states.request(id) !== undefined)).toEqual(["a", "p2", "p3"])
  })

  it("is over when its member is gone; a plan outlives a process that died, as its member can be started again", () => {
    for (const body of [permission("a"), plan("p1")]) hear("bob", "team-lead", body)
    hear("ann", "team-lead", plan("p2"))
    expect(states.died("bob")).toMatchObject([{ requestId: "a", how: "died", toolName: "Bash" }])
    expect(states.left("bob")).toMatchObject([{ requestId: "p1", approved: false, how: "left" }])
    expect([states.left("bob"), states.request("p2")?.member]).toEqual([[], "ann"])
  })

  it("that is asked again by the same member stays one request", () => {
    hear("bob", "team-lead", plan("p1"))
    hear("bob", "team-lead", plan("p1"))
    hear("team-lead", "bob", planAnswer("p1", true))
    expect(states.request("p1")).toBeUndefined()
    expect(stateOf("bob")).toBe("unknown")
  })
})

describe("links to the platform's tasks", () => {
  const one = "0f8fad5b-d9cb-469f-a165-70867728950e"
  const two = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
  const task = (more: Record<string, unknown>) => ({
    id: "1",
    subject: "",
    description: "",
    status: "pending" as const,
    blocks: [],
    blockedBy: [],
    ...more,
  })

  it.each<[string, Record<string, unknown>, string[]]>([
    ["none", {}, []],
    ["one in the subject", { subject: `do chorus:task:${one}!` }, [one]],
    [
      "one named twice and in capitals",
      { subject: `chorus:task:${one}`, description: `CHORUS:TASK:${one.toUpperCase()}` },
      [one],
    ],
    [
      "two, deep in metadata too",
      { description: `chorus:task:${one}`, metadata: { a: [{ b: `chorus:task:${two}` }] } },
      [one, two],
    ],
    ["no bare id and no other kind", { description: `${one} chorus:idea:${one} chorus:task:${one.slice(0, -1)}` }, []],
  ])("are %s", (_, more, links) => {
    expect(taskLinks(task(more))).toEqual(links)
  })
})
