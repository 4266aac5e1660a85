import { randomUUID } from "node:crypto"
import type { runs } from "@chorus/contracts"
import type { Store } from "@chorus/store"
import { openPostgresStore } from "@chorus/store/postgres"
import { sharedDatabase } from "@chorus/testing/shared-database"
import * as fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Actor, operations, Registry } from "../src/index.ts"
import { onEachEngine } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const stress = process.env["CHORUS_STRESS"] === "1"
const ROUNDS = stress ? 60 : 2
const RUNNERS = 3
const ASKS = 6
const SILENCE_MS = 61_000

onEachEngine("runs, and the machines that want them", (engine) => {
  let w: Workspace
  let runners: readonly Actor[]
  /** Two servers on one store, where it can have two. */
  let servers: readonly Registry[]
  let other: Store | undefined
  beforeAll(async () => {
    const database = engine === "postgres" ? await sharedDatabase() : undefined
    w = await openWorkspace(database === undefined ? { engine } : { store: await openPostgresStore(database) })
    other = database === undefined ? undefined : await openPostgresStore(database)
    servers = [
      w.registry,
      other === undefined ? w.registry : new Registry(other, operations, { now: () => w.clock.now() }),
    ]
    runners = await Promise.all(Array.from({ length: RUNNERS }, (_, at) => w.agent(`Runner ${at}`)))
  })
  afterAll(async () => {
    await other?.close()
    await w.close()
  })

  const at = async <T>(server: number, actor: Actor, name: string, input: object) =>
    (await servers[server % servers.length]?.execute(name, input, { actor, requestId: randomUUID() })) as T

  it("are each held by one of them at most, whatever happens in whatever order", async () => {
    const step = fc.constantFrom("start", "ask", "tell", "fall silent", "take up", "finish")
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: stress ? 16 : 8 }), async (steps) => {
        const held = new Map<string, { lease: string; by: Actor }>()
        const lost = new Set<string>()
        const stale: { runUuid: string; lease: string; by: Actor }[] = []
        const forget = (uuid: string) => {
          const { lease, by } = held.get(uuid) ?? {}
          held.delete(uuid)
          if (lease !== undefined && by !== undefined) stale.push({ runUuid: uuid, lease, by })
        }
        const happen: Record<(typeof steps)[number], () => Promise<unknown>> = {
          start: () => Promise.all([0, 1].map(startOne)),
          ask: async () => {
            const given = await Promise.all(
              Array.from({ length: ASKS }, async (_, n) => {
                const by = runners[n % RUNNERS] ?? w.developer
                const able = { programs: [{ program: "codex", version: "1", missing: null }], folders: ["/shop"] }
                const asked = { machine: `machine ${n % RUNNERS}`, ...able, slots: 64, busy: 0 }
                return { by, run: (await at<{ run: runs.LeasedRun | null }>(n, by, "chorus_lease_run", asked)).run }
              }),
            )
            for (const { by, run } of given) {
              if (run === null) continue
              expect(held.has(run.uuid)).toBe(false)
              expect(lost.has(run.uuid)).toBe(false)
              held.set(run.uuid, { lease: run.lease, by })
            }
          },
          tell: async () => {
            const told = (runUuid: string, lease: string, by: Actor, n: number) =>
              at(n, by, "chorus_report_run", { runUuid, lease, state: "running" })
            await Promise.all([...held].map(([uuid, { lease, by }], n) => told(uuid, lease, by, n)))
            for (const [n, { runUuid, lease, by }] of stale.entries())
              await expect(told(runUuid, lease, by, n)).rejects.toMatchObject({ code: "run_not_held" })
          },
          "fall silent": async () => {
            w.clock.advance(SILENCE_MS)
            await Promise.all(servers.map((_, n) => at(n, w.developer, "chorus_sweep_runs", {})))
            for (const uuid of held.keys()) {
              forget(uuid)
              lost.add(uuid)
            }
          },
          "take up": async () => {
            const taken = [...lost].map((runUuid, n) => at(n, w.owner, "chorus_resume_run", { runUuid }))
            await Promise.all(taken)
            lost.clear()
          },
          finish: async () => {
            const ends = [...held].map(([runUuid, { lease, by }], n) =>
              at(n, by, "chorus_report_run", { runUuid, lease, state: "finished", lastWords: "DONE" }),
            )
            await Promise.all(ends)
            for (const uuid of held.keys()) forget(uuid)
          },
        }
        for (const one of ["start", ...steps, "ask", "tell", "finish"] as const) await happen[one]()
        await at(0, w.owner, "chorus_stop_runs", {})
      }),
      { numRuns: ROUNDS },
    )
  })

  async function startOne(n: number): Promise<void> {
    const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_create_tasks", {
      projectUuid: w.project,
      tasks: [{ title: "A task", acceptanceCriteriaItems: [{ description: "it works" }] }],
    })
    await at(n, w.owner, "chorus_start_run", { taskUuid: tasks[0]?.uuid ?? "", program: "codex" })
  }
})
