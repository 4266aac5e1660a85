import { PERMISSIONS, signatures } from "@chorus/contracts"
import { agentPermissions } from "@chorus/core"
import { describe, expect, it } from "vitest"
import type { Actor } from "../operation.ts"
import { leanTools } from "./lean-profile.ts"
import { ToolLists, toolProfile } from "./tool-list.ts"

/** Lists are made from signatures alone. */
const lists = new ToolLists({ signatures: () => signatures })

function agent(...presets: ("developer" | "pm" | "admin")[]): Actor {
  return {
    type: "agent",
    uuid: "a",
    name: "A",
    workspaceUuid: "w",
    role: null,
    permissions: agentPermissions(presets, []),
    projectUuids: null,
    ownerUuid: null,
  }
}

const names = (actor: Actor, profile: "full" | "lean") => lists.for(actor, profile).map((tool) => tool.name)

describe("the lean profile", () => {
  it("names only tools that are listed", () => {
    const listed = new Set(
      signatures.filter((signature) => signature.tool === "listed").map((signature) => signature.name as string),
    )
    const named = PERMISSIONS.flatMap((permission) => [...leanTools(new Set([permission]))])
    expect(named.filter((name) => !listed.has(name))).toEqual([])
  })

  it("shows each role what it needs for its part, all of it allowed to it", () => {
    expect(names(agent("developer"), "lean")).toContain("chorus_finish_task")
    expect(names(agent("developer"), "lean")).not.toContain("chorus_admin_verify_task")
    expect(names(agent("pm"), "lean")).toContain("chorus_submit_plan")
    expect(names(agent("admin"), "lean")).toContain("chorus_admin_verify_task")
    expect(names(agent(), "lean")).toEqual(["chorus_checkin"])
    for (const preset of ["developer", "pm", "admin"] as const) {
      const full = new Set(names(agent(preset), "full"))
      const lean = names(agent(preset), "lean")
      expect(lean.filter((name) => !full.has(name))).toEqual([])
      expect(lean.length).toBeLessThanOrEqual(13)
    }
  })

  it("is asked for by name", () => {
    expect(toolProfile("lean")).toBe("lean")
    expect(toolProfile(undefined)).toBe("full")
    expect(toolProfile("LEAN")).toBe("full")
  })
})

describe("a listed schema", () => {
  it("says names, types and choices, and leaves limits and patterns to the refusal", () => {
    const update = lists.for(agent("developer")).find((tool) => tool.name === "chorus_update_task")
    const properties = update?.inputSchema["properties"] as Record<string, object>
    expect(update?.inputSchema["required"]).toEqual(["taskUuid"])
    expect(properties["taskUuid"]).toEqual({ type: "string" })
    expect(properties["status"]).toEqual({ type: "string", enum: ["in_progress", "to_verify"] })
    expect(JSON.stringify(lists.for(agent("admin")))).not.toContain('"pattern":"^')
  })
})
