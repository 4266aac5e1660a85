import { join } from "node:path"
import { type LogEvent, PERMISSIONS } from "@chorus/contracts"
import { createClient } from "@chorus/client"
import { eventsAfter, openSqliteStore, type Store } from "@chorus/store"
import { openPostgresStore } from "@chorus/store/postgres"
import { freePort, startPostgres, temporaryDirectory, waitFor } from "@chorus/testing"
import { array, assert, asyncProperty, constantFrom, integer, record } from "fast-check"
import { describe, expect, it } from "vitest"
import { type Actor, runningServer } from "../src/index.ts"
import { maySee } from "../src/may-see.ts"
import { makeKeyInStore } from "./key-in-store.ts"
import { CRITERIA, LONG } from "./plan-fixture.ts"
import { serverProcess } from "./server-process.ts"

const HISTORIES = 100
const TASKS = 2
const KINDS = { claim: "task.claimed", release: "task.released", approve: "proposal.approved" } as const

type Does = keyof typeof KINDS

/** One call as its caller saw it; who got no answer does not know what became of it. */
interface Call {
  readonly does: Does
  readonly entityUuid: string
  readonly actorUuid: string
  readonly requestId: string | undefined
  readonly began: number
  readonly ended: number
  readonly answer: "done" | "refused" | "none"
}

const step = record({
  does: constantFrom<Does>("claim", "claim", "release", "approve"),
  task: integer({ min: 0, max: TASKS - 1 }),
  agent: integer({ min: 0, max: 1 }),
  server: integer({ min: 0, max: 1 }),
})
const steps = array(step, { minLength: 4, maxLength: 12 })

describe.each(["sqlite", "postgres"] as const)("histories with killed servers and databases on %s", (engine) => {
  it(`agree with one order of all calls, and nothing counts twice or is lost (${HISTORIES} histories)`, async () => {
    await using house = await openHouse(engine)
    let [calls, unanswered] = [0, 0]
    const took: Record<Does, number> = { claim: 0, release: 0, approve: 0 }
    await assert(
      asyncProperty(steps, steps, integer({ min: 0, max: 3 }), async (before, after, answers) => {
        const from = await house.store.position(house.workspaceUuid)
        const scene = await house.scene()
        const history = await house.killedAfter(answers, () => before.map((one) => house.carryOut(scene, one)))
        history.push(...(await Promise.all(after.map((one) => house.carryOut(scene, one)))))
        calls += history.length
        unanswered += history.filter(({ answer }) => answer === "none").length
        for (const { does, answer } of history) took[does] += Number(answer === "done")
        await holds(house, { from, scene, history })
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    )
    console.table({
      engine,
      histories: HISTORIES,
      calls,
      "without an answer": unanswered,
      ...took,
      ...house.report(),
    })
  }, 1_200_000)
})

interface Scene {
  readonly tasks: readonly string[]
  readonly proposal: string
}

async function holds(
  { store, workspaceUuid, readTo }: House,
  { from, scene, history }: { from: number; scene: Scene; history: readonly Call[] },
): Promise<void> {
  const log = await eventsAfter(store.db, workspaceUuid, from, 10_000)
  expect(log.map(({ id }) => id)).toEqual(log.map((_, n) => from + 1 + n))
  await readTo(log)
  const entities = new Set([...scene.tasks, scene.proposal])
  const kinds = new Set<string>(Object.values(KINDS))
  const taken = log.filter(({ kind, entityUuid }) => kinds.has(kind) && entities.has(entityUuid))

  const position = new Map(taken.map(({ requestId, id }) => [requestId ?? "", id]))
  // Whoever approves what is approved is told so and changes nothing.
  const done = history.filter(
    ({ does, answer, requestId = "" }) => answer === "done" && (does !== "approve" || position.has(requestId)),
  )
  for (const { requestId = "" } of done)
    expect(position.has(requestId), "what was acknowledged is in the log").toBe(true)
  const known = new Set(done.map(({ requestId }) => requestId))
  const open = history.filter(({ answer }) => answer === "none")
  for (const { requestId, kind, entityUuid, actor } of taken.filter((event) => !known.has(event.requestId ?? ""))) {
    const whose = open.findIndex(
      (call) => KINDS[call.does] === kind && call.entityUuid === entityUuid && call.actorUuid === actor.uuid,
    )
    expect(whose, `nobody asked for ${kind} of request ${requestId ?? "?"}`).not.toBe(-1)
    open.splice(whose, 1)
  }
  for (const uuid of scene.tasks) {
    const turns = taken.filter(({ entityUuid }) => entityUuid === uuid).map(({ kind }) => kind)
    expect(turns).toEqual(turns.map((_, n) => (n % 2 === 0 ? "task.claimed" : "task.released")))
  }
  for (const a of done)
    for (const b of done.filter(({ entityUuid, began }) => entityUuid === a.entityUuid && began > a.ended))
      expect(position.get(a.requestId ?? "") ?? 0).toBeLessThan(position.get(b.requestId ?? "") ?? 0)

  const approvals = taken.filter(({ kind }) => kind === "proposal.approved").length
  const asked = history.filter(({ does }) => does === "approve")
  expect(approvals).toBeLessThanOrEqual(1)
  // Whoever got an answer knows that it is approved; no kill undoes that.
  if (asked.some(({ answer }) => answer !== "none")) expect(approvals).toBe(1)
  const made = await store.db.selectFrom("tasks").select("uuid").where("proposalUuid", "=", scene.proposal).execute()
  expect(made.length, "tasks of the proposal").toBe(approvals)
}

type House = Awaited<ReturnType<typeof openHouse>>

/** One server on the embedded store, two on PostgreSQL, and callers who see each answer as it comes. */
async function openHouse(engine: "sqlite" | "postgres") {
  const postgres = engine === "postgres" ? await startPostgres() : undefined
  const database = await postgres?.database()
  const places = await Promise.all(
    Array.from({ length: database === undefined ? 1 : 2 }, async () => ({
      directory: temporaryDirectory(),
      port: await freePort(),
    })),
  )
  const [home] = places
  if (home === undefined) throw new Error("there is no server")
  const store: Store =
    database === undefined
      ? await openSqliteStore(join(home.directory.path, "chorus.sqlite"))
      : await openPostgresStore(database)
  const admin = await makeKeyInStore(store)
  const start = ({ directory, port }: typeof home) => serverProcess(directory.path, port, database)
  const servers = await Promise.all(places.map(start))
  const urls = servers.map(({ url }) => url)
  /** The token by which this machine acts for the owner is new with each start. */
  const ownerAt = (server: number) => runningServer(places[server]?.directory.path ?? "")?.token ?? ""
  const at = (server: number, key: string) => createClient({ url: urls[server] ?? "", key })
  const owner = at(0, ownerAt(0))
  const project = await owner.call("chorus_admin_create_project", { name: "Histories" })
  const agents = await Promise.all(
    ["Dev", "Rival"].map(async (name) => {
      const { uuid } = await owner.call("chorus_create_agent", { name, presets: ["developer"] })
      return { uuid, key: (await owner.call("chorus_create_key", { agentUuid: uuid })).key }
    }),
  )
  const { uuid: ownerUuid, workspaceUuid } = await owner.call("chorus_whoami", {})
  const reader: Actor = {
    ...(await at(0, admin).call("chorus_whoami", {})),
    permissions: new Set(PERMISSIONS),
    projectUuids: null,
    ownerUuid,
  }
  const begun = await store.position(workspaceUuid)
  const over = new AbortController()
  /** What a reader of each server has seen since the beginning, through every kill. */
  const readers = places.map((_, index) => {
    const seen: number[] = []
    const read = async () => {
      for await (const item of at(index, admin).events({ lastEventId: begun, signal: over.signal }))
        seen.push(item.type === "gap" ? Number.NaN : item.event.id)
    }
    return { seen, done: read() }
  })
  const killed = { servers: 0, databases: 0 }

  /** Waits until every reader has come to the end of this part of the log, and holds that it saw all of it that it may, once and in order. */
  async function readTo(log: readonly LogEvent[]): Promise<void> {
    const visible = log.filter((event) => maySee(reader, event)).map(({ id }) => id)
    const last = visible.at(-1)
    for (const { seen } of readers) {
      await waitFor(() => last === undefined || (seen.at(-1) ?? 0) >= last, 60_000, "a reader to catch up")
      expect(seen.filter((id) => !(id < (visible[0] ?? 0) || id > (last ?? 0)))).toEqual(visible)
    }
  }

  async function scene(): Promise<Scene> {
    const client = at(0, admin)
    const { tasks } = await client.call("chorus_create_tasks", {
      projectUuid: project.uuid,
      tasks: Array.from({ length: TASKS }, (_, n) => ({ title: `Task ${n}`, acceptanceCriteriaItems: CRITERIA })),
    })
    const idea = await client.call("chorus_pm_create_idea", { projectUuid: project.uuid, title: "An idea" })
    await client.call("chorus_claim_idea", { ideaUuid: idea.uuid })
    await client.call("chorus_pm_skip_elaboration", { ideaUuid: idea.uuid, reason: "it is clear" })
    const proposal = await client.call("chorus_submit_plan", {
      projectUuid: project.uuid,
      title: "A plan",
      description: "Why and what",
      ideaUuids: [idea.uuid],
      documents: [{ type: "tech_design", title: "Design", content: LONG }],
      tasks: [{ key: "a", title: "Task a", description: "do it", criteria: CRITERIA }],
    })
    return { tasks: tasks.map(({ uuid }) => uuid), proposal: proposal.uuid }
  }

  async function carryOut(
    { tasks, proposal }: Scene,
    { does, task, agent, server }: { does: Does; task: number; agent: number; server: number },
  ): Promise<Call> {
    const index = server % urls.length
    const isApproval = does === "approve"
    const entityUuid = isApproval ? proposal : (tasks[task] ?? "")
    const caller = isApproval ? { uuid: ownerUuid, key: ownerAt(index) } : agents[agent]
    const name = isApproval ? "chorus_admin_approve_proposal" : `chorus_${does}_task`
    const began = performance.now()
    const response = await fetch(`${urls[index]}/api/v1/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller?.key}`, "content-type": "application/json" },
      body: JSON.stringify(isApproval ? { proposalUuid: entityUuid } : { taskUuid: entityUuid }),
    }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    const answer =
      response === undefined || text === undefined || response.status >= 500 ? "none" : response.ok ? "done" : "refused"
    if (answer === "refused") expect([403, 409], text).toContain(response?.status)
    const requestId = response?.headers.get("x-request-id") ?? undefined
    return { does, entityUuid, actorUuid: caller?.uuid ?? "", requestId, began, ended: performance.now(), answer }
  }

  /** Kills a server, or in its turn the database, as soon as so many calls were answered, and starts it again. */
  async function killedAfter(answers: number, begin: () => Promise<Call>[]): Promise<Call[]> {
    let answered = 0
    const calls = begin()
    for (const call of calls) void call.then(() => answered++)
    await waitFor(() => answered >= Math.min(answers, calls.length), 60_000, "the first answers")
    const index = (killed.servers + killed.databases) % (servers.length + (postgres === undefined ? 0 : 1))
    const place = places[index]
    if (place === undefined) {
      killed.databases++
      await postgres?.kill()
      const history = await Promise.all(calls)
      await postgres?.restart()
      await waitFor(isServed, 60_000, "the servers to reach their database again")
      return history
    }
    killed.servers++
    await servers[index]?.kill()
    const history = await Promise.all(calls)
    servers[index] = await start(place)
    return history
  }

  async function isServed(): Promise<boolean> {
    const answers = await Promise.all(
      urls.map((_, index) => at(index, admin).call("chorus_list_events", { limit: 1 }, { retry: false })),
    ).catch(() => undefined)
    const own = await store.position(workspaceUuid).catch(() => undefined)
    return answers !== undefined && own !== undefined
  }

  function report() {
    const seen = readers.map((one) => one.seen.length)
    return {
      "servers killed": killed.servers,
      "databases killed": killed.databases,
      "events each reader saw": seen.join(", "),
    }
  }

  return {
    store,
    workspaceUuid,
    scene,
    carryOut,
    killedAfter,
    readTo,
    report,
    async [Symbol.asyncDispose]() {
      over.abort()
      await Promise.all(readers.map(({ done }) => done))
      await Promise.all(servers.map((server) => server.kill()))
      await store.close()
      await postgres?.stop()
      await Promise.all(places.map(({ directory }) => directory.remove()))
    },
  }
}
