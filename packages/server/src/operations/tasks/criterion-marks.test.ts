import type { criteria, tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace, type Stage } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const itemsOf = async (taskUuid: string) =>
  (await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })).acceptanceCriteriaItems
const check = (actor: Actor, taskUuid: string, marks: object[]) =>
  w.call<{ items: criteria.CriterionRow[]; status: string; summary: Record<string, number> }>(
    actor,
    "chorus_report_criteria_self_check",
    { taskUuid, criteria: marks },
  )
const judge = (actor: Actor, taskUuid: string, marks: object[]) =>
  w.call<{ items: criteria.CriterionRow[]; status: string }>(actor, "chorus_mark_acceptance_criteria", {
    taskUuid,
    criteria: marks,
  })

async function taskWithCriteria(stage: Stage): Promise<{ taskUuid: string; works: string; fast: string }> {
  const taskUuid = await w.taskAt(stage)
  const [works, fast] = await itemsOf(taskUuid)
  return { taskUuid, works: works?.uuid ?? "", fast: fast?.uuid ?? "" }
}

describe("a developer's own check", () => {
  it("is kept apart from the verdict, with evidence and who checked", async () => {
    const { taskUuid, works } = await taskWithCriteria("in_progress")
    const events = await w.told(() =>
      check(w.developer, taskUuid, [{ uuid: works, devStatus: "passed", devEvidence: "ran it" }]),
    )
    expect(events).toMatchObject([
      { kind: "task.criteria_checked", patch: { ac: { total: 2, passed: 0, checked: 1 }, passed: 1, failed: 0 } },
    ])
    expect((await itemsOf(taskUuid))[0]).toMatchObject({
      devStatus: "passed",
      devEvidence: "ran it",
      devMarkedBy: w.developer.uuid,
      status: "pending",
      evidence: null,
      markedBy: null,
    })
  })

  it.each(["assigned", "in_progress"] as const)("is taken while the task is %s", async (stage) => {
    const { taskUuid, works } = await taskWithCriteria(stage)
    expect((await check(w.developer, taskUuid, [{ uuid: works, devStatus: "failed" }])).items[0]).toMatchObject({
      devStatus: "failed",
    })
  })

  it.each(["open", "to_verify", "done", "closed"] as const)(
    "is refused once or before the task is %s",
    async (stage) => {
      const { taskUuid, works } = await taskWithCriteria(stage)
      await expect(check(w.developer, taskUuid, [{ uuid: works, devStatus: "passed" }])).rejects.toMatchObject({
        code: "wrong_status",
        details: { status: stage },
      })
    },
  )

  it("is its holder's alone", async () => {
    const { taskUuid, works } = await taskWithCriteria("in_progress")
    await expect(check(w.rival, taskUuid, [{ uuid: works, devStatus: "passed" }])).rejects.toMatchObject({
      code: "not_holder",
    })
  })
})

describe("a verdict", () => {
  it("counts towards what the task needs; the last word holds and every word stays", async () => {
    const { taskUuid, works } = await taskWithCriteria("to_verify")
    await judge(w.admin, taskUuid, [{ uuid: works, status: "failed", evidence: "it crashed" }])
    const events = await w.told(() => judge(w.owner, taskUuid, [{ uuid: works, status: "passed" }]))
    expect(events).toMatchObject([{ kind: "task.criteria_marked", patch: { ac: { passed: 1 }, passed: 1, failed: 0 } }])
    expect((await itemsOf(taskUuid))[0]).toMatchObject({ status: "passed", evidence: null, markedBy: w.owner.uuid })
    const { verdicts } = await w.call<{ verdicts: criteria.VerdictRow[] }>(w.owner, "chorus_get_task_history", {
      taskUuid,
    })
    expect(verdicts.map(({ status, evidence, track, markedBy }) => [status, evidence, track, markedBy?.name])).toEqual([
      ["passed", null, "admin", "Olive"],
      ["failed", "it crashed", "admin", "Ada"],
    ])
  })

  it("may come early, but not once the work is over", async () => {
    const early = await taskWithCriteria("in_progress")
    await judge(w.admin, early.taskUuid, [{ uuid: early.works, status: "passed" }])
    for (const stage of ["done", "closed"] as const) {
      const { taskUuid, works } = await taskWithCriteria(stage)
      await expect(judge(w.admin, taskUuid, [{ uuid: works, status: "failed" }])).rejects.toMatchObject({
        code: "wrong_status",
        details: { status: stage },
      })
    }
  })

  it("is never one's own: neither the holder's nor that of who handed it in", async () => {
    const taskUuid = await w.taskAt("to_verify", { holder: w.admin })
    const [works] = await itemsOf(taskUuid)
    await expect(judge(w.admin, taskUuid, [{ uuid: works?.uuid, status: "passed" }])).rejects.toMatchObject({
      code: "self_verification",
      status: 403,
      next: expect.stringContaining("another person or agent"),
    })
  })

  it("that passed cannot stand beside a command that failed, and nothing of the call is kept", async () => {
    const { taskUuid, works, fast } = await taskWithCriteria("to_verify")
    await expect(
      judge(w.admin, taskUuid, [
        { uuid: works, status: "passed", exitCode: 0 },
        { uuid: fast, status: "passed", exitCode: 2 },
      ]),
    ).rejects.toMatchObject({ code: "evidence_contradicts", message: expect.stringContaining("ended with 2") })
    expect((await itemsOf(taskUuid)).map(({ status }) => status)).toEqual(["pending", "pending"])
    await judge(w.admin, taskUuid, [{ uuid: fast, status: "failed", exitCode: 2, output: "3 failing" }])
  })

  it("is about a criterion of this task that is in force", async () => {
    const { taskUuid, works } = await taskWithCriteria("in_progress")
    const other = await taskWithCriteria("to_verify")
    await expect(judge(w.admin, taskUuid, [{ uuid: other.works, status: "passed" }])).rejects.toMatchObject({
      code: "not_found",
    })
    await w.call(w.developer, "chorus_update_task", {
      taskUuid,
      acceptanceCriteriaItems: [{ description: "rewritten" }],
    })
    await expect(judge(w.admin, taskUuid, [{ uuid: works, status: "passed" }])).rejects.toMatchObject({
      code: "not_found",
      next: expect.stringContaining("rewritten"),
    })
  })
})

describe("reopening", () => {
  it("keeps what was said until the next hand-in, which is judged anew; the builder's evidence stays", async () => {
    const { taskUuid, works, fast } = await taskWithCriteria("in_progress")
    await check(w.developer, taskUuid, [
      { uuid: works, devStatus: "passed", devEvidence: "ran it" },
      { uuid: fast, devStatus: "passed", devEvidence: "timed it", exitCode: 0 },
    ])
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
    await judge(w.admin, taskUuid, [{ uuid: works, status: "passed" }])
    const failed = [{ uuid: fast, evidence: "It took 9 s." }]
    const events = await w.told(() => w.call(w.admin, "chorus_admin_reopen_task", { taskUuid, failed, reason: "slow" }))
    expect(events.map(({ kind }) => kind)).toEqual(["task.criteria_marked", "task.reopened", "task.criteria_reset"])
    expect(events[2]?.patch).toMatchObject({ ac: { total: 2, passed: 1, checked: 1 } })
    expect(await itemsOf(taskUuid)).toMatchObject([
      { devStatus: "passed", devEvidence: "ran it", status: "passed" },
      { devStatus: "pending", devEvidence: "timed it", status: "failed", evidence: "It took 9 s." },
    ])
    const again = await w.told(() => w.call(w.developer, "chorus_submit_for_verify", { taskUuid }))
    expect(again).toContainEqual(
      expect.objectContaining({
        kind: "task.criteria_reset",
        patch: expect.objectContaining({ ac: { total: 2, passed: 0, checked: 1 } }),
      }),
    )
    expect(await itemsOf(taskUuid)).toMatchObject([
      { status: "pending", markedBy: null, devStatus: "passed", devEvidence: "ran it" },
      { status: "pending", evidence: null },
    ])
    const { verdicts } = await w.call<{ verdicts: unknown[] }>(w.owner, "chorus_get_task_history", { taskUuid })
    expect(verdicts).toHaveLength(4)
  })

  it("says why: a criterion that failed has a word of its own, or the return has a reason", async () => {
    const { taskUuid, works } = await taskWithCriteria("to_verify")
    const refused = { code: "reason_missing", message: expect.stringContaining("nothing says why") }
    const failed = [{ uuid: works, status: "failed" }]
    const send = (name: string, more: object) => w.call(w.owner, name, { taskUuid, ...more })
    for (const [name, more] of [
      ["chorus_mark_acceptance_criteria", { criteria: failed, sendBack: " " }],
      ["chorus_admin_reopen_task", { failed: [{ uuid: works }] }],
      ["chorus_admin_reopen_task", { failed: [{ uuid: works, evidence: "" }], reason: "" }],
    ] as const)
      await expect(send(name, more)).rejects.toMatchObject(refused)
    expect((await itemsOf(taskUuid))[0]?.status).toBe("pending")
    await judge(w.owner, taskUuid, failed)
    await expect(send("chorus_move_task", { status: "in_progress" })).rejects.toMatchObject(refused)
    await send("chorus_admin_reopen_task", { failed: [{ uuid: works, exitCode: 1, output: "boom" }] })
    expect(await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({
      returned: { failed: [{ uuid: works, evidence: "exit 1: boom" }] },
    })
  })

  it("says why by what stands at its lines, whatever criterion failed", async () => {
    const { taskUuid, works } = await taskWithCriteria("to_verify")
    const patch = "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-shut\n+open\n"
    await w.call(w.developer, "chorus_push_change", { taskUuid, patch })
    const comments = [{ file: "a.ts", line: 1, text: "It sticks." }]
    await w.call(w.owner, "chorus_comment_on_change", { taskUuid, comments })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, failed: [{ uuid: works, evidence: "" }] })
    expect(await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({
      status: "in_progress",
      returned: { failed: [{ uuid: works }], comments: [{ file: "a.ts" }] },
    })
  })

  it("of a closed task starts over", async () => {
    const { taskUuid, works } = await taskWithCriteria("in_progress")
    await check(w.developer, taskUuid, [{ uuid: works, devStatus: "passed" }])
    await w.call(w.owner, "chorus_admin_close_task", { taskUuid })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid })
    expect((await itemsOf(taskUuid))[0]).toMatchObject({ devStatus: "pending", devMarkedBy: null })
  })
})

describe("a criterion with a command", () => {
  it("passes by an exit code: the checker's own or, for a verifier, the builder's; a person may judge without", async () => {
    const { taskUuid, fast } = await taskWithCriteria("in_progress")
    await expect(check(w.developer, taskUuid, [{ uuid: fast, devStatus: "passed" }])).rejects.toMatchObject({
      code: "exit_code_missing",
      next: expect.stringContaining("npm test"),
    })
    await expect(judge(w.admin, taskUuid, [{ uuid: fast, status: "passed" }])).rejects.toMatchObject({
      code: "exit_code_missing",
    })
    await judge(w.owner, taskUuid, [{ uuid: fast, status: "passed" }])
    const { verdicts } = await w.call<{ verdicts: criteria.VerdictRow[] }>(w.owner, "chorus_get_task_history", {
      taskUuid,
    })
    expect(verdicts).toMatchObject([{ criterionUuid: fast, observed: true, markedBy: { name: "Olive" } }])
    await check(w.developer, taskUuid, [{ uuid: fast, devStatus: "passed", exitCode: 0 }])
    await judge(w.admin, taskUuid, [{ uuid: fast, status: "passed" }])
    await check(w.developer, taskUuid, [{ uuid: fast, devStatus: "failed" }])
  })
})

describe("what was said of an earlier hand-in", () => {
  it("is known as such, and a reason for failing and sending back is told once", async () => {
    const { taskUuid, works, fast } = await taskWithCriteria("in_progress")
    const handIn = () => w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
    await check(w.developer, taskUuid, [{ uuid: fast, devStatus: "passed", exitCode: 0 }])
    await handIn()
    await w.call(w.owner, "chorus_mark_acceptance_criteria", {
      taskUuid,
      criteria: [{ uuid: works, status: "failed", evidence: "It leaks." }],
      sendBack: "It leaks.",
    })
    const { returned, handIns } = await w.call<tasks.TaskDetail>(w.developer, "chorus_get_task", { taskUuid })
    expect(returned).toMatchObject({ reason: "It leaks.", failed: [{ uuid: works }] })
    expect(JSON.stringify([returned, handIns]).match(/It leaks/g)).toHaveLength(2)
    await check(w.developer, taskUuid, [{ uuid: works, devStatus: "passed" }])
    await handIn()
    const { verdicts } = await w.call<{ verdicts: criteria.VerdictRow[] }>(w.owner, "chorus_get_task_history", {
      taskUuid,
    })
    expect(verdicts.map(({ criterionUuid, track, handIn: of }) => [criterionUuid, track, of]).toSorted()).toEqual(
      [
        [fast, "dev", 1],
        [works, "admin", 1],
        [works, "dev", 2],
      ].toSorted(),
    )
  })

  it("does not count for a later one, unless it was said of that one already", async () => {
    const { taskUuid, works, fast } = await taskWithCriteria("to_verify")
    await judge(w.owner, taskUuid, [
      { uuid: works, status: "passed" },
      { uuid: fast, status: "passed" },
    ])
    await w.call(w.owner, "chorus_admin_verify_task", { taskUuid })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, force: true, reason: "It conflicts with main." })
    expect((await itemsOf(taskUuid)).map(({ status }) => status)).toEqual(["passed", "passed"])
    w.clock.advance(1000)
    await judge(w.owner, taskUuid, [{ uuid: fast, status: "passed" }])
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
    expect((await itemsOf(taskUuid)).map(({ status }) => status)).toEqual(["pending", "passed"])
    await expect(w.call(w.owner, "chorus_admin_verify_task", { taskUuid })).rejects.toMatchObject({
      code: "criteria_not_passed",
    })
  })
})

describe("verifying", () => {
  const verify = (actor: Actor, taskUuid: string, passing?: string[]) =>
    w.call<tasks.TaskChange>(actor, "chorus_admin_verify_task", { taskUuid, ...(passing && { passing }) })

  it("passes what nobody has judged and the caller names, in the same step, with its verdicts kept", async () => {
    const { taskUuid, works, fast } = await taskWithCriteria("to_verify")
    await expect(verify(w.owner, taskUuid)).rejects.toMatchObject({ code: "criteria_not_passed" })
    const events = await w.told(() => verify(w.owner, taskUuid, [works, fast]))
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["task.criteria_marked", "task.verified"]))
    expect((await itemsOf(taskUuid)).map(({ status }) => status)).toEqual(["passed", "passed"])
  })

  it("does not pass what has failed meanwhile, and then changes nothing at all", async () => {
    const { taskUuid, works, fast } = await taskWithCriteria("to_verify")
    await judge(w.owner, taskUuid, [{ uuid: works, status: "failed", evidence: "It does not." }])
    await expect(verify(w.owner, taskUuid, [works, fast])).rejects.toMatchObject({ code: "criteria_not_passed" })
    expect((await itemsOf(taskUuid)).map(({ status }) => status)).toEqual(["failed", "pending"])
  })
})
