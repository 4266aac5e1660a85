import { SCHEMA_VERSION } from "@chorus/store"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { MCP_VERSIONS, VERSION } from "../../version.ts"

const w = embeddedWorkspace()

describe("what anybody may ask", () => {
  it("is whether the server and its store answer, and which version it is", async () => {
    expect(await w.call(undefined, "chorus_health")).toEqual({
      status: "ok",
      version: VERSION,
      engine: "sqlite",
      schema: SCHEMA_VERSION,
    })
    expect(await w.call(undefined, "chorus_version")).toEqual({
      version: VERSION,
      node: process.versions.node,
      mcp: [...MCP_VERSIONS],
    })
  })

  it("is nothing else", async () => {
    for (const name of ["chorus_whoami", "chorus_list_members", "chorus_list_events", "chorus_get_work_settings"]) {
      await expect(w.call(undefined, name)).rejects.toMatchObject({ code: "unauthenticated" })
    }
  })
})

describe("who one is", () => {
  it("is told a person with their role, and an agent with what it reaches", async () => {
    expect(await w.call(w.viewer, "chorus_whoami")).toMatchObject({
      type: "user",
      name: "Vic",
      role: "viewer",
      workspaceUuid: w.workspaceUuid,
      projectUuids: null,
    })
    const scoped = await w.agent("Scoped", { presets: [], permissions: ["task:read"], projectUuids: [w.project] })
    expect(await w.call(scoped, "chorus_whoami")).toMatchObject({
      type: "agent",
      role: null,
      permissions: ["task:read"],
      projectUuids: [w.project],
    })
  })
})

describe("the people of a workspace", () => {
  it("are listed in the order they came, the disabled among them, without what they sign in with", async () => {
    const { member } = await w.call<{ member: { uuid: string } }>(w.owner, "chorus_invite_member", { name: "Last" })
    await w.call(w.owner, "chorus_update_member", { userUuid: member.uuid, disabled: true })
    const { members, total } = await w.call<{ members: Record<string, unknown>[]; total: number }>(
      w.developer,
      "chorus_list_members",
    )
    expect(members.find(({ uuid }) => uuid === member.uuid)).toMatchObject({
      name: "Last",
      disabledAt: expect.any(String),
    })
    expect(total).toBe(4)
    expect(Object.keys(members[0] ?? {}).sort()).toEqual(["createdAt", "disabledAt", "email", "name", "role", "uuid"])
  })
})
