import { describe, expect, it } from "vitest"
import { type HeldTask, leaseOf, sessionStatus } from "./lease.ts"

const AT = (time: string) => `2026-03-02T${time}:00.000Z`
const held = (over: Partial<HeldTask> = {}): HeldTask => ({
  status: "in_progress",
  assigneeType: "agent",
  signsOfLife: [AT("09:00")],
  ...over,
})

describe("leaseOf", () => {
  it("holds for the lease time after the last sign of life, whichever it was", () => {
    expect(leaseOf(held({ signsOfLife: [AT("09:00"), AT("09:30"), null] }), AT("10:00"), 60)).toEqual({
      state: "held",
      until: AT("10:30"),
    })
    expect(leaseOf(held({ signsOfLife: [AT("09:00"), AT("09:30")] }), AT("10:30"), 60)).toEqual({
      state: "lapsed",
      since: AT("10:30"),
      silentSince: AT("09:30"),
    })
  })

  it("lapses while the task is still blocked, but never while it waits for a verdict", () => {
    expect(leaseOf(held({ status: "assigned" }), AT("12:00"), 60).state).toBe("lapsed")
    for (const status of ["open", "to_verify", "done", "closed"] as const)
      expect(leaseOf(held({ status }), AT("12:00"), 60).state).toBe("none")
  })

  it("never lapses for a person", () => {
    expect(leaseOf(held({ assigneeType: "user" }), AT("23:00"), 60)).toEqual({ state: "person" })
  })
})

describe("sessionStatus", () => {
  it("is read from the stored time alone", () => {
    const session = { status: "active", lastActiveAt: AT("09:00"), process: null } as const
    expect(sessionStatus(session, AT("09:59"), 60)).toBe("active")
    expect(sessionStatus(session, AT("10:00"), 60)).toBe("inactive")
    expect(sessionStatus({ ...session, status: "closed" }, AT("09:01"), 60)).toBe("closed")
  })

  it("does not wait an hour for a process that somebody watches over", () => {
    const session = { status: "active", lastActiveAt: AT("09:00"), process: "17-4711" } as const
    expect(sessionStatus(session, AT("09:09"), 60)).toBe("active")
    expect(sessionStatus(session, AT("09:10"), 60)).toBe("inactive")
    expect(sessionStatus(session, AT("09:02"), 2)).toBe("inactive")
  })
})
