import { afterEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { eventually } from "../../../test/eventually.ts"
import { changesTools, type PermissionWatch, watchPermissions } from "./permission-watch.ts"

const w = embeddedWorkspace()
const watches: PermissionWatch[] = []
afterEach(() => watches.splice(0).forEach((watch) => watch.close()))

async function watching(): Promise<{ heard: () => number; close: () => void }> {
  let heard = 0
  const watch = await watchPermissions(w.store, w.workspaceUuid, () => void heard++)
  watches.push(watch)
  return { heard: () => heard, close: () => watch.close() }
}
const change = (changes: object) => w.call(w.owner, "chorus_update_agent", { agentUuid: w.developer.uuid, ...changes })

describe("changesTools", () => {
  it.each([
    ["agent.updated", { permissions: [] }],
    ["agent.updated", { ownerUuid: "u" }],
    ["agent.updated", { archivedAt: null }],
    ["member.updated", { role: "viewer" }],
    ["member.updated", { disabledAt: "2026-01-01" }],
  ])("sees in %s %j what changes an agent's tools", (kind, patch) => {
    expect(changesTools(kind, patch)).toBe(true)
  })

  it.each([
    ["agent.updated", { name: "New name" }],
    ["member.updated", { name: "New name" }],
    ["task.updated", { permissions: [] }],
    ["agent.created", { permissions: [] }],
  ])("sees nothing in %s %j", (kind, patch) => {
    expect(changesTools(kind, patch)).toBe(false)
  })
})

describe("watching permissions", () => {
  it("hears of what changes tools, each time, and of nothing else", async () => {
    const { heard } = await watching()
    await change({ name: "Renamed" })
    await w.newIdea()
    await change({ presets: ["pm"] })
    await eventually(() => expect(heard()).toBe(1))
    await change({ presets: ["developer"] })
    await eventually(() => expect(heard()).toBe(2))
  })

  it("hears nothing of another workspace, nor once it is closed", async () => {
    const [closed, open] = [await watching(), await watching()]
    closed.close()
    const theirs = await w.call<{ uuid: string }>(w.stranger, "chorus_create_agent", { name: "Theirs" })
    await w.call(w.stranger, "chorus_update_agent", { agentUuid: theirs.uuid, presets: ["admin"] })
    await change({ presets: ["admin"] })
    await eventually(() => expect(open.heard()).toBe(1))
    expect(closed.heard()).toBe(0)
  })
})
