import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { toolAnswer } from "@chorus/testing"
import { encode } from "gpt-tokenizer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { asOwner, makeKey, runningServer, type TestServer } from "./running-server.ts"

let chorus: TestServer

beforeAll(async () => {
  chorus = await runningServer()
})
afterAll(() => chorus.close())

async function connect(key: string, query = ""): Promise<Client> {
  const client = new Client({ name: "test", version: "1" })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${chorus.url}/api/mcp${query}`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  return client
}

describe("the lean tool list", () => {
  it.each([
    ["developer", 1500],
    ["lead", 2200],
  ] as const)("costs a %s at most %i tokens, and the plain list holds everything", async (preset, most) => {
    const key = await makeKey(chorus.server, preset)
    const [lean, plain] = [await connect(key, "?tools=lean"), await connect(key)]
    const { tools } = await lean.listTools()
    // Annotations are for the program; a model does not see them.
    const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    expect(encode(JSON.stringify(seen)).length).toBeLessThanOrEqual(most)
    const all = (await plain.listTools()).tools.map(({ name }) => name)
    expect(all.length).toBeGreaterThan(30)
    expect(all).toEqual(expect.arrayContaining(tools.map(({ name }) => name)))
    await Promise.all([lean.close(), plain.close()])
  })

  it("lets an agent that may delegate put agents to work and steer them, where the project lets agents do so", async () => {
    const { body: project } = await chorus.post("chorus_admin_create_project", { name: "delegated" })
    const projectUuid = project["uuid"]
    const { body: made } = await chorus.post("chorus_create_tasks", {
      projectUuid,
      tasks: [{ title: "Paint the fence", acceptanceCriteriaItems: [{ description: "green" }] }],
    })
    const [task] = made["tasks"] as unknown as { uuid: string }[]
    const RUNS = ["chorus_start_run", "chorus_list_runs", "chorus_get_run", "chorus_send_to_run", "chorus_stop_run"]
    const [lead, other] = [await makeKey(chorus.server, "admin"), await makeKey(chorus.server, "developer")]
    for (const query of ["", "?tools=lean"]) {
      const [delegates, builds] = [await connect(lead, query), await connect(other, query)]
      const shown = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
      expect(await shown(delegates)).toEqual(expect.arrayContaining(RUNS))
      expect((await shown(builds)).filter((name) => RUNS.includes(name))).toEqual([])
      await builds.close()
      await delegates.close()
    }
    const client = await connect(lead, "?tools=lean")
    const call = async (name: string, args: object) => client.callTool({ name, arguments: { ...args } })
    await asOwner(chorus.server, "chorus_update_run_policy", { projectUuid, starters: "people" })
    const start = { taskUuid: task?.uuid, program: "codex" }
    expect(JSON.stringify(await call("chorus_start_run", start))).toContain("only people put agents to work")
    await asOwner(chorus.server, "chorus_update_run_policy", { projectUuid, starters: "agents" })
    const run = toolAnswer(await call("chorus_start_run", start)) as { uuid: string; state: string }
    expect(run).toMatchObject({ state: "queued" })
    expect(toolAnswer(await call("chorus_list_runs", { projectUuid }))).toMatchObject({ runs: [{ uuid: run.uuid }] })
    await call("chorus_send_to_run", { runUuid: run.uuid, text: "Use green." })
    await asOwner(chorus.server, "chorus_update_run_policy", { projectUuid, starters: "people" })
    const refused = await call("chorus_send_to_run", { runUuid: run.uuid, text: "Use blue." })
    expect(JSON.stringify(refused)).toContain("only people put agents to work")
    await call("chorus_stop_run", { runUuid: run.uuid })
    expect(toolAnswer(await call("chorus_get_run", { runUuid: run.uuid }))).toMatchObject({ state: "stopped" })
    await client.close()
  })

  it("is enough for a task's life: two calls, and tools it does not show still answer", async () => {
    const { body: project } = await chorus.post("chorus_admin_create_project", { name: "lean" })
    await chorus.post("chorus_create_tasks", {
      projectUuid: project["uuid"],
      tasks: [{ title: "small", acceptanceCriteriaItems: [{ description: "green", command: "true" }] }],
    })
    const client = await connect(await makeKey(chorus.server, "developer"), "?tools=lean")
    const call = async (name: string, args: object) =>
      toolAnswer(await client.callTool({ name, arguments: { ...args } })) as Record<string, never>
    const brief = (await call("chorus_next_task", { projectUuid: project["uuid"] })) as unknown as {
      task: { uuid: string; acceptanceCriteriaItems: { uuid: string; command: string }[] }
    }
    const criteria = brief.task.acceptanceCriteriaItems.map(({ uuid }) => ({
      uuid,
      devStatus: "passed",
      exitCode: 0,
      output: "",
    }))
    // Some clients send arrays as text.
    expect(
      await call("chorus_finish_task", {
        taskUuid: brief.task.uuid,
        report: "done",
        criteria: JSON.stringify(criteria),
      }),
    ).toMatchObject({ status: "to_verify", unchecked: [] })
    expect(await call("chorus_list_tasks", { projectUuid: project["uuid"] })).toMatchObject({
      tasks: [{ title: "small", ac: { checked: 1 } }],
    })
    await client.close()
  })
})
