import { randomUUID } from "node:crypto"
import type { checkin as contract, OutputOf } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor, Focus } from "../../operation.ts"

const w = embeddedWorkspace()

type Hello = OutputOf<typeof contract.checkin>
const hello = async (actor: Actor, focus?: Focus) =>
  (await w.registry.execute("chorus_checkin", {}, { actor, requestId: randomUUID(), focus })) as Hello
const taskTitles = ({ taskTracker }: Hello) =>
  Object.values(taskTracker).flatMap(({ tasks }) => tasks.map(({ title }) => title))

describe("checking in", () => {
  it("tells an agent who it is, whose, and what it may do by kind of thing", async () => {
    const agent = await w.agent("Newcomer", { presets: ["developer"] })
    await w.call(w.owner, "chorus_update_agent", { agentUuid: agent.uuid, persona: "calm", systemPrompt: "be brief" })
    const events = await w.told(async () => {
      const me = await hello(agent)
      expect(me.agent).toMatchObject({
        name: "Newcomer",
        roles: ["developer"],
        persona: "calm",
        systemPrompt: "be brief",
        owner: { name: "Olive" },
      })
      expect(me.agent.permissions).toMatchObject({ task: ["read", "write"], idea: ["read"] })
      expect(me.notifications).toEqual({ unread: 0, recent: [] })
    })
    expect(events).toMatchObject([
      { kind: "agent.checked_in", entityUuid: agent.uuid, patch: { lastActiveAt: expect.any(String) } },
    ])
  })

  it("of a person is told to nobody", async () => {
    expect(await w.kinds(() => hello(w.member))).toEqual([])
    expect((await hello(w.member)).agent).toMatchObject({ type: "user", roles: ["member"], persona: null })
  })

  it("shows what one holds and what one's person holds, one's own first, without what is over", async () => {
    const agent = await w.agent("Holder", { owner: w.member })
    await w.taskAt("assigned", { holder: w.member, title: "my person's" })
    await w.taskAt("in_progress", { holder: agent, title: "mine" })
    await w.taskAt("done", { holder: agent, title: "over" })
    const me = await hello(agent)
    expect(taskTitles(me)).toEqual(["mine", "my person's"])
    expect(me.assignments).toMatchObject({ tasks: 2 })
    expect(taskTitles(await hello(w.member))).toEqual(["my person's"])
  })

  it("shows twenty tasks at most, a list of assignments a hundred", async () => {
    const agent = await w.agent("Busy")
    const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
      projectUuid: w.project,
      tasks: Array.from({ length: 22 }, (_, n) => ({
        title: `t${n}`,
        acceptanceCriteriaItems: [{ description: "x" }],
      })),
    })
    for (const { uuid: taskUuid } of tasks) await w.call(agent, "chorus_claim_task", { taskUuid })
    expect(taskTitles(await hello(agent))).toHaveLength(20)
    expect((await w.call<{ tasks: object[] }>(agent, "chorus_get_my_assignments")).tasks).toHaveLength(22)
  })

  it("brings the latest five of what is new and uses none of it up; going on with the cursor does", async () => {
    const agent = await w.agent("Told")
    for (let n = 1; n <= 6; n++)
      await w.call(w.pm, "chorus_pm_assign_task", {
        taskUuid: await w.newTask({ title: `n${n}` }),
        agentUuid: agent.uuid,
      })
    const first = await hello(agent)
    expect(first.notifications.unread).toBe(6)
    expect(first.notifications.recent.map(({ title }) => title)).toEqual(["n6", "n5", "n4", "n3", "n2"])
    expect((await hello(agent)).notifications).toEqual(first.notifications)
    await w.call(agent, "chorus_inbox", { after: first.cursor })
    expect((await hello(agent)).notifications).toEqual({ unread: 0, recent: [] })
  })

  it("names what to do next in order: what came back, what is held, what is ready, what nobody has", async () => {
    const projectUuid = await w.newProject()
    const lead = await w.agent("Lead", { presets: ["lead"], projectUuids: [projectUuid] })
    const open = await w.newIdea({ projectUuid, title: "open" })
    const ready = await w.newTask({ projectUuid, title: "ready" })
    const held = await w.taskAt("in_progress", { holder: lead, projectUuid, title: "held" })
    const back = await w.taskAt("to_verify", { holder: lead, projectUuid, title: "back" })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid: back, reason: "The sum is off by one." })
    const { next } = await hello(lead)
    expect(next.map(({ kind, uuid }) => [kind, uuid])).toEqual([
      ["returned", back],
      ["work", held],
      ["ready", ready],
      ["idea", open],
    ])
    expect(next[0]?.note).toContain("The sum is off by one.")
  })

  it("is narrowed to projects or a group, and never shows more than the agent reaches", async () => {
    const scoped = await w.agent("Scoped", { projectUuids: [w.project] })
    const names = async (focus?: Focus) => (await hello(scoped, focus)).activeProjects.map(({ name }) => name)
    expect(await names()).toEqual(["First"])
    expect(await names({ projectUuids: [w.otherProject], groupUuid: undefined })).toEqual([])
    expect(await names({ projectUuids: [w.project, w.strangersProject], groupUuid: undefined })).toEqual(["First"])
    expect(await names({ projectUuids: [], groupUuid: "00000000-0000-4000-8000-000000000000" })).toEqual([])
  })

  it("counts, per project, the work that is left", async () => {
    const projectUuid = await w.newProject()
    await w.newIdea({ projectUuid })
    for (const stage of ["open", "to_verify", "done", "closed"] as const) await w.taskAt(stage, { projectUuid })
    expect(
      (await hello(w.developer, { projectUuids: [projectUuid], groupUuid: undefined })).activeProjects,
    ).toMatchObject([{ uuid: projectUuid, openTasks: 2, activeIdeas: 1 }])
  })
})
