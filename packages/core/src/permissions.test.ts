import { PERMISSIONS } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { agentPermissions, meets, personPermissions } from "./permissions.ts"

describe("agentPermissions", () => {
  it("gives each preset its documented number of bits", () => {
    expect(agentPermissions(["developer"], []).size).toBe(6)
    expect(agentPermissions(["pm"], []).size).toBe(10)
    expect(agentPermissions(["admin"], []).size).toBe(15)
  })

  it("joins presets and single bits without implying others", () => {
    const bits = agentPermissions(["developer"], ["proposal:admin"])
    expect(bits.has("proposal:admin")).toBe(true)
    expect(bits.has("proposal:write")).toBe(false)
  })
})

describe("meets", () => {
  const viewer = { type: "user", role: "viewer", permissions: personPermissions("viewer") } as const
  const member = { type: "user", role: "member", permissions: personPermissions("member") } as const
  const agent = { type: "agent", role: null, permissions: agentPermissions(["admin"], []) } as const

  it("refuses everything but open operations to a stranger", () => {
    expect(meets(undefined, "nobody")).toBe(true)
    for (const need of ["anyone", "person", "steward", ...PERMISSIONS] as const)
      expect(meets(undefined, need)).toBe(false)
  })

  it("keeps people's decisions from agents, whatever bits they hold", () => {
    expect(meets(agent, "task:admin")).toBe(true)
    expect(meets(agent, "person")).toBe(false)
    expect(meets(agent, "steward")).toBe(false)
  })

  it("lets a viewer read and nothing else", () => {
    expect(meets(viewer, "task:read")).toBe(true)
    expect(meets(viewer, "task:write")).toBe(false)
    expect(meets(viewer, "person")).toBe(false)
  })

  it("keeps running the workspace to its owner and admins", () => {
    expect(meets(member, "person")).toBe(true)
    expect(meets(member, "steward")).toBe(false)
    expect(meets({ ...member, role: "owner" }, "steward")).toBe(true)
  })
})

describe("what each role and preset may do", () => {
  const may = (bits: ReadonlySet<string>) => PERMISSIONS.filter((permission) => bits.has(permission)).join(" ")
  const READS = "idea:read proposal:read document:read task:read project:read"

  it("is all for owners, admins and members, and looking for viewers", () => {
    for (const role of ["owner", "admin", "member"] as const) expect(personPermissions(role).size, role).toBe(15)
    expect(may(personPermissions("viewer"))).toBe(READS)
  })

  it("is reading and working on tasks for a developer", () => {
    expect(may(agentPermissions(["developer"], []))).toBe(
      "idea:read proposal:read document:read task:read task:write project:read",
    )
  })

  it("is reading and writing everything, and administering nothing, for a pm", () => {
    expect([...agentPermissions(["pm"], [])].filter((bit) => bit.endsWith(":admin"))).toEqual([])
  })

  it("is nothing for an agent that was given nothing", () => expect(may(agentPermissions([], []))).toBe(""))

  it("is not more for having a preset twice", () =>
    expect(may(agentPermissions(["developer", "developer"], ["task:write"]))).toBe(
      may(agentPermissions(["developer"], [])),
    ))
})

describe("the system itself", () => {
  const system = { type: "system", role: null, permissions: new Set<never>() } as const

  it("may do everything, because nobody else speaks for it", () => {
    for (const need of ["nobody", "anyone", "person", "steward", ...PERMISSIONS] as const)
      expect(meets(system, need), need).toBe(true)
  })
})
