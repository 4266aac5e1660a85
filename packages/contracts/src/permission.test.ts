import { describe, expect, it } from "vitest"
import { ActorKind, ActorRef } from "./signature.ts"
import { ACTIONS, Permission, PERMISSIONS, Preset, RESOURCES, Role } from "./permission.ts"

describe("permissions", () => {
  it("are fifteen: three actions on each of five resources", () => {
    expect(PERMISSIONS).toEqual([
      "idea:read",
      "idea:write",
      "idea:admin",
      "proposal:read",
      "proposal:write",
      "proposal:admin",
      "document:read",
      "document:write",
      "document:admin",
      "task:read",
      "task:write",
      "task:admin",
      "project:read",
      "project:write",
      "project:admin",
    ])
  })

  it("name their resource and action", () => {
    expect(RESOURCES).toEqual(["idea", "proposal", "document", "task", "project"])
    expect(ACTIONS).toEqual(["read", "write", "admin"])
  })

  it.each(["task", "task:", ":read", "task:*", "*", "task:delete", "tasks:read", "TASK:READ", "task:read "])(
    "are not %j",
    (text) => {
      expect(Permission.safeParse(text).success).toBe(false)
    },
  )
})

describe("roles and presets", () => {
  it("are those of people, the mightiest first", () =>
    expect(Role.options).toEqual(["owner", "admin", "member", "viewer"]))
  it("are those of agents", () => expect(Preset.options).toEqual(["developer", "lead", "pm", "admin"]))
  it("are not mixed up", () => {
    expect(Role.safeParse("developer").success).toBe(false)
    expect(Preset.safeParse("owner").success).toBe(false)
  })
})

describe("an actor", () => {
  it("is a person, an agent or the system itself", () => expect(ActorKind.options).toEqual(["user", "agent", "system"]))

  it("is named by type, id and name, and by nothing else", () => {
    const ada = { type: "user", uuid: "u1", name: "Ada" }
    expect(ActorRef.parse({ ...ada, email: "ada@example.org" })).toEqual(ada)
    expect(ActorRef.safeParse({ type: "user", uuid: "u1" }).success).toBe(false)
  })
})
