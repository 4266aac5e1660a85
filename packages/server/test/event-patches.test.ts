import { type LogEvent, sessions, tasks } from "@chorus/contracts"
import { expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngine } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const STEPS = process.env["CHORUS_STRESS"] === "1" ? 2000 : 250

/** Small and repeatable; the seed is in the test's name when it fails. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * sides)
  }
}

onEachEngine("a reader that merges events", (engine) => {
  it.each([1, 2])("has the same board as one that loads it, after whatever happened (seed %i)", async (seed) => {
    const w = await openWorkspace({ engine })
    const done = await muddleThrough(w, dice(seed))
    const board = await w.call<{ tasks: tasks.TaskRow[]; checkins: sessions.CheckinRow[]; position: number }>(
      w.owner,
      "chorus_get_board",
      { projectUuid: w.project },
    )
    const events = await allEvents(w)
    const byUuid = <T extends { uuid: string }>(rows: readonly T[]) =>
      rows.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))
    const copy = merged(events, "task").map((row) => tasks.TaskRow.parse(row))
    expect(byUuid(copy)).toEqual(byUuid(board.tasks))
    const stays = merged(events, "checkin").map((row) => sessions.CheckinRow.parse(row))
    // Since when an agent has been silent is told by its session's events (web/src/board/follow-board).
    const shown = board.checkins.map((row) => sessions.CheckinRow.parse(row))
    expect(byUuid(stays.filter((stay) => stay.checkoutAt === null))).toEqual(byUuid(shown))
    // The log also holds what is told to others alone.
    expect(events.at(-1)?.id).toBeLessThanOrEqual(board.position)
    expect(done).toBeGreaterThan(STEPS / 5)
    await w.close()
  })
})

/** Random calls by random people and agents; most are refused, the others must leave events that say what changed. Returns how many were not. */
async function muddleThrough(w: Workspace, roll: (sides: number) => number): Promise<number> {
  const agents = [w.developer, w.rival, w.admin]
  const everybody = [...agents, w.pm, w.owner, w.member]
  const sessionOf = new Map<string, string>()
  for (const agent of agents)
    sessionOf.set(
      agent.uuid,
      (await w.call<{ uuid: string }>(agent, "chorus_create_session", { name: agent.name })).uuid,
    )
  const uuids: string[] = []
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T
  const create = async () => {
    const input = {
      projectUuid: w.project,
      tasks: [
        {
          title: `task ${uuids.length}`,
          dependsOnTaskUuids: uuids.length > 2 && roll(2) === 0 ? [pick(uuids)] : [],
          acceptanceCriteriaItems: [{ description: "a" }, { description: "b", required: false }],
        },
      ],
    }
    uuids.push(
      ...(await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", input)).tasks.map(
        (task) => task.uuid,
      ),
    )
  }
  for (let made = 0; made < 5; made++) await create()

  const mark = async (actor: Actor, taskUuid: string, field: "status" | "devStatus", name: string) => {
    const { acceptanceCriteriaItems } = await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
    await w.call(actor, name, {
      taskUuid,
      criteria: acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, [field]: roll(6) === 0 ? "failed" : "passed" })),
    })
  }
  const steps: ((actor: Actor, taskUuid: string) => Promise<unknown>)[] = [
    create,
    (actor, taskUuid) => w.call(actor, "chorus_claim_task", { taskUuid }),
    (actor, taskUuid) => w.call(actor, "chorus_start_task", { taskUuid, sessionUuid: sessionOf.get(actor.uuid) }),
    (actor) => w.call(actor, "chorus_next_task", { projectUuid: w.project, sessionUuid: sessionOf.get(actor.uuid) }),
    (actor, taskUuid) =>
      w.call(actor, "chorus_session_checkin_task", { taskUuid, sessionUuid: sessionOf.get(actor.uuid) }),
    (actor, taskUuid) =>
      w.call(actor, "chorus_session_checkout_task", { taskUuid, sessionUuid: sessionOf.get(actor.uuid) }),
    (actor, taskUuid) => w.call(actor, "chorus_release_task", { taskUuid }),
    (actor, taskUuid) => w.call(actor, "chorus_pm_assign_task", { taskUuid, agentUuid: pick(agents).uuid }),
    (actor, taskUuid) => w.call(actor, "chorus_finish_task", { taskUuid, report: "done" }),
    (actor, taskUuid) => w.call(actor, "chorus_submit_for_verify", { taskUuid, summary: "s" }),
    (actor, taskUuid) => mark(actor, taskUuid, "devStatus", "chorus_report_criteria_self_check"),
    (actor, taskUuid) => mark(actor, taskUuid, "status", "chorus_mark_acceptance_criteria"),
    (_, taskUuid) => mark(w.owner, taskUuid, "status", "chorus_mark_acceptance_criteria"),
    (_, taskUuid) => w.call(w.owner, "chorus_admin_verify_task", { taskUuid }),
    (_, taskUuid) => w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, force: roll(2) === 0 }),
    (actor, taskUuid) => w.call(actor, "chorus_move_task", { taskUuid, status: pick(tasks.TaskStatus.options) }),
    (actor, taskUuid) =>
      w.call(actor, "chorus_update_task", {
        taskUuid,
        title: `renamed ${roll(100)}`,
        priority: pick(["low", "medium", "high"]),
        storyPoints: roll(9),
      }),
    (actor, taskUuid) =>
      w.call(actor, "chorus_update_task", { taskUuid, acceptanceCriteriaItems: [{ description: "new" }] }),
    (actor, taskUuid) => w.call(actor, "chorus_update_task", { taskUuid, addDependsOn: [pick(uuids)] }),
    (actor, taskUuid) => w.call(actor, "chorus_update_task", { taskUuid, removeDependsOn: [pick(uuids)] }),
    (_, taskUuid) =>
      roll(5) === 0 ? w.call(w.owner, "chorus_admin_close_task", { taskUuid }) : Promise.reject(new Error("not now")),
    (_, taskUuid) =>
      roll(8) === 0 ? w.call(w.owner, "chorus_admin_delete_task", { taskUuid }) : Promise.reject(new Error("not now")),
    async (actor, taskUuid) => {
      w.clock.advance(roll(40) * 60_000)
      await w.call(actor, "chorus_reclaim_task", { taskUuid })
    },
  ]
  let succeeded = 0
  for (let step = 0; step < STEPS; step++) {
    await pick(steps)(pick(everybody), pick(uuids)).then(() => succeeded++, expectRefusal)
  }
  return succeeded
}

/** A refusal is the caller's fault and says so; anything else is ours. */
function expectRefusal(error: unknown): void {
  if ((error as Error).message === "not now") return
  expect(error).toMatchObject({ code: expect.stringMatching(/^[a-z_]+$/), status: expect.any(Number) })
  expect((error as { status: number }).status).toBeLessThan(500)
}

async function allEvents(w: Workspace): Promise<LogEvent[]> {
  const events: LogEvent[] = []
  for (let before: number | undefined; ;) {
    const page = await w.call<{ events: LogEvent[] }>(w.owner, "chorus_list_events", {
      limit: 100,
      ...(before === undefined ? {} : { before }),
    })
    if (page.events.length === 0) return events.toReversed()
    events.push(...page.events)
    before = page.events.at(-1)?.id
  }
}

function merged(events: readonly LogEvent[], entityType: string): Record<string, unknown>[] {
  const copy = new Map<string, Record<string, unknown>>()
  for (const { entityUuid, action, patch, ...event } of events) {
    if (event.entityType !== entityType) continue
    if (action === "deleted") copy.delete(entityUuid)
    else copy.set(entityUuid, { ...copy.get(entityUuid), ...patch })
  }
  return [...copy.values()]
}
