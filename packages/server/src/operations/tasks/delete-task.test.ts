import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { submittedPlan } from "../../../test/plan-fixture.ts"

const w = embeddedWorkspace()

const remove = (taskUuid: string, by = w.admin) => w.call(by, "chorus_admin_delete_task", { taskUuid })
const rowsAbout = async (table: "comments" | "referenceLinks" | "attachmentFiles" | "reviews", targetUuid: string) =>
  (await w.store.db.selectFrom(table).select("uuid").where("targetUuid", "=", targetUuid).execute()).length

describe("deleting a task", () => {
  it("is told once, and afterwards there is no such task", async () => {
    const taskUuid = await w.newTask({ title: "short-lived" })
    expect(await w.told(() => remove(taskUuid))).toMatchObject([
      { kind: "task.deleted", action: "deleted", entityUuid: taskUuid, patch: { title: "short-lived" } },
    ])
    await expect(w.call(w.owner, "chorus_get_task", { taskUuid })).rejects.toMatchObject({ code: "not_found" })
    await expect(remove(taskUuid)).rejects.toMatchObject({ code: "not_found" })
  })

  it("takes what hung on it along, and whom those texts mentioned", async () => {
    const taskUuid = await w.newTask({ description: `for @[Mia](user:${w.member.uuid})` })
    const comment = await w.call<{ uuid: string }>(w.owner, "chorus_add_comment", {
      targetType: "task",
      targetUuid: taskUuid,
      content: `see @[Mia](user:${w.member.uuid})`,
    })
    await w.call(w.owner, "chorus_add_reference", {
      targetType: "task",
      targetUuid: taskUuid,
      type: "docs",
      url: "https://example.test/",
      title: "d",
    })
    await w.call(w.owner, "chorus_submit_review", {
      targetType: "task",
      targetUuid: taskUuid,
      verdict: "pass",
      summary: "fine",
    })
    await remove(taskUuid)
    for (const table of ["comments", "referenceLinks", "attachmentFiles", "reviews"] as const)
      expect(await rowsAbout(table, taskUuid)).toBe(0)
    const mentions = await w.store.db
      .selectFrom("mentions")
      .select("uuid")
      .where("sourceUuid", "in", [taskUuid, comment.uuid])
      .execute()
    expect(mentions).toEqual([])
  })

  it("keeps what was spent on it", async () => {
    const projectUuid = await w.newProject()
    const taskUuid = await w.taskAt("in_progress", { projectUuid })
    await w.call(w.developer, "chorus_report_usage", { taskUuid, inputTokens: 7 })
    await remove(taskUuid)
    expect(await w.call(w.owner, "chorus_get_usage", { projectUuid, by: "task" })).toMatchObject({
      total: { inputTokens: 7 },
      rows: [{ key: null, inputTokens: 7 }],
    })
  })

  it("frees those who waited for it, and counts right for those who did not only wait for it", async () => {
    const { gone, other, top } = await w.newTasks({ gone: [], other: [], top: ["gone"] })
    const both = await w.newTask({ dependsOnTaskUuids: [gone, other] })
    const events = await w.told(() => remove(gone))
    expect(events).toMatchObject([
      { kind: "task.deleted", entityUuid: gone },
      { kind: "task.unblocked", entityUuid: top, patch: { openDependencies: 0 } },
      { kind: "task.dependencies_changed", entityUuid: both, patch: { openDependencies: 1 } },
    ])
  })

  it("checks out who was at work on it", async () => {
    const taskUuid = await w.taskAt("assigned")
    await w.call(w.developer, "chorus_start_task", { taskUuid, sessionUuid: await w.newSession() })
    expect(await w.kinds(() => remove(taskUuid))).toEqual(["session.checked_out", "task.deleted"])
  })

  it("moves its idea on when it was the last that was not finished", async () => {
    const plan = await submittedPlan(w, w.pm, { tasks: { a: [], b: [] } })
    const { materializedTasks } = await w.call<{ materializedTasks: { taskUuid: string }[] }>(
      w.owner,
      "chorus_admin_approve_proposal",
      { proposalUuid: plan.uuid },
    )
    const [a, b] = materializedTasks.map(({ taskUuid }) => taskUuid)
    await w.call(w.owner, "chorus_admin_close_task", { taskUuid: a })
    const events = await w.told(() => remove(b ?? "", w.owner))
    expect(events.at(-1)).toMatchObject({
      kind: "idea.progressed",
      patch: { derivedStatus: "done", badgeHint: "done" },
    })
  })
})
