import type { tasks, work } from "@chorus/contracts"
import { findCycle } from "@chorus/core"
import { describe, expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngine } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const stress = process.env["CHORUS_STRESS"] === "1"
const CLAIMERS = stress ? 200 : 20
const TASKS = stress ? 1000 : 60
const EDGES = stress ? 100 : 40

onEachEngine("races for work", (engine) => {
  async function opened(work: (w: Workspace) => Promise<void>): Promise<void> {
    const w = await openWorkspace({ engine })
    try {
      await work(w)
    } finally {
      await w.close()
    }
  }
  const agents = (w: Workspace, count: number): Promise<Actor[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => w.agent(`claimer ${index}`)))
  const codeOf = (error: unknown) => (error as { code?: string }).code ?? String(error)

  async function tasksIn(w: Workspace, count: number): Promise<string[]> {
    const uuids: string[] = []
    for (let from = 0; from < count; from += 500) {
      const input = Array.from({ length: Math.min(500, count - from) }, (_, index) => ({
        title: `task ${from + index}`,
        acceptanceCriteriaItems: [{ description: "x" }],
      }))
      const { tasks: made } = await w.call<{ tasks: tasks.TaskRow[] }>(w.pm, "chorus_create_tasks", {
        projectUuid: w.project,
        tasks: input,
      })
      uuids.push(...made.map((task) => task.uuid))
    }
    return uuids
  }

  it(`gives each of ${TASKS} tasks to exactly one of ${CLAIMERS} claimers`, () =>
    opened(async (w) => {
      const uuids = await tasksIn(w, TASKS)
      const won = new Map<string, string>()
      await Promise.all(
        (await agents(w, CLAIMERS)).map(async (agent, index) => {
          // Each walks the same tasks from another start, so that they meet everywhere.
          for (let step = 0; step < uuids.length; step++) {
            const taskUuid = uuids[(index * 7 + step) % uuids.length] ?? ""
            if (won.has(taskUuid) && step % 5 !== 0) continue
            try {
              await w.call(agent, "chorus_claim_task", { taskUuid })
              expect(won.has(taskUuid)).toBe(false)
              won.set(taskUuid, agent.uuid)
            } catch (error) {
              expect(error).toMatchObject({ code: "already_claimed", details: { holder: { type: "agent" } } })
            }
          }
        }),
      )
      expect(won.size).toBe(TASKS)
      const rows = await w.store.db
        .selectFrom("tasks")
        .select(["uuid", "assigneeUuid", "status"])
        .where("projectUuid", "=", w.project)
        .execute()
      expect(rows.every((row) => row.status === "assigned" && won.get(row.uuid) === row.assigneeUuid)).toBe(true)
      const claims = await w.store.db
        .selectFrom("events")
        .select("entityUuid")
        .where("kind", "=", "task.claimed")
        .where("projectUuid", "=", w.project)
        .execute()
      expect(new Set(claims.map((event) => event.entityUuid)).size).toBe(TASKS)
      expect(claims.length).toBe(TASKS)
    }))

  it("hands out different tasks to agents that ask for the next one together", () =>
    opened(async (w) => {
      await tasksIn(w, 30)
      const briefs = await Promise.all(
        (await agents(w, 40)).map((agent) =>
          w.call<work.TaskBrief>(agent, "chorus_next_task", { projectUuid: w.project }),
        ),
      )
      const given = briefs.flatMap((brief) => (brief.task === null ? [] : [brief.task.uuid]))
      expect(given.length).toBe(30)
      expect(new Set(given).size).toBe(30)
    }))

  it(`never closes a circle with ${EDGES} edges put in at once`, () =>
    opened(async (w) => {
      const uuids = await tasksIn(w, 12)
      const pairs = Array.from(
        { length: EDGES },
        (_, index) => [uuids[(index * 5) % 12] ?? "", uuids[(index * 7 + 1) % 12] ?? ""] as const,
      ).filter(([a, b]) => a !== b)
      const results = await Promise.allSettled(
        pairs.map(([taskUuid, dependsOn], index) =>
          index % 2 === 0
            ? w.call(w.pm, "chorus_update_task", { taskUuid, addDependsOn: [dependsOn] })
            : w.call(w.pm, "chorus_add_task_dependency", { taskUuid, dependsOnTaskUuid: dependsOn }),
        ),
      )
      const refused = results.flatMap((result) => (result.status === "rejected" ? [codeOf(result.reason)] : []))
      expect(new Set(refused)).toEqual(new Set(["dependency_cycle"]))
      const edges = await w.store.db
        .selectFrom("taskEdges")
        .select(["taskUuid", "dependsOnUuid"])
        .where("projectUuid", "=", w.project)
        .execute()
      expect(edges.length).toBeGreaterThan(0)
      expect(findCycle(edges)).toBeUndefined()
      await expectCountsRight(w)
    }))

  it("counts open dependencies right while tasks finish and edges come and go", () =>
    opened(async (w) => {
      const uuids = await tasksIn(w, 20)
      const results = await Promise.allSettled(
        uuids.flatMap((taskUuid, index) => [
          w.call(w.pm, "chorus_update_task", {
            taskUuid,
            addDependsOn: uuids.slice(0, index).filter((_, at) => at % 3 === index % 3),
          }),
          w.call(w.admin, "chorus_admin_close_task", { taskUuid: uuids[index % 7] }),
          w.call(w.admin, "chorus_admin_reopen_task", { taskUuid: uuids[(index + 1) % 7] }),
          w.call(w.pm, "chorus_update_task", { taskUuid, removeDependsOn: uuids.slice(0, 2) }),
        ]),
      )
      const refused = new Set(
        results.flatMap((result) => (result.status === "rejected" ? [codeOf(result.reason)] : [])),
      )
      expect(
        [...refused].filter((code) => !["wrong_status", "changed_meanwhile", "task_finished"].includes(code)),
      ).toEqual([])
      await expectCountsRight(w)
    }))

  it("lets an agent win one task where it may hold only one", () =>
    opened(async (w) => {
      const uuids = await tasksIn(w, 10)
      await w.store.write(({ db }) =>
        db
          .updateTable("projects")
          .set({ settings: JSON.stringify({ exclusiveWork: true }) })
          .where("uuid", "=", w.project)
          .execute(),
      )
      const results = await Promise.allSettled(
        uuids.map((taskUuid) => w.call(w.developer, "chorus_claim_task", { taskUuid })),
      )
      expect(results.filter((result) => result.status === "fulfilled").length).toBe(1)
      expect(
        new Set(results.flatMap((result) => (result.status === "rejected" ? [codeOf(result.reason)] : []))),
      ).toEqual(new Set(["holds_other_task"]))
    }))

  describe("two who act at the same moment", () => {
    it("reserve overlapping paths once", () =>
      opened(async (w) => {
        const uuids = await tasksIn(w, 10)
        await Promise.all(uuids.map((taskUuid) => w.call(w.developer, "chorus_start_task", { taskUuid })))
        const results = await Promise.allSettled(
          uuids.map((taskUuid) => w.call(w.developer, "chorus_reserve_paths", { taskUuid, globs: ["src/**"] })),
        )
        expect(results.filter((result) => result.status === "fulfilled").length).toBe(1)
      }))

    it("take a lapsed task back once, verify once, answer once, check in once", () =>
      opened(async (w) => {
        const [lapsed = "", judged = "", stayed = ""] = await tasksIn(w, 3)
        const ok = async (name: string, by: readonly Actor[], input: object) =>
          (await Promise.allSettled(by.map((actor) => w.call(actor, name, input)))).filter(
            (result) => result.status === "fulfilled",
          ).length
        await w.call(w.developer, "chorus_claim_task", { taskUuid: lapsed })
        w.clock.advance(2 * 3_600_000)
        expect(await ok("chorus_reclaim_task", [w.rival, w.admin, w.pm, w.owner], { taskUuid: lapsed })).toBe(1)
        await w.call(w.developer, "chorus_start_task", { taskUuid: judged })
        await w.call(w.developer, "chorus_finish_task", { taskUuid: judged, report: "x" })
        const [criterion] = (await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid: judged }))
          .acceptanceCriteriaItems
        await w.call(w.owner, "chorus_mark_acceptance_criteria", {
          taskUuid: judged,
          criteria: [{ uuid: criterion?.uuid, status: "passed" }],
        })
        expect(await ok("chorus_admin_verify_task", [w.owner, w.member, w.admin], { taskUuid: judged })).toBe(1)
        const { uuid: attentionUuid } = await w.call<{ uuid: string }>(w.developer, "chorus_create_attention", {
          title: "?",
        })
        expect(
          await ok("chorus_answer_attention", [w.owner, w.owner, w.owner], { attentionUuid, answer: { text: "!" } }),
        ).toBe(1)
        const { uuid: sessionUuid } = await w.call<{ uuid: string }>(w.developer, "chorus_create_session", {
          name: "s",
        })
        expect(
          await ok("chorus_session_checkin_task", [w.developer, w.developer, w.developer], {
            sessionUuid,
            taskUuid: stayed,
          }),
        ).toBeGreaterThan(0)
        const stays = await w.store.db.selectFrom("checkins").select("uuid").where("taskUuid", "=", stayed).execute()
        expect(stays.length).toBe(1)
      }))
  })
})

async function expectCountsRight(w: Workspace): Promise<void> {
  const rows = await w.store.db
    .selectFrom("tasks")
    .select(["uuid", "openDependencies"])
    .where("projectUuid", "=", w.project)
    .execute()
  const open = await w.store.db
    .selectFrom("taskEdges as e")
    .innerJoin("tasks as t", "t.uuid", "e.dependsOnUuid")
    .select("e.taskUuid")
    .where("t.status", "not in", ["done", "closed"])
    .where("e.projectUuid", "=", w.project)
    .execute()
  const counted = new Map<string, number>()
  for (const { taskUuid } of open) counted.set(taskUuid, (counted.get(taskUuid) ?? 0) + 1)
  expect(rows.filter((row) => row.openDependencies !== (counted.get(row.uuid) ?? 0))).toEqual([])
}
