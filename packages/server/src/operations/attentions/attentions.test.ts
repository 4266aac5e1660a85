import type { attentions, OutputOf } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { submittedPlan } from "../../../test/plan-fixture.ts"
import type { Actor } from "../../operation.ts"

const MINUTE = 60_000
const w = embeddedWorkspace()

const ask = (more: object = {}, by: Actor = w.developer) =>
  w.call<attentions.AttentionRow>(by, "chorus_create_attention", { title: "May I?", ...more })
const act = (name: string, attentionUuid: string, by: Actor = w.developer) =>
  w.call<attentions.AttentionRow>(by, name, { attentionUuid })
const answer = (attentionUuid: string, given: object = { decision: "approve" }, by: Actor = w.owner) =>
  w.call<attentions.AttentionRow>(by, "chorus_answer_attention", { attentionUuid, answer: given })

describe("a question of an agent", () => {
  it("is told with everything a person needs to answer it", async () => {
    const sessionUuid = await w.newSession()
    const events = await w.told(() =>
      ask({ kind: "permission", projectUuid: w.project, sessionUuid, detail: { tool: "Bash" }, expiresInMinutes: 5 }),
    )
    expect(events).toMatchObject([
      {
        kind: "attention.created",
        entityType: "attention",
        projectUuid: w.project,
        patch: {
          title: "May I?",
          kind: "permission",
          detail: { tool: "Bash" },
          sessionUuid,
          agent: { name: "Dev" },
          state: "open",
          answerable: true,
          expiresAt: expect.any(String),
        },
      },
    ])
  })

  it("says no more than fits", async () => {
    await expect(ask({ detail: { text: "x".repeat(200_000) } })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("200000"),
    })
  })

  it("goes through its states in one direction", async () => {
    const { uuid } = await ask()
    await expect(act("chorus_attention_delivered", uuid)).rejects.toMatchObject({ code: "not_answered" })
    expect(await w.told(() => answer(uuid, { decision: "deny", text: "no" }))).toMatchObject([
      {
        kind: "attention.answered",
        patch: {
          state: "answered",
          answer: { decision: "deny", text: "no" },
          answeredBy: { name: "Olive" },
          agentUuid: w.developer.uuid,
        },
      },
    ])
    expect(await w.kinds(() => act("chorus_attention_delivered", uuid))).toEqual(["attention.delivered"])
    expect(await w.kinds(() => act("chorus_attention_delivered", uuid))).toEqual([])
    await expect(act("chorus_withdraw_attention", uuid)).rejects.toMatchObject({
      code: "attention_settled",
      details: { state: "delivered" },
    })
  })

  it("is answered once by two who answer at the same moment; the other learns who was faster", async () => {
    const { uuid } = await ask()
    const agents = await Promise.allSettled([answer(uuid), answer(uuid, { text: "other" })])
    expect(agents.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "attention_settled", message: "Olive has answered this already." },
    })
  })

  it("runs out by itself, to the moment", async () => {
    const { uuid } = await ask({ expiresInMinutes: 10 })
    w.clock.advance(10 * MINUTE)
    expect(await act("chorus_get_attention", uuid)).toMatchObject({ state: "expired" })
    await expect(answer(uuid)).rejects.toMatchObject({
      code: "attention_settled",
      message: "This is expired already.",
      details: { state: "expired" },
    })
  })

  it.each([{}, { text: "  " }, { data: { a: 1 } }])("is not answered by %j, which says nothing", async (given) => {
    const { uuid } = await ask()
    await expect(answer(uuid, given)).rejects.toMatchObject({ code: "invalid_input" })
  })

  it("that an answer here would not reach is answered elsewhere", async () => {
    const { uuid } = await ask({ answerable: false })
    await expect(answer(uuid)).rejects.toMatchObject({
      code: "not_answerable",
      next: expect.stringContaining("terminal"),
    })
  })

  it("is seen by its agent and by people, not by other agents, and touched by its agent alone", async () => {
    const { uuid } = await ask()
    await expect(act("chorus_get_attention", uuid, w.rival)).rejects.toMatchObject({ code: "not_found" })
    await expect(act("chorus_withdraw_attention", uuid, w.rival)).rejects.toMatchObject({ code: "forbidden" })
    await expect(act("chorus_attention_delivered", uuid, w.owner)).rejects.toMatchObject({ code: "forbidden" })
    expect(await act("chorus_get_attention", uuid, w.viewer)).toMatchObject({ uuid })
  })

  it("is answered by the person of its agent, or who runs the workspace", async () => {
    const agent = await w.agent("Mia's", { owner: w.member })
    expect(await answer((await ask({}, agent)).uuid, { text: "yes" }, w.member)).toMatchObject({
      answeredBy: { name: "Mia" },
    })
    await expect(answer((await ask()).uuid, { text: "yes" }, w.member)).rejects.toMatchObject({
      code: "forbidden",
      message: "Dev belongs to somebody else.",
    })
  })

  it("is listed newest first, open ones unless all are wanted, an agent's own to the agent", async () => {
    const agent = await w.agent("Asker")
    const [one, two] = [
      await ask({ title: "one", projectUuid: w.otherProject }, agent),
      await ask({ title: "two" }, agent),
    ]
    await act("chorus_withdraw_attention", one.uuid, agent)
    const list = async (by: Actor, more: object = {}) =>
      (await w.call<{ attentions: attentions.AttentionRow[] }>(by, "chorus_list_attentions", more)).attentions.map(
        ({ title }) => title,
      )
    expect(await list(agent)).toEqual(["two"])
    expect(await list(agent, { open: false })).toEqual(["two", "one"])
    expect(await list(agent, { open: false, projectUuid: w.otherProject })).toEqual(["one"])
    expect(await list(w.rival)).toEqual([])
    expect(await list(w.viewer)).toContain("two")
    expect(two.state).toBe("open")
  })
})

describe("what waits for a person", () => {
  const waiting = (by: Actor, input: object = {}) =>
    w.call<OutputOf<typeof attentions.needsYou>>(by, "chorus_needs_you", input)

  it("is one queue, oldest first, counted by kind", async () => {
    const projectUuid = await w.newProject()
    await w.taskAt("to_verify", { projectUuid, title: "verify me" })
    await ask({ title: "answer me", projectUuid })
    const { items, counts, total } = await waiting(w.owner, { projectUuid })
    expect(items.map(({ kind, title, from }) => [kind, title, from?.name])).toEqual([
      ["task", "verify me", "Dev"],
      ["attention", "answer me", "Dev"],
    ])
    expect(counts).toEqual({ elaboration: 0, proposal: 0, task: 1, attention: 1, delivery: 0 })
    expect(total).toBe(2)
  })

  it("names the task an agent asks about, or is at while its program asks for it", async () => {
    const [one, two] = [
      await w.taskAt("in_progress", { title: "Roof" }),
      await w.taskAt("in_progress", { title: "Hall" }),
    ]
    await w.call(w.owner, "chorus_update_task", { taskUuid: one, dueOn: "2026-02-01" })
    await ask({ title: "Tile or slate?", taskUuid: one })
    const sessionUuid = await w.newSession()
    await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid: two })
    await ask({ title: "Bash: rm -r hall", kind: "permission", sessionUuid })
    await ask({ title: "Nothing in particular" })
    const { items } = await waiting(w.owner)
    const named = (title: string) => items.find((item) => item.title === title)?.task
    expect(items.find(({ title }) => title === "Tile or slate?")?.dueOn).toBe("2026-02-01")
    expect(named("Tile or slate?")).toMatchObject({ uuid: one, title: "Roof", shortId: expect.any(String) })
    expect(named("Bash: rm -r hall")).toMatchObject({ uuid: two, title: "Hall" })
    expect(named("Nothing in particular")).toBeNull()
  })

  it("holds questions that belong to no project only where no project was asked for", async () => {
    await ask({ title: "homeless" })
    const titles = async (input: object) => (await waiting(w.owner, input)).items.map(({ title }) => title)
    expect(await titles({})).toContain("homeless")
    expect(await titles({ projectUuid: w.project })).not.toContain("homeless")
  })

  it("leaves out archived projects, and what one may not read", async () => {
    const plan = await submittedPlan(w, w.pm)
    const uuids = async (by: Actor) => (await waiting(by)).items.map(({ uuid }) => uuid)
    expect(await uuids(w.viewer)).toContain(plan.uuid)
    const blind = await w.agent("Blind", { presets: [], permissions: ["task:read"] })
    expect(await uuids(blind)).not.toContain(plan.uuid)
    const projectUuid = await w.newProject()
    const taskUuid = await w.taskAt("to_verify", { projectUuid })
    expect(await uuids(w.viewer)).toContain(taskUuid)
    await w.call(w.owner, "chorus_update_project", { projectUuid, status: "archived" })
    expect(await uuids(w.viewer)).not.toContain(taskUuid)
  })
})
