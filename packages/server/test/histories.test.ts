import { openPostgresStore } from "@chorus/store/postgres"
import { eventsAfter } from "@chorus/store"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { array, assert, asyncProperty, constantFrom, integer, record } from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations, Registry } from "../src/index.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const HISTORIES = process.env["CHORUS_STRESS"] === "1" ? 100 : 5
const TASKS = 3

/** One call as its caller saw it. */
interface Call {
  readonly does: "claim" | "release"
  readonly taskUuid: string
  readonly requestId: string
  readonly began: number
  readonly ended: number
  readonly held: boolean
}

const step = record({
  does: constantFrom("claim" as const, "claim" as const, "release" as const),
  task: integer({ min: 0, max: TASKS - 1 }),
  agent: integer({ min: 0, max: 1 }),
  server: integer({ min: 0, max: 1 }),
  rounds: integer({ min: 0, max: 2 }),
})

/** Random callers on a few tasks, on PostgreSQL through two servers; what each was told is held against the log. */
describe.each(["sqlite", "postgres"] as const)("histories on %s", (engine) => {
  let w: Workspace
  let servers: readonly Registry[]
  let close: () => Promise<void>
  beforeAll(async () => {
    if (engine === "sqlite") {
      w = await openWorkspace()
      servers = [w.registry, w.registry]
      close = () => w.close()
      return
    }
    const url = await sharedDatabase()
    const [one, other] = [await openPostgresStore(url), await openPostgresStore(url)]
    w = await openWorkspace({ store: one })
    servers = [w.registry, new Registry(other, operations)]
    close = async () => {
      await other.close()
      await w.close()
    }
  })
  afterAll(() => close())

  it(`agree with one order of all calls, without gaps, and no claim counts twice (${HISTORIES} histories)`, async () => {
    await assert(
      asyncProperty(array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
        const from = await w.store.position(w.workspaceUuid)
        const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_create_tasks", {
          projectUuid: w.project,
          tasks: Array.from({ length: TASKS }, (_, n) => ({
            title: `Task ${n}`,
            acceptanceCriteriaItems: [{ description: "it holds" }],
          })),
        })
        const history = await Promise.all(
          steps.map(async ({ does, task, agent, server, rounds }, n): Promise<Call> => {
            for (let turn = 0; turn < rounds; turn++) await w.store.position(w.workspaceUuid)
            const taskUuid = tasks[task]?.uuid ?? ""
            const requestId = `${from}-${n}`
            const actor = agent === 0 ? w.developer : w.rival
            const began = performance.now()
            const held = await (servers[server] ?? w.registry)
              .execute(`chorus_${does}_task`, { taskUuid }, { actor, requestId })
              .then(() => true)
              .catch((error: { status?: number }) =>
                error.status === 409 || error.status === 403 ? false : Promise.reject(error),
              )
            return { does, taskUuid, requestId, began, ended: performance.now(), held }
          }),
        )
        const log = await eventsAfter(w.store.db, w.workspaceUuid, from, 10_000)
        expect(log.map(({ id }) => id)).toEqual(log.map((_, n) => from + 1 + n))
        const taken = log.filter(({ kind }) => kind === "task.claimed" || kind === "task.released")
        expect(taken.map(({ requestId }) => requestId).toSorted()).toEqual(
          history
            .filter(({ held }) => held)
            .map(({ requestId }) => requestId)
            .toSorted(),
        )
        for (const { uuid } of tasks) {
          // Whoever claims finds it free, whoever releases finds it held.
          const kinds = taken.filter(({ entityUuid }) => entityUuid === uuid).map(({ kind }) => kind)
          expect(kinds).toEqual(kinds.map((_, n) => (n % 2 === 0 ? "task.claimed" : "task.released")))
        }
        const position = new Map(taken.map(({ requestId, id }) => [requestId, id]))
        const told = history.filter(({ held }) => held)
        for (const a of told)
          for (const b of told.filter(({ taskUuid, began }) => taskUuid === a.taskUuid && began > a.ended))
            expect(position.get(a.requestId) ?? 0).toBeLessThan(position.get(b.requestId) ?? 0)
      }),
      { numRuns: HISTORIES },
    )
  }, 300_000)
})
