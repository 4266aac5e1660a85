import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runningServer, type TestServer } from "./running-server.ts"

interface OpenApi {
  openapi: string
  paths: Record<
    string,
    { post: { operationId: string; responses: Record<string, { content?: Record<string, { schema: object }> }> } }
  >
}

let chorus: TestServer

beforeAll(async () => {
  chorus = await runningServer()
})
afterAll(() => chorus.close())

describe("the description of the API", () => {
  it("names every operation with its input and answer", async () => {
    const api = (await (await fetch(`${chorus.url}/api/openapi.json`)).json()) as OpenApi
    expect(api.openapi).toBe("3.1.0")
    const names = chorus.server.registry.signatures().map(({ name }) => name)
    expect(Object.keys(api.paths).sort()).toEqual(names.map((name) => `/api/v1/${name}`).sort())
    for (const { post } of Object.values(api.paths))
      expect(post.responses["200"]?.content?.["application/json"]?.schema, post.operationId).toBeTypeOf("object")
  })

  it("can be browsed without a script", async () => {
    const page = await (await fetch(`${chorus.url}/api/docs`)).text()
    expect(page).toContain('id="chorus_claim_task"')
    expect(page).not.toContain("<script")
  })

  it("is true of reads by GET, with numbers and lists in the query", async () => {
    const get = async (query: string) =>
      (
        await fetch(`${chorus.url}/api/v1/chorus_list_projects?${query}`, {
          headers: { authorization: `Bearer ${chorus.key}` },
        })
      ).json()
    expect(await get("pageSize=7&includeArchived=true")).toMatchObject({ pageSize: 7, projects: [] })
  })
})
