import { encode } from "gpt-tokenizer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { approvedPlan, type Brief, DESIGN, type Hand, type Person, person } from "./closed-loops.ts"
import { runningServer, type TestServer } from "./running-server.ts"
import { TRIAL_DOCUMENTS, TRIAL_QUESTIONS, TRIAL_TASKS } from "./trial-plan.ts"

let chorus: TestServer
let owner: Person
let planner: Hand
let builder: Hand
let other: Hand

beforeAll(async () => {
  chorus = await runningServer()
  owner = await person(chorus.server)
  planner = await owner.hire("Petra", "pm")
  builder = await owner.hire("Bob", "developer")
  other = await owner.hire("Oda", "developer")
})
afterAll(async () => {
  await Promise.all([planner.close(), builder.close(), other.close()])
  await chorus.close()
})

const accept = async (taskUuid: string) => {
  const { acceptanceCriteriaItems } = await owner.call<Brief["task"]>("chorus_get_task", { taskUuid })
  await owner.call("chorus_mark_acceptance_criteria", {
    taskUuid,
    criteria: acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status: "passed" })),
  })
  await owner.call("chorus_admin_verify_task", { taskUuid })
}

describe("a brief", () => {
  it("has what concerns the task of documents and contracts, all reports of what it builds on, and no nulls", async () => {
    const plan = await approvedPlan(owner, planner, {
      tasks: [
        { key: "store", title: "Keep baskets of guests", description: "In a table.", criteria: ["A basket survives"] },
        {
          key: "pay",
          title: "Payment page without a password",
          description: "Calls POST /payments.",
          criteria: ["The payment page asks for no password"],
          dependsOn: [{ key: "store", contract: "basketOf(cookie) gives the basket" }],
        },
      ],
    })
    const first = await other.use<Brief>("chorus_start_task", { taskUuid: plan.taskOf("Keep baskets of guests") })
    expect(first.dependents).toEqual([
      { title: "Payment page without a password", contract: "basketOf(cookie) gives the basket" },
    ])
    const store = first.task.uuid
    await other.use("chorus_report_work", { taskUuid: store, report: "The table is called baskets." })
    await other.use("chorus_finish_task", { taskUuid: store, report: "basketOf is in src/basket.ts." })
    await accept(store)
    await owner.call("chorus_pm_update_document", {
      documentUuid: plan.documentUuid,
      content: DESIGN.replace("asks for no password", "asks for no password, and for no name"),
    })
    const text = JSON.stringify(await builder.use("chorus_next_task", { projectUuid: plan.projectUuid }))
    const brief = JSON.parse(text) as Brief
    expect(text).not.toContain("null")
    expect(brief).toMatchObject({
      idea: { title: "Guests can pay", words: "Without an account, please." },
      dependencies: [
        {
          contract: "basketOf(cookie) gives the basket",
          reports: "The table is called baskets. / basketOf is in src/basket.ts.",
        },
      ],
      documents: [{ title: "Baskets", version: 2, changed: "version 1 → 2, by Owner" }],
    })
    expect(brief.documents?.[0]?.parts).toContain("for no name")
    await owner.call("chorus_admin_close_task", { taskUuid: brief.task.uuid }).catch(() => undefined)
  })

  it("says on its next reading only what changed since", async () => {
    const plan = await approvedPlan(owner, planner, {
      tasks: [{ key: "a", title: "One", description: "Do it.", criteria: ["It works"] }],
    })
    const taskUuid = plan.taskOf("One")
    await builder.use("chorus_start_task", { taskUuid })
    await owner.call("chorus_update_task", { taskUuid, description: "Do it well." })
    const again = await builder.use<Brief>("chorus_start_task", { taskUuid })
    expect(again.task).toMatchObject({ version: 2, changed: expect.stringContaining("version 1 → 2") })
    expect((await builder.use<Brief>("chorus_start_task", { taskUuid })).task.changed).toBeUndefined()
  })

  it("after a return has every answer that it had before, and the one given while it was built", async () => {
    const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Rows" })
    const { uuid: ideaUuid } = await owner.call<{ uuid: string }>("chorus_pm_create_idea", {
      projectUuid,
      title: "Import rows",
    })
    await planner.use("chorus_claim_idea", { ideaUuid })
    await planner.use("chorus_pm_start_elaboration", {
      ideaUuid,
      depth: "minimal",
      questions: TRIAL_QUESTIONS.map(([id, text, label]) => ({
        id,
        text,
        category: "functional",
        options: [
          { id: "yes", label },
          { id: "no", label: "Something else" },
        ],
      })),
    })
    await owner.call("chorus_answer_elaboration", {
      ideaUuid,
      answers: TRIAL_QUESTIONS.map(([questionId]) => ({ questionId, selectedOptionId: "yes" })),
    })
    const { uuid: proposalUuid } = await planner.use<{ uuid: string }>("chorus_submit_plan", {
      projectUuid,
      title: "The import",
      ideaUuids: [ideaUuid],
      documents: TRIAL_DOCUMENTS,
      tasks: TRIAL_TASKS.slice(0, 1),
    })
    await owner.call("chorus_admin_approve_proposal", { proposalUuid })
    const first = await builder.use<Brief>("chorus_next_task", { projectUuid })
    const taskUuid = first.task.uuid
    const asked = await builder.use<{ uuid: string }>("chorus_create_attention", { title: "Commas or tabs?", taskUuid })
    await owner.call("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { text: "Tabs." } })
    await builder.use("chorus_finish_task", { taskUuid, report: "Rows are read; a long word about it. ".repeat(20) })
    await owner.call("chorus_admin_reopen_task", {
      taskUuid,
      reason: "Broken rows are not counted. ".repeat(20),
      failed: first.task.acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, evidence: "It says 0. ".repeat(20) })),
    })
    const again = await builder.use<Brief>("chorus_next_task", { projectUuid })
    expect(again.answers?.[0]).toMatchObject({ question: "Commas or tabs?", answer: "Tabs." })
    expect(first.answers?.length).toBeGreaterThan(1)
    expect(again.answers?.map(({ answer }) => answer)).toEqual(
      expect.arrayContaining(first.answers?.map(({ answer }) => answer) ?? []),
    )
  })

  it("costs at most 600 tokens for a small task, and 2,500 characters for one of a real plan", async () => {
    const small = await approvedPlan(owner, planner, {
      tasks: [{ key: "a", title: "One", description: "Do it.", criteria: ["It works", "It is fast"] }],
    })
    const brief = await builder.use<Brief>("chorus_start_task", { taskUuid: small.taskOf("One") })
    expect(encode(JSON.stringify(brief)).length).toBeLessThanOrEqual(600)
    const plan = await approvedPlan(owner, planner, { tasks: TRIAL_TASKS, documents: TRIAL_DOCUMENTS })
    const sizes: number[] = []
    for (const { title, key } of TRIAL_TASKS) {
      const taskUuid = plan.taskOf(title)
      sizes.push(JSON.stringify(await builder.use("chorus_start_task", { taskUuid })).length)
      for (const report of ["Begun.", `The ${key} writes its rows; ${"a long word about it. ".repeat(20)}`])
        await builder.use("chorus_report_work", { taskUuid, report })
      await builder.use("chorus_finish_task", { taskUuid, report: `The ${key} is built and tested.` })
      await accept(taskUuid)
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2500)
  })

  it("reaches siblings: a report to those who build on it is told to whoever holds them", async () => {
    const plan = await approvedPlan(owner, planner, {
      tasks: [
        { key: "a", title: "Base", criteria: ["It works"] },
        { key: "b", title: "Top", criteria: ["It works"], dependsOn: [{ key: "a", contract: "f(x)" }] },
      ],
    })
    await owner.call("chorus_pm_assign_task", { taskUuid: plan.taskOf("Top"), agentUuid: builder.uuid })
    await other.use("chorus_start_task", { taskUuid: plan.taskOf("Base") })
    await other.use("chorus_report_work", {
      taskUuid: plan.taskOf("Base"),
      report: "f takes two arguments now.",
      to: "dependents",
    })
    const told = await chorus.server.store.db
      .selectFrom("notifications")
      .select("message")
      .where("recipientUuid", "=", builder.uuid)
      .where("action", "=", "task_reported")
      .execute()
    expect(told.map(({ message }) => message)).toEqual([
      'Oda on "Base", which your work builds on: f takes two arguments now.',
    ])
    expect(builder.tools).toEqual(expect.arrayContaining(["chorus_add_comment", "chorus_report_work"]))
  })
})
