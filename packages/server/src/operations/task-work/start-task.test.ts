import type { work } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const start = (taskUuid: string, by: Actor = w.developer, more: object = {}) =>
  w.call<work.TaskBrief>(by, "chorus_start_task", { taskUuid, ...more })
const next = (projectUuid: string, by: Actor = w.developer, more: object = {}) =>
  w.call<{ task: { uuid: string; title: string } | null; reason?: string; waiting?: number; inProgress?: number }>(
    by,
    "chorus_next_task",
    { projectUuid, ...more },
  )

describe("starting a task", () => {
  it("claims, begins and checks in with one call, each told", async () => {
    const taskUuid = await w.newTask()
    const sessionUuid = await w.newSession()
    expect(await w.kinds(() => start(taskUuid, w.developer, { sessionUuid }))).toEqual([
      "task.claimed",
      "task.started",
      "session.checked_in",
    ])
    expect(await w.kinds(() => start(taskUuid, w.developer, { sessionUuid }))).toEqual([])
  })

  it("goes on with what was assigned before", async () => {
    const taskUuid = await w.taskAt("assigned")
    expect(await w.kinds(() => start(taskUuid))).toEqual(["task.started"])
  })

  it("that is blocked leaves the task with nobody", async () => {
    const { top } = await w.newTasks({ base: [], top: ["base"] })
    expect(await w.kinds(() => start(top).catch(() => undefined))).toEqual([])
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid: top })).toMatchObject({
      status: "open",
      assignee: null,
    })
  })

  it("with a session that is closed or not one's own changes nothing", async () => {
    const taskUuid = await w.newTask()
    await expect(start(taskUuid, w.developer, { sessionUuid: await w.newSession(w.rival) })).rejects.toMatchObject({
      code: "forbidden",
    })
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({ status: "open" })
  })

  it("lets an agent take up what is assigned to its person", async () => {
    const taskUuid = await w.newTask()
    await w.call(w.owner, "chorus_assign_task_to_person", { taskUuid, userUuid: w.owner.uuid })
    expect((await start(taskUuid)).task).toMatchObject({ status: "in_progress" })
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({ assignee: { name: "Olive" } })
  })

  it("tells of paths others work on, not of its own or of those that are free again", async () => {
    const projectUuid = await w.newProject()
    const [own, other] = [
      await w.taskAt("assigned", { projectUuid }),
      await w.taskAt("assigned", { projectUuid, holder: w.rival }),
    ]
    await w.call(w.rival, "chorus_reserve_paths", { taskUuid: other, globs: ["z/**", "a/**"] })
    await w.call(w.rival, "chorus_reserve_paths", { taskUuid: other, globs: ["short"], ttlMinutes: 1 })
    await w.call(w.developer, "chorus_reserve_paths", { taskUuid: own, globs: ["mine"] })
    w.clock.advance(2 * 60_000)
    const { reservedByOthers, session } = await start(own)
    expect(reservedByOthers).toEqual(["a/**", "z/**"].map((glob) => ({ glob, agent: "Rival" })))
    expect(session).toBeUndefined()
  })
})

describe("a brief", () => {
  it("says of an approved document that it quotes an answer which was changed since", async () => {
    const { uuid: ideaUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", {
      projectUuid: w.project,
      title: "Guests pay",
    })
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
    const options = ["kept for 30 days", "dropped at once"].map((label, at) => ({ id: `o${at}`, label }))
    const { uuid: roundUuid } = await w.call<{ uuid: string }>(w.pm, "chorus_pm_start_elaboration", {
      ideaUuid,
      depth: "minimal",
      questions: [{ id: "basket", text: "What becomes of a basket?", category: "functional", options }],
    })
    const answer = (selectedOptionId: string) =>
      w.call(w.owner, "chorus_answer_elaboration", {
        ideaUuid,
        roundUuid,
        answers: [{ questionId: "basket", selectedOptionId, customText: null }],
      })
    await answer("o0")
    const content =
      "A basket of a guest is kept for 30 days, in the table that all the other baskets of the shop are in as well, under a random id."
    const { uuid: proposalUuid } = await w.call<{ uuid: string }>(w.pm, "chorus_submit_plan", {
      projectUuid: w.project,
      title: "Baskets",
      ideaUuids: [ideaUuid],
      documents: [{ type: "tech_design", title: "Baskets", content }],
      tasks: [{ key: "a", title: "Keep baskets", description: "Of guests.", criteria: ["It is there"] }],
    })
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid })
    const [task] = await w.store.db
      .selectFrom("tasks")
      .select("uuid")
      .where("proposalUuid", "=", proposalUuid)
      .execute()
    const documents = async () =>
      (await w.call<work.TaskBrief>(w.developer, "chorus_start_task", { taskUuid: task?.uuid })).documents
    expect((await documents())?.[0]?.changed).toBeUndefined()
    await answer("o1")
    expect((await documents())?.[0]?.changed).toBe(
      'quotes "kept for 30 days", now answered "dropped at once": What becomes of a basket?',
    )
  })
})

describe("asking for the next task", () => {
  it("prefers what is mine, then what is urgent, then what much waits for, then age", async () => {
    const projectUuid = await w.newProject()
    await w.newTask({ projectUuid, title: "old" })
    const root = await w.newTask({ projectUuid, title: "root" })
    await w.newTask({ projectUuid, title: "big, on root", dependsOnTaskUuids: [root], storyPoints: 8 })
    await w.newTask({ projectUuid, title: "urgent", priority: "high" })
    await w.taskAt("assigned", { projectUuid, title: "mine" })
    await w.taskAt("assigned", { projectUuid, title: "theirs", holder: w.rival })
    const order: (string | undefined)[] = []
    for (let turn = 0; turn < 4; turn++) order.push((await next(projectUuid)).task?.title)
    expect(order).toEqual(["mine", "urgent", "root", "old"])
  })

  it("says why there is none: nothing is planned, planning goes on, what waits for what, everything is done", async () => {
    const projectUuid = await w.newProject()
    const why = async () => (await next(projectUuid)).reason
    expect(await next(projectUuid)).toEqual({
      task: null,
      reason: "There is no plan yet: no idea, no proposal and no task.",
      waiting: 0,
      inProgress: 0,
    })
    const ideaUuid = await w.newIdea({ projectUuid, title: "Doors" })
    expect(await why()).toBe('Planning has not begun: nobody has claimed the idea "Doors".')
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
    expect(await why()).toBe('Planning has not finished: the idea "Doors" has no proposal yet.')
    await w.call(w.owner, "chorus_admin_delete_idea", { ideaUuid })

    const running = await w.taskAt("in_progress", { projectUuid, holder: w.rival, title: "Frame" })
    await w.newTask({ projectUuid, title: "Door", dependsOnTaskUuids: [running] })
    expect(await next(projectUuid)).toEqual({
      task: null,
      reason: 'Nothing is ready: "Door" waits for "Frame" (in progress).',
      waiting: 1,
      inProgress: 1,
    })
    await w.taskAt("assigned", { projectUuid, holder: w.rival, title: "Lock" })
    expect(await why()).toContain('; "Lock" is assigned to somebody else.')

    const other = await w.newProject()
    await w.taskAt("done", { projectUuid: other })
    expect((await next(other)).reason).toBe("Everything is done: 1 task.")
    await w.taskAt("closed", { projectUuid: other })
    expect((await next(other)).reason).toBe("Everything is done: 1 task, 1 task closed without being done.")
    await w.taskAt("to_verify", { projectUuid: other })
    expect((await next(other)).reason).toBe("No task is left to begin: 1 task handed in, to be verified by a person.")
  })

  it("names what the caller has begun, so that an answer lost on the way is found again; so does handing in twice", async () => {
    const projectUuid = await w.newProject()
    await w.newTasks({ one: ["other"], other: [], third: ["other"] }, { projectUuid })
    const alone = await w.newTask({ projectUuid, title: "alone", priority: "low" })
    const ask = () => w.call<work.TaskBrief & { held?: object }>(w.developer, "chorus_next_task", { projectUuid })
    const { task } = await ask()
    expect(await ask()).toMatchObject({ task: { uuid: alone }, held: [{ uuid: task.uuid, title: "other" }] })
    const finish = () =>
      w.call(w.developer, "chorus_finish_task", { taskUuid: task.uuid, report: "Done.", insist: true })
    await finish()
    await expect(finish()).rejects.toMatchObject({
      message: 'You have handed in "other"; it waits for a verdict.',
      next: expect.stringContaining("Nothing is left to do"),
    })
    await w.call(w.owner, "chorus_update_project", { projectUuid, status: "archived" })
    expect((await next(projectUuid)).reason).toBe('"Further" is archived: nothing new begins there.')
  })

  it("gives agents that ask together different tasks, and each task once", async () => {
    const projectUuid = await w.newProject()
    for (let n = 0; n < 4; n++) await w.newTask({ projectUuid, title: `t${n}` })
    const answers = await Promise.all(
      [w.developer, w.rival, w.admin, w.developer, w.rival, w.admin].map((agent) => next(projectUuid, agent)),
    )
    const given = answers.flatMap(({ task }) => (task === null ? [] : [task.uuid]))
    expect(given).toHaveLength(4)
    expect(new Set(given).size).toBe(4)
  })

  it("stays in the plans it was asked about, and in none when none is named", async () => {
    const projectUuid = await w.newProject()
    await w.newTask({ projectUuid })
    expect((await next(projectUuid, w.developer, { proposalUuids: [] })).task).toBeNull()
  })
})

describe("reporting work", () => {
  const report = (taskUuid: string, more: object = {}, by: Actor = w.developer) =>
    w.call<{ reportUuid: string; status: string }>(by, "chorus_report_work", { taskUuid, report: "under way", ...more })

  it("keeps the words on the task and in its conversation, and tells both", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const events = await w.told(() => report(taskUuid, { report: "x".repeat(300) }))
    expect(events.map(({ kind }) => kind)).toEqual(["comment.added", "task.reported"])
    expect(events[1]?.patch).toMatchObject({ commentUuid: events[0]?.entityUuid, preview: "x".repeat(280) })
  })

  it("moves the task on where that is said, and keeps nothing where it cannot", async () => {
    const taskUuid = await w.taskAt("assigned")
    expect(await report(taskUuid, { status: "in_progress" })).toMatchObject({ status: "in_progress" })
    expect(await report(taskUuid, { status: "to_verify" })).toMatchObject({ status: "to_verify" })
    await expect(report(taskUuid, { status: "in_progress" })).rejects.toMatchObject({ code: "wrong_status" })
    const { reports } = await w.call<{ reports: object[] }>(w.owner, "chorus_get_task", { taskUuid })
    expect(reports).toHaveLength(2)
  })

  it("is its holder's, or a person's who may judge tasks", async () => {
    const taskUuid = await w.taskAt("in_progress")
    await expect(report(taskUuid, {}, w.rival)).rejects.toMatchObject({ code: "not_holder" })
    expect(await report(taskUuid, {}, w.member)).toMatchObject({ status: "in_progress" })
  })
})

describe("finishing a task", () => {
  const finish = (taskUuid: string, more: object = {}, by: Actor = w.developer) =>
    w.call<{ unchecked: string[]; checkedOut: number }>(by, "chorus_finish_task", { taskUuid, report: "done", ...more })

  it("checks criteria, reports, hands in and checks everybody out, in this order", async () => {
    const taskUuid = await w.newTask()
    const [one, two] = [await w.newSession(), await w.newSession()]
    const brief = await start(taskUuid, w.developer, { sessionUuid: one })
    await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid: two, taskUuid })
    const criteria = brief.task.acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, devStatus: "passed", exitCode: 0 }))
    let answer: object = {}
    const kinds = await w.kinds(async () => (answer = await finish(taskUuid, { criteria, sessionUuid: one })))
    expect(kinds).toEqual([
      "task.criteria_checked",
      "comment.added",
      "task.reported",
      "task.submitted",
      "session.checked_out",
      "session.checked_out",
    ])
    expect(answer).toMatchObject({ unchecked: [], checkedOut: 2 })
  })

  it("names required criteria nobody has checked, and leaves optional ones out", async () => {
    expect(await finish(await w.taskAt("in_progress"))).toMatchObject({ unchecked: ["it works"], checkedOut: 0 })
  })

  it("asks who calls before it asks how the task stands", async () => {
    const taskUuid = await w.taskAt("assigned")
    await expect(finish(taskUuid, {}, w.rival)).rejects.toMatchObject({ code: "not_holder" })
    await expect(finish(taskUuid)).rejects.toMatchObject({ code: "wrong_status", details: { status: "assigned" } })
  })

  it("needs a report that says something", async () => {
    await expect(finish(await w.taskAt("in_progress"), { report: " \n" })).rejects.toMatchObject({
      code: "invalid_input",
    })
  })
})
