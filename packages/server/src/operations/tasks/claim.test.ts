import type { inbox, OutputOf } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const claim = (actor: Actor, taskUuid: string) =>
  w.call<{ status: string; assignee: { uuid: string }; _hints: string[] }>(actor, "chorus_claim_task", { taskUuid })
const assign = (actor: Actor, taskUuid: string, agent: Actor) =>
  w.call(actor, "chorus_pm_assign_task", { taskUuid, agentUuid: agent.uuid })
const holderOf = async (taskUuid: string) =>
  (await w.call<{ assignee: { name: string } | null }>(w.owner, "chorus_get_task", { taskUuid })).assignee?.name ?? null

describe("claiming a task", () => {
  it("makes the caller its holder and tells readers who that is", async () => {
    const taskUuid = await w.newTask()
    const [event] = await w.told(() => claim(w.developer, taskUuid))
    expect(event).toMatchObject({
      kind: "task.claimed",
      entityUuid: taskUuid,
      projectUuid: w.project,
      actor: { type: "agent", name: "Dev" },
      patch: { status: "assigned", assignee: { type: "agent", uuid: w.developer.uuid, name: "Dev" } },
    })
  })

  it("is open to people as to agents", async () => {
    const taskUuid = await w.newTask()
    await claim(w.member, taskUuid)
    expect(await holderOf(taskUuid)).toBe("Mia")
  })

  it("has one winner of many who ask at once; each loser learns who won, and only one event is written", async () => {
    const taskUuid = await w.newTask()
    const rivals = [w.developer, w.rival, w.admin, w.pm, w.member]
    let answers: PromiseSettledResult<unknown>[] = []
    const events = await w.told(async () => {
      answers = await Promise.allSettled(rivals.map((actor) => claim(actor, taskUuid)))
    })
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const winner = await holderOf(taskUuid)
    for (const answer of answers) {
      if (answer.status === "fulfilled") continue
      expect(answer.reason).toMatchObject({
        code: "already_claimed",
        status: 409,
        details: { taskUuid, status: "assigned", holder: { name: winner } },
      })
    }
    expect(events.map(({ kind }) => kind)).toEqual(["task.claimed"])
  })

  it("says what to do instead when it comes too late", async () => {
    const taskUuid = await w.taskAt("assigned")
    await expect(claim(w.rival, taskUuid)).rejects.toMatchObject({
      code: "already_claimed",
      message: expect.stringContaining("held by Dev"),
      next: expect.stringContaining("chorus_next_task"),
    })
  })

  it.each(["done", "closed"] as const)("is refused once the task is %s", async (stage) => {
    await expect(claim(w.rival, await w.taskAt(stage))).rejects.toMatchObject({
      code: "already_claimed",
      details: { status: stage },
    })
  })

  it("hints at what it waits for and how its criteria are checked", async () => {
    const { base, top } = await w.newTasks(
      { base: [], top: ["base"] },
      { acceptanceCriteriaItems: [{ description: "it is fast", command: "npm run bench" }] },
    )
    await claim(w.developer, base)
    expect((await claim(w.rival, top))._hints).toEqual([
      'Waits for "base" (assigned, Dev).',
      'Check "it is fast" by running: npm run bench',
    ])
  })
})

describe("releasing a task", () => {
  const release = (actor: Actor, taskUuid: string) => w.call(actor, "chorus_release_task", { taskUuid })

  it.each(["assigned", "in_progress"] as const)("opens one that is %s again, held by nobody", async (stage) => {
    const taskUuid = await w.taskAt(stage)
    const [event] = await w.told(() => release(w.developer, taskUuid))
    expect(event).toMatchObject({ kind: "task.released", patch: { status: "open", assignee: null } })
    expect(await holderOf(taskUuid)).toBeNull()
  })

  it("checks out whoever was at work on it and frees its paths", async () => {
    const taskUuid = await w.taskAt("in_progress")
    await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid: await w.newSession(), taskUuid })
    await w.call(w.developer, "chorus_reserve_paths", { taskUuid, globs: ["src/release/**"] })
    expect(await w.kinds(() => release(w.developer, taskUuid))).toEqual([
      "task.released",
      "session.checked_out",
      "reservation.released",
    ])
    const { reservations } = await w.call<{ reservations: { taskUuid: string }[] }>(
      w.owner,
      "chorus_list_reservations",
      { projectUuid: w.project },
    )
    expect(reservations.filter((each) => each.taskUuid === taskUuid)).toEqual([])
  })

  it("is the holder's affair, or that of a person who may judge tasks; never of another agent", async () => {
    const taskUuid = await w.taskAt("assigned")
    await expect(release(w.admin, taskUuid)).rejects.toMatchObject({
      code: "not_holder",
      status: 403,
      details: { holder: { name: "Dev" } },
    })
    expect(await release(w.member, taskUuid)).toMatchObject({ status: "open" })
  })

  it("by a person takes it from its agent, who hears by whom and why, and is not given it again by itself", async () => {
    const projectUuid = await w.newProject()
    const agent = await w.agent("Loses it", { projectUuids: [projectUuid] })
    const taskUuid = await w.taskAt("in_progress", { holder: agent, projectUuid, title: "Paint" })
    const told = await w.told(() => w.call(w.owner, "chorus_release_task", { taskUuid, reason: "Wrong colour." }))
    expect(told).toMatchObject([
      { kind: "task.reclaimed", patch: { status: "open", from: { name: "Loses it" }, reason: "Wrong colour." } },
    ])
    const words = "taken back from you by Olive: Wrong colour"
    const inboxOf = (actor: Actor) => w.call<OutputOf<typeof inbox.inbox>>(actor, "chorus_inbox", {})
    expect(await inboxOf(agent)).toMatchObject({
      waits: [{ kind: "ready", uuid: taskUuid, note: expect.stringContaining(words) }],
      news: [{ message: 'Olive took "Paint" back from Loses it: Wrong colour.' }],
    })
    await expect(w.call(agent, "chorus_report_work", { taskUuid, report: "Half." })).rejects.toMatchObject({
      code: "not_holder",
      message: `"Paint" was ${words}.`,
    })
    expect(await w.call(agent, "chorus_next_task", { projectUuid })).toMatchObject({
      task: null,
      reason: expect.stringContaining(words),
    })
    const other = await w.agent("Has it meanwhile", { projectUuids: [projectUuid] })
    await w.call(other, "chorus_next_task", { projectUuid })
    await w.call(other, "chorus_release_task", { taskUuid })
    expect(await w.call(agent, "chorus_next_task", { projectUuid })).toMatchObject({ task: null })
    expect(await w.call(agent, "chorus_start_task", { taskUuid })).toMatchObject({ task: { status: "in_progress" } })
    await w.call(agent, "chorus_release_task", { taskUuid })
    expect((await inboxOf(agent)).waits).toMatchObject([{ note: expect.stringMatching(/^Ready/) }])
  })

  it.each(["open", "to_verify", "done", "closed"] as const)(
    "is refused while the task is %s, saying so before asking who holds it",
    async (stage) => {
      await expect(release(w.rival, await w.taskAt(stage))).rejects.toMatchObject({
        code: "wrong_status",
        details: { status: stage, action: "release" },
      })
    },
  )
})

describe("assigning a task", () => {
  it("that somebody else holds tells that one who took it, and why", async () => {
    const taskUuid = await w.taskAt("in_progress", { title: "Paint" })
    const given = { taskUuid, agentUuid: w.rival.uuid, reason: "Rival knows paint." }
    expect(await w.kinds(() => w.call(w.owner, "chorus_pm_assign_task", given))).toEqual([
      "task.reclaimed",
      "task.assigned",
    ])
    const newest = async (actor: Actor) =>
      (await w.call<OutputOf<typeof inbox.inbox>>(actor, "chorus_inbox", {})).news.at(-1)?.message
    expect(await newest(w.developer)).toBe('Olive took "Paint" back from Dev: Rival knows paint.')
    expect(await newest(w.rival)).toBe('Olive assigned "Paint" to you.')
  })

  it("keeps who assigned it, and when", async () => {
    const taskUuid = await w.newTask()
    await assign(w.pm, taskUuid, w.developer)
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({
      assignee: { name: "Dev", assignedBy: { name: "Petra" }, assignedAt: expect.stringMatching(/^2026-/) },
    })
  })

  it("takes running work from its holder only by a person's word, and ends what the holder had open", async () => {
    const taskUuid = await w.taskAt("in_progress")
    await w.call(w.developer, "chorus_reserve_paths", { taskUuid, globs: ["src/assign/**"] })
    await expect(assign(w.admin, taskUuid, w.rival)).rejects.toMatchObject({ code: "not_holder" })
    expect(await w.kinds(() => assign(w.owner, taskUuid, w.rival))).toEqual([
      "task.reclaimed",
      "task.assigned",
      "reservation.released",
    ])
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({
      status: "assigned",
      startedAt: null,
      assignee: { name: "Rival" },
    })
  })

  it("again to the same agent leaves its paths alone", async () => {
    const taskUuid = await w.taskAt("assigned")
    await w.call(w.developer, "chorus_reserve_paths", { taskUuid, globs: ["src/same/**"] })
    expect(await w.kinds(() => assign(w.pm, taskUuid, w.developer))).toEqual(["task.assigned"])
  })

  it("to an agent that may not write tasks, or does not reach the project, is refused", async () => {
    const reader = await w.agent("Reader", { presets: [], permissions: ["task:read"] })
    const elsewhere = await w.agent("Elsewhere", { projectUuids: [w.otherProject] })
    for (const agent of [reader, elsewhere]) {
      await expect(assign(w.pm, await w.newTask(), agent)).rejects.toMatchObject({
        code: "agent_cannot_work",
        status: 409,
        details: { agentUuid: agent.uuid, archived: false },
      })
    }
  })

  it("to an archived agent is refused", async () => {
    const agent = await w.agent("Retired")
    await w.call(w.owner, "chorus_update_agent", { agentUuid: agent.uuid, archived: true })
    await expect(assign(w.pm, await w.newTask(), agent)).rejects.toMatchObject({
      code: "agent_cannot_work",
      details: { archived: true },
    })
  })

  it("to a person makes them the holder; to a person who is disabled it is refused", async () => {
    const toPerson = (taskUuid: string, userUuid: string) =>
      w.call(w.owner, "chorus_assign_task_to_person", { taskUuid, userUuid })
    const taskUuid = await w.newTask()
    expect(await toPerson(taskUuid, w.member.uuid)).toMatchObject({ assignee: { type: "user", name: "Mia" } })
    const { member: gone } = await w.call<{ member: { uuid: string } }>(w.owner, "chorus_invite_member", {
      name: "Gone",
      role: "member",
    })
    await w.call(w.owner, "chorus_update_member", { userUuid: gone.uuid, disabled: true })
    await expect(toPerson(await w.newTask(), gone.uuid)).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("a project that allows one task at a time", () => {
  it("refuses an agent a second one however it comes by it, names the first, and counts neither other projects nor people", async () => {
    const projectUuid = await w.newProject({ exclusiveWork: true })
    const first = await w.taskAt("assigned", { projectUuid, title: "the first" })
    const second = await w.newTask({ projectUuid })
    const refusal = {
      code: "holds_other_task",
      message: expect.stringContaining('"the first" (assigned)'),
      details: { taskUuid: first },
    }
    await expect(claim(w.developer, second)).rejects.toMatchObject(refusal)
    await expect(assign(w.pm, second, w.developer)).rejects.toMatchObject(refusal)
    await expect(w.call(w.developer, "chorus_start_task", { taskUuid: second })).rejects.toMatchObject(refusal)
    await claim(w.developer, await w.newTask())
    await claim(w.member, second)
    await claim(w.member, await w.newTask({ projectUuid }))
  })

  it("lets work that was handed in count no more", async () => {
    const projectUuid = await w.newProject({ exclusiveWork: true })
    await w.taskAt("to_verify", { projectUuid })
    expect(await claim(w.developer, await w.newTask({ projectUuid }))).toMatchObject({ status: "assigned" })
  })
})
