import { Agent, request } from "node:http"
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { type Figure, rate } from "./figure.ts"
import { cpuMs, served } from "./served.ts"

const CALLERS = 16
const MS = 3000
const ROWS = 500
/** More than are claimed while that is measured. */
const MOST_CLAIMS = 12_000
/** When claims asked twice as many statements, they were 700 to 1,800 a second of a floor of 4,500: half as much again as in the middle of that. */
const CLAIMS_AT_LEAST = 40

/** Durable writes through MCP, each beside a bare responder that syncs each call; tools/list; a list of 500 rows. */
export async function bench(): Promise<Figure[]> {
  const server = await served()
  const floor = await durableFloor()
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
  const rpc = (method: string, params: object) =>
    post(agent, `${server.url}/api/mcp`, { jsonrpc: "2.0", id: 1, method, params }, server.key)
  const create = () => rpc("tools/call", { name: "chorus_admin_create_project", arguments: { name: "bench" } })
  await rate(CALLERS, 500, create)
  const rest = (name: string, input: object) => post(agent, `${server.url}/api/v1/${name}`, input, server.key)
  const tool = (name: string, input: object) => rpc("tools/call", { name, arguments: input })
  const row = async (name: string) =>
    (JSON.parse(await rest("chorus_admin_create_project", { name })) as { uuid: string }).uuid
  const work = { projectUuid: await row("work") }
  const tasks = async (count: number) => {
    const made: string[] = []
    while (made.length < count) {
      const drafts = Array.from({ length: ROWS }, (_, index) => ({
        title: `Task ${index}`,
        acceptanceCriteriaItems: [{ description: "it holds" }],
      }))
      const answer = JSON.parse(await rest("chorus_create_tasks", { ...work, tasks: drafts })) as {
        tasks: { uuid: string }[]
      }
      made.push(...answer.tasks.map(({ uuid }) => uuid))
    }
    return made
  }
  const [toChange, toClaim] = [await tasks(ROWS), await tasks(MOST_CLAIMS)]
  let next = 0
  let claimed = 0
  const writes: readonly [what: string, write: () => Promise<unknown>, atLeast: number][] = [
    ["simple write", create, 60],
    [
      "task created",
      () =>
        tool("chorus_create_tasks", {
          ...work,
          tasks: [{ title: "one more", acceptanceCriteriaItems: [{ description: "it holds" }] }],
        }),
      60,
    ],
    [
      "task updated",
      () => tool("chorus_update_task", { taskUuid: toChange[next++ % toChange.length], title: `Task ${next}` }),
      60,
    ],
    ["task claimed", () => tool("chorus_claim_task", { taskUuid: toClaim[claimed++] }), CLAIMS_AT_LEAST],
  ]
  const written: Figure[] = []
  for (const [what, write, atLeast] of writes) {
    const rounds: number[] = []
    const floors: number[] = []
    for (let round = 0; round < 3; round++) {
      floors.push(await rate(CALLERS, MS / 3, () => post(agent, floor.url, { x: 1 }, "")))
      rounds.push(await rate(CALLERS, MS / 3, write))
    }
    const [most, limit] = [Math.max(...rounds), Math.max(...floors)]
    written.push(
      { name: `${what} through MCP, 16 callers`, value: most, unit: "call/s" },
      { name: `durable floor beside it: bare responder syncing each call`, value: limit, unit: "call/s" },
      { name: `${what} as part of the durable floor`, value: (most / limit) * 100, unit: "%", budget: { atLeast } },
    )
  }
  floor.close()

  const before = cpuMs(server.process.pid)
  let lists = 0
  await rate(CALLERS, 1500, async () => {
    await rpc("tools/list", {})
    lists++
  })
  const listCpu = (cpuMs(server.process.pid) - before) / lists
  const project = { projectUuid: await row("rows") }
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    title: `Row ${index}`,
    acceptanceCriteriaItems: [{ description: "it is there" }],
  }))
  await rest("chorus_create_tasks", { ...project, tasks: rows })
  const boards = await rate(CALLERS, 1500, () => rest("chorus_get_board", project))
  const changedBoards = await rate(1, 1500, async () => {
    await rest("chorus_update_project", { ...project, description: "changed" })
    await rest("chorus_get_board", project)
  })
  await server.stop()
  agent.destroy()
  return [
    ...written,
    { name: "tools/list, CPU per call", value: listCpu, unit: "ms", budget: { atMost: 1 } },
    { name: "list of 500 rows, 16 callers", value: boards, unit: "list/s", budget: { atLeast: 1000 } },
    { name: "list of 500 rows, one caller, a change before each", value: changedBoards, unit: "list/s" },
  ]
}

async function durableFloor(): Promise<{ url: string; close(): void }> {
  const file = openSync(join(temporaryDirectory().path, "floor"), "w")
  const server = createServer((incoming, response) => {
    incoming.resume().on("end", () => {
      writeSync(file, Buffer.alloc(512))
      fdatasyncSync(file)
      response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections()
      server.close()
      closeSync(file)
    },
  }
}

function post(agent: Agent, url: string, body: unknown, key: string): Promise<string> {
  const payload = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        agent,
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "content-length": Buffer.byteLength(payload),
          ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
        },
      },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        response.on("end", () =>
          response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}: ${text}`)),
        )
      },
    )
    call.on("error", reject)
    call.end(payload)
  })
}
