import { describe, expect, it } from "vitest"
import { changesTools } from "./permission-watch.ts"

describe("changesTools", () => {
  it("sees what changes an agent's tools", () => {
    expect(changesTools("agent.updated", { permissions: [] })).toBe(true)
    expect(changesTools("agent.updated", { ownerUuid: "u" })).toBe(true)
    expect(changesTools("member.updated", { role: "viewer" })).toBe(true)
  })

  it("sees nothing in the rest", () => {
    expect(changesTools("agent.updated", { name: "New name" })).toBe(false)
    expect(changesTools("member.updated", { name: "New name" })).toBe(false)
    expect(changesTools("task.updated", { permissions: [] })).toBe(false)
  })
})
