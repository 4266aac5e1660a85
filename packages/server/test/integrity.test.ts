import type { elaboration, inbox, OutputOf } from "@chorus/contracts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { approvedPlan, type Brief, DESIGN, type Detail, type Hand, type Person, person } from "./closed-loops.ts"
import { runningServer, type TestServer } from "./running-server.ts"

type Inbox = OutputOf<typeof inbox.inbox>

let chorus: TestServer
let owner: Person
let planner: Hand
let builder: Hand
let lead: Hand

beforeAll(async () => {
  chorus = await runningServer()
  owner = await person(chorus.server)
  planner = await owner.hire("Petra", "pm", "")
  builder = await owner.hire("Bob", "developer", "")
  lead = await owner.hire("Leo", "admin", "")
})
afterAll(async () => {
  await Promise.all([planner.close(), builder.close(), lead.close()])
  await chorus.close()
})

const TASK = {
  key: "store",
  title: "Keep baskets",
  description: "Baskets of guests.",
  criteria: ["It survives", "It goes"],
}
const needs = (items: { uuid: string; kind: string; title: string }[]) =>
  items.filter(({ kind }) => kind === "attention")

describe("what was approved", () => {
  it("keeps its criteria and words against every agent, and changes by a request that a person agrees to", async () => {
    const plan = await approvedPlan(owner, planner, { tasks: [TASK] })
    const taskUuid = plan.taskOf(TASK.title)
    const easier = { taskUuid, acceptanceCriteriaItems: [{ description: "It exists" }] }
    for (const hand of [builder, planner, lead]) {
      expect(await hand.refused("chorus_update_task", easier)).toContain("chorus_request_change")
      expect(await hand.refused("chorus_update_task", { taskUuid, description: "Less." })).toContain("approved")
    }
    expect(
      await lead.refused("chorus_create_tasks", {
        projectUuid: plan.projectUuid,
        proposalUuid: plan.proposalUuid,
        tasks: [{ title: "More", acceptanceCriteriaItems: [{ description: "It is there" }] }],
      }),
    ).toContain("approved")
    expect(await lead.refused("chorus_admin_delete_task", { taskUuid })).toContain("person")
    expect(
      await planner.refused("chorus_pm_update_document", { documentUuid: plan.documentUuid, content: "Mine." }),
    ).toContain("approved")
    // How the work is arranged is no part of it.
    await builder.use("chorus_update_task", { taskUuid, priority: "high" })

    const asked = await builder.use<{ uuid: string }>("chorus_request_change", {
      targetType: "task",
      targetUuid: taskUuid,
      reason: "Nothing can go by itself there.",
      criteria: ["It survives", "A job takes it away"],
    })
    expect((await builder.use<Detail>("chorus_get_task", { taskUuid })).version).toBe(1)
    const { items } = await owner.call<{ items: { uuid: string; kind: string; title: string }[] }>("chorus_needs_you")
    expect(needs(items)).toMatchObject([{ uuid: asked.uuid, title: 'Change "Keep baskets"' }])
    expect(await lead.refused("chorus_create_attention", { title: "x", kind: "change" })).toContain("kind")
    await owner.call("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { decision: "approve" } })

    const now = await builder.use<Detail>("chorus_get_task", { taskUuid })
    expect(now).toMatchObject({ version: 2 })
    expect(now.acceptanceCriteriaItems.map(({ description }) => description)).toEqual([
      "It survives",
      "A job takes it away",
    ])
    const { versions } = await owner.call<{ versions: { changedBy: { name: string } }[] }>("chorus_get_versions", {
      targetType: "task",
      targetUuid: taskUuid,
    })
    expect(versions[0]?.changedBy.name).toBe("Bob")
    const { activities } = await owner.call<{ activities: { action?: string; kind?: string }[] }>(
      "chorus_get_activity",
      {
        projectUuid: plan.projectUuid,
      },
    )
    expect(JSON.stringify(activities)).toContain("criteria_replaced")
  })

  it("stays as it was where a person says no, and where it moved on meanwhile nothing is written over", async () => {
    const plan = await approvedPlan(owner, planner, { tasks: [TASK] })
    const taskUuid = plan.taskOf(TASK.title)
    const ask = (content: string) =>
      builder.use<{ uuid: string }>("chorus_request_change", {
        targetType: "task",
        targetUuid: taskUuid,
        reason: "why",
        content,
      })
    const [one, two] = [await ask("One."), await ask("Two.")]
    await owner.call("chorus_answer_attention", { attentionUuid: one.uuid, answer: { decision: "deny", text: "No." } })
    expect((await owner.call<Detail>("chorus_get_task", { taskUuid })).description).toBe(TASK.description)
    await owner.call("chorus_update_task", { taskUuid, description: "The person's." })
    await expect(
      owner.call("chorus_answer_attention", { attentionUuid: two.uuid, answer: { decision: "approve" } }),
    ).rejects.toMatchObject({ code: "stale_version" })
    expect((await owner.call<Detail>("chorus_get_task", { taskUuid })).description).toBe("The person's.")
    await owner.call("chorus_answer_attention", {
      attentionUuid: two.uuid,
      answer: { decision: "deny", text: "Not now." },
    })
  })

  it("takes further tasks in by a request", async () => {
    const plan = await approvedPlan(owner, planner, { tasks: [TASK] })
    const asked = await planner.use<{ uuid: string }>("chorus_request_change", {
      targetType: "proposal",
      targetUuid: plan.proposalUuid,
      reason: "The mail was forgotten.",
      tasks: [{ title: "Send the mail", acceptanceCriteriaItems: [{ description: "It arrives" }] }],
    })
    await owner.call("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { decision: "approve" } })
    expect(
      await owner.call("chorus_list_tasks", { projectUuid: plan.projectUuid, proposalUuids: [plan.proposalUuid] }),
    ).toMatchObject({ total: 2 })
  })

  it("takes them in the words in which it was planned, and nothing that was said is dropped in silence", async () => {
    const plan = await approvedPlan(owner, planner, { tasks: [TASK] })
    const taskUuid = plan.taskOf(TASK.title)
    const { shortId } = await planner.use<Detail>("chorus_get_task", { taskUuid })
    const request = { targetType: "proposal", targetUuid: plan.proposalUuid, reason: "The mail was forgotten." }
    const mail = { key: "mail", title: "Send the mail", criteria: ["It arrives"] }
    for (const [task, named] of [
      [{ ...mail, dependOn: [shortId] }, '\\"tasks.0.dependOn\\" (did you mean \\"dependsOn\\"?)'],
      [{ title: "Mail", acceptanceCriteriaItems: [{ description: "It is" }], wishes: 1 }, '\\"tasks.0.wishes\\"'],
      [{ ...mail, criteria: undefined }, "tasks.0.criteria"],
      [{ ...mail, dependsOn: ["SHOP-999"] }, "There is no task SHOP-999"],
    ] as const)
      expect(await planner.refused("chorus_request_change", { ...request, tasks: [task] })).toContain(named)
    const dependsOn = [{ key: shortId, contract: "basketOf(cookie)" }]
    const asked = await planner.use<{ uuid: string }>("chorus_request_change", {
      ...request,
      tasks: [
        { ...mail, dependsOn },
        { title: "Try again", criteria: ["For a day"], dependsOn: ["mail"] },
      ],
    })
    await owner.call("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { decision: "approve" } })
    const list = { projectUuid: plan.projectUuid, proposalUuids: [plan.proposalUuid] }
    const { tasks } = await owner.call<{ tasks: { uuid: string; title: string }[] }>("chorus_list_tasks", list)
    const called = (title: string) => tasks.find((task) => task.title === title)?.uuid
    expect(await owner.call("chorus_get_task", { taskUuid: called("Send the mail") })).toMatchObject({
      acceptanceCriteriaItems: [{ description: "It arrives" }],
      dependsOn: [{ uuid: taskUuid, contract: "basketOf(cookie)" }],
    })
    expect(await owner.call("chorus_get_task", { taskUuid: called("Try again") })).toMatchObject({
      dependsOn: [{ uuid: called("Send the mail") }],
    })
  })

  it("is revoked by an agent only before work was done on it", async () => {
    const plan = await approvedPlan(owner, planner, { tasks: [TASK] })
    await builder.use("chorus_start_task", { taskUuid: plan.taskOf(TASK.title) })
    await builder.use("chorus_finish_task", { taskUuid: plan.taskOf(TASK.title), report: "done" })
    expect(await planner.refused("chorus_pm_revoke_proposal", { proposalUuid: plan.proposalUuid })).toContain("person")
    expect(await owner.call("chorus_pm_revoke_proposal", { proposalUuid: plan.proposalUuid })).toMatchObject({
      status: "draft",
    })
    const other = await approvedPlan(owner, planner, { tasks: [TASK] })
    await planner.use("chorus_pm_revoke_proposal", { proposalUuid: other.proposalUuid })
  })

  it("keeps the order of its tasks against every agent; what one of them put between since, it takes away again", async () => {
    const plan = await approvedPlan(owner, planner, {
      tasks: [
        TASK,
        { ...TASK, key: "page", title: "Pay", dependsOn: [{ key: "store", contract: "basketOf(cookie)" }] },
        { ...TASK, key: "mail", title: "Send the receipt" },
      ],
    })
    const [store, pay, mail] = [TASK.title, "Pay", "Send the receipt"].map((title) => plan.taskOf(title))
    for (const hand of [builder, planner, lead])
      expect(await hand.refused("chorus_update_task", { taskUuid: pay, removeDependsOn: [store] })).toContain("person")
    expect(await builder.refused("chorus_start_task", { taskUuid: pay })).toContain(TASK.title)
    await builder.use("chorus_update_task", { taskUuid: pay, addDependsOn: [mail] })
    await builder.use("chorus_update_task", { taskUuid: pay, removeDependsOn: [mail] })
    await owner.call("chorus_update_task", { taskUuid: pay, removeDependsOn: [store] })
    await builder.use("chorus_start_task", { taskUuid: pay })
  })

  it("is deleted by people alone, who then tell whoever builds and whoever leads", async () => {
    const plan = await approvedPlan(owner, planner, { tasks: [TASK] })
    const taskUuid = plan.taskOf(TASK.title)
    await builder.use("chorus_start_task", { taskUuid })
    const { documentUuid } = plan
    expect(await lead.refused("chorus_admin_delete_document", { documentUuid })).toContain("person")
    expect(await planner.use("chorus_get_document", { documentUuid })).toMatchObject({ content: DESIGN })
    const [building, leading] = [
      await builder.use<Inbox>("chorus_inbox", {}),
      await planner.use<Inbox>("chorus_inbox", {}),
    ]
    await owner.call("chorus_admin_delete_document", { documentUuid })
    await owner.call("chorus_admin_delete_task", { taskUuid })
    for (const [hand, { cursor }] of [
      [builder, building],
      [planner, leading],
    ] as const) {
      const { news } = await hand.use<Inbox>("chorus_inbox", { after: cursor })
      expect(news.map(({ message }) => message)).toEqual(['Owner deleted "Baskets".', `Owner deleted "${TASK.title}".`])
    }
  })

  it("tells whoever holds it when a person changes it", async () => {
    const plan = await approvedPlan(owner, planner, { tasks: [TASK] })
    const taskUuid = plan.taskOf(TASK.title)
    await builder.use("chorus_start_task", { taskUuid })
    await owner.call("chorus_update_task", {
      taskUuid,
      acceptanceCriteriaItems: [
        { description: "It survives" },
        { description: "It goes" },
        { description: "It is blue" },
      ],
    })
    const { notifications } = await builder.use<{ notifications: { message: string }[] }>(
      "chorus_get_notifications",
      {},
    )
    expect(notifications.map(({ message }) => message).join("\n")).toContain(
      'to "It survives", "It goes", "It is blue"',
    )
  })
})

describe("a person's own words", () => {
  it("are not rewritten by an agent, and the anchor quotes each author under their own name", async () => {
    const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Words" })
    const { uuid: ideaUuid } = await owner.call<{ uuid: string }>("chorus_pm_create_idea", {
      projectUuid,
      title: "Guests can pay",
      content: "Without an account.",
    })
    expect(await planner.refused("chorus_edit_idea", { ideaUuid, content: "With an account." })).toContain("own words")
    const { uuid: documentUuid } = await owner.call<{ uuid: string }>("chorus_pm_create_document", {
      projectUuid,
      type: "prd",
      title: "Why",
      content: DESIGN,
    })
    expect(await planner.refused("chorus_pm_update_document", { documentUuid, content: "Other." })).toContain(
      "own words",
    )
    const asked = await planner.use<{ uuid: string }>("chorus_request_change", {
      targetType: "idea",
      targetUuid: ideaUuid,
      reason: "The bank asks for it.",
      content: "With a mail address.",
    })
    await owner.call("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { decision: "approve" } })
    const anchor = await planner.use<OutputOf<typeof elaboration.getAlignmentAnchor>>("chorus_get_alignment_anchor", {
      entityType: "idea",
      entityUuid: ideaUuid,
    })
    expect(anchor.ideas[0]).toMatchObject({
      content: "With a mail address.",
      createdBy: { type: "user" },
      words: [
        { by: { type: "user" }, content: "Without an account." },
        { by: { name: "Petra" }, content: "With a mail address." },
      ],
    })
  })

  it("are not deleted by an agent either, nor are the files and links that go with them", async () => {
    const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Kept" })
    const { uuid: ideaUuid } = await owner.call<{ uuid: string }>("chorus_pm_create_idea", {
      projectUuid,
      title: "One",
    })
    const target = { targetType: "idea", targetUuid: ideaUuid }
    const file = { name: "sketch.txt", mediaType: "text/plain", contentBase64: "QQ==" }
    const { uuid: attachmentUuid } = await owner.call<{ uuid: string }>("chorus_add_attachment", { ...target, ...file })
    const link = { ...target, type: "docs", url: "https://example.test/a", title: "A" }
    const { uuid } = await owner.call<{ uuid: string }>("chorus_add_reference", link)
    const { tasks } = await owner.call<{ tasks: { uuid: string }[] }>("chorus_create_tasks", {
      projectUuid,
      tasks: [{ title: "By hand", acceptanceCriteriaItems: [{ description: "It is" }] }],
    })
    for (const [tool, input] of [
      ["chorus_admin_delete_idea", { ideaUuid }],
      ["chorus_admin_delete_task", { taskUuid: tasks[0]?.uuid }],
      ["chorus_remove_reference", { uuid }],
      ["chorus_update_reference", { uuid, url: "https://example.test/b" }],
    ] as const)
      expect(await lead.refused(tool, input), tool).toContain("needs_person")
    const answer = await chorus.post("chorus_remove_attachment", { attachmentUuid })
    expect(answer.body["error"]).toMatchObject({ code: "needs_person" })
    expect(await planner.use("chorus_get_idea", { ideaUuid })).toMatchObject({
      attachments: [{ name: "sketch.txt" }],
      references: [{ url: "https://example.test/a" }],
    })
    // What agents wrote, they may take away.
    const own = await planner.use<{ uuid: string }>("chorus_pm_create_idea", { projectUuid, title: "Mine" })
    await lead.use("chorus_admin_delete_idea", { ideaUuid: own.uuid })
    const { notifications } = await planner.use<{ notifications: { message: string }[] }>(
      "chorus_get_notifications",
      {},
    )
    expect(notifications[0]?.message).toBe('Leo deleted "Mine".')
  })

  it("keep both texts in the log", async () => {
    const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Log" })
    const { uuid: ideaUuid } = await owner.call<{ uuid: string }>("chorus_pm_create_idea", {
      projectUuid,
      title: "One",
      content: "first",
    })
    await owner.call("chorus_edit_idea", { ideaUuid, content: "second" })
    const { events } = await owner.call<{ events: { kind: string; patch: object }[] }>("chorus_list_events", {
      limit: 100,
    })
    expect(events.find(({ kind }) => kind === "idea.updated")?.patch ?? events).toMatchObject({
      content: "second",
      before: { content: "first" },
    })
  })
})

describe("a criterion with a command", () => {
  it("does not pass without an exit code", async () => {
    const plan = await approvedPlan(owner, planner, {
      tasks: [{ ...TASK, criteria: [{ description: "Tests pass", command: "make test" }] }],
    })
    const { task } = await builder.use<Brief>("chorus_start_task", { taskUuid: plan.taskOf(TASK.title) })
    const [item] = task.acceptanceCriteriaItems
    const finish = (more: object) => ({
      taskUuid: task.uuid,
      report: "done",
      criteria: [{ uuid: item?.uuid, devStatus: "passed", ...more }],
    })
    expect(await builder.refused("chorus_finish_task", finish({}))).toContain("make test")
    expect(
      await lead.refused("chorus_mark_acceptance_criteria", {
        taskUuid: task.uuid,
        criteria: [{ uuid: item?.uuid, status: "passed" }],
      }),
    ).toContain("exit code")
    await builder.use("chorus_finish_task", finish({ exitCode: 0, output: "ok" }))
  })
})
