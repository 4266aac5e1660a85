import type { sessions, tasks } from "@chorus/contracts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const MINUTE = 60_000

type Created = sessions.SessionRow & { action: string }

onEachEngineUnderStress("sessions", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const open = (name: string, more: object = {}, by = w.developer) =>
    w.call<Created>(by, "chorus_create_session", { name, ...more })
  const get = (sessionUuid: string) =>
    w.call<sessions.SessionRow & { checkins: object[] }>(w.developer, "chorus_get_session", { sessionUuid })
  const task = async (title: string) =>
    (
      await w.call<{ tasks: tasks.TaskRow[] }>(w.pm, "chorus_create_tasks", {
        projectUuid: w.project,
        tasks: [{ title, acceptanceCriteriaItems: [{ description: "x" }] }],
      })
    ).tasks[0]?.uuid ?? ""
  const history = (taskUuid: string) =>
    w.call<{ checkins: sessions.CheckinRow[]; sessions: object[]; lease: object }>(w.owner, "chorus_get_task_history", {
      taskUuid,
    })

  it("are new under the same name unless reuse is wanted, and found by the program's own id", async () => {
    const first = await open("worker")
    const second = await open("worker")
    expect(second.uuid).not.toBe(first.uuid)
    expect(await open("worker", { reuse: true })).toMatchObject({ uuid: second.uuid, action: "reused" })
    await w.call(w.developer, "chorus_close_session", { sessionUuid: second.uuid })
    expect(await open("worker", { reuse: true })).toMatchObject({
      uuid: second.uuid,
      action: "reopened",
      status: "active",
      closedAt: null,
    })
    const known = await open("terminal", { externalId: "abc" })
    expect(await open("renamed", { externalId: "abc" })).toMatchObject({ uuid: known.uuid, action: "reused" })
    expect(await open("terminal", { externalId: "abc" }, w.rival)).toMatchObject({ action: "created" })
  })

  it("fall inactive after an hour of silence by the stored time, and wake with a heartbeat", async () => {
    const { uuid: sessionUuid } = await open("sleepy")
    w.clock.advance(59 * MINUTE)
    expect((await get(sessionUuid)).status).toBe("active")
    w.clock.advance(2 * MINUTE)
    expect((await get(sessionUuid)).status).toBe("inactive")
    const names = async (status: string) =>
      (await w.call<{ sessions: { uuid: string }[] }>(w.developer, "chorus_list_sessions", { status })).sessions.map(
        (session) => session.uuid,
      )
    expect(await names("inactive")).toContain(sessionUuid)
    expect(await names("active")).not.toContain(sessionUuid)
    expect(await w.call(w.developer, "chorus_session_heartbeat", { sessionUuid })).toMatchObject({ status: "active" })
    expect(await names("active")).toContain(sessionUuid)
  })

  it("follow the workspace's own time for silence", async () => {
    const { uuid: sessionUuid } = await open("quick")
    await w.call(w.owner, "chorus_update_work_settings", { sessionInactiveMinutes: 5 })
    w.clock.advance(6 * MINUTE)
    expect((await get(sessionUuid)).status).toBe("inactive")
    await w.call(w.owner, "chorus_update_work_settings", { sessionInactiveMinutes: 60 })
    expect((await get(sessionUuid)).status).toBe("active")
    await expect(w.call(w.member, "chorus_update_work_settings", { sessionInactiveMinutes: 1 })).rejects.toMatchObject({
      code: "forbidden",
    })
  })

  it("tell readers of heartbeats only now and then", async () => {
    const { uuid: sessionUuid } = await open("chatty")
    const told = async () =>
      (
        await w.call<{ events: { kind: string }[] }>(w.owner, "chorus_list_events", { entityUuid: sessionUuid })
      ).events.filter((event) => event.kind === "session.seen").length
    for (let beat = 0; beat < 3; beat++) {
      w.clock.advance(MINUTE)
      await w.call(w.developer, "chorus_session_heartbeat", { sessionUuid })
    }
    expect(await told()).toBe(0)
    w.clock.advance(MINUTE)
    await w.call(w.developer, "chorus_session_heartbeat", { sessionUuid })
    expect(await told()).toBe(1)
  })

  it("belong to their agent", async () => {
    const { uuid: sessionUuid } = await open("mine")
    for (const name of [
      "chorus_get_session",
      "chorus_session_heartbeat",
      "chorus_close_session",
      "chorus_reopen_session",
    ]) {
      await expect(w.call(w.rival, name, { sessionUuid })).rejects.toMatchObject({ code: "forbidden" })
      await expect(w.call(w.stranger, name, { sessionUuid })).rejects.toMatchObject({ code: "not_found" })
      await expect(w.call(w.viewer, name, { sessionUuid })).rejects.toMatchObject({ code: "forbidden" })
    }
    const taskUuid = await task("not theirs")
    await expect(w.call(w.rival, "chorus_session_checkin_task", { sessionUuid, taskUuid })).rejects.toMatchObject({
      code: "forbidden",
    })
    await w.call(w.rival, "chorus_claim_task", { taskUuid })
    await expect(w.call(w.rival, "chorus_report_work", { taskUuid, report: "x", sessionUuid })).rejects.toMatchObject({
      code: "forbidden",
    })
    await expect(open("a person's", {}, w.owner)).rejects.toMatchObject({ code: "forbidden" })
    expect(await w.call(w.owner, "chorus_close_session", { sessionUuid })).toMatchObject({ status: "closed" })
  })

  describe("at a task", () => {
    it("claim what nobody holds, and keep every stay", async () => {
      const { uuid: sessionUuid } = await open("stayer")
      const taskUuid = await task("stays")
      const stay = await w.call<{ checkedInAt: string }>(w.developer, "chorus_session_checkin_task", {
        sessionUuid,
        taskUuid,
      })
      expect(stay).toMatchObject({ claimed: true, sessionUuid, taskUuid })
      expect(await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })).toMatchObject({
        checkedInAt: stay.checkedInAt,
        claimed: false,
      })
      expect((await get(sessionUuid)).checkins).toMatchObject([{ taskUuid, checkoutAt: null }])
      expect(await w.call(w.developer, "chorus_session_checkout_task", { sessionUuid, taskUuid })).toMatchObject({
        checkedOut: true,
      })
      expect(await w.call(w.developer, "chorus_session_checkout_task", { sessionUuid, taskUuid })).toMatchObject({
        checkedOut: false,
      })
      await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })
      await w.call(w.developer, "chorus_close_session", { sessionUuid })
      expect((await history(taskUuid)).checkins.map((each) => each.checkoutReason)).toEqual([
        "session_closed",
        "checked_out",
      ])
      await expect(w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })).rejects.toMatchObject(
        { code: "session_closed" },
      )
    })

    it("do not claim for an agent that only reads", async () => {
      const reader = await w.agent("Watcher", { presets: [], permissions: ["task:read"] })
      const { uuid: sessionUuid } = await open("watch", {}, reader)
      const taskUuid = await task("watched")
      expect(await w.call(reader, "chorus_session_checkin_task", { sessionUuid, taskUuid })).toMatchObject({
        claimed: false,
      })
      expect(await w.call(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({ status: "open", assignee: null })
    })

    it("show who works on what", async () => {
      const { uuid: sessionUuid } = await open("visible")
      const taskUuid = await task("seen on the board")
      await w.call(w.developer, "chorus_start_task", { taskUuid, sessionUuid })
      const board = await w.call<{ checkins: object[]; tasks: object[] }>(w.viewer, "chorus_get_board", {
        projectUuid: w.project,
      })
      expect(board.checkins).toContainEqual(
        expect.objectContaining({
          taskUuid,
          sessionUuid,
          sessionName: "visible",
          agent: { type: "agent", uuid: w.developer.uuid, name: "Dev" },
        }),
      )
      const presence = await w.call<{
        agents: { name: string; sessions: { uuid: string; working: object[] }[]; inProgress: object[] }[]
      }>(w.viewer, "chorus_get_presence")
      const dev = presence.agents.find((agent) => agent.name === "Dev")
      expect(dev?.sessions.find((session) => session.uuid === sessionUuid)?.working).toMatchObject([{ taskUuid }])
      const shown = { uuid: taskUuid, title: "seen on the board", projectUuid: w.project }
      expect(dev?.inProgress).toContainEqual(expect.objectContaining(shown))
      const elsewhere = await w.call<typeof presence>(w.viewer, "chorus_get_presence", { projectUuid: w.otherProject })
      expect(elsewhere.agents.flatMap((agent) => agent.inProgress)).toEqual([])
    })
  })

  describe("leases", () => {
    it("let a task be taken back once the session that is at it went silent, whoever else lives", async () => {
      const { uuid: one } = await open("first")
      const { uuid: two } = await open("second")
      const taskUuid = await task("leased")
      await w.call(w.developer, "chorus_start_task", { taskUuid, sessionUuid: one })
      w.clock.advance(50 * MINUTE)
      await w.call(w.developer, "chorus_session_heartbeat", { sessionUuid: one })
      w.clock.advance(50 * MINUTE)
      await w.call(w.developer, "chorus_session_heartbeat", { sessionUuid: two })
      await expect(w.call(w.rival, "chorus_reclaim_task", { taskUuid })).rejects.toMatchObject({ code: "lease_held" })
      expect((await history(taskUuid)).lease).toMatchObject({ state: "held" })
      w.clock.advance(11 * MINUTE)
      const reader = await w.agent("NoReclaim", { presets: [], permissions: ["task:read"] })
      await expect(w.call(reader, "chorus_reclaim_task", { taskUuid })).rejects.toMatchObject({ code: "forbidden" })
      expect(await w.call(w.rival, "chorus_reclaim_task", { taskUuid })).toMatchObject({ status: "open" })
      const { events } = await w.call<{ events: { kind: string; patch: object }[] }>(w.owner, "chorus_list_events", {
        entityUuid: taskUuid,
      })
      expect(events[0]).toMatchObject({
        kind: "task.reclaimed",
        patch: { status: "open", assignee: null, from: { name: "Dev" } },
      })
      expect((await history(taskUuid)).checkins).toMatchObject([{ checkoutReason: "task_reclaimed" }])
      await w.call(w.rival, "chorus_start_task", { taskUuid })
      await expect(
        w.call(w.developer, "chorus_finish_task", { taskUuid, report: "back from sleep" }),
      ).rejects.toMatchObject({ code: "not_holder", details: { holder: { name: "Rival" } } })
    })

    it("never lapse for people, nor while work waits for a verdict", async () => {
      const [untouched, persons, submitted] = [
        await task("untouched"),
        await task("a person's"),
        await task("submitted"),
      ]
      await w.call(w.developer, "chorus_claim_task", { taskUuid: untouched })
      await w.call(w.member, "chorus_claim_task", { taskUuid: persons })
      await w.call(w.developer, "chorus_start_task", { taskUuid: submitted })
      await w.call(w.developer, "chorus_submit_for_verify", { taskUuid: submitted })
      w.clock.advance(24 * 60 * MINUTE)
      expect(await w.call(w.owner, "chorus_get_task", { taskUuid: untouched })).toMatchObject({
        status: "assigned",
        assignee: { name: "Dev" },
      })
      await expect(w.call(w.rival, "chorus_reclaim_task", { taskUuid: persons })).rejects.toMatchObject({
        code: "lease_held",
      })
      await expect(w.call(w.rival, "chorus_reclaim_task", { taskUuid: submitted })).rejects.toMatchObject({
        code: "wrong_status",
      })
      await w.call(w.rival, "chorus_reclaim_task", { taskUuid: untouched })
    })
  })
})
