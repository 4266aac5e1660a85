import type { attentions, tasks, usage } from "@chorus/contracts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

onEachEngineUnderStress("attention", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const ask = (title: string, more: object = {}, by = w.developer) =>
    w.call<attentions.AttentionRow>(by, "chorus_create_attention", { title, ...more })
  const answer = (attentionUuid: string, by = w.owner, text = "yes") =>
    w.call<attentions.AttentionRow>(by, "chorus_answer_attention", {
      attentionUuid,
      answer: { decision: "approve", text },
    })
  const titles = async (by = w.owner, input: object = {}) =>
    (await w.call<{ items: attentions.WaitingItem[] }>(by, "chorus_needs_you", input)).items.map((item) => item.title)

  it("is asked by agents and answered by people, once", async () => {
    const { uuid } = await ask("may I?", { kind: "permission", projectUuid: w.project, detail: { tool: "Bash" } })
    expect(await titles()).toContain("may I?")
    await expect(answer(uuid, w.admin)).rejects.toMatchObject({ code: "forbidden" })
    await expect(answer(uuid, w.viewer)).rejects.toMatchObject({ code: "forbidden" })
    await expect(answer(uuid, w.member)).rejects.toMatchObject({ code: "forbidden" })
    await expect(answer(uuid, w.stranger)).rejects.toMatchObject({ code: "not_found" })
    expect(await answer(uuid)).toMatchObject({
      state: "answered",
      answer: { decision: "approve", text: "yes" },
      answeredBy: { name: "Olive" },
    })
    await expect(answer(uuid)).rejects.toMatchObject({
      code: "attention_settled",
      details: { answeredBy: { name: "Olive" } },
    })
    expect(await titles()).not.toContain("may I?")
    expect(await w.call(w.developer, "chorus_get_attention", { attentionUuid: uuid })).toMatchObject({
      state: "answered",
    })
    await expect(w.call(w.rival, "chorus_get_attention", { attentionUuid: uuid })).rejects.toMatchObject({
      code: "not_found",
    })
    expect(await w.call(w.developer, "chorus_attention_delivered", { attentionUuid: uuid })).toMatchObject({
      state: "delivered",
    })
    await expect(ask("a person", {}, w.owner)).rejects.toMatchObject({ code: "forbidden" })
  })

  it("is answered by who owns the agent, and can be withdrawn or run out", async () => {
    const agent = await w.agent("Mia's", { owner: w.member })
    expect(await answer((await ask("mine", {}, agent)).uuid, w.member)).toMatchObject({ answeredBy: { name: "Mia" } })
    const { uuid } = await ask("never mind")
    await expect(w.call(w.rival, "chorus_withdraw_attention", { attentionUuid: uuid })).rejects.toMatchObject({
      code: "forbidden",
    })
    expect(await w.call(w.developer, "chorus_withdraw_attention", { attentionUuid: uuid })).toMatchObject({
      state: "withdrawn",
    })
    await expect(answer(uuid)).rejects.toMatchObject({ code: "attention_settled", details: { state: "withdrawn" } })
    const late = await ask("soon", { expiresInMinutes: 5 })
    w.clock.advance(6 * 60_000)
    await expect(answer(late.uuid)).rejects.toMatchObject({ code: "attention_settled", details: { state: "expired" } })
    const terminal = await ask("in the terminal", { answerable: false })
    await expect(answer(terminal.uuid)).rejects.toMatchObject({ code: "not_answerable" })
  })

  it("puts everything that waits for a person into one queue, oldest first, within reach", async () => {
    const input = {
      projectUuid: w.project,
      tasks: [{ title: "to judge", acceptanceCriteriaItems: [{ description: "x" }] }],
    }
    const { tasks: made } = await w.call<{ tasks: tasks.TaskRow[] }>(w.pm, "chorus_create_tasks", input)
    await w.call(w.developer, "chorus_start_task", { taskUuid: made[0]?.uuid })
    await w.call(w.developer, "chorus_finish_task", { taskUuid: made[0]?.uuid, report: "done" })
    await ask("then a question", { projectUuid: w.otherProject })
    const { uuid: ideaUuid } = await w.call<{ uuid: string }>(w.pm, "chorus_pm_create_idea", {
      projectUuid: w.project,
      title: "an idea",
    })
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
    const question = {
      id: "q1",
      text: "Which?",
      category: "scope",
      options: [
        { id: "a", label: "A" },
        { id: "b", label: "B" },
      ],
    }
    await w.call(w.pm, "chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions: [question] })
    const { items, counts } = await w.call<{ items: attentions.WaitingItem[]; counts: object }>(
      w.owner,
      "chorus_needs_you",
    )
    expect(items.slice(-3)).toMatchObject([
      { kind: "task", title: "to judge", from: { name: "Dev" } },
      { kind: "attention", title: "then a question", attention: { state: "open" } },
      { kind: "elaboration", title: "an idea", ideaUuid, projectName: "First", from: { name: "Petra" } },
    ])
    expect(counts).toMatchObject({ elaboration: 1, task: 1, proposal: 0 })
    await w.call(w.owner, "chorus_answer_elaboration", {
      ideaUuid,
      answers: [{ questionId: "q1", selectedOptionId: "a", customText: null }],
    })
    expect(await titles()).not.toContain("an idea")
    expect(await titles(w.owner, { projectUuid: w.otherProject })).toEqual(["then a question"])
    expect(await titles(w.stranger)).toEqual([])
  })

  it("names in a queue that is cut what lapses first, and counts what it leaves out", async () => {
    const { uuid: projectUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", {
      name: "Busy",
    })
    for (let at = 0; at < 200; at++) await ask(`calm ${at}`, { kind: "permission", projectUuid })
    await ask("pressing", { kind: "permission", projectUuid, expiresInMinutes: 5 })
    const { items, counts, total } = await w.call<{
      items: attentions.WaitingItem[]
      counts: { attention: number }
      total: number
    }>(w.owner, "chorus_needs_you", { projectUuid })
    expect(items).toHaveLength(200)
    expect(items.map(({ title }) => title)).toContain("pressing")
    expect([counts.attention, total]).toEqual([201, 201])
  })
})

describe("usage", () => {
  it("counts a key once and rolls up to task, idea, project, agent and model", async () => {
    const w = await openWorkspace()
    const input = {
      projectUuid: w.project,
      tasks: ["one", "two"].map((title) => ({ title, acceptanceCriteriaItems: [{ description: "x" }] })),
    }
    const { tasks: made } = await w.call<{ tasks: tasks.TaskRow[] }>(w.pm, "chorus_create_tasks", input)
    const [one, two] = made.map((task) => task.uuid)
    const { uuid: sessionUuid } = await w.call<{ uuid: string }>(w.developer, "chorus_create_session", { name: "s" })
    await w.call(w.developer, "chorus_start_task", { taskUuid: one, sessionUuid })
    const report = (more: object, by = w.developer) =>
      w.call(by, "chorus_report_usage", { inputTokens: 100, outputTokens: 10, costUsd: 0.5, model: "m", ...more })
    expect(await report({ key: "turn-1", sessionUuid })).toEqual({ recorded: true, taskUuid: one })
    expect(await report({ key: "turn-1", sessionUuid })).toEqual({ recorded: false, taskUuid: one })
    expect(await report({ key: "turn-1", taskUuid: two }, w.rival)).toEqual({ recorded: true, taskUuid: two })
    await report({ cacheReadTokens: 1000 })
    await report({ cacheReadTokens: 1000 })
    const get = (question: object, by = w.owner) =>
      w.call<{ total: usage.UsageTotals; rows: (usage.UsageTotals & { key: string | null; name: string })[] }>(
        by,
        "chorus_get_usage",
        question,
      )
    expect(await get({ by: "task", projectUuid: w.project })).toMatchObject({
      total: { inputTokens: 200, outputTokens: 20, costUsd: 1, totalTokens: 220 },
      rows: [{ name: expect.stringMatching(/one|two/), inputTokens: 100 }, { inputTokens: 100 }],
    })
    expect((await get({ by: "agent" })).rows.map(({ name, inputTokens }) => [name, inputTokens])).toEqual([
      ["Dev", 300],
      ["Rival", 100],
    ])
    expect((await get({ by: "project" })).rows.map((row) => row.name)).toEqual(["—", "First"])
    expect((await get({ by: "model" })).rows).toMatchObject([{ key: "m", totalTokens: 2440 }])
    expect((await get({ taskUuid: one })).total.inputTokens).toBe(100)
    expect((await get({}, w.stranger)).total.totalTokens).toBe(0)
    await expect(report({ inputTokens: -1 })).rejects.toMatchObject({ code: "invalid_input" })
    await expect(report({}, w.owner)).rejects.toMatchObject({ code: "forbidden" })
    await w.close()
  })
})
