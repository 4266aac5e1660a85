import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { settledIdea, submittedPlan } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Note {
  uuid: string
  action: string
  entityType: string
  entityUuid: string
  entityTitle: string
  message: string
  actorName: string
  projectName: string
  readAt: string | null
}

interface Inbox {
  notifications: Note[]
  unreadCount: number
  total: number
}

const CRITERIA = [{ description: "works" }]

onEachEngineUnderStress("notifications", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const inbox = (actor: Actor, input: object = { autoMarkRead: false }) =>
    w.call<Inbox>(actor, "chorus_get_notifications", input)
  /** What was newly told while something happened, oldest first. */
  const told = async (actor: Actor, happens: () => Promise<unknown>) => {
    await inbox(actor, { limit: 100 })
    await happens()
    return (await inbox(actor)).notifications.toReversed()
  }
  const makeTasks = async (actor: Actor, ...tasks: object[]) =>
    (
      await w.call<{ tasks: { uuid: string }[] }>(actor, "chorus_create_tasks", {
        projectUuid: w.project,
        tasks: tasks.map((task) => ({ acceptanceCriteriaItems: CRITERIA, ...task })),
      })
    ).tasks.map(({ uuid }) => uuid)
  const makeTask = async (actor: Actor, task: object = {}) =>
    (await makeTasks(actor, { title: "Build", ...task }))[0] ?? ""
  const mention = ({ name, type, uuid }: Actor) => `@[${name}](${type}:${uuid})`

  describe("of tasks", () => {
    it("tell the assignee, and not who assigned", async () => {
      const taskUuid = await makeTask(w.owner)
      const seen = await told(w.developer, () =>
        w.call(w.pm, "chorus_pm_assign_task", { taskUuid, agentUuid: w.developer.uuid }),
      )
      expect(seen).toMatchObject([
        {
          action: "task_assigned",
          entityUuid: taskUuid,
          entityTitle: "Build",
          actorName: "Petra",
          projectName: "First",
          message: 'Petra assigned "Build" to you.',
          readAt: null,
        },
      ])
      expect((await inbox(w.pm)).notifications).toEqual([])
    })

    it("tell the creator and the agent's person once what one change did to one task", async () => {
      const taskUuid = await makeTask(w.owner)
      expect(await told(w.owner, () => w.call(w.developer, "chorus_start_task", { taskUuid }))).toMatchObject([
        { action: "task_status_changed", message: 'Dev started "Build".' },
      ])
      const handedIn = await told(w.owner, () => w.call(w.developer, "chorus_submit_for_verify", { taskUuid }))
      expect(handedIn).toMatchObject([{ action: "task_submitted_for_verify" }])
    })

    it("tell the assignee how the work was judged", async () => {
      const taskUuid = await makeTask(w.owner)
      await w.call(w.developer, "chorus_start_task", { taskUuid })
      await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
      expect(
        await told(w.developer, () => w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, reason: "tests fail" })),
      ).toMatchObject([{ action: "task_reopened", message: 'Olive sent "Build" back: tests fail' }])
      await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
      const { acceptanceCriteriaItems } = await w.call<{ acceptanceCriteriaItems: { uuid: string }[] }>(
        w.owner,
        "chorus_get_task",
        { taskUuid },
      )
      await w.call(w.owner, "chorus_mark_acceptance_criteria", {
        taskUuid,
        criteria: acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status: "passed" })),
      })
      expect(await told(w.developer, () => w.call(w.owner, "chorus_admin_verify_task", { taskUuid }))).toMatchObject([
        { action: "task_verified" },
      ])
    })

    it("tell whoever waits that a task can start: its holder, or else the agents at work on its proposal, not who planned it", async () => {
      const plan = await submittedPlan(w, w.pm)
      const { materializedTasks } = await w.call<{ materializedTasks: { taskUuid: string; title: string }[] }>(
        w.owner,
        "chorus_admin_approve_proposal",
        { proposalUuid: plan.uuid },
      )
      const graph = await w.call<{ edges: { taskUuid: string; dependsOnUuid: string }[] }>(
        w.owner,
        "chorus_get_task_graph",
        { projectUuid: w.project, proposalUuids: [plan.uuid] },
      )
      const [edge] = graph.edges
      if (edge === undefined) throw new Error(`no edge among ${materializedTasks.length} tasks`)
      await w.call(w.rival, "chorus_claim_task", { taskUuid: edge.dependsOnUuid })
      const seen = await told(w.pm, () => w.call(w.owner, "chorus_admin_close_task", { taskUuid: edge.dependsOnUuid }))
      expect(seen).toMatchObject([{ action: "task_status_changed", entityUuid: edge.dependsOnUuid }])
      expect((await inbox(w.rival)).notifications.map(({ action }) => action)).toContain("task_unblocked")
      expect((await inbox(w.developer)).notifications.map(({ action }) => action)).not.toContain("task_unblocked")
    })
  })

  describe("of planning", () => {
    it("tell a person that a proposal waits, and its author what became of it", async () => {
      let proposalUuid = ""
      const waiting = await told(w.owner, async () => {
        proposalUuid = (await submittedPlan(w, w.pm)).uuid
      })
      expect(waiting.filter(({ action }) => action === "proposal_submitted")).toMatchObject([
        { entityUuid: proposalUuid },
      ])
      expect(
        await told(w.pm, () => w.call(w.owner, "chorus_pm_reject_proposal", { proposalUuid, reviewNote: "too big" })),
      ).toMatchObject([{ action: "proposal_rejected", message: expect.stringContaining("too big") }])
      await w.call(w.pm, "chorus_pm_submit_proposal", { proposalUuid })
      expect(
        (await told(w.pm, () => w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid }))).map(
          ({ action }) => action,
        ),
      ).toEqual(["proposal_approved"])
      const report = await told(w.owner, () =>
        w.call(w.pm, "chorus_create_report", { proposalUuid, title: "Done", content: "All is done." }),
      )
      expect(report).toMatchObject([{ action: "report_created", entityTitle: "Done" }])
    })

    it("tell who wrote an idea that it was taken up and that there are questions, and who asked what was answered", async () => {
      const { uuid: ideaUuid } = await w.call<{ uuid: string }>(w.member, "chorus_pm_create_idea", {
        projectUuid: w.project,
        title: "Idea",
      })
      expect(await told(w.member, () => w.call(w.pm, "chorus_claim_idea", { ideaUuid }))).toMatchObject([
        { action: "idea_claimed" },
      ])
      const question = {
        id: "q1",
        text: "Which?",
        category: "scope",
        options: [
          { id: "a", label: "A" },
          { id: "b", label: "B" },
        ],
      }
      const asked = await told(w.member, () =>
        w.call(w.pm, "chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions: [question] }),
      )
      expect(asked).toMatchObject([{ action: "elaboration_requested" }])
      const answered = await told(w.pm, () =>
        w.call(w.member, "chorus_answer_elaboration", {
          ideaUuid,
          answers: [{ questionId: "q1", selectedOptionId: "a", customText: null }],
        }),
      )
      expect(answered).toMatchObject([{ action: "elaboration_answered" }])
    })

    it("tell the author of a review, and a person of an agent's question", async () => {
      const { uuid } = await submittedPlan(w, w.pm)
      expect(
        await told(w.pm, () =>
          w.call(w.admin, "chorus_submit_review", {
            targetType: "proposal",
            targetUuid: uuid,
            verdict: "pass",
            summary: "good",
          }),
        ),
      ).toMatchObject([{ action: "review_submitted", entityUuid: uuid }])
      expect(
        await told(w.owner, () => w.call(w.developer, "chorus_create_attention", { title: "Which port?" })),
      ).toMatchObject([{ action: "attention_requested", message: "Dev waits for you: Which port?" }])
    })
  })

  describe("of what people say", () => {
    it("tell holder, creator and whom one answers; who is mentioned hears of that instead", async () => {
      const taskUuid = await makeTask(w.owner)
      await w.call(w.developer, "chorus_claim_task", { taskUuid })
      const comment = (actor: Actor, content: string, parentUuid?: string) =>
        w.call<{ uuid: string }>(actor, "chorus_add_comment", {
          targetType: "task",
          targetUuid: taskUuid,
          content,
          ...(parentUuid === undefined ? {} : { parentUuid }),
        })
      let first = ""
      expect(await told(w.developer, async () => (first = (await comment(w.rival, "How far?")).uuid))).toMatchObject([
        { action: "comment_added", message: 'Rival on "Build": How far?' },
      ])
      expect(await told(w.rival, () => comment(w.developer, "Nearly", first))).toMatchObject([
        { action: "comment_added" },
      ])
      const both = () => comment(w.member, `${mention(w.developer)} and ${mention(w.member)}: look`)
      expect(await told(w.developer, both)).toMatchObject([
        {
          action: "mentioned",
          entityType: "task",
          entityUuid: taskUuid,
          message: 'Mia mentioned you on "Build": @Dev and @Mia: look',
        },
      ])
      expect((await inbox(w.member)).notifications.filter(({ action }) => action === "mentioned")).toEqual([])
    })

    it("tell only those newly mentioned when a text changes", async () => {
      const { uuid: commentUuid } = await w.call<{ uuid: string }>(w.member, "chorus_add_comment", {
        targetType: "idea",
        targetUuid: await settledIdea(w, w.pm),
        content: mention(w.developer),
      })
      const edit = (content: string) => () => w.call(w.member, "chorus_edit_comment", { commentUuid, content })
      expect(await told(w.developer, edit(`${mention(w.developer)} again`))).toEqual([])
      expect(await told(w.rival, edit(`${mention(w.developer)} ${mention(w.rival)}`))).toMatchObject([
        { action: "mentioned" },
      ])
      expect(await told(w.rival, edit(mention(w.developer)))).toEqual([])
      expect(await told(w.rival, edit(mention(w.rival)))).toMatchObject([{ action: "mentioned" }])
    })

    it("come from descriptions of tasks and contents of ideas too", async () => {
      let task = ""
      expect(
        await told(
          w.developer,
          async () =>
            (task =
              (
                await makeTasks(w.member, { title: "T1" }, { title: "T2", description: `for ${mention(w.developer)}` })
              )[1] ?? ""),
        ),
      ).toMatchObject([{ action: "mentioned", entityTitle: "T2" }])
      expect(
        await told(w.developer, () =>
          w.call(w.member, "chorus_update_task", { taskUuid: task, description: `still for ${mention(w.developer)}` }),
        ),
      ).toEqual([])
      expect(
        await told(w.rival, () =>
          w.call(w.member, "chorus_pm_create_idea", { projectUuid: w.project, title: "I", content: mention(w.rival) }),
        ),
      ).toMatchObject([{ action: "mentioned", entityType: "idea" }])
    })

    it("reach nobody an agent may not mention, nor who cannot see the project", async () => {
      const theirs = await w.agent("Theirs", { owner: w.member })
      const confined = await w.agent("Confined", { projectUuids: [w.otherProject] })
      const idea = await settledIdea(w, w.pm)
      const say = (actor: Actor) => () =>
        w.call(actor, "chorus_add_comment", {
          targetType: "idea",
          targetUuid: idea,
          content: `${mention(theirs)} ${mention(confined)} ${mention(w.stranger)}`,
        })
      expect(await told(theirs, say(w.developer))).toEqual([])
      expect(await told(theirs, say(w.owner))).toMatchObject([{ action: "mentioned" }])
      expect((await inbox(confined)).notifications).toEqual([])
      expect((await inbox(w.stranger)).notifications).toEqual([])
    })
  })

  describe("as an inbox", () => {
    it("turn read when read, unless asked not to", async () => {
      await inbox(w.developer, { limit: 100 })
      for (let n = 0; n < 3; n++)
        await w.call(w.pm, "chorus_pm_assign_task", { taskUuid: await makeTask(w.owner), agentUuid: w.developer.uuid })
      expect(await inbox(w.developer, { autoMarkRead: false, limit: 2 })).toMatchObject({
        unreadCount: 3,
        total: 3,
        returned: 2,
      })
      expect(await inbox(w.developer, { limit: 2 })).toMatchObject({ unreadCount: 1, returned: 2 })
      expect(await inbox(w.developer, { status: "unread" })).toMatchObject({ returned: 1, unreadCount: 0 })
      expect((await inbox(w.developer, { status: "all", limit: 500 })).notifications.length).toBeLessThanOrEqual(100)
    })

    it("are marked one by one or all at once, by their recipient alone", async () => {
      await inbox(w.developer, { limit: 100 })
      for (let n = 0; n < 2; n++)
        await w.call(w.pm, "chorus_pm_assign_task", { taskUuid: await makeTask(w.owner), agentUuid: w.developer.uuid })
      const [first] = (await inbox(w.developer)).notifications
      await expect(
        w.call(w.rival, "chorus_mark_notification_read", { notificationUuid: first?.uuid }),
      ).rejects.toMatchObject({ code: "not_found" })
      await expect(w.call(w.developer, "chorus_mark_notification_read", {})).rejects.toMatchObject({
        code: "invalid_input",
      })
      expect(await w.call(w.developer, "chorus_mark_notification_read", { notificationUuid: first?.uuid })).toEqual({
        success: true,
        marked: 1,
        unreadCount: 1,
      })
      expect(await w.call(w.developer, "chorus_mark_notification_read", { all: true })).toEqual({
        success: true,
        marked: 1,
        unreadCount: 0,
      })
      await w.call(w.developer, "chorus_archive_notification", { notificationUuid: first?.uuid })
      expect((await inbox(w.developer, { status: "all" })).notifications.map(({ uuid }) => uuid)).not.toContain(
        first?.uuid,
      )
    })

    it("hold only what their owner wants", async () => {
      await w.call(w.developer, "chorus_update_notification_preferences", { preferences: { task_assigned: false } })
      expect(await w.call(w.developer, "chorus_get_notification_preferences")).toMatchObject({
        preferences: { task_assigned: false, mentioned: true },
      })
      const taskUuid = await makeTask(w.owner)
      expect(
        await told(w.developer, () => w.call(w.pm, "chorus_pm_assign_task", { taskUuid, agentUuid: w.developer.uuid })),
      ).toEqual([])
      await w.call(w.developer, "chorus_update_notification_preferences", { preferences: { task_assigned: true } })
      await expect(
        w.call(w.developer, "chorus_update_notification_preferences", { preferences: { nonsense: true } }),
      ).rejects.toMatchObject({ code: "invalid_input" })
    })

    it("leave no trace of a change that did not happen", async () => {
      const taskUuid = await makeTask(w.owner)
      await w.call(w.developer, "chorus_claim_task", { taskUuid })
      expect(
        await told(w.owner, () => w.call(w.rival, "chorus_claim_task", { taskUuid }).catch(() => undefined)),
      ).toEqual([])
    })
  })
})
