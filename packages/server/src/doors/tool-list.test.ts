import { PERMISSIONS, Preset, signatures } from "@chorus/contracts"
import { agentPermissions } from "@chorus/core"
import { describe, expect, it } from "vitest"
import type { Actor } from "../operation.ts"
import { INSTRUCTIONS } from "./mcp.ts"
import { leanTools } from "./lean-profile.ts"
import { ToolLists, toolProfile } from "./tool-list.ts"

/** Lists are made from signatures alone. */
const lists = new ToolLists({ signatures: () => signatures })

function agent(...presets: Preset[]): Actor {
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

const names = (actor: Actor, profile: "full" | "lean" | "review") => lists.for(actor, profile).map((tool) => tool.name)

describe("the lean profile", () => {
  it("names only tools that are listed", () => {
    const listed = new Set(
      signatures.filter((signature) => signature.tool === "listed").map((signature) => signature.name as string),
    )
    const named = PERMISSIONS.flatMap((permission) => [...leanTools(new Set([permission]))])
    expect(named.filter((name) => !listed.has(name))).toEqual([])
  })

  it("is the union of the parts an agent may play, all of it allowed to it", () => {
    expect(names(agent("developer"), "lean")).toContain("chorus_finish_task")
    expect(names(agent("developer"), "lean")).not.toContain("chorus_submit_plan")
    expect(names(agent("lead"), "lean")).toEqual(
      expect.arrayContaining([...names(agent("developer"), "lean"), "chorus_claim_idea", "chorus_submit_plan"]),
    )
    expect(names(agent("pm"), "lean")).toEqual(names(agent("lead"), "lean"))
    expect(names(agent("admin"), "lean")).toEqual(
      expect.arrayContaining([...names(agent("lead"), "lean"), "chorus_admin_verify_task"]),
    )
    expect(names(agent(), "lean")).toEqual(["chorus_inbox", "chorus_checkin"])
    for (const preset of Preset.options) {
      const full = new Set(names(agent(preset), "full"))
      expect(names(agent(preset), "lean").filter((name) => !full.has(name))).toEqual([])
    }
  })

  it("leaves out the fields that only programs fill in, and keeps those a model needs", () => {
    const fields = (profile: "full" | "lean") =>
      Object.keys(
        lists.for(agent("developer"), profile).find(({ name }) => name === "chorus_create_attention")?.inputSchema[
          "properties"
        ] ?? {},
      )
    expect(fields("lean")).toEqual(["title", "text", "options", "taskUuid", "projectUuid", "sessionUuid"])
    expect(fields("full")).toEqual(expect.arrayContaining(["kind", "detail", "answerable", "expiresInMinutes"]))
  })

  it("of a reviewer has what reading takes, and nothing that builds", () => {
    expect(names(agent("developer"), "review")).toEqual(
      expect.arrayContaining(["chorus_get_change", "chorus_comment_on_change", "chorus_submit_review"]),
    )
    expect(names(agent("admin"), "review")).toEqual(names(agent("developer"), "review"))
    expect(names(agent("developer"), "review")).not.toContain("chorus_finish_task")
  })

  it("has every tool that the greeting names, whoever reads it", () => {
    const named = INSTRUCTIONS.match(/chorus_\w+/g) ?? []
    expect(named).not.toEqual([])
    for (const profile of ["full", "lean", "review"] as const)
      for (const actor of [agent(), ...Preset.options.map((preset) => agent(preset))])
        expect(names(actor, profile)).toEqual(expect.arrayContaining(named))
  })

  it("is asked for by name", () => {
    expect(toolProfile("review")).toBe("review")
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
