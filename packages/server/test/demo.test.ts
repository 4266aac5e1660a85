import { setTimeout } from "node:timers/promises"
import type { projects, tasks } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { pino } from "pino"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Demo } from "../src/demo/demo.ts"
import { type ChorusServer, ownerActor, startServer } from "../src/index.ts"
import { Browser } from "./browser.ts"

const hurried = (milliseconds: number) => setTimeout(milliseconds / 100)
const log = pino({ level: "silent" })
let server: ChorusServer

beforeAll(async () => {
  server = await startServer({ dataDirectory: temporaryDirectory().path, port: 0, log })
})

afterAll(() => server.close())

async function read<Answer>(name: string, input: object): Promise<Answer> {
  return (await server.registry.execute(name, input, {
    actor: await ownerActor(server.store, new Date()),
    requestId: "test",
  })) as Answer
}

describe("the demo", () => {
  it("builds the sample project through the MCP door and leaves some decisions to the person", async () => {
    const demo = new Demo(server.registry, log, hurried)
    const { projectUuid } = await demo.start(await ownerActor(server.store, new Date()), server.url)
    await demo.finished()

    const board = await read<{ tasks: tasks.TaskRow[]; checkins: unknown[] }>("chorus_get_board", { projectUuid })
    expect(board.tasks).toHaveLength(9)
    expect(board.tasks.filter(({ status }) => status === "done")).toHaveLength(7)
    expect(board.tasks.filter(({ status }) => status === "to_verify")).toHaveLength(2)
    expect(board.checkins).toEqual([])
    const waiting = await read<{ counts: Record<string, number> }>("chorus_needs_you", { projectUuid })
    expect(waiting.counts).toMatchObject({ task: 2, attention: 1 })
  })

  it("leaves no key behind that works, and hires the same agents again", async () => {
    const before = await read<{ total: number }>("chorus_list_agents", {})
    const demo = new Demo(server.registry, log, hurried)
    await demo.start(await ownerActor(server.store, new Date()), server.url)
    await demo.finished()
    expect((await read<{ total: number }>("chorus_list_agents", {})).total).toBe(before.total)
    const { keys } = await read<{ keys: { revokedAt: string | null }[] }>("chorus_list_keys", { pageSize: 100 })
    expect(keys.filter(({ revokedAt }) => revokedAt === null)).toEqual([])
  })

  it("is started by people alone, and once at a time", async () => {
    const person = new Browser(server)
    expect((await person.post("/api/demo")).status).toBe(401)
    await person.open(server.firstSignIn ?? "")
    const first = await person.post("/api/demo")
    const second = await person.post("/api/demo")
    expect(first.body["projectUuid"]).toBe(second.body["projectUuid"])
    const { projects: all } = await read<{ projects: projects.ProjectRow[] }>("chorus_list_projects", { pageSize: 100 })
    expect(all.filter(({ uuid }) => uuid === first.body["projectUuid"])).toHaveLength(1)
  })

  it("moves the board within ten seconds of the wish", async () => {
    let told = 0
    let movedAfter: number | undefined
    const { registry, store, url } = server
    const demo = new Demo(registry, log, async (milliseconds) => {
      movedAfter ??= (await somethingIsInProgress()) ? told : undefined
      told += milliseconds
    })
    const { projectUuid } = await demo.start(await ownerActor(store, new Date()), url)
    await demo.finished()
    expect(movedAfter).toBeLessThan(10_000)

    async function somethingIsInProgress(): Promise<boolean> {
      const { tasks: all } = await read<{ tasks: tasks.TaskRow[] }>("chorus_get_board", { projectUuid })
      return all.some(({ status }) => status === "in_progress")
    }
  })
})
