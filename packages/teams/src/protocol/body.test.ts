import type { TeamMessageBody } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { bodyOf, bodyOfKind, kindOf, protocolKindIn } from "./body.ts"
import { inboxEntry } from "./entry.ts"
import { agentOfRequest, permissionRequestId, planRequestId, shutdownRequestId } from "./request-id.ts"

const idle = { type: "idle_notification", from: "bob", timestamp: "2026-01-01T00:00:00.000Z" }

describe("what a text means", () => {
  it("is a message of the protocol when all its fields are there, with those nobody knows", () => {
    const text = JSON.stringify({ ...idle, later: "version" })
    expect(bodyOf(text)).toEqual({ ...idle, later: "version" })
    expect(kindOf(text)).toBe("idle_notification")
    expect(bodyOfKind(text, "idle_notification")?.from).toBe("bob")
    expect(bodyOfKind(text, "shutdown_request")).toBeUndefined()
  })

  it.each([
    ["plain words", "hello", "message"],
    ["nothing", "", "message"],
    ["words that begin like JSON", "{hello}", "message"],
    ["a list", '["shutdown_request"]', "message"],
    ["JSON without a type", '{"a":1}', "message"],
    ["a type that is no word", '{"type":7}', "message"],
    ["an empty type", '{"type":""}', "message"],
    ["a kind nobody knows", '{"type":"team_permission_update","x":1}', "team_permission_update"],
    ["a known kind that lacks a field", '{"type":"shutdown_request"}', "shutdown_request"],
    ["a broken one", '{"type":"shutdown_request"', "message"],
  ])("is, for %s, only its kind", (_, text, kind) => {
    expect(bodyOf(text)).toBeUndefined()
    expect(kindOf(text)).toBe(kind)
  })

  it.each([
    [JSON.stringify(idle), "idle_notification"],
    [` \n${JSON.stringify(idle)}\t`, "idle_notification"],
    ['{"type":"plan_approval_response","approved":true}', "plan_approval_response"],
    ['{"approved":true,"type":"permission_response"}', "permission_response"],
    ['{"type":"Shutdown_Request"}', undefined],
    ['say {"type":"shutdown_request"}', undefined],
    ['[{"type":"shutdown_request"}]', undefined],
    ["null", undefined],
    ["not JSON", undefined],
  ])("could be taken by a careless reader: %j as %s", (text, kind) => {
    expect(protocolKindIn(text)).toBe(kind)
  })

  it("could be each kind of the protocol", () => {
    const kinds: TeamMessageBody["type"][] = [
      "task_assignment",
      "idle_notification",
      "shutdown_request",
      "shutdown_approved",
      "shutdown_rejected",
      "plan_approval_request",
      "plan_approval_response",
      "permission_request",
      "permission_response",
    ]
    expect(kinds.map((type) => protocolKindIn(JSON.stringify({ type })))).toEqual(kinds)
  })
})

describe("an entry", () => {
  const full = { from: "bob", text: "hi", timestamp: "T", summary: "s", color: "blue", extra: { chorus_mark: "m" } }

  it("of a named team has the keys of its time, in their order", () => {
    expect(JSON.stringify(inboxEntry("named", full, "id"))).toBe(
      '{"from":"bob","text":"hi","summary":"s","timestamp":"T","color":"blue","read":false,"chorus_mark":"m"}',
    )
  })

  it("of a session's team carries its id and version", () => {
    expect(JSON.stringify(inboxEntry("session", full, "id"))).toBe(
      '{"from":"bob","text":"hi","summary":"s","timestamp":"T","color":"blue","msgV":1,"msg_id":"id","type":"message","read":false,"chorus_mark":"m"}',
    )
  })

  it("leaves out what there is not", () => {
    expect(Object.keys(inboxEntry("named", { from: "a", text: "b", timestamp: "T" }, "id"))).toEqual([
      "from",
      "text",
      "timestamp",
      "read",
    ])
  })
})

describe("a request's id", () => {
  it("has the shape that the original gives it", () => {
    expect(shutdownRequestId("bob", 17)).toBe("shutdown-17@bob")
    expect(planRequestId("bob", "t", 17)).toBe("plan_approval-17@bob@t")
    expect(permissionRequestId(17)).toMatch(/^perm-17-[0-9a-z]{7}$/)
  })

  it("of a permission differs, also within a millisecond", () => {
    expect(new Set(Array.from({ length: 200 }, () => permissionRequestId(17))).size).toBe(200)
  })

  it.each([
    ["shutdown-17@bob", "bob"],
    ["shutdown-17@bob@t", "bob"],
    ["plan_approval-17@bob.2@t", "bob.2"],
    ["perm-17-abcdefg", undefined],
    ["shutdown-@bob", undefined],
    ["x shutdown-17@bob", undefined],
    ["shutdown-17@", undefined],
    ["", undefined],
  ])("%j is about %s", (id, agent) => {
    expect(agentOfRequest(id)).toBe(agent)
  })
})
