/** @module-tag stress */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { Client as ChorusClient } from "@chorus/client"
import { ChorusError } from "@chorus/contracts"
import { ensureOwner, makeSignInToken, signInLink } from "@chorus/server"
import { toolAnswer, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Browser } from "../../packages/server/test/browser.ts"
import { type Cluster, SERVERS, startCluster } from "./cluster.ts"
import { listen } from "./stream.ts"

const stress = process.env["CHORUS_STRESS"] === "1"
const CLAIMERS = stress ? 200 : 16
const TASKS = stress ? 1000 : 40
const READERS = stress ? 200 : 8
const WRITERS = stress ? 32 : 8
const WRITES = stress ? 100 : 8
const KILL_WRITERS = stress ? 32 : 10
const KILL_WRITES = stress ? 100 : 8
const KILL_READERS = stress ? 50 : 4
const LONG =
  "What is built, how it hangs together and why it is done this way and no other, in enough words to be read. ".repeat(
    2,
  )
const CRITERIA = [{ description: "it works" }]

let cluster: Cluster
let lead: ChorusClient
let project: string

beforeAll(async () => {
  cluster = await startCluster()
  lead = cluster.client(await cluster.key("lead", "admin"))
  project = (await lead.call("chorus_admin_create_project", { name: "Scaled" })).uuid
})
afterAll(() => cluster[Symbol.asyncDispose]())

describe(`${SERVERS.length} servers behind the proxy`, () => {
  it(`give each of ${TASKS} tasks to exactly one of ${CLAIMERS} claimers`, async () => {
    const uuids: string[] = []
    for (let from = 0; from < TASKS; from += 500) {
      const input = Array.from({ length: Math.min(500, TASKS - from) }, (_, index) => ({
        title: `task ${from + index}`,
        acceptanceCriteriaItems: CRITERIA,
      }))
      uuids.push(
        ...(await lead.call("chorus_create_tasks", { projectUuid: project, tasks: input } as never)).tasks.map(
          (task) => task.uuid,
        ),
      )
    }
    const claimers = await inTurn(CLAIMERS, async (n) => cluster.client(await cluster.key(`claimer ${n}`, "developer")))
    const won = new Map<string, number>()
    let calls = 0
    const began = performance.now()
    await Promise.all(
      claimers.map(async (claimer, index) => {
        // Each walks the same tasks from another start, so that they meet everywhere.
        for (let step = 0; step < uuids.length; step++) {
          const taskUuid = uuids[(index * 7 + step) % uuids.length] ?? ""
          if (won.has(taskUuid) && step % 5 !== 0) continue
          calls++
          const outcome = await claimer.send("chorus_claim_task", { taskUuid }, { retry: false }).then(
            () => "won",
            (error: unknown) => (error instanceof ChorusError ? error.code : String(error)),
          )
          if (outcome === "won") {
            expect(won.has(taskUuid)).toBe(false)
            won.set(taskUuid, index)
          } else expect(outcome).toBe("already_claimed")
        }
      }),
    )
    figure("claims", calls, began)
    expect(won.size).toBe(TASKS)
    const rows = await cluster.store.db
      .selectFrom("tasks")
      .select("assigneeUuid")
      .where("projectUuid", "=", project)
      .where("status", "=", "assigned")
      .execute()
    expect(rows).toHaveLength(TASKS)
    const claims = await cluster.store.db
      .selectFrom("events")
      .select("entityUuid")
      .where("kind", "=", "task.claimed")
      .execute()
    expect(claims).toHaveLength(TASKS)
  })

  it(`show every event once and in order to ${READERS} readers, at once and not when a buffer is full`, async () => {
    const start = await lastEvent()
    const readers = Array.from({ length: READERS }, () => listen(lead, start))
    const began = performance.now()
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let n = 0; n < WRITES; n++)
          await lead.call("chorus_admin_create_project", { name: `written ${writer}-${n}` })
      }),
    )
    figure("writes", WRITERS * WRITES, began)
    const end = await lastEvent()
    expect(end - start).toBe(WRITERS * WRITES)
    await waitFor(
      () => readers.every(({ ids }) => ids.at(-1) === end),
      60_000,
      () => `all readers to have ${end}; they have ${readers.map(({ ids }) => ids.at(-1)).join()}`,
    )
    const every = Array.from({ length: end - start }, (_, n) => start + n + 1)
    for (const reader of readers) {
      await reader.stop()
      expect(reader.ids).toEqual(every)
    }
  })

  it("carry an idea to verified work, over REST, MCP and the page's own door", async () => {
    const [pm, developer] = [
      await mcp(await cluster.key("planner", "pm")),
      await mcp(await cluster.key("builder", "developer")),
    ]
    const owner = new Browser(cluster)
    expect((await owner.open(cluster.signIn)).status).toBe(200)
    const own = async (name: string, input: object) => {
      const { status, body } = await owner.call(name, input)
      expect(status, JSON.stringify(body)).toBe(200)
      return body
    }
    const ideaUuid = String(
      (await own("chorus_pm_create_idea", { projectUuid: project, title: "Through the proxy" }))["uuid"],
    )
    await pm.call("chorus_claim_idea", { ideaUuid })
    await pm.call("chorus_pm_start_elaboration", {
      ideaUuid,
      depth: "minimal",
      questions: [
        {
          id: "q1",
          text: "Which?",
          category: "scope",
          options: [
            { id: "a", label: "A" },
            { id: "b", label: "B" },
          ],
        },
      ],
    })
    await own("chorus_answer_elaboration", {
      ideaUuid,
      answers: [{ questionId: "q1", selectedOptionId: "a", customText: null }],
    })
    const tasks = ["a", "b"].map((key) => ({
      key,
      title: `Build ${key}`,
      description: "do it",
      criteria: CRITERIA,
      dependsOn: key === "b" ? ["a"] : [],
    }))
    const plan = await pm.call("chorus_submit_plan", {
      projectUuid: project,
      title: "A plan",
      description: "Why",
      ideaUuids: [ideaUuid],
      documents: [{ type: "tech_design", title: "Design", content: LONG }],
      tasks,
    })
    await own("chorus_admin_approve_proposal", { proposalUuid: plan["uuid"] })
    for (let n = 0; n < 2; n++) {
      const brief = await developer.call("chorus_next_task", { projectUuid: project })
      const { uuid: taskUuid } = brief["task"] as { uuid: string }
      await developer.call("chorus_start_task", { taskUuid })
      await developer.call("chorus_finish_task", { taskUuid, report: "Built." })
      const { acceptanceCriteriaItems } = await own("chorus_get_task", { taskUuid })
      await own("chorus_mark_acceptance_criteria", {
        taskUuid,
        criteria: (acceptanceCriteriaItems as { uuid: string }[]).map(({ uuid }) => ({ uuid, status: "passed" })),
      })
      expect(await own("chorus_admin_verify_task", { taskUuid })).toMatchObject({ status: "done" })
    }
    await pm.close()
    await developer.close()
  })

  it("tell a client of any of them when its tools have changed", async () => {
    const key = await cluster.key("changing", "admin")
    const { uuid: agentUuid } = (await cluster.client(key).call("chorus_whoami", {})) as { uuid: string }
    const changes: string[][] = []
    const clients = await Promise.all(
      SERVERS.map((_, index) => mcp(key, { at: cluster.server(index), onTools: (names) => changes.push(names) })),
    )
    const owner = new Browser(cluster)
    await owner.open(await ownerLink())
    expect((await owner.call("chorus_update_agent", { agentUuid, presets: ["developer"] })).status).toBe(200)
    await waitFor(
      () => changes.length === SERVERS.length,
      60_000,
      () => `${SERVERS.length} clients to hear of it; ${changes.length} have`,
    )
    for (const names of changes) expect(names).not.toContain("chorus_admin_create_project")
    for (const client of clients) await client.close()
  })

  it("show what an agent looks at, and call people, whichever server that happened on", async () => {
    const [first, second] = [cluster.server(0), cluster.server(1)]
    const key = await cluster.key("seen", "developer")
    const agent = cluster.client(key, first)
    const watcher = await cluster.key("watcher", "developer")
    const { uuid: watcherUuid } = (await cluster.client(watcher).call("chorus_whoami", {})) as { uuid: string }
    const text = async (path: string, at: string) => {
      const stop = new AbortController()
      const response = await fetch(`${at}${path}`, {
        headers: { authorization: `Bearer ${watcher}` },
        signal: stop.signal,
      })
      let read = ""
      void (async () => {
        for await (const chunk of response.body ?? []) read += Buffer.from(chunk).toString()
      })().catch(() => undefined)
      return { read: () => read, stop: () => stop.abort() }
    }
    const presence = await text("/api/events?presence=1", second)
    const notes = await text("/api/events/notifications", second)
    const { tasks } = await lead.call("chorus_create_tasks", {
      projectUuid: project,
      tasks: [{ title: "Looked at", acceptanceCriteriaItems: CRITERIA }],
    } as never)
    const taskUuid = tasks[0]?.uuid ?? ""
    await agent.send("chorus_get_task", { taskUuid })
    await waitFor(
      () => presence.read().includes("event: presence"),
      60_000,
      () => `the agent to be seen in:\n${presence.read().slice(-500)}`,
    )
    expect(presence.read()).toContain(taskUuid)
    await cluster
      .client(await cluster.key("caller", "admin"), first)
      .send("chorus_pm_assign_task", { taskUuid, agentUuid: watcherUuid })
    await waitFor(
      () => notes.read().includes("new_notification"),
      60_000,
      () => `the notification in:\n${notes.read()}`,
    )
    presence.stop()
    notes.stop()
  })

  it("keep their figures to themselves", async () => {
    expect((await fetch(`${cluster.url}/metrics`)).status).toBe(404)
    const own = await (await fetch(`${cluster.server(2)}/metrics`)).text()
    // The names that docs/scale.md tells to watch.
    const told = [
      ...readFileSync(join(import.meta.dirname, "..", "..", "docs", "scale.md"), "utf8").matchAll(
        /`((?:chorus|process|nodejs)_[a-z_]+)/g,
      ),
    ].map((match) => String(match[1]))
    expect(told.length).toBeGreaterThan(4)
    for (const name of told) expect(own).toContain(name)
  })

  it(`resume when a server, then the database, then each of them in turn is ended under ${KILL_WRITERS} writers; nothing acknowledged is lost or done twice`, async () => {
    const key = await cluster.key("writer", "admin")
    const client = cluster.client(key)
    const start = await lastEvent()
    const readers = Array.from({ length: KILL_READERS }, () => listen(client, start))
    const acknowledged = new Set<string>()
    const total = KILL_WRITERS * KILL_WRITES
    const reached = (part: number) =>
      waitFor(
        () => acknowledged.size >= total * part,
        100_000,
        () => `${total * part} writes; ${acknowledged.size} are done`,
      )
    const writing = Array.from({ length: KILL_WRITERS }, async (_, writer) => {
      for (let n = 0; n < KILL_WRITES;) {
        const name = `kept ${writer}-${n}`
        // The same key on each attempt: a change whose answer was lost is answered again, not made again.
        const done = await client.call("chorus_admin_create_project", { name }, { idempotencyKey: name }).then(
          () => acknowledged.add(name),
          () => undefined,
        )
        if (done === undefined) await pause(20)
        else n++
      }
    })

    await reached(0.15)
    await cluster.kill(1)
    await reached(0.35)
    await cluster.revive(1)
    await cluster.postgres.kill("SIGKILL")
    const away = await fetch(`${cluster.url}/api/health`)
    expect(away.status).toBe(503)
    expect(await away.json()).toMatchObject({ error: { code: "store_unavailable" } })
    await cluster.postgres.restart()
    await reached(0.6)
    // As an upgrade does it: each ends in good order and is back before the next.
    for (const index of SERVERS.keys()) {
      expect(await cluster.kill(index, "SIGTERM")).toBe(0)
      await cluster.revive(index)
    }
    await Promise.all(writing)

    const projects = await cluster.store.db
      .selectFrom("projects")
      .select("name")
      .where("name", "like", "kept %")
      .execute()
    expect(projects.map(({ name }) => name).sort()).toEqual([...acknowledged].sort())
    expect(acknowledged.size).toBe(total)
    const end = await lastEvent()
    await waitFor(
      () => readers.every(({ ids }) => ids.at(-1) === end),
      60_000,
      () => `readers at ${end}: ${readers.map(({ ids }) => ids.at(-1)).join()}`,
    )
    const every = Array.from({ length: end - start }, (_, n) => start + n + 1)
    for (const reader of readers) {
      await reader.stop()
      expect(reader.ids).toEqual(every)
    }
  })
})

async function lastEvent(): Promise<number> {
  return (await cluster.store.db.selectFrom("workspaces").select("lastEvent").executeTakeFirstOrThrow()).lastEvent
}

async function ownerLink(): Promise<string> {
  const { userUuid } = await ensureOwner(cluster.store, new Date())
  return signInLink(cluster.url, await makeSignInToken(cluster.store, userUuid, new Date()))
}

async function mcp(
  key: string,
  { at = cluster.url, onTools }: { at?: string; onTools?: (names: string[]) => void } = {},
) {
  const listChanged =
    onTools === undefined
      ? {}
      : {
          listChanged: {
            tools: {
              onChanged: (_error: unknown, tools: { name: string }[] | null) =>
                onTools((tools ?? []).map(({ name }) => name)),
            },
          },
        }
  const client = new Client(
    { name: "scale", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } }, ...listChanged },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${at}/api/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  await client.listTools()
  return {
    close: () => client.close(),
    call: async (name: string, input: object) => {
      const result = await client.callTool({ name, arguments: input as Record<string, unknown> })
      expect(result.isError, JSON.stringify(toolAnswer(result))).not.toBe(true)
      return toolAnswer(result)
    },
  }
}

async function inTurn<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let n = 0; n < count; n++) made.push(await make(n))
  return made
}

function figure(what: string, count: number, began: number): void {
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${SERVERS.length} servers: ${count} ${what} in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} a second`,
  )
}
