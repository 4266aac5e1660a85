import type { OutputOf, usage } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { submittedPlan } from "../../../test/plan-fixture.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const report = (more: object = {}, by: Actor = w.developer) =>
  w.call<{ recorded: boolean; taskUuid: string | null }>(by, "chorus_report_usage", { inputTokens: 10, ...more })
const sum = (more: object = {}, by: Actor = w.owner) =>
  w.call<OutputOf<typeof usage.getUsage>>(by, "chorus_get_usage", more)

describe("reporting what was spent", () => {
  it("is told once under one key, for each agent by itself", async () => {
    const events = await w.told(() => report({ key: "turn-1", model: "opus", costUsd: 0.5 }))
    expect(events).toMatchObject([
      {
        kind: "usage.reported",
        patch: { inputTokens: 10, outputTokens: 0, costUsd: 0.5, model: "opus", agentUuid: w.developer.uuid },
      },
    ])
    expect(
      await w.kinds(async () => expect(await report({ key: "turn-1" })).toMatchObject({ recorded: false })),
    ).toEqual([])
    expect(await report({ key: "turn-1" }, w.rival)).toMatchObject({ recorded: true })
  })

  it("without a key counts every time", async () => {
    expect([(await report()).recorded, (await report()).recorded]).toEqual([true, true])
  })

  it("of a session is spent on the task it stands at, if it stands at exactly one", async () => {
    const sessionUuid = await w.newSession()
    expect(await report({ sessionUuid })).toMatchObject({ taskUuid: null })
    const [one, two] = [await w.taskAt("assigned"), await w.taskAt("assigned")]
    const checkIn = (taskUuid: string) => w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })
    await checkIn(one)
    expect(await report({ sessionUuid })).toMatchObject({ taskUuid: one })
    await checkIn(two)
    expect(await report({ sessionUuid })).toMatchObject({ taskUuid: null })
    expect(await report({ sessionUuid, taskUuid: two })).toMatchObject({ taskUuid: two })
  })

  it("is an agent's affair, with a session of its own", async () => {
    await expect(report({}, w.owner)).rejects.toMatchObject({ code: "forbidden" })
    await expect(report({ sessionUuid: await w.newSession(w.rival) })).rejects.toMatchObject({ code: "forbidden" })
  })

  it("of which nobody said what it cost is unknown, not free", async () => {
    const taskUuid = await w.newTask()
    await report({ taskUuid, inputTokens: 10 })
    const costs = async () => {
      const { total, rows } = await w.call<{ total: { costUsd: number | null }; rows: { costUsd: number | null }[] }>(
        w.owner,
        "chorus_get_usage",
        { taskUuid },
      )
      return [total, ...rows].map(({ costUsd }) => costUsd)
    }
    expect(await costs()).toEqual([null, null])
    await report({ taskUuid, inputTokens: 10, costUsd: 0 })
    expect(await costs()).toEqual([0, 0])
  })

  it.each([{ inputTokens: -1 }, { inputTokens: 1.5 }, { inputTokens: 1e13 }, { costUsd: -0.01 }, { costUsd: 1e7 }])(
    "refuses %j",
    async (more) => {
      await expect(report(more)).rejects.toMatchObject({ code: "invalid_input" })
    },
  )
})

describe("summing up", () => {
  it("adds each kind of token and the cost, dearest first", async () => {
    const projectUuid = await w.newProject()
    const [dear, cheap] = [
      await w.newTask({ projectUuid, title: "dear" }),
      await w.newTask({ projectUuid, title: "cheap" }),
    ]
    await report({ taskUuid: cheap, inputTokens: 1000 })
    await report({
      taskUuid: dear,
      inputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: 3,
      cacheCreationTokens: 4,
      costUsd: 0.25,
    })
    await report({ taskUuid: dear, outputTokens: 1, inputTokens: 0, costUsd: 0.5 })
    const { total, rows } = await sum({ projectUuid, by: "task" })
    expect(total).toEqual({
      inputTokens: 1001,
      outputTokens: 3,
      cacheReadTokens: 3,
      cacheCreationTokens: 4,
      totalTokens: 1011,
      costUsd: 0.75,
    })
    expect(rows.map(({ key, name, totalTokens, costUsd }) => [key, name, totalTokens, costUsd])).toEqual([
      [dear, "dear", 11, 0.75],
      [cheap, "cheap", 1000, null],
    ])
  })

  it("counts from a moment on, that moment among it, to the millisecond", async () => {
    const agent = await w.agent("Clocked")
    await report({ inputTokens: 1 }, agent)
    const { at } = await w.store.db
      .selectFrom("usages")
      .select("at")
      .where("agentUuid", "=", agent.uuid)
      .executeTakeFirstOrThrow()
    const input = async (since: string) => (await sum({ agentUuid: agent.uuid, since })).total.inputTokens
    expect(await input(at)).toBe(1)
    expect(await input(new Date(Date.parse(at) + 1).toISOString())).toBe(0)
    expect(await input(`${at.slice(0, 19)}Z`)).toBe(1)
  })

  it("counts work of a plan for the first idea it came from", async () => {
    const plan = await submittedPlan(w, w.pm, { tasks: { a: [] } })
    const { materializedTasks } = await w.call<{ materializedTasks: { taskUuid: string }[] }>(
      w.owner,
      "chorus_admin_approve_proposal",
      { proposalUuid: plan.uuid },
    )
    await report({ taskUuid: materializedTasks[0]?.taskUuid, inputTokens: 77 })
    expect((await sum({ by: "idea" })).rows).toContainEqual(
      expect.objectContaining({ name: "An idea", inputTokens: 77 }),
    )
  })

  it("shows a confined agent its projects alone, and a stranger nothing", async () => {
    await report({ taskUuid: await w.newTask({ projectUuid: w.otherProject }), inputTokens: 5 })
    const scoped = await w.agent("Scoped", { projectUuids: [w.otherProject] })
    expect((await sum({ by: "project" }, scoped)).rows.map(({ name }) => name)).toEqual(["Second"])
    expect((await sum({}, w.stranger)).total.totalTokens).toBe(0)
  })
})
