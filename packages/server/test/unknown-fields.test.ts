import { ChorusError, type Signature } from "@chorus/contracts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations, ownerActor } from "../src/index.ts"
import { runningServer, type TestServer } from "./running-server.ts"
import { inputSchema, type JsonSchema, sample } from "./sample-input.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const signatures: readonly Signature[] = operations.map(({ signature }) => signature)

/** What another program says of itself comes in its own words. */
const OPEN = ["chorus_hook", "chorus_report_machine"]

describe("a field that an operation does not know", () => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace()
  })
  afterAll(() => w.close())

  it("is refused by name at every depth of every operation", async () => {
    let tried = 0
    for (const signature of signatures.filter(({ open }) => open !== true)) {
      for (const path of objectPaths(inputSchema(signature))) {
        const caller = ["person", "steward"].includes(signature.needs) ? w.owner : w.admin
        const input = placed(path, inputSchema(signature)) as object
        const refusal = await w.call(caller, signature.name, input).catch((error: unknown) => error)
        const given = `${signature.name} at ${path.join(".") || "the top"}`
        if (!(refusal instanceof ChorusError)) throw new Error(`${given} was taken`)
        expect(refusal, given).toMatchObject({ code: "unknown_field", status: 400 })
        expect(refusal.message, given).toContain(`"${[...path, "nobodyKnowsThis"].join(".")}"`)
        expect(refusal.next, given).toContain("Nothing was changed")
        tried++
      }
    }
    expect(tried).toBeGreaterThan(signatures.length)
  })

  it("is ignored only in what a program tells in its own words", () => {
    expect(signatures.filter(({ open }) => open === true).map(({ name }) => name)).toEqual(OPEN)
  })
})

describe("at the doors", () => {
  let chorus: TestServer
  let projectUuid: string
  beforeAll(async () => {
    chorus = await runningServer()
    projectUuid = String((await chorus.post("chorus_admin_create_project", { name: "P" })).body["uuid"])
  })
  afterAll(() => chorus.close())

  const QUESTION = {
    id: "q",
    question: "Which?",
    category: "scope",
    options: [
      { id: "a", label: "A" },
      { id: "b", label: "B" },
    ],
  }
  const acceptanceCriteriaItems = [{ description: "works" }]
  const cases: [string, () => [string, object], string, string | null][] = [
    ["archived", () => ["chorus_update_project", { projectUuid, archived: true }], "archived", "status"],
    [
      "dependsOn",
      () => ["chorus_create_tasks", { projectUuid, tasks: [{ title: "T", acceptanceCriteriaItems, dependsOn: [] }] }],
      "tasks.0.dependsOn",
      "dependsOnTaskUuids",
    ],
    [
      "the only one that is missing",
      () => ["chorus_pm_start_elaboration", { ideaUuid: projectUuid, depth: "minimal", questions: [QUESTION] }],
      "questions.0.question",
      "text",
    ],
    ["nothing like it", () => ["chorus_list_projects", { zzz: 1 }], "zzz", null],
  ]

  it.each(cases)("%s is named, with the field that was meant", async (_, call, path, nearest) => {
    const [name, input] = call()
    const refusal = { code: "unknown_field", details: { unknown: [{ path, nearest }] } }
    expect((await chorus.post(name, input)).body["error"]).toMatchObject(refusal)
    if (chorus.server.registry.find(name)?.tool === "none") return
    expect(await overMcp(name, input)).toMatchObject({ isError: true, error: refusal })
  })

  it("a person who writes preset for presets gets no developer instead", async () => {
    const actor = await ownerActor(chorus.server.store, new Date())
    await expect(
      chorus.server.registry.execute("chorus_create_agent", { name: "A", preset: "pm" }, { actor, requestId: "r" }),
    ).rejects.toMatchObject({ code: "unknown_field", message: expect.stringContaining('did you mean "presets"?') })
  })

  it("is refused in a query, too", async () => {
    const response = await fetch(`${chorus.url}/api/v1/chorus_list_projects?pagesize=5`, {
      headers: { authorization: `Bearer ${chorus.key}` },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: "unknown_field", message: expect.stringContaining('did you mean "pageSize"?') },
    })
  })

  it("does not hide what else is wrong", async () => {
    const { body } = await chorus.post("chorus_pm_create_idea", { projectUuid, titel: "A slip" })
    expect(body["error"]).toMatchObject({ code: "unknown_field", message: expect.stringMatching(/"titel".*title/) })
  })

  it("takes the early contract's one text of criteria, point by point", async () => {
    const text = "## Done when\n- [ ] it opens\n* it closes\n  without a noise\n3. it stays shut\n"
    const { body } = await chorus.post("chorus_pm_create_tasks", {
      projectUuid,
      tasks: [{ title: "A door", acceptanceCriteria: text }],
    })
    const [task] = body["tasks"] as { uuid: string }[]
    const descriptions = async () => {
      const { body: found } = await chorus.post("chorus_get_task", { taskUuid: task?.uuid })
      return (found["acceptanceCriteriaItems"] as { description: string }[]).map(({ description }) => description)
    }
    expect(await descriptions()).toEqual(["it opens", "it closes without a noise", "it stays shut"])
    await chorus.post("chorus_update_task", { taskUuid: task?.uuid, acceptanceCriteria: "it swings\nit is green" })
    expect(await descriptions()).toEqual(["it swings", "it is green"])
  })

  async function overMcp(name: string, input: object): Promise<{ isError?: boolean; error?: unknown }> {
    const response = await fetch(`${chorus.url}/api/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${chorus.key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
    })
    const line = (await response.text()).split("\n").find((each) => each.startsWith("data: "))
    const { result } = JSON.parse(line?.slice("data: ".length) ?? "{}") as {
      result: { isError?: boolean; content: { text: string }[] }
    }
    return { isError: result.isError === true, ...(JSON.parse(result.content[0]?.text ?? "{}") as object) }
  }
})

type Path = (string | number)[]

/** The way to every object with named fields in an input. */
function objectPaths(schema: JsonSchema): Path[] {
  return [
    ...(schema.properties === undefined ? [] : [[]]),
    ...(schema.anyOf ?? []).flatMap(objectPaths),
    ...(schema.items === undefined ? [] : objectPaths(schema.items).map((path) => [0, ...path])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      objectPaths(property).map((path) => [name, ...path]),
    ),
  ]
}

/** An input with one field too many at the end of a path. */
function placed([first, ...rest]: Path, schema: JsonSchema): unknown {
  const objects = [schema, ...(schema.anyOf ?? [])]
  if (first === undefined) {
    const object = objects.find(({ properties }) => properties !== undefined) ?? {}
    return { ...(sample(object, () => undefined) as object), nobodyKnowsThis: 1 }
  }
  if (typeof first === "number") return [placed(rest, objects.find(({ items }) => items !== undefined)?.items ?? {})]
  const object = objects.find(({ properties }) => properties?.[first] !== undefined)
  return {
    ...(sample(object ?? {}, () => undefined) as object),
    [first]: placed(rest, object?.properties?.[first] ?? {}),
  }
}
