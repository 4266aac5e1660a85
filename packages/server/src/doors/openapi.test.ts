import { describe, expect, it } from "vitest"
import { z } from "zod"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { operation } from "../operation.ts"
import { Registry } from "../registry.ts"
import { apiPage } from "./api-page.ts"
import { openApi } from "./openapi.ts"
import { ToolLists } from "./tool-list.ts"

const w = embeddedWorkspace()

interface Described {
  readonly paths: Record<
    string,
    {
      post: {
        operationId: string
        summary: string
        "x-needs": string
        security?: []
        parameters?: { name: string }[]
        requestBody: { content: { "application/json": { schema: { properties: object } } } }
      }
    }
  >
}

const described = () => openApi(w.registry) as Described
const hostile = {
  name: "chorus_<b>",
  does: "Says <script>alert(1)</script> & more.",
  needs: "anyone",
  kind: "read",
  tool: "listed",
  input: z.object({ "<i>": z.string().optional() }),
  output: z.object({}),
} as const

describe("OpenAPI", () => {
  it("describes every operation once, under its own name", () => {
    const { paths } = described()
    expect(Object.keys(paths)).toHaveLength(w.registry.signatures().length)
    for (const [path, { post }] of Object.entries(paths)) expect(path).toBe(`/api/v1/${post.operationId}`)
  })

  it("says what each needs; what needs nobody asks for no key, and a write may be repeated under one", () => {
    const { paths } = described()
    expect(paths["/api/v1/chorus_health"]?.post.security).toEqual([])
    expect(paths["/api/v1/chorus_claim_task"]?.post).toMatchObject({
      "x-needs": "task:write",
      parameters: [{ name: "Idempotency-Key" }],
    })
    expect(paths["/api/v1/chorus_claim_task"]?.post).not.toHaveProperty("security")
    expect(paths["/api/v1/chorus_get_task"]?.post).not.toHaveProperty("parameters")
    expect(
      paths["/api/v1/chorus_claim_task"]?.post.requestBody.content["application/json"].schema.properties,
    ).toHaveProperty("taskUuid")
  })

  it("can be written as JSON", () => {
    expect(JSON.parse(JSON.stringify(described()))).toMatchObject({ openapi: "3.1.0" })
  })
})

describe("the page of operations", () => {
  it("shows each, and runs nothing that a description might say", () => {
    const registry = new Registry(w.store, [operation(hostile, async () => ({}))])
    const page = apiPage(registry)
    expect(page).toContain("1 operations")
    expect(page).toContain("Says &lt;script&gt;alert(1)&lt;/script&gt; &amp; more.")
    expect(page).toContain("&lt;i&gt;")
    expect(page).not.toContain("<script")
  })
})

describe("lists of tools", () => {
  const lists = () => new ToolLists(w.registry)

  it("are the same list for whoever may do the same", () => {
    const made = lists()
    expect(made.for(w.developer)).toBe(made.for(w.rival))
    expect(made.for(w.developer)).not.toBe(made.for(w.pm))
    expect(made.for(w.developer, "lean")).not.toBe(made.for(w.developer))
  })

  it("read back lists that came as text, by whatever name the tool was called, and nothing else", () => {
    const made = lists()
    expect(made.unstringify("chorus_create_tasks", { tasks: '[{"title":"x"}]', projectUuid: "[1]" })).toEqual({
      tasks: [{ title: "x" }],
      projectUuid: "[1]",
    })
    expect(made.unstringify("chorus_pm_create_tasks", { tasks: "[]" })).toEqual({ tasks: [] })
    expect(made.unstringify("chorus_create_tasks", { tasks: "oops" })).toEqual({ tasks: "oops" })
    const input = { tasks: [] }
    expect(made.unstringify("chorus_create_tasks", input)).toBe(input)
    expect(made.unstringify("chorus_nothing", { tasks: "[]" })).toEqual({ tasks: "[]" })
  })
})
