import type { tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const update = (taskUuid: string, changes: object, by: Actor = w.pm) =>
  w.call<{ title: string; status: string; warnings: string[] }>(by, "chorus_update_task", { taskUuid, ...changes })
const detail = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })

describe("editing a task", () => {
  it("changes and tells only what was given", async () => {
    const taskUuid = await w.newTask({ title: "old", description: "words", storyPoints: 3 })
    const events = await w.told(() => update(taskUuid, { title: "new", priority: "high" }))
    expect(events).toMatchObject([{ kind: "task.updated", entityUuid: taskUuid }])
    expect(Object.keys(events[0]?.patch ?? {}).sort()).toEqual(["before", "priority", "title", "updatedAt", "version"])
    expect(await detail(taskUuid)).toMatchObject({
      title: "new",
      priority: "high",
      description: "words",
      storyPoints: 3,
    })
  })

  it("can take a description and an estimate away", async () => {
    const taskUuid = await w.newTask({ description: "words", storyPoints: 3 })
    await update(taskUuid, { description: null, storyPoints: null })
    expect(await detail(taskUuid)).toMatchObject({ description: null, storyPoints: null })
  })

  it("with nothing given changes and tells nothing", async () => {
    const taskUuid = await w.newTask()
    const { updatedAt } = await detail(taskUuid)
    expect(await w.kinds(() => update(taskUuid, {}))).toEqual([])
    expect((await detail(taskUuid)).updatedAt).toBe(updatedAt)
  })

  it("keeps nothing of a call of which one part is refused", async () => {
    const { a, b } = await w.newTasks({ a: [], b: ["a"] })
    await expect(
      update(a, { title: "renamed", acceptanceCriteriaItems: [{ description: "other" }], addDependsOn: [b] }),
    ).rejects.toMatchObject({ code: "dependency_cycle" })
    expect(await detail(a)).toMatchObject({ title: "a", acceptanceCriteriaItems: [{ description: "it works" }] })
  })

  it("takes dependencies away before it adds others, so that one may be turned round in one call", async () => {
    const { a, b, c } = await w.newTasks({ a: [], b: [], c: ["a"] })
    await update(c, { removeDependsOn: [a], addDependsOn: [b, b] })
    expect((await detail(c)).dependsOn.map(({ uuid }) => uuid)).toEqual([b])
  })

  it("moves the task on in the same call, as its holder", async () => {
    const taskUuid = await w.taskAt("assigned")
    expect(await update(taskUuid, { title: "begun", status: "in_progress" }, w.developer)).toMatchObject({
      title: "begun",
      status: "in_progress",
    })
    await expect(update(taskUuid, { status: "to_verify" }, w.rival)).rejects.toMatchObject({ code: "not_holder" })
    expect(await update(taskUuid, { status: "to_verify" }, w.developer)).toMatchObject({ status: "to_verify" })
    expect(await w.kinds(() => update(taskUuid, { status: "to_verify" }, w.developer))).toEqual([])
  })

  it("with a session is a sign of life of that session, which must be the caller's and open", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const [own, theirs] = [await w.newSession(), await w.newSession(w.rival)]
    w.clock.advance(10 * 60_000)
    expect(await w.kinds(() => update(taskUuid, { sessionUuid: own }, w.developer))).toEqual(["session.seen"])
    await expect(update(taskUuid, { sessionUuid: theirs, title: "x" }, w.developer)).rejects.toMatchObject({
      code: "forbidden",
    })
    await w.call(w.developer, "chorus_close_session", { sessionUuid: own })
    await expect(update(taskUuid, { sessionUuid: own }, w.developer)).rejects.toMatchObject({ code: "session_closed" })
  })
})

describe("rewriting criteria", () => {
  it("starts them unjudged, and what was said of the old ones stays", async () => {
    const taskUuid = await w.taskAt("in_progress")
    await w.passCriteria(taskUuid)
    const events = await w.told(() =>
      update(taskUuid, { acceptanceCriteriaItems: [{ description: "harder", command: "make" }] }),
    )
    expect(events).toMatchObject([
      {
        kind: "task.criteria_replaced",
        patch: { ac: { total: 1, passed: 0, checked: 0 }, criteria: ["harder (`make`)"] },
      },
    ])
    expect((await detail(taskUuid)).acceptanceCriteriaItems).toMatchObject([
      { description: "harder", command: "make", required: true, status: "pending" },
    ])
    const { verdicts } = await w.call<{ verdicts: { criterion: string }[] }>(w.owner, "chorus_get_task_history", {
      taskUuid,
    })
    expect(verdicts.map(({ criterion }) => criterion).sort()).toEqual(["it is fast", "it works"])
  })

  it.each(["to_verify", "done", "closed"] as const)(
    "is refused once the task is %s: the measure stays as it was",
    async (stage) => {
      const taskUuid = await w.taskAt(stage)
      await expect(update(taskUuid, { acceptanceCriteriaItems: [{ description: "easier" }] })).rejects.toMatchObject({
        code: "criteria_fixed",
        status: 409,
      })
    },
  )

  it("never leaves a task without any", async () => {
    await expect(update(await w.newTask(), { acceptanceCriteriaItems: [] })).rejects.toMatchObject({
      code: "invalid_input",
    })
  })
})

describe("one task in full", () => {
  it("shows the last five reports, newest first, and counts the comments that are still there", async () => {
    const taskUuid = await w.taskAt("in_progress")
    for (let n = 1; n <= 6; n++) await w.call(w.developer, "chorus_report_work", { taskUuid, report: `report ${n}` })
    const comment = await w.call<{ uuid: string }>(w.owner, "chorus_add_comment", {
      targetType: "task",
      targetUuid: taskUuid,
      content: "hm",
    })
    expect((await detail(taskUuid)).commentCount).toBe(7)
    await w.call(w.owner, "chorus_delete_comment", { commentUuid: comment.uuid })
    const task = await detail(taskUuid)
    expect(task.commentCount).toBe(6)
    expect(task.reports.map(({ content }) => content)).toEqual([
      "report 6",
      "report 5",
      "report 4",
      "report 3",
      "report 2",
    ])
  })

  it("sums its criteria up", async () => {
    const taskUuid = await w.taskAt("to_verify")
    expect(await detail(taskUuid)).toMatchObject({
      acceptanceStatus: "not_started",
      acceptanceSummary: { total: 2, required: 1, pending: 2, requiredPending: 1 },
    })
    await w.passCriteria(taskUuid)
    expect(await detail(taskUuid)).toMatchObject({
      acceptanceStatus: "passed",
      acceptanceSummary: { passed: 2, requiredPassed: 1, pending: 0 },
    })
  })
})
