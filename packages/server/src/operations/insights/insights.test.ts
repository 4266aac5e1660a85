import type { activity, insights, OutputOf } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const w = embeddedWorkspace()

describe("flow", () => {
  const flow = (projectUuid: string, more: object = {}) =>
    w.call<OutputOf<typeof insights.getFlow>>(w.viewer, "chorus_get_flow", { projectUuid, ...more })

  it("of an empty project is one line a day with nothing in it", async () => {
    const { throughput, cycleTime, burnUp } = await flow(await w.newProject(), { days: 3 })
    expect(throughput.map(({ tasks, points }) => [tasks, points])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ])
    expect(cycleTime).toEqual({ count: 0, medianHours: null, p85Hours: null, longestHours: null })
    expect(burnUp.at(-1)).toMatchObject({ scope: 0, done: 0 })
  })

  it("counts what was done on the day it was done, and how long it took from its start", async () => {
    const projectUuid = await w.newProject()
    const taskUuid = await w.newTask({ projectUuid, storyPoints: 3 })
    await w.newTask({ projectUuid, storyPoints: 2 })
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    w.clock.advance(DAY)
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
    await w.passCriteria(taskUuid)
    await w.call(w.admin, "chorus_admin_verify_task", { taskUuid })
    const { throughput, cycleTime, cumulativeFlow, burnUp } = await flow(projectUuid, { days: 2 })
    expect(throughput.map(({ tasks, points }) => [tasks, points])).toEqual([
      [0, 0],
      [1, 3],
    ])
    expect(cycleTime.count).toBe(1)
    expect(cycleTime.medianHours).toBeCloseTo(24, 3)
    expect(cumulativeFlow.map(({ counts }) => [counts.open, counts.in_progress, counts.done])).toEqual([
      [1, 1, 0],
      [1, 0, 1],
    ])
    expect(burnUp.map(({ scope, done, scopePoints, donePoints }) => [scope, done, scopePoints, donePoints])).toEqual([
      [2, 0, 5, 0],
      [2, 1, 5, 3],
    ])
  })

  it("leaves closed work out of what there was to do, and deleted work out of everything", async () => {
    const projectUuid = await w.newProject()
    const [closed, deleted] = [await w.newTask({ projectUuid }), await w.newTask({ projectUuid })]
    await w.newTask({ projectUuid })
    await w.call(w.admin, "chorus_admin_close_task", { taskUuid: closed })
    await w.call(w.admin, "chorus_admin_delete_task", { taskUuid: deleted })
    const { cumulativeFlow, burnUp } = await flow(projectUuid, { days: 1 })
    expect(cumulativeFlow[0]?.counts).toMatchObject({ open: 1, closed: 1 })
    expect(burnUp[0]).toMatchObject({ scope: 1 })
  })

  it("begins its days where the reader lives", async () => {
    const projectUuid = await w.newProject()
    const dayAt = async (offsetMinutes: number) =>
      (await flow(projectUuid, { days: 1, offsetMinutes })).throughput[0]?.day
    const now = w.clock.now().getTime()
    for (const offset of [-840, 0, 840])
      expect(await dayAt(offset)).toBe(new Date(now + offset * MINUTE).toISOString().slice(0, 10))
  })
})

describe("the timeline of sessions", () => {
  const timeline = (projectUuid: string, more: object = {}) =>
    w.call<OutputOf<typeof insights.getSessionTimeline>>(w.viewer, "chorus_get_session_timeline", {
      projectUuid,
      ...more,
    })

  it("shows each session's stays, and only the part that lies in the span", async () => {
    const projectUuid = await w.newProject()
    const taskUuid = await w.taskAt("assigned", { projectUuid, title: "stayed at" })
    const sessionUuid = await w.newSession()
    const began = w.clock.now().toISOString()
    await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })
    w.clock.advance(2 * HOUR)
    await w.call(w.developer, "chorus_session_checkout_task", { sessionUuid, taskUuid })
    w.clock.advance(HOUR)
    await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })
    w.clock.advance(HOUR)
    const { lanes } = await timeline(projectUuid)
    expect(lanes).toMatchObject([
      {
        sessionUuid,
        agent: { name: "Dev" },
        stays: [{ taskTitle: "stayed at", to: expect.any(String) }, { to: null }],
      },
    ])
    expect(lanes[0]?.stays.map(({ hours }) => Math.round(hours * 100) / 100)).toEqual([2, 1])
    expect(lanes[0]?.hours).toBeCloseTo(3, 2)
    const half = new Date(Date.parse(began) + HOUR).toISOString()
    expect((await timeline(projectUuid, { since: began, until: half })).lanes[0]?.hours).toBeCloseTo(1, 2)
    expect((await timeline(projectUuid, { until: began })).lanes).toEqual([])
  })

  it("is of the last seven days unless told otherwise, and takes times with or without milliseconds", async () => {
    const projectUuid = await w.newProject()
    const { since, until } = await timeline(projectUuid, { until: "2026-05-08T00:00:00Z" })
    expect([since, until]).toEqual(["2026-05-01T00:00:00.000Z", "2026-05-08T00:00:00.000Z"])
  })
})

describe("what happened in a project", () => {
  const read = async (projectUuid: string, more: object = {}) =>
    (await w.call<OutputOf<typeof activity.getActivity>>(w.viewer, "chorus_get_activity", { projectUuid, ...more }))
      .activities

  it("is told newest first, with what things are called now and what they were called when they are gone", async () => {
    const projectUuid = await w.newProject()
    const [kept, gone] = [
      await w.newTask({ projectUuid, title: "old name" }),
      await w.newTask({ projectUuid, title: "gone" }),
    ]
    await w.call(w.pm, "chorus_update_task", { taskUuid: kept, title: "new name" })
    await w.call(w.admin, "chorus_admin_delete_task", { taskUuid: gone })
    const lines = await read(projectUuid)
    expect(lines.map(({ action, targetTitle, actorName }) => [action, targetTitle, actorName])).toEqual([
      ["deleted", "gone", "Ada"],
      ["updated", "new name", "Petra"],
      ["created", "gone", "Petra"],
      ["created", "new name", "Petra"],
      ["created", "Further", "Olive"],
    ])
    expect((await read(projectUuid, { entityUuid: kept })).map(({ kind }) => kind)).toEqual([
      "task.updated",
      "task.created",
    ])
  })

  it("names the task that somebody was at, where the line tells of their stay", async () => {
    const projectUuid = await w.newProject()
    const taskUuid = await w.newTask({ projectUuid, title: "Hang the lamp" })
    const { uuid: sessionUuid } = await w.call<{ uuid: string }>(w.pm, "chorus_create_session", { name: "desk" })
    await w.call(w.pm, "chorus_start_task", { taskUuid, sessionUuid })
    const [stay] = (await read(projectUuid)).filter(({ kind }) => kind === "session.checked_in")
    expect(stay?.targetTitle).toBe("Hang the lamp")
  })

  it("never tells who was notified of it", async () => {
    const projectUuid = await w.newProject()
    await w.call(w.pm, "chorus_pm_assign_task", {
      taskUuid: await w.newTask({ projectUuid }),
      agentUuid: w.developer.uuid,
    })
    expect((await read(projectUuid)).filter(({ targetType }) => targetType === "notification")).toEqual([])
  })
})

describe("the log", () => {
  const list = (more: object = {}, by = w.owner) =>
    w.call<{ events: { id: number; kind: string; projectUuid: string | null }[]; last: number }>(
      by,
      "chorus_list_events",
      more,
    )

  it("is read backwards from a position, by kind, thing and project", async () => {
    const projectUuid = await w.newProject()
    const ideaUuid = await w.newIdea({ projectUuid })
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
    const { events, last } = await list({ projectUuid })
    expect(events.map(({ kind }) => kind)).toEqual([
      "idea.progressed",
      "idea.claimed",
      "idea.created",
      "project.created",
    ])
    expect(last).toBeGreaterThanOrEqual(events[0]?.id ?? 0)
    expect((await list({ entityUuid: ideaUuid, kind: "idea.claimed" })).events).toHaveLength(1)
    expect((await list({ projectUuid, before: events[1]?.id, limit: 1 })).events.map(({ kind }) => kind)).toEqual([
      "idea.created",
    ])
  })

  it("shows a confined agent its projects, and nothing that belongs to none", async () => {
    const scoped = await w.agent("Scoped", { projectUuids: [w.otherProject] })
    expect((await list({ limit: 100 }, scoped)).events.every(({ projectUuid }) => projectUuid === w.otherProject)).toBe(
      true,
    )
    await expect(w.call(scoped, "chorus_list_events", { projectUuid: w.project })).rejects.toMatchObject({
      code: "not_found",
    })
  })
})
