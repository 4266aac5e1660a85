import { readFileSync } from "node:fs"
import { agentPermissions } from "@chorus/core"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { isLean } from "../src/doors/lean-answer.ts"
import { openStage, type RoleName, type Stage } from "./contract-stage.ts"
import { SCENES } from "./contract-story.ts"

interface Parameter {
  required?: true
  values?: string[]
  itemValues?: string[]
  item?: Record<string, Parameter>
}

interface TableTool {
  name: string
  who: string
  parameters: Record<string, Parameter>
  result: string[]
}

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  anyOf?: Schema[]
}

const ROLES: RoleName[] = ["pm", "developer", "admin"]
const table = JSON.parse(readFileSync(new URL("./fixtures/tools.json", import.meta.url), "utf8")) as TableTool[]

let stage: Stage
beforeAll(async () => {
  vi.stubEnv("CHORUS_CHECK_OUTPUT", "1")
  // On PostgreSQL, as what a tool does is tested on the embedded store elsewhere.
  stage = await openStage("postgres")
  vi.unstubAllEnvs()
})
afterAll(() => stage.close())

function may(role: RoleName, { who }: TableTool): boolean {
  return (
    who === "public" || who === "session" || [...agentPermissions([role], [])].some((permission) => permission === who)
  )
}

describe("the tool table", () => {
  it("holds 84 tools, and a scene for each", () => {
    expect(table).toHaveLength(84)
    expect(Object.keys(SCENES).sort()).toEqual(table.map(({ name }) => name).sort())
  })

  it.each([
    ["developer", 43],
    ["pm", 73],
    ["admin", 84],
  ] as const)("shows a %s %i of them", async (role, count) => {
    const { tools } = await stage.roles[role].client.listTools()
    const listed = new Set(tools.map(({ name }) => name))
    const visible = table.filter(({ name }) => listed.has(name)).map(({ name }) => name)
    expect(visible).toEqual(table.filter((tool) => may(role, tool)).map(({ name }) => name))
    expect(visible).toHaveLength(count)
  })
})

describe("the tools beside the table", () => {
  it("answer leanly at every door, and those of the table with every field", async () => {
    const { tools } = await stage.roles.admin.client.listTools()
    const known = new Set(table.map((tool) => tool.name))
    const lean = tools.map(({ name }) => name).filter((name) => isLean(name, "full"))
    expect(lean.sort()).toEqual(
      tools
        .map(({ name }) => name)
        .filter((name) => !known.has(name))
        .sort(),
    )
    const { texts } = await stage.roles.admin.call("chorus_create_attention", { title: "Well?", answerable: false })
    expect(texts[0]).not.toContain("null")
  })
})

describe("parameters", () => {
  let schemas: Map<string, Schema>
  beforeAll(async () => {
    const { tools } = await stage.roles.admin.client.listTools()
    schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema as Schema]))
  })

  it.each(table)("of $name have the names, the needs and the choices of the table", ({ name, parameters }) => {
    compare(name, parameters, schemas.get(name))
  })

  function compare(path: string, parameters: Record<string, Parameter>, schema: Schema | undefined): void {
    const properties = schema?.properties ?? {}
    expect(Object.keys(properties), path).toEqual(expect.arrayContaining(Object.keys(parameters)))
    const needed = Object.entries(parameters)
      .filter(([, parameter]) => parameter.required === true)
      .map(([name]) => name)
    // Who calls by the table is never refused for lack of something.
    expect(needed, `what ${path} requires`).toEqual(expect.arrayContaining(schema?.required ?? []))
    for (const [name, { values, itemValues, item }] of Object.entries(parameters)) {
      const property = plain(properties[name])
      if (values !== undefined) expect(property.enum, `${path}.${name}`).toEqual(expect.arrayContaining(values))
      if (itemValues !== undefined)
        expect(plain(property.items).enum, `${path}.${name}[]`).toEqual(expect.arrayContaining(itemValues))
      if (item !== undefined) compare(`${path}.${name}[]`, item, plain(property.items))
    }
  }

  /** Without the alternative of null. */
  function plain(schema: Schema | undefined): Schema {
    return schema?.anyOf?.find(({ type }) => type !== "null") ?? schema ?? {}
  }
})

describe.each(ROLES)("called by a %s", (roleName) => {
  it.each(table)("$name", async (tool) => {
    const role = stage.roles[roleName]
    const scene = SCENES[tool.name]
    if (scene === undefined) throw new Error(`no scene for ${tool.name}`)
    if (!may(roleName, tool)) {
      // Somebody who may do this brings it about; the call itself must still be refused, and change nothing.
      const input = await scene(stage, stage.roles.admin)
      const before = await changes()
      const refusal = await role.call(tool.name, input)
      expect(refusal).toMatchObject({
        isError: true,
        body: { error: { code: "forbidden", message: expect.stringContaining(tool.who), next: expect.any(String) } },
      })
      expect(await changes()).toBe(before)
      return
    }
    const { isError, body, texts } = await role.call(tool.name, await scene(stage, role))
    expect(isError, texts.join()).toBe(false)
    expect(texts).toHaveLength(1)
    for (const path of tool.result)
      expect(missing(body, path.split(".")), `${path} in ${texts[0]?.slice(0, 600)}`).toBe(false)
  })
})

describe("retired names", () => {
  const RETIRED = [
    "chorus_update_idea_status",
    "chorus_admin_close_idea",
    "chorus_admin_create_idea",
    "chorus_set_idea_parent",
    "chorus_pm_create_tasks",
    "chorus_add_task_dependency",
    "chorus_remove_task_dependency",
    "chorus_admin_reject_proposal",
    "chorus_admin_revoke_proposal",
  ]

  it.each(RETIRED)("%s still answers, unlisted", async (name) => {
    const { client, call } = stage.roles.admin
    expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain(name)
    expect((await call(name)).body).toMatchObject({ error: { code: "invalid_input" } })
  })
})

async function changes(): Promise<number> {
  const { last } = await stage.own("chorus_list_events", { limit: 1 })
  return Number(last)
}

/** Whether a field is not there; `rows[]` must have a row, and each row the field. */
function missing(value: unknown, [first = "", ...rest]: string[]): boolean {
  const name = first.replace("[]", "")
  if (typeof value !== "object" || value === null || !(name in value)) return true
  const found = (value as Record<string, unknown>)[name]
  if (!first.endsWith("[]")) return rest.length > 0 && missing(found, rest)
  return !Array.isArray(found) || found.length === 0 || found.some((row) => missing(row, rest))
}
