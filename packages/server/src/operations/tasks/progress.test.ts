import type { tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace, type Stage } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const STAGES: readonly Stage[] = ["open", "assigned", "in_progress", "to_verify", "done", "closed"]
const detail = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
const start = (actor: Actor, taskUuid: string) =>
  w.call(actor, "chorus_update_task", { taskUuid, status: "in_progress" })
const submit = (actor: Actor, taskUuid: string, more: object = {}) =>
  w.call(actor, "chorus_submit_for_verify", { taskUuid, ...more })
const verify = (actor: Actor, taskUuid: string) => w.call(actor, "chorus_admin_verify_task", { taskUuid })
const reopen = (actor: Actor, taskUuid: string, more: object = {}) =>
  w.call(actor, "chorus_admin_reopen_task", { taskUuid, ...more })
const close = (actor: Actor, taskUuid: string) => w.call(actor, "chorus_admin_close_task", { taskUuid })

describe("each step of a task's life", () => {
  const allowed: Record<string, Partial<Record<Stage, string>>> = {
    chorus_submit_for_verify: { in_progress: "to_verify" },
    chorus_admin_verify_task: { to_verify: "done" },
    chorus_admin_reopen_task: { to_verify: "in_progress", done: "in_progress", closed: "open" },
    chorus_admin_close_task: {
      open: "closed",
      assigned: "closed",
      in_progress: "closed",
      to_verify: "closed",
      done: "closed",
    },
  }
  const cases = Object.entries(allowed).flatMap(([name, from]) =>
    STAGES.map((stage) => ({ name, stage, leadsTo: from[stage] })),
  )

  it.each(cases)(
    "$name from $stage leads to $leadsTo, or is refused where nothing is said",
    async ({ name, stage, leadsTo }) => {
      const taskUuid = await w.taskAt(stage)
      if (stage === "to_verify") await w.passCriteria(taskUuid)
      const taken = w.call<{ status: string }>(w.owner, name, { taskUuid })
      if (leadsTo === undefined) {
        await expect(taken).rejects.toMatchObject({
          code: "wrong_status",
          status: 409,
          details: { taskUuid, status: stage },
        })
        expect((await detail(taskUuid)).status).toBe(stage)
        return
      }
      expect((await taken).status).toBe(leadsTo)
    },
  )
})

describe("starting", () => {
  it("notes when work began; saying it again changes nothing and writes nothing", async () => {
    const taskUuid = await w.taskAt("assigned")
    const [event] = await w.told(() => start(w.developer, taskUuid))
    expect(event).toMatchObject({ kind: "task.started", patch: { status: "in_progress" } })
    const { startedAt } = await detail(taskUuid)
    expect(await w.kinds(() => start(w.developer, taskUuid))).toEqual([])
    expect((await detail(taskUuid)).startedAt).toBe(startedAt)
  })

  it("waits for what the task depends on, naming each with who holds it", async () => {
    const { base, top } = await w.newTasks({ base: [], top: ["base"] })
    await w.call(w.rival, "chorus_claim_task", { taskUuid: base })
    await w.call(w.developer, "chorus_claim_task", { taskUuid: top })
    await expect(start(w.developer, top)).rejects.toMatchObject({
      code: "blocked_by_dependencies",
      message: '"top" waits for "base" (assigned, Rival).',
      details: { blockers: [{ uuid: base, assignee: { name: "Rival" }, activeSession: null }] },
    })
    await close(w.admin, base)
    await start(w.developer, top)
  })

  it("names five of the tasks it waits for at most, and says that there are more", async () => {
    const { top } = await w.newTasks({ a: [], b: [], c: [], d: [], e: [], f: [], top: ["a", "b", "c", "d", "e", "f"] })
    await w.call(w.developer, "chorus_claim_task", { taskUuid: top })
    await expect(start(w.developer, top)).rejects.toMatchObject({
      message: expect.stringMatching(/("\w" \(open\), ){4}"\w" \(open\) …\.$/),
    })
  })
})

describe("handing in", () => {
  it("keeps a summary as a report, and nothing for a blank one", async () => {
    const [with_, without] = [await w.taskAt("in_progress"), await w.taskAt("in_progress")]
    await submit(w.developer, with_, { summary: "all green" })
    await submit(w.developer, without, { summary: "   " })
    expect((await detail(with_)).reports).toMatchObject([{ content: "all green", author: { name: "Dev" } }])
    expect((await detail(without)).reports).toEqual([])
  })

  it("frees the paths the task had", async () => {
    const taskUuid = await w.taskAt("in_progress")
    await w.call(w.developer, "chorus_reserve_paths", { taskUuid, globs: ["src/submit/**"] })
    expect(await w.kinds(() => submit(w.developer, taskUuid))).toEqual(["task.submitted", "reservation.released"])
  })

  it("by a person who only moves the card along leaves the work its holder's, so that person may judge it", async () => {
    const taskUuid = await w.taskAt("in_progress", { holder: w.admin })
    await submit(w.member, taskUuid)
    await w.passCriteria(taskUuid, w.member)
    await expect(verify(w.admin, taskUuid)).rejects.toMatchObject({ code: "self_verification" })
    expect(await verify(w.member, taskUuid)).toMatchObject({ status: "done" })
  })
})

describe("verifying", () => {
  it("needs every required criterion passed, and lists those that are not", async () => {
    const taskUuid = await w.taskAt("to_verify")
    await expect(verify(w.admin, taskUuid)).rejects.toMatchObject({
      code: "criteria_not_passed",
      message: "1 required criterion has not passed: it works.",
      details: { unmet: [{ description: "it works", status: "pending" }] },
    })
    await w.passCriteria(taskUuid)
    const events = await w.told(() => verify(w.admin, taskUuid))
    expect(events.map(({ kind }) => kind)).toEqual(["task.verified"])
    expect((await detail(taskUuid)).doneAt).toBe(events[0]?.at)
  })

  it("does not wait for what is optional", async () => {
    const taskUuid = await w.taskAt("to_verify")
    const [works] = (await detail(taskUuid)).acceptanceCriteriaItems
    await w.call(w.admin, "chorus_mark_acceptance_criteria", {
      taskUuid,
      criteria: [{ uuid: works?.uuid, status: "passed" }],
    })
    expect(await verify(w.admin, taskUuid)).toMatchObject({ status: "done" })
  })

  it("tells what waited for it that it can start", async () => {
    const { base, top } = await w.newTasks({ base: [], top: ["base"] })
    await w.call(w.developer, "chorus_start_task", { taskUuid: base })
    await submit(w.developer, base)
    await w.passCriteria(base)
    const events = await w.told(() => verify(w.admin, base))
    expect(events.map(({ kind, entityUuid }) => [kind, entityUuid])).toEqual([
      ["task.verified", base],
      ["task.unblocked", top],
    ])
    expect(events[1]?.patch).toEqual({ openDependencies: 0, title: "top" })
  })

  it("has one winner when two judge at once", async () => {
    const taskUuid = await w.taskAt("to_verify")
    await w.passCriteria(taskUuid)
    const answers = await Promise.allSettled([verify(w.admin, taskUuid), verify(w.owner, taskUuid)])
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })
})

describe("reopening", () => {
  it("sends handed-in and done work back to its holder with the reason", async () => {
    for (const stage of ["to_verify", "done"] as const) {
      const taskUuid = await w.taskAt(stage)
      const [event] = await w.told(() => reopen(w.admin, taskUuid, { reason: "it fails on Tuesdays" }))
      expect(event).toMatchObject({
        kind: "task.reopened",
        patch: { status: "in_progress", reason: "it fails on Tuesdays" },
      })
      expect(await detail(taskUuid)).toMatchObject({
        status: "in_progress",
        assignee: { name: "Dev" },
        submittedAt: null,
        doneAt: null,
      })
    }
  })

  it("opens a closed task for anybody", async () => {
    const taskUuid = await w.taskAt("in_progress")
    await close(w.admin, taskUuid)
    expect(await reopen(w.admin, taskUuid)).toMatchObject({ status: "open" })
    expect(await detail(taskUuid)).toMatchObject({ assignee: null, startedAt: null })
  })

  it("waits for open dependencies unless forced, and makes those behind it wait again", async () => {
    const { base, top } = await w.newTasks({ base: [], top: ["base"] })
    await close(w.admin, base)
    await w.call(w.developer, "chorus_start_task", { taskUuid: top })
    await submit(w.developer, top)
    const events = await w.told(() => reopen(w.admin, base))
    expect(events).toContainEqual(
      expect.objectContaining({ kind: "task.dependencies_changed", entityUuid: top, patch: { openDependencies: 1 } }),
    )
    await expect(reopen(w.admin, top)).rejects.toMatchObject({ code: "blocked_by_dependencies" })
    const [forced] = await w.told(() => reopen(w.admin, top, { force: true }))
    expect(forced?.patch).toMatchObject({ status: "in_progress", force: true })
  })
})

describe("closing", () => {
  it("ends the work on it and frees those who waited", async () => {
    const { base, top } = await w.newTasks({ base: [], top: ["base"] })
    await w.call(w.developer, "chorus_start_task", { taskUuid: base, sessionUuid: await w.newSession() })
    const events = await w.told(() => close(w.admin, base))
    expect(events.map(({ kind }) => kind)).toEqual(["task.closed", "task.unblocked", "session.checked_out"])
    expect(events[1]?.entityUuid).toBe(top)
    expect(events[2]?.patch).toMatchObject({ checkoutReason: "task_closed" })
  })

  it("of done work keeps when it was done, of other work claims nothing of the kind", async () => {
    const done = await w.taskAt("done")
    const { doneAt } = await detail(done)
    await close(w.admin, done)
    expect((await detail(done)).doneAt).toBe(doneAt)
    expect(doneAt).not.toBeNull()
    expect((await detail(await w.taskAt("closed"))).doneAt).toBeNull()
  })
})
