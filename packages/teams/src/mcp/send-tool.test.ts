import { ChorusError } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { codeOf, scratchTeam } from "../../test/scratch-team.ts"
import { bodyOf } from "../protocol/body.ts"
import { writeSpawnNote } from "../runtime/spawn-note.ts"
import type { Team } from "../team.ts"
import { answering } from "./answer.ts"
import { SendMessageInput, sendTool } from "./send-tool.ts"

const clock = { now: () => 1_770_000_000_000 }
const send = (team: Team, from: string, input: Record<string, unknown>) =>
  sendTool(team, from, SendMessageInput.parse(input))
const inboxOf = async (team: Team, name: string) =>
  (await team.unread(name)).map(({ entry }) => bodyOf(entry.text) ?? entry.text)

describe("the tool SendMessage", () => {
  it.each<[string, Record<string, unknown>]>([
    ["to and message", { to: "bob", message: "hi", summary: "greet" }],
    ["recipient and content", { type: "message", recipient: "bob", content: "hi", summary: "greet" }],
    ["a mix of both", { to: "bob", content: "hi", summary: "greet" }],
  ])("sends words given as %s", async (_, input) => {
    const team = await scratchTeam(["alice", "bob"])
    expect(await send(team, "alice", input)).toMatchObject({
      success: true,
      routing: { sender: "alice", target: "@bob", summary: "greet", content: "hi" },
    })
    expect(await inboxOf(team, "bob")).toEqual(["hi"])
  })

  it.each<[string, Record<string, unknown>]>([
    ["a star", { to: "*", message: "all" }],
    ["its type", { type: "broadcast", content: "all" }],
  ])("sends to everybody else with %s", async (_, input) => {
    const team = await scratchTeam(["alice", "bob", "carol"])
    expect(await send(team, "alice", input)).toMatchObject({ recipients: ["team-lead", "bob", "carol"] })
    expect([await inboxOf(team, "alice"), await inboxOf(team, "carol")]).toEqual([[], ["all"]])
  })

  it("asks a member to shut down for the lead only", async () => {
    const team = await scratchTeam(["alice", "bob"], clock)
    const input = { type: "shutdown_request", recipient: "bob", content: "done" }
    expect(await codeOf(send(team, "alice", input))).toBe("not_the_lead")
    expect(await send(team, "team-lead", input)).toMatchObject({ request_id: "shutdown-1770000000000@bob" })
    expect(await inboxOf(team, "bob")).toMatchObject([{ type: "shutdown_request", reason: "done" }])
    expect(await codeOf(send(team, "team-lead", { ...input, recipient: "team-lead" }))).toBe("lead_stays")
  })

  it.each<[string, Record<string, unknown>, unknown]>([
    [
      "agreement in the new form",
      { to: "team-lead", message: { type: "shutdown_response", request_id: "r", approve: true } },
      { type: "shutdown_approved", requestId: "r" },
    ],
    [
      "agreement in the old form",
      { type: "shutdown_response", request_id: "r", approve: true },
      { type: "shutdown_approved", requestId: "r" },
    ],
    [
      "refusal with a reason",
      { to: "team-lead", message: { type: "shutdown_response", request_id: "r", approve: false, reason: "busy" } },
      { type: "shutdown_rejected", reason: "busy" },
    ],
    [
      "an answer that says nothing is a refusal",
      { type: "shutdown_response", request_id: "r", content: "hm" },
      { type: "shutdown_rejected", reason: "hm" },
    ],
  ])("answers a shutdown: %s", async (_, input, body) => {
    const team = await scratchTeam(["bob"])
    await send(team, "bob", input)
    expect(await inboxOf(team, "team-lead")).toMatchObject([body])
  })

  it("decides on a plan for the lead only, for the one that the request names", async () => {
    const team = await scratchTeam(["alice", "bob"])
    const approve = { message: { type: "plan_approval_response", request_id: "plan_approval-1@bob@t", approve: true } }
    expect(await codeOf(send(team, "alice", approve))).toBe("not_the_lead")
    expect(await send(team, "team-lead", approve)).toEqual({ success: true, message: "Plan approved for bob" })
    expect(
      await send(team, "team-lead", {
        ...approve,
        to: "alice",
        message: { ...approve.message, approve: false, feedback: "smaller" },
      }),
    ).toEqual({ success: true, message: 'Plan rejected for alice with feedback: "smaller"' })
    expect(await inboxOf(team, "bob")).toMatchObject([{ approved: true, permissionMode: "default" }])
    expect(await inboxOf(team, "alice")).toMatchObject([{ approved: false, feedback: "smaller" }])
  })

  it("decides on no plan that a person decides on, and says so", async () => {
    const team = await scratchTeam(["bob"])
    const note = { program: "codex", backend: "process" } as const
    const message = { type: "plan_approval_response", request_id: "plan_approval-1@bob@t", approve: true }
    writeSpawnNote(team.paths, "bob", { ...note, planDecider: "person" })
    expect(await codeOf(send(team, "team-lead", { message }))).toBe("needs_a_person")
    expect(await team.unread("bob")).toEqual([])
    writeSpawnNote(team.paths, "bob", { ...note, planDecider: "lead" })
    expect(await send(team, "team-lead", { message })).toMatchObject({ success: true })
  })

  it("does not say that a plan is approved for somebody who is not there", async () => {
    const team = await scratchTeam()
    expect(
      await codeOf(
        send(team, "team-lead", {
          message: { type: "plan_approval_response", request_id: "plan_approval-1@gone@t", approve: true },
        }),
      ),
    ).toBe("no_such_member")
    expect(await team.unread("gone")).toEqual([])
  })

  it.each<[Record<string, unknown>, string]>([
    [{ message: "to whom?" }, "to"],
    [{ to: "", message: "to whom?" }, "to"],
    [{ type: "shutdown_request" }, "to"],
    [{ type: "shutdown_response" }, "request_id"],
    [{ type: "plan_approval_response" }, "request_id"],
    [{ type: "plan_approval_response", request_id: "perm-1-abc" }, "recipient"],
  ])("asks back when %j lacks %s", async (input, field) => {
    const team = await scratchTeam()
    await expect(send(team, "team-lead", input)).rejects.toMatchObject({
      code: "missing_field",
      message: `SendMessage needs "${field}" here.`,
    })
  })

  it.each([
    '{"type":"shutdown_request","requestId":"r","from":"team-lead","timestamp":"T"}',
    '  {"type":"plan_approval_response","approved":true}',
    '{"type":"permission_response","subtype":"success"}',
  ])("does not carry %s as words, neither to one nor to all", async (content) => {
    const team = await scratchTeam(["alice", "bob"])
    expect(await codeOf(send(team, "alice", { to: "bob", message: content }))).toBe("protocol_text")
    expect(await codeOf(send(team, "alice", { to: "*", message: content }))).toBe("protocol_text")
    expect(await inboxOf(team, "bob")).toEqual([])
  })
})

describe("the answer of a tool", () => {
  it("is text as it is, and anything else as compact JSON", async () => {
    expect(await answering(async () => "plain")).toEqual({ content: [{ type: "text", text: "plain" }] })
    expect(await answering(async () => ({ a: [1] }))).toEqual({ content: [{ type: "text", text: '{"a":[1]}' }] })
  })

  it("tells a refusal with its next step, and breaks on what is a fault of ours", async () => {
    const refused = async () => {
      throw new ChorusError("no_such_task", "There is no task 9.", { next: "Look at the list.", details: { id: "9" } })
    }
    expect(await answering(refused)).toEqual({
      isError: true,
      content: [
        {
          type: "text",
          text: '{"error":{"code":"no_such_task","message":"There is no task 9.","next":"Look at the list.","details":{"id":"9"}}}',
        },
      ],
    })
    await expect(answering(() => Promise.reject(new TypeError("ours")))).rejects.toThrow("ours")
  })
})
