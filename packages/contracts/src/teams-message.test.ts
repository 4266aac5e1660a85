import { describe, expect, it } from "vitest"
import { describeAnswer } from "../test/contract.ts"
import { BroadcastSent, MessageSent, RequestSent, TeamMessageBody, type TeamMessageKind } from "./teams-message.ts"

const AT = "2026-03-01T10:00:00.000Z"

/** One of each kind, with every field the protocol has. */
const BODIES = {
  task_assignment: { taskId: "1", subject: "Fit", description: "the door", assignedBy: "team-lead", timestamp: AT },
  idle_notification: {
    from: "bob",
    timestamp: AT,
    idleReason: "failed",
    summary: "done",
    result: "The door fits.",
    completedStatus: "failed",
    failureReason: "Its process has ended.",
  },
  shutdown_request: { requestId: "shutdown-1@bob", from: "team-lead", reason: "All done.", timestamp: AT },
  shutdown_approved: { requestId: "shutdown-1@bob", from: "bob", timestamp: AT, paneId: "%1", backendType: "tmux" },
  shutdown_rejected: { requestId: "shutdown-1@bob", from: "bob", reason: "Still at work.", timestamp: AT },
  plan_approval_request: {
    from: "bob",
    timestamp: AT,
    planFilePath: "/tmp/plan.md",
    planContent: "# Plan",
    requestId: "plan-1",
  },
  plan_approval_response: {
    requestId: "plan-1",
    approved: false,
    feedback: "Smaller.",
    timestamp: AT,
    permissionMode: "default",
  },
  permission_request: {
    request_id: "perm-1",
    agent_id: "bob@cats",
    tool_name: "Bash",
    tool_use_id: "t1",
    description: "run rm",
    input: { command: "rm" },
    permission_suggestions: [{ type: "setMode" }],
  },
  permission_response: {
    request_id: "perm-1",
    subtype: "success",
    response: { updated_input: {}, permission_updates: [] },
    error: "no",
  },
} satisfies Record<TeamMessageKind, object>

/** What each kind may leave out. */
const OPTIONAL: Record<TeamMessageKind, readonly string[]> = {
  task_assignment: [],
  idle_notification: ["idleReason", "summary", "result", "completedStatus", "failureReason"],
  shutdown_request: ["reason"],
  shutdown_approved: ["paneId", "backendType"],
  shutdown_rejected: [],
  plan_approval_request: [],
  plan_approval_response: ["feedback", "permissionMode"],
  permission_request: [],
  permission_response: ["response", "error"],
}

describe.each(Object.entries(BODIES))("a %s", (type, fields) => {
  const body = { type, ...fields }

  it("comes through as it was written, with what others added", () => {
    expect(TeamMessageBody.parse({ ...body, "x-more": [1] })).toEqual({ ...body, "x-more": [1] })
  })

  it("has everything but what it may leave out", () => {
    const leftOut = Object.keys(fields).filter(
      (name) => TeamMessageBody.safeParse({ ...body, [name]: undefined }).success,
    )
    expect(leftOut).toEqual(OPTIONAL[type as TeamMessageKind])
  })

  it("has nothing that is null", () => {
    for (const name of Object.keys(fields))
      expect(TeamMessageBody.safeParse({ ...body, [name]: null }).success, name).toBe(false)
  })
})

describe("a message's body", () => {
  it("is told apart by its type: another's fields do not make it one", () => {
    expect(TeamMessageBody.safeParse({ type: "shutdown_approved", ...BODIES.permission_request }).success).toBe(false)
  })

  it.each(["", "text", "shutdown", "SHUTDOWN_REQUEST"])("is of no type %j", (type) =>
    expect(TeamMessageBody.safeParse({ type, ...BODIES.shutdown_request }).success).toBe(false),
  )

  it("names a shutdown and a plan by requestId, and a permission by request_id", () => {
    const { requestId: _, ...shutdown } = BODIES.shutdown_request
    expect(
      TeamMessageBody.safeParse({ type: "shutdown_request", ...shutdown, request_id: "shutdown-1@bob" }).success,
    ).toBe(false)
    const { request_id: __, ...permission } = BODIES.permission_request
    expect(TeamMessageBody.safeParse({ type: "permission_request", ...permission, requestId: "perm-1" }).success).toBe(
      false,
    )
  })

  it("answers a permission with success or error", () => {
    const answer = (subtype: string) =>
      TeamMessageBody.safeParse({ type: "permission_response", request_id: "perm-1", subtype }).success
    expect([answer("success"), answer("error"), answer("maybe")]).toEqual([true, true, false])
  })
})

describe("what sending answers", () => {
  const routing = { sender: "team-lead", target: "@bob", targetColor: "blue", summary: "hurry", content: "Hurry." }

  it("to one is where it went", () => {
    const sent = { success: true as const, message: "Sent.", routing }
    expect(MessageSent.parse(sent)).toEqual(sent)
    expect(MessageSent.safeParse({ ...sent, success: false }).success).toBe(false)
  })

  it("to all names the recipients, and the team as target", () => {
    const sent = {
      success: true,
      message: "Sent.",
      recipients: ["bob", "eve"],
      routing: { sender: "team-lead", target: "@team", content: "Hurry." },
    }
    expect(BroadcastSent.parse(sent)).toEqual(sent)
    expect(BroadcastSent.safeParse({ ...sent, routing }).success).toBe(false)
  })
})

describeAnswer("RequestSent", RequestSent, {
  success: true,
  message: "Asked.",
  request_id: "shutdown-1@bob",
  target: "bob",
})
