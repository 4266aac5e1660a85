import type { OutputOf, tasks, work } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const MINUTE = 60_000
const w = embeddedWorkspace()

const reclaim = (taskUuid: string, by: Actor = w.rival) =>
  w.call<{ status: string }>(by, "chorus_reclaim_task", { taskUuid })
const history = (taskUuid: string) =>
  w.call<OutputOf<typeof work.getTaskHistory>>(w.viewer, "chorus_get_task_history", { taskUuid })

/** A task of an agent nobody else hears of, so that no other test is a sign of its life. */
async function held(): Promise<{ taskUuid: string; holder: Actor }> {
  const holder = await w.agent("Silent")
  return { holder, taskUuid: await w.taskAt("in_progress", { holder, title: "left lying" }) }
}

describe("taking a task back", () => {
  it("is refused while its holder shows signs of life, saying until when", async () => {
    const { taskUuid } = await held()
    await expect(reclaim(taskUuid)).rejects.toMatchObject({
      code: "lease_held",
      message: expect.stringContaining('"left lying" is held by Silent'),
      details: { until: expect.any(String) },
    })
    const { lease } = await history(taskUuid)
    expect(lease).toMatchObject({ state: "held", at: expect.any(String) })
  })

  it("opens it again after an hour of silence, told with who had it and since when", async () => {
    const { taskUuid, holder } = await held()
    const { startedAt } = await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
    w.clock.advance(61 * MINUTE)
    expect((await history(taskUuid)).lease).toMatchObject({ state: "lapsed" })
    const events = await w.told(() => reclaim(taskUuid))
    expect(events).toMatchObject([
      {
        kind: "task.reclaimed",
        patch: {
          status: "open",
          assignee: null,
          from: { uuid: holder.uuid, name: "Silent" },
          silentSince: startedAt,
        },
      },
    ])
    expect((await history(taskUuid)).lease).toEqual({ state: "none", at: null })
  })

  it.each<[string, (taskUuid: string, holder: Actor) => Promise<unknown>]>([
    [
      "a heartbeat of any of its sessions",
      async (_, holder) => w.call(holder, "chorus_session_heartbeat", { sessionUuid: await w.newSession(holder) }),
    ],
    [
      "a report on the task",
      (taskUuid, holder) => w.call(holder, "chorus_report_work", { taskUuid, report: "still here" }),
    ],
  ])("waits an hour from %s on", async (_, sign) => {
    const { taskUuid, holder } = await held()
    w.clock.advance(50 * MINUTE)
    await sign(taskUuid, holder)
    w.clock.advance(50 * MINUTE)
    await expect(reclaim(taskUuid)).rejects.toMatchObject({ code: "lease_held" })
    w.clock.advance(11 * MINUTE)
    expect(await reclaim(taskUuid)).toMatchObject({ status: "open" })
  })

  it("from a person never works, and says whom to ask", async () => {
    const taskUuid = await w.taskAt("in_progress", { holder: w.member })
    w.clock.advance(24 * 60 * MINUTE)
    await expect(reclaim(taskUuid)).rejects.toMatchObject({
      code: "lease_held",
      next: "Ask them, or have the task reassigned.",
      details: { until: null },
    })
  })

  it.each(["open", "to_verify", "done", "closed"] as const)("is refused of one that is %s", async (stage) => {
    await expect(reclaim(await w.taskAt(stage))).rejects.toMatchObject({
      code: "wrong_status",
      details: { action: "reclaim" },
    })
  })

  it("by two at once is done by one", async () => {
    const { taskUuid } = await held()
    w.clock.advance(61 * MINUTE)
    const answers = await Promise.allSettled([reclaim(taskUuid), reclaim(taskUuid, w.admin)])
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  })

  it("follows the workspace's own time", async () => {
    const { taskUuid } = await held()
    await w.call(w.owner, "chorus_update_work_settings", { leaseMinutes: 5 })
    w.clock.advance(6 * MINUTE)
    expect(await reclaim(taskUuid)).toMatchObject({ status: "open" })
    await w.call(w.owner, "chorus_update_work_settings", { leaseMinutes: 60 })
  })
})

describe("a task's history", () => {
  it("holds every stay, report, verdict and reservation, newest first, and the sessions once", async () => {
    const taskUuid = await w.newTask()
    const sessionUuid = await w.newSession()
    const stay = () => w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })
    await stay()
    await w.call(w.developer, "chorus_session_checkout_task", { sessionUuid, taskUuid })
    await stay()
    for (const report of ["first", "second"])
      await w.call(w.developer, "chorus_report_work", { taskUuid, report, sessionUuid })
    await w.call(w.developer, "chorus_reserve_paths", { taskUuid, globs: ["src/x"] })
    const { checkins, sessions, reports, reservations, verdicts } = await history(taskUuid)
    expect(checkins.map(({ checkoutReason }) => checkoutReason)).toEqual([null, "checked_out"])
    expect(sessions.map(({ uuid }) => uuid)).toEqual([sessionUuid])
    expect(reports.map(({ content }) => content)).toEqual(["second", "first"])
    expect(reservations.map(({ glob }) => glob)).toEqual(["src/x"])
    expect(verdicts).toEqual([])
  })
})
