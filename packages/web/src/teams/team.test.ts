import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { followTeam, followTeams, type Message, type Team, threadOf, wordsOf } from "./team.ts"

const message = (id: string, from: string, to: string, changes: Partial<Message> = {}): Message => ({ id, from, to, kind: "message", text: "hi", summary: null, sentAt: "1", ...changes })

const team: Team = {
  uuid: "team",
  name: "builders",
  machineUuid: "m",
  machine: "laptop",
  era: "named",
  description: null,
  ledByChorus: false,
  createdAt: "1",
  lastFactAt: "1",
  goneAt: null,
  members: [{ name: "alice", state: "idle", lead: false, agentType: null, model: null, color: "blue", leftAt: null }],
  messages: [message("1", "team-lead", "alice")],
  tasks: [{ task: { id: "1", subject: "Build", description: "", status: "pending", blocks: [], blockedBy: [] }, taskUuids: [] }],
  orders: [],
}

function event(patch: Record<string, unknown>, entityType = "team", entityUuid = "team", action: LogEvent["action"] = "updated"): LogEvent {
  return { id: 1, at: "", kind: "x.y", entityType, entityUuid, projectUuid: null, action, patch, actor: { type: "agent", uuid: "a", name: "A" }, requestId: null }
}

describe("following a team", () => {
  const follow = followTeam("team")

  it("changes and adds members", () => {
    expect(follow.apply(team, event({ member: { name: "alice", state: "working" } }))?.members[0]).toMatchObject({ state: "working", color: "blue" })
    expect(follow.apply(team, event({ member: { name: "bob", state: "idle" } }))?.members).toHaveLength(2)
  })

  it("adds a message once", () => {
    const after = follow.apply(team, event({ message: message("2", "alice", "team-lead") }))
    expect(after?.messages).toHaveLength(2)
    expect(after && follow.apply(after, event({ message: message("2", "alice", "team-lead") }))).toBe(after)
  })

  it("replaces and removes tasks", () => {
    const task = { task: { ...team.tasks[0]?.task, id: "1", status: "completed" }, taskUuids: ["t"] }
    expect(follow.apply(team, event({ task }))?.tasks[0]?.task.status).toBe("completed")
    expect(follow.apply(team, event({ removedTaskId: "1" }))?.tasks).toEqual([])
  })

  it("asks again when an order was given or delivered, and leaves other teams alone", () => {
    expect(follow.apply(team, event({ teamUuid: "team" }, "team_order", "o"))).toBeUndefined()
    expect(follow.apply(team, event({ goneAt: "2" }, "team", "other"))).toBe(team)
  })
})

describe("following all teams", () => {
  it("adds a team that appears and marks one that is gone", () => {
    const list = { teams: [{ ...team }] }
    expect(followTeams.apply(list, event({ ...team, uuid: "new", members: [] }, "team", "new", "created"))?.teams).toHaveLength(2)
    expect(followTeams.apply(list, event({ goneAt: "2" }))?.teams[0]?.goneAt).toBe("2")
  })
})

describe("messages", () => {
  it("are told apart from what programs say to each other", () => {
    expect(wordsOf(message("1", "a", "b"))).toEqual({ event: false, words: "hi" })
    expect(wordsOf(message("1", "a", "b", { kind: "shutdown_request", text: '{"type":"shutdown_request","reason":"done"}' }))).toEqual({ event: true, words: "done" })
    expect(wordsOf(message("1", "a", "b", { kind: "idle_notification", text: "{broken" }))).toEqual({ event: true, words: "{broken" })
  })

  it("are of one member when chosen", () => {
    expect(threadOf([message("1", "lead", "alice"), message("2", "bob", "lead")], "bob").map(({ id }) => id)).toEqual(["2"])
  })
})
