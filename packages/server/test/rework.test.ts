import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { approvedPlan, type Brief, type Detail, type Hand, type Person, person } from "./closed-loops.ts"
import { runningServer, type TestServer } from "./running-server.ts"

let chorus: TestServer
let owner: Person
let planner: Hand
let builder: Hand
let reviewer: Hand

beforeAll(async () => {
  chorus = await runningServer()
  owner = await person(chorus.server)
  planner = await owner.hire("Petra", "pm")
  builder = await owner.hire("Bob", "developer")
  reviewer = await owner.hire("Rita", "developer")
})
afterAll(async () => {
  await Promise.all([planner.close(), builder.close(), reviewer.close()])
  await chorus.close()
})

const STORE = {
  key: "store",
  title: "Keep baskets of guests",
  description: "Baskets without an account.",
  criteria: ["A basket survives a restart", "A basket goes after 30 days", { description: "Tests", command: "make" }],
}

async function handedIn() {
  const plan = await approvedPlan(owner, planner, { tasks: [STORE] })
  const { task } = await builder.use<Brief>("chorus_next_task", { projectUuid: plan.projectUuid })
  const checks = task.acceptanceCriteriaItems.map(({ uuid, command }) => ({
    uuid,
    devStatus: "passed",
    devEvidence: "a test shows it",
    ...(command === undefined ? {} : { exitCode: 0 }),
  }))
  await builder.use("chorus_finish_task", { taskUuid: task.uuid, report: "Baskets are kept.", criteria: checks })
  return { ...plan, taskUuid: task.uuid, criteria: task.acceptanceCriteriaItems.map(({ uuid }) => uuid) }
}

describe("work that comes back", () => {
  it("is told with reason, failed criteria and findings, in every place its builder looks; and is gone with the next hand-in", async () => {
    const { projectUuid, taskUuid, criteria } = await handedIn()
    const [survives = "", goes = "", tests = ""] = criteria
    await reviewer.use("chorus_submit_review", {
      targetType: "task",
      targetUuid: taskUuid,
      verdict: "fail",
      summary: "The clock is wrong.",
      findings: [{ severity: "blocker", text: "Counts 30 months." }],
    })
    // One act of the person.
    await owner.call("chorus_mark_acceptance_criteria", {
      taskUuid,
      criteria: [
        { uuid: survives, status: "passed" },
        { uuid: goes, status: "failed", evidence: "After 31 days it was still there." },
      ],
      sendBack: "Please count days.",
    })
    const why = {
      handIn: 1,
      by: { type: "user" },
      reason: "Please count days.",
      failed: [{ uuid: goes, criterion: "A basket goes after 30 days", evidence: "After 31 days it was still there." }],
      findings: [{ key: "B1", severity: "blocker", text: "Counts 30 months.", by: "Rita" }],
    }
    const seen = await builder.use<Detail>("chorus_get_task", { taskUuid })
    expect(Object.keys(seen)[0]).toBe("returned")
    expect(seen).toMatchObject({ status: "in_progress", returned: why })
    expect(seen.acceptanceCriteriaItems).toMatchObject([
      { status: "passed", devStatus: "passed", devEvidence: "a test shows it" },
      { status: "failed", devStatus: "pending", devEvidence: "a test shows it" },
      { status: "pending", devStatus: "passed" },
    ])
    const { task } = await builder.use<Brief>("chorus_next_task", { projectUuid })
    expect(task).toMatchObject({ uuid: taskUuid, returned: why })
    expect((await builder.use<Brief>("chorus_start_task", { taskUuid })).task.returned).toMatchObject(why)
    expect((await owner.call<Detail>("chorus_get_task", { taskUuid })).returned).toMatchObject(why)

    await builder.use("chorus_finish_task", {
      taskUuid,
      report: "Counts days now.",
      criteria: [{ uuid: goes, devStatus: "passed", devEvidence: "clock test" }],
    })
    const again = await builder.use<Detail>("chorus_get_task", { taskUuid })
    expect(again.returned).toBeUndefined()
    expect(again).toMatchObject({
      handIns: [
        {
          number: 1,
          outcome: "returned",
          reason: "Please count days.",
          failed: [{ evidence: "After 31 days it was still there." }],
        },
        { number: 2, outcome: "pending" },
      ],
    })
    expect(again.acceptanceCriteriaItems.find(({ uuid }) => uuid === tests)).toMatchObject({ devStatus: "passed" })
    await owner.call("chorus_mark_acceptance_criteria", {
      taskUuid,
      criteria: criteria.map((uuid) => ({ uuid, status: "passed" })),
    })
    await owner.call("chorus_admin_verify_task", { taskUuid })
    expect((await builder.use<Detail>("chorus_get_task", { taskUuid })).handIns.map(({ outcome }) => outcome)).toEqual([
      "returned",
      "accepted",
    ])
  })

  it("comes before anything else that is ready, once", async () => {
    const plan = await approvedPlan(owner, planner, {
      tasks: [
        { ...STORE, priority: "low", criteria: ["It works"] },
        { ...STORE, key: "page", title: "Pay without an account", priority: "high", criteria: ["It works"] },
      ],
    })
    const next = async () =>
      (await builder.use<Brief>("chorus_next_task", { projectUuid: plan.projectUuid })).task?.title
    expect(await next()).toBe("Pay without an account")
    expect(await next()).toBe("Keep baskets of guests")
    const taskUuid = plan.taskOf("Keep baskets of guests")
    await builder.use("chorus_finish_task", { taskUuid, report: "done" })
    await owner.call("chorus_create_tasks", {
      projectUuid: plan.projectUuid,
      tasks: [{ title: "Urgent", priority: "high", acceptanceCriteriaItems: [{ description: "It works" }] }],
    })
    await owner.call("chorus_admin_reopen_task", { taskUuid, reason: "Not yet." })
    expect(await next()).toBe("Keep baskets of guests")
    expect(await next()).toBe("Urgent")
  })

  it("can be taken back by its builder before anybody judged it", async () => {
    const { taskUuid } = await handedIn()
    expect(await builder.refused("chorus_start_task", { taskUuid })).toContain("takeBack: true")
    const { task } = await builder.use<Brief>("chorus_start_task", { taskUuid, takeBack: true })
    expect(task).toMatchObject({ status: "in_progress" })
    expect(task.returned).toBeUndefined()
    expect(await reviewer.refused("chorus_start_task", { taskUuid, takeBack: true })).toContain("held by Bob")
    expect((await builder.use<Detail>("chorus_get_task", { taskUuid })).handIns).toMatchObject([
      { outcome: "taken_back" },
    ])
  })

  it("asks before it is handed in with a question open", async () => {
    const plan = await approvedPlan(owner, planner, { tasks: [{ ...STORE, criteria: ["It works"] }] })
    const taskUuid = plan.taskOf(STORE.title)
    await builder.use("chorus_start_task", { taskUuid })
    const asked = await builder.use<{ uuid: string }>("chorus_create_attention", {
      title: "Which table?",
      projectUuid: plan.projectUuid,
    })
    const refusal = await builder.refused("chorus_finish_task", { taskUuid, report: "I took baskets." })
    expect(refusal).toContain("Which table?")
    expect(refusal).toContain("insist")
    expect(await builder.use("chorus_get_task", { taskUuid })).toMatchObject({ status: "in_progress", reports: [] })
    await owner.call("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { text: "baskets" } })
    expect(await builder.use("chorus_finish_task", { taskUuid, report: "In baskets." })).toMatchObject({
      status: "to_verify",
    })
  })

  it("may be handed in by one who insists", async () => {
    const plan = await approvedPlan(owner, planner, { tasks: [{ ...STORE, criteria: ["It works"] }] })
    const taskUuid = plan.taskOf(STORE.title)
    await reviewer.use("chorus_start_task", { taskUuid })
    await reviewer.use("chorus_create_attention", { title: "Which colour?", projectUuid: plan.projectUuid })
    expect(
      await reviewer.use("chorus_finish_task", { taskUuid, report: "I assumed blue.", insist: true }),
    ).toMatchObject({ status: "to_verify" })
  })
})

describe("a plan that comes back", () => {
  it("tells its planner the reason and what reviewers found", async () => {
    const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Back" })
    const idea = await owner.call<{ uuid: string }>("chorus_pm_create_idea", { projectUuid, title: "Guests can pay" })
    const plan = {
      projectUuid,
      title: "Guest checkout",
      ideaUuids: [idea.uuid],
      documents: [{ type: "tech_design", title: "Baskets", content: "x".repeat(120) }],
      tasks: [STORE],
    }
    const { uuid: proposalUuid } = await planner.use<{ uuid: string }>("chorus_submit_plan", {
      ...plan,
      skipElaboration: "It is clear.",
    })
    await reviewer.use("chorus_submit_review", {
      targetType: "proposal",
      targetUuid: proposalUuid,
      verdict: "fail",
      summary: "Thin.",
      findings: [{ severity: "blocker", text: "Nothing about mail." }],
    })
    await owner.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "Smaller, please." })
    expect(await planner.use("chorus_get_proposal", { proposalUuid })).toMatchObject({
      status: "draft",
      returned: {
        handIn: 1,
        reason: "Smaller, please.",
        findings: [{ key: "B1", text: "Nothing about mail.", by: "Rita" }],
      },
    })
    await planner.use("chorus_submit_plan", { ...plan, proposalUuid })
    expect(await planner.use("chorus_get_proposal", { proposalUuid })).not.toHaveProperty("returned")
  })
})
