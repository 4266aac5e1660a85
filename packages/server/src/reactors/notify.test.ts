import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { submittedPlan } from "../../test/plan-fixture.ts"
import type { Actor } from "../operation.ts"

const w = embeddedWorkspace()

beforeEach(() => w.store.write(({ db }) => db.deleteFrom("notifications").execute()))

/** Who was told what since the test began, as `name action`. */
async function told(): Promise<string[]> {
  const rows = await w.store.db.selectFrom("notifications").select(["recipientUuid", "action"]).execute()
  const names = new Map(
    [w.owner, w.member, w.viewer, w.pm, w.developer, w.rival, w.admin].map(({ uuid, name }) => [uuid, name]),
  )
  return rows.map(({ recipientUuid, action }) => `${names.get(recipientUuid) ?? recipientUuid} ${action}`).sort()
}
const messages = async () =>
  (await w.store.db.selectFrom("notifications").select("message").execute()).map(({ message }) => message)
const mention = (actor: Actor) => `@[${actor.name}](${actor.type}:${actor.uuid})`
const comment = (content: string, by: Actor = w.owner, targetUuid?: string) =>
  w.call<{ uuid: string }>(by, "chorus_add_comment", { targetType: "task", targetUuid, content })
const fresh = async (work: () => Promise<string>) => {
  const uuid = await work()
  await w.store.write(({ db }) => db.deleteFrom("notifications").execute())
  return uuid
}

describe("who is told of what", () => {
  it.each<[string, () => Promise<unknown>, string[]]>([
    [
      "a task that is handed in: its agent's person and who wrote it",
      async () =>
        w.call(w.developer, "chorus_submit_for_verify", {
          taskUuid: await fresh(() => w.taskAt("in_progress")),
          insist: true,
        }),
      ["Olive task_submitted_for_verify", "Petra task_submitted_for_verify"],
    ],
    [
      "one that is claimed: who wrote it",
      async () => w.call(w.developer, "chorus_claim_task", { taskUuid: await fresh(() => w.newTask()) }),
      ["Petra task_status_changed"],
    ],
    [
      "one that is reopened: its holder",
      async () =>
        w.call(w.admin, "chorus_admin_reopen_task", {
          taskUuid: await fresh(() => w.taskAt("to_verify")),
          reason: "it leaks",
        }),
      ["Dev task_reopened"],
    ],
    [
      "an idea that is taken up: who wrote it, not who took it",
      async () => w.call(w.owner, "chorus_claim_idea", { ideaUuid: await fresh(() => w.newIdea()) }),
      ["Petra idea_claimed"],
    ],
    [
      "a proposal that waits: the person behind its author",
      async () => submittedPlan(w, w.pm),
      ["Olive proposal_submitted"],
    ],
    [
      "an approval: its author",
      async () =>
        w.call(w.owner, "chorus_admin_approve_proposal", {
          proposalUuid: await fresh(async () => (await submittedPlan(w, w.pm)).uuid),
        }),
      ["Petra proposal_approved"],
    ],
    [
      "a review: the holder of the task, the reviewer's person and who wrote it",
      async () =>
        w.call(w.rival, "chorus_submit_review", {
          targetType: "task",
          targetUuid: await fresh(() => w.taskAt("to_verify")),
          verdict: "pass",
          summary: "fine",
        }),
      ["Dev review_submitted", "Olive review_submitted", "Petra review_submitted"],
    ],
    [
      "an agent's question: its person",
      async () => w.call(w.developer, "chorus_create_attention", { title: "May I?" }),
      ["Olive attention_requested"],
    ],
  ])("%s", async (_, work, expected) => {
    await work()
    expect((await told()).filter((line) => expected.some((each) => line.endsWith(each.split(" ")[1] ?? "")))).toEqual(
      expected,
    )
  })

  it("has nothing left to read of what was settled, whoever settled it and wherever", async () => {
    const unread = async () =>
      (
        await w.store.db
          .selectFrom("notifications")
          .select(["recipientUuid", "action"])
          .where("readAt", "is", null)
          .where("action", "in", [
            "task_submitted_for_verify",
            "task_reopened",
            "attention_requested",
            "task_unblocked",
          ])
          .execute()
      ).map(({ action }) => action)
    const taskUuid = await fresh(() => w.taskAt("in_progress"))
    const handIn = () => w.call(w.developer, "chorus_finish_task", { taskUuid, report: "Done.", insist: true })
    await handIn()
    expect(new Set(await unread())).toEqual(new Set(["task_submitted_for_verify"]))
    const events = await w.store.db.selectFrom("events").select("id").execute()
    await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid, reason: "It leaks." })
    expect(await unread()).toEqual(["task_reopened"])
    const read = await w.store.db
      .selectFrom("events")
      .select(["kind", "patch"])
      .where("id", ">", Math.max(...events.map(({ id }) => id)))
      .where("kind", "=", "notification.read")
      .execute()
    expect(read.map(({ patch }) => JSON.parse(patch))).toContainEqual(
      expect.objectContaining({ recipientUuid: w.owner.uuid }),
    )
    await handIn()
    expect(new Set(await unread())).toEqual(new Set(["task_submitted_for_verify"]))
    await w.passCriteria(taskUuid)
    await w.call(w.admin, "chorus_admin_verify_task", { taskUuid })
    expect(await unread()).toEqual([])
    const { uuid: attentionUuid } = await w.call<{ uuid: string }>(w.developer, "chorus_create_attention", {
      title: "Left or right?",
    })
    expect(await unread()).toEqual(["attention_requested"])
    await w.call(w.owner, "chorus_answer_attention", { attentionUuid, answer: { text: "Left" } })
    expect(await unread()).toEqual([])
  })

  it("keeps nobody behind with where a task stood before it went on", async () => {
    const taskUuid = await w.newTask({ title: "Paint" })
    const unread = async () =>
      (
        await w.call<{ notifications: { message: string }[] }>(w.pm, "chorus_get_notifications", {
          autoMarkRead: false,
        })
      ).notifications
    await w.call(w.developer, "chorus_claim_task", { taskUuid })
    expect(await unread()).toMatchObject([{ message: 'Dev claimed "Paint".' }])
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    expect(await unread()).toMatchObject([{ message: 'Dev started "Paint".' }])
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
    expect(await unread()).toMatchObject([{ message: expect.stringContaining("handed in") }])
  })

  it("tells of a question and its answer once, though both stand in the conversation of the task", async () => {
    const taskUuid = await w.newTask()
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    await w.store.write(({ db }) =>
      db
        .updateTable("tasks")
        .set({ createdByType: "user", createdByUuid: w.owner.uuid })
        .where("uuid", "=", taskUuid)
        .execute(),
    )
    await w.store.write(({ db }) => db.deleteFrom("notifications").execute())
    const { uuid: attentionUuid } = await w.call<{ uuid: string }>(w.developer, "chorus_create_attention", {
      title: "Left or right?",
      taskUuid,
    })
    expect(await told()).toEqual(["Olive attention_requested"])
    await w.call(w.owner, "chorus_answer_attention", { attentionUuid, answer: { text: "Left" } })
    expect(await told()).toEqual(["Dev attention_answered", "Olive attention_requested"])
  })

  it("tells nobody that a task can start which the same change closes", async () => {
    const tasks = await w.newTasks({ first: [], second: ["first"] })
    await w.call(w.developer, "chorus_claim_task", { taskUuid: tasks.second })
    await w.store.write(({ db }) => db.deleteFrom("notifications").execute())
    await w.call(w.owner, "chorus_edit_tasks", {
      projectUuid: w.project,
      taskUuids: [tasks.first, tasks.second],
      status: "closed",
    })
    expect((await told()).filter((line) => line.endsWith("task_unblocked"))).toEqual([])
  })

  it("tells once of a task that is handed in with its report, and has one unread word of reports that follow each other", async () => {
    const taskUuid = await fresh(() => w.taskAt("in_progress", { title: "Roof" }))
    const report = (words: string) => w.call(w.developer, "chorus_report_work", { taskUuid, report: words })
    await w.store.write(({ db }) =>
      db
        .updateTable("tasks")
        .set({ createdByType: "user", createdByUuid: w.owner.uuid })
        .where("uuid", "=", taskUuid)
        .execute(),
    )
    for (const words of ["Half", "Nearly", "Almost"]) await report(words)
    const unread = await w.store.db
      .selectFrom("notifications")
      .select("message")
      .where("recipientUuid", "=", w.owner.uuid)
      .where("readAt", "is", null)
      .execute()
    expect(unread).toEqual([{ message: `${w.developer.name} reported on "Roof": Almost` }])
    await w.store.write(({ db }) => db.deleteFrom("notifications").execute())
    await w.call(w.developer, "chorus_finish_task", { taskUuid, report: "It is tight.", insist: true })
    expect((await told()).filter((line) => line.startsWith(`${w.owner.name} `))).toEqual([
      `${w.owner.name} task_submitted_for_verify`,
    ])
  })

  it("says what happened in words, with the whole reason where there is one", async () => {
    const taskUuid = await fresh(() => w.taskAt("to_verify", { title: "Leak" }))
    await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid, reason: "it leaks" })
    expect(await messages()).toContain('Ada sent "Leak" back: it leaks')
    const other = await fresh(() => w.taskAt("to_verify"))
    await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid: other, reason: "x".repeat(3000) })
    expect((await messages()).map((message) => [...message].length)).toEqual([
      `Ada sent "A task to_verify" back: `.length + 3000,
    ])
  })

  it("leaves out who is archived, does not reach the project, or may not read such things", async () => {
    const gone = await w.agent("Gone")
    const blind = await w.agent("Blind", { presets: [], permissions: ["idea:read"] })
    const elsewhere = await w.agent("Elsewhere", { projectUuids: [w.otherProject] })
    await w.call(w.owner, "chorus_update_agent", { agentUuid: gone.uuid, archived: true })
    const targetUuid = await fresh(() => w.newTask())
    await comment([gone, blind, elsewhere, w.rival].map(mention).join(" "), w.owner, targetUuid)
    expect(await told()).toEqual(["Petra comment_added", "Rival mentioned"])
  })

  it("tells nobody what they did themselves", async () => {
    const targetUuid = await fresh(() => w.newTask())
    await comment(`note to self ${mention(w.pm)}`, w.pm, targetUuid)
    expect(await told()).toEqual([])
  })

  it("tells one person one thing once, though several lines of one change say it", async () => {
    const plan = await submittedPlan(w, w.pm, { tasks: { a: [], b: ["a"], c: ["a"] } })
    const { materializedTasks } = await w.call<{ materializedTasks: { taskUuid: string }[] }>(
      w.owner,
      "chorus_admin_approve_proposal",
      { proposalUuid: plan.uuid },
    )
    await w.call(w.rival, "chorus_claim_task", { taskUuid: materializedTasks[1]?.taskUuid })
    await w.call(w.developer, "chorus_claim_task", { taskUuid: materializedTasks[0]?.taskUuid })
    await w.store.write(({ db }) => db.deleteFrom("notifications").execute())
    await w.call(w.owner, "chorus_admin_close_task", { taskUuid: materializedTasks[0]?.taskUuid })
    const unblocked = (
      await w.store.db
        .selectFrom("notifications")
        .select(["recipientUuid", "entityUuid"])
        .where("action", "=", "task_unblocked")
        .execute()
    ).map(({ recipientUuid, entityUuid }) => `${recipientUuid} ${entityUuid}`)
    expect(unblocked).toHaveLength(new Set(unblocked).size)
    expect(unblocked).toHaveLength(3)
  })
})

describe("a mention", () => {
  it("in a comment is told instead of the comment", async () => {
    const targetUuid = await fresh(() => w.newTask())
    await comment(`look, ${mention(w.pm)}`, w.owner, targetUuid)
    expect(await told()).toEqual(["Petra mentioned"])
    expect((await messages())[0]).toContain('Olive mentioned you on "A task": look, ')
  })

  it("in the description of a task or the content of an idea is told, once for each who is new", async () => {
    const taskUuid = await w.newTask({ description: `for ${mention(w.member)}` })
    await w.newIdea({ content: `ask ${mention(w.viewer)}` })
    expect(await told()).toEqual(["Mia mentioned", "Vic mentioned"])
    await w.call(w.pm, "chorus_update_task", {
      taskUuid,
      description: `for ${mention(w.member)} and ${mention(w.viewer)}`,
    })
    expect(await told()).toEqual(["Mia mentioned", "Vic mentioned", "Vic mentioned"])
  })

  it("of the same person twice in one text is one", async () => {
    const targetUuid = await fresh(() => w.newTask())
    await comment(`${mention(w.member)} ${mention(w.member)}`, w.owner, targetUuid)
    expect(await told()).toEqual(["Mia mentioned", "Petra comment_added"])
  })

  it("by an agent reaches people and the agents of its own person, no others", async () => {
    const foreign = await w.agent("Foreign", { owner: w.member })
    const targetUuid = await fresh(() => w.newTask())
    await comment(
      `${mention(foreign)} ${mention(w.rival)} ${mention(w.member)} ${mention(w.stranger)}`,
      w.developer,
      targetUuid,
    )
    expect((await told()).filter((line) => line.endsWith("mentioned"))).toEqual(["Mia mentioned", "Rival mentioned"])
  })

  it("whose kind does not fit its id is plain text", async () => {
    const targetUuid = await fresh(() => w.newTask())
    await comment(
      `@[Mia](agent:${w.member.uuid}) @[Dev](user:${w.developer.uuid}) @[x](user:nobody)`,
      w.owner,
      targetUuid,
    )
    expect(await told()).toEqual(["Petra comment_added"])
  })
})
