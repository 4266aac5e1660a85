import type { LogEvent, sessions } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { doingOf, followPresence, type Presence, type PresentSession, sessionsInOrder } from "./presence.ts"

function session(uuid: string, changes: Partial<PresentSession> = {}): PresentSession {
  return { uuid, agentUuid: "a1", name: uuid, description: null, status: "active", source: null, externalId: null, machine: null, parentUuid: null, state: null, stateSince: null, stateDetail: null, lastWords: null, lastActiveAt: "1", createdAt: "1", updatedAt: "1", closedAt: null, working: [], ...changes }
}

function stay(sessionUuid: string, checkoutAt: string | null = null): sessions.CheckinRow {
  return { uuid: `stay-${sessionUuid}`, sessionUuid, sessionName: sessionUuid, agent: { type: "agent", uuid: "a1", name: "A" }, taskUuid: "t1", checkinAt: "1", checkoutAt, checkoutReason: null }
}

function event(entityType: string, entityUuid: string, action: LogEvent["action"], patch: Record<string, unknown>): LogEvent {
  return { id: 1, at: "", kind: "x.y", entityType, entityUuid, projectUuid: null, action, patch, actor: { type: "agent", uuid: "a1", name: "A" }, requestId: null }
}

const answer: Presence = { agents: [{ uuid: "a1", name: "A", ownerUuid: null, lastActiveAt: null, sessions: [session("s1")], inProgress: [{ uuid: "t1", title: "T", projectUuid: "p" }] }], position: 1 }

describe("what a session does", () => {
  it("is what is known of it", () => {
    expect(doingOf(session("s", { state: "needsInput", working: [stay("s")] }))).toBe("needsInput")
    expect(doingOf(session("s", { working: [stay("s")] }))).toBe("working")
    expect(doingOf(session("s", { state: "idle", working: [stay("s")] }))).toBe("resting")
    expect(doingOf(session("s", { state: "running" }))).toBe("working")
    expect(doingOf(session("s", { status: "inactive", working: [stay("s")] }))).toBe("silent")
    expect(doingOf(session("s"))).toBe("resting")
  })

  it("puts those who need somebody first", () => {
    const order = sessionsInOrder([session("rests"), session("works", { working: [stay("works")] }), session("asks", { state: "needsInput" })])
    expect(order.map(({ uuid }) => uuid)).toEqual(["asks", "works", "rests"])
  })
})

describe("following who is there", () => {
  const sessionsAfter = (changed: LogEvent) => followPresence.apply(answer, changed)?.agents[0]?.sessions

  it("seats who comes and lets go who leaves", () => {
    expect(sessionsAfter(event("session", "s2", "created", { ...session("s2") }))?.map(({ uuid }) => uuid)).toEqual(["s2", "s1"])
    expect(sessionsAfter(event("session", "s1", "updated", { status: "closed" }))).toEqual([])
  })

  it("notes check-in and check-out", () => {
    const seated = followPresence.apply(answer, event("checkin", "stay-s1", "created", { ...stay("s1") }))
    expect(seated?.agents[0]?.sessions[0]?.working).toHaveLength(1)
    expect(seated && followPresence.apply(seated, event("checkin", "stay-s1", "updated", { ...stay("s1", "2") }))?.agents[0]?.sessions[0]?.working).toEqual([])
  })

  it("asks again about whom it does not know", () => {
    expect(followPresence.apply(answer, event("checkin", "x", "created", { ...stay("unknown") }))).toBeUndefined()
    expect(followPresence.apply(answer, event("session", "s9", "created", { ...session("s9"), agentUuid: "a9" }))).toBeUndefined()
  })

  it("drops a task from hand when it is handed in, and stays out of what does not concern it", () => {
    expect(followPresence.apply(answer, event("task", "t1", "updated", { status: "to_verify" }))?.agents[0]?.inProgress).toEqual([])
    expect(followPresence.apply(answer, event("task", "t9", "updated", { title: "x" }))).toBe(answer)
  })
})
