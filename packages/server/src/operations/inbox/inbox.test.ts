import type { checkin, inbox, OutputOf, tasks, work } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"

const w = embeddedWorkspace()

describe("what waits for an agent", () => {
  it("stands in one order at check-in, in the inbox, and where the next task is given", async () => {
    const projectUuid = await w.newProject()
    const builder = await w.agent("Ordered", { projectUuids: [projectUuid] })
    const late = await w.newTask({ projectUuid, title: "low, first", priority: "low" })
    const { base } = await w.newTasks({ alone: [], base: [], top: ["base"] }, { projectUuid })
    const urgent = await w.newTask({ projectUuid, title: "urgent", priority: "high" })
    const given = await w.newTask({ projectUuid, title: "given", priority: "low" })
    await w.call(w.pm, "chorus_pm_assign_task", { taskUuid: given, agentUuid: builder.uuid })
    const back = await w.taskAt("to_verify", { holder: builder, projectUuid, title: "back" })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid: back, reason: "Not yet." })

    const { waits } = await w.call<OutputOf<typeof inbox.inbox>>(builder, "chorus_inbox", {})
    expect(waits.map(({ uuid }) => uuid)).toEqual([back, given, urgent, base, expect.any(String), late])
    const { next } = await w.call<OutputOf<typeof checkin.checkin>>(builder, "chorus_checkin")
    expect(next).toEqual(waits.slice(0, 5))
    const taken: string[] = []
    for (const _ of waits) {
      const { task } = await w.call<work.TaskBrief>(builder, "chorus_next_task", { projectUuid })
      taken.push(task.uuid)
      await w.call(builder, "chorus_finish_task", { taskUuid: task.uuid, report: "done" })
    }
    expect(taken).toEqual(waits.map(({ uuid }) => uuid))
  })

  it("hears what a person says about work and plans that came back, and says the reason once", async () => {
    const projectUuid = await w.newProject()
    const lead = await w.agent("Corrected", { presets: ["lead"], projectUuids: [projectUuid] })
    const taskUuid = await w.taskAt("to_verify", { holder: lead, projectUuid, title: "Paint" })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, reason: "Not red." })
    const before = await w.call<OutputOf<typeof inbox.inbox>>(lead, "chorus_inbox", {})
    expect(before.waits[0]).toMatchObject({ kind: "returned", note: expect.stringContaining("Not red.") })
    expect(before.news.filter(({ action }) => action === "task_reopened")).toEqual([])
    await w.call(w.owner, "chorus_add_comment", { targetType: "task", targetUuid: taskUuid, content: "Use green." })
    const { news, fresh } = await w.call<OutputOf<typeof inbox.inbox>>(lead, "chorus_inbox", { after: before.cursor })
    expect(fresh).toBe(true)
    expect(news).toMatchObject([{ action: "comment_added", message: expect.stringContaining("Use green.") }])
    const file = {
      targetType: "task",
      targetUuid: taskUuid,
      name: "green.txt",
      mediaType: "text/plain",
      contentBase64: "Z3JlZW4=",
    }
    const { uuid } = await w.call<{ uuid: string }>(w.owner, "chorus_add_attachment", file)
    const { task, files } = await w.call<work.TaskBrief>(lead, "chorus_start_task", { taskUuid })
    expect(task.comments).toEqual(["Olive: Use green."])
    expect(files).toEqual([{ uuid, name: "green.txt" }])
  })

  it("names work to be reviewed to other agents, and a failed review to whoever built it", async () => {
    const projectUuid = await w.newProject()
    await w.call(w.owner, "chorus_update_project_settings", { projectUuid, requireTaskReview: true })
    const builder = await w.agent("Builds", { projectUuids: [projectUuid] })
    const reviewer = await w.agent("Reads", { projectUuids: [projectUuid] })
    const taskUuid = await w.taskAt("to_verify", { holder: builder, projectUuid, title: "Paint" })
    const waitsFor = async (actor: typeof builder) =>
      (await w.call<OutputOf<typeof inbox.inbox>>(actor, "chorus_inbox", {})).waits.filter(
        ({ uuid }) => uuid === taskUuid,
      )
    const detail = () => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
    expect(await waitsFor(builder)).toEqual([])
    expect(await waitsFor(reviewer)).toMatchObject([
      { kind: "review", note: expect.stringContaining("chorus_submit_review") },
    ])
    expect((await detail()).reviewMissing).toBe(true)
    const review = { targetType: "task", targetUuid: taskUuid, summary: "Read it." }
    const findings = [{ severity: "blocker", text: "The lid is loose." }]
    await w.call(reviewer, "chorus_submit_review", { ...review, verdict: "fail", findings })
    expect(await waitsFor(reviewer)).toEqual([])
    expect(await waitsFor(builder)).toMatchObject([
      { kind: "returned", note: expect.stringMatching(/takeBack.*\n- B1 \(blocker\): The lid is loose\./s) },
    ])
    const { task } = await w.call<work.TaskBrief>(builder, "chorus_start_task", { taskUuid, takeBack: true })
    expect(task.returned?.findings).toMatchObject([{ key: "B1", text: "The lid is loose." }])
    await w.call(builder, "chorus_finish_task", { taskUuid, report: "Tightened." })
    expect(await waitsFor(builder)).toEqual([])
    expect(await waitsFor(reviewer)).toMatchObject([{ kind: "review" }])
    await w.call(reviewer, "chorus_submit_review", { ...review, verdict: "pass", resolvedKeys: ["B1"] })
    expect([await waitsFor(builder), await waitsFor(reviewer)]).toEqual([[], []])
    expect((await detail()).reviewMissing).toBeUndefined()
  })

  it("hears of reviews from chorus_next_task: one's own failed work first, then what others handed in", async () => {
    const projectUuid = await w.newProject({ requireTaskReview: true })
    const [builder, reviewer, second] = await Promise.all(
      ["Makes", "Reads first", "Reads next"].map((name) => w.agent(name, { projectUuids: [projectUuid] })),
    )
    if (builder === undefined || reviewer === undefined || second === undefined) throw new Error("no agents")
    const taskUuid = await w.taskAt("to_verify", { holder: builder, projectUuid, title: "Paint" })
    const next = (actor: typeof builder) =>
      w.call<OutputOf<typeof work.nextTask>>(actor, "chorus_next_task", { projectUuid })
    const waiting = async () => (await w.call<OutputOf<typeof inbox.inbox>>(builder, "chorus_inbox", {})).waitingFor
    expect(await next(builder)).toMatchObject({
      task: null,
      reason: expect.not.stringContaining("chorus_submit_review"),
    })
    expect(await next(reviewer)).toMatchObject({
      task: null,
      reason: expect.stringMatching(/To be reviewed: "Paint".*chorus_submit_review/),
      toReview: [{ uuid: taskUuid, title: "Paint" }],
    })
    expect(await waiting()).toEqual(['a review of "Paint", by another agent or a person'])

    const review = { targetType: "task", targetUuid: taskUuid, summary: "The lid does not hold." }
    const findings = [{ severity: "blocker", text: "The lid is loose." }]
    await w.call(reviewer, "chorus_submit_review", { ...review, verdict: "fail", findings })
    await w.newTask({ projectUuid, title: "urgent", priority: "high" })
    expect(await waiting()).toEqual([])
    expect(await next(builder)).toMatchObject({
      task: {
        uuid: taskUuid,
        status: "in_progress",
        returned: { reason: "Reads first: The lid does not hold.", findings: [{ key: "B1" }] },
      },
    })

    await w.call(builder, "chorus_finish_task", { taskUuid, report: "Tightened." })
    expect(await waiting()).toEqual(['a review of "Paint", by Reads first'])
    const { openFindings } = await w.call<tasks.TaskDetail>(second, "chorus_get_task", { taskUuid })
    expect(openFindings).toMatchObject([{ key: "B1", text: "The lid is loose.", by: "Reads first" }])
    expect(await next(second)).toMatchObject({ task: { title: "urgent" }, toReview: [{ uuid: taskUuid }] })
    await w.call(second, "chorus_submit_review", { ...review, verdict: "pass" })
    expect(await next(second)).toMatchObject({ task: null })
    const { waits } = await w.call<OutputOf<typeof inbox.inbox>>(reviewer, "chorus_inbox", {})
    expect(waits).toMatchObject([{ kind: "review", uuid: taskUuid, note: expect.stringContaining("- B1 (blocker)") }])
    await w.call(reviewer, "chorus_submit_review", { ...review, verdict: "pass", resolvedKeys: ["B1"] })
    expect(await waiting()).toEqual(['a person, to verify "Paint"'])
  })

  it("hears what became of a change it asked for: what it was, who decided, and why", async () => {
    const projectUuid = await w.newProject()
    const agent = await w.agent("Wishes", { projectUuids: [projectUuid] })
    const { uuid: targetUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", {
      projectUuid,
      title: "Guests pay",
    })
    const wish = { targetType: "idea", targetUuid, reason: "It says too little.", content: "In two clicks." }
    const { uuid: attentionUuid } = await w.call<{ uuid: string }>(agent, "chorus_request_change", wish)
    const told = () => w.call<OutputOf<typeof inbox.inbox>>(agent, "chorus_inbox", {})
    expect((await told()).waitingFor).toEqual(['a person, to decide on: Change "Guests pay"'])
    const decide = (answer: object) => w.call(w.owner, "chorus_answer_attention", { attentionUuid, answer })
    await expect(decide({ decision: "deny", text: " " })).rejects.toMatchObject({ code: "reason_missing" })
    await decide({ decision: "deny", text: "Two are too many." })
    const words =
      'Olive rejected the change you asked for: text of "Guests pay" (It says too little.): Two are too many.'
    expect((await told()).waits).toMatchObject([{ kind: "answer", uuid: attentionUuid, note: words }])
    expect(await w.call(agent, "chorus_get_notifications", {})).toMatchObject({ notifications: [{ message: words }] })
  })

  it("hears of a file that is added to what it works on, and finds it at the task", async () => {
    const projectUuid = await w.newProject()
    const agent = await w.agent("Gets files", { projectUuids: [projectUuid] })
    const taskUuid = await w.taskAt("in_progress", { holder: agent, projectUuid, title: "Paint" })
    const file = { name: "green.txt", mediaType: "text/plain", contentBase64: "Z3JlZW4=" }
    const { uuid } = await w.call<{ uuid: string }>(w.owner, "chorus_add_attachment", {
      targetType: "task",
      targetUuid: taskUuid,
      ...file,
    })
    const { news } = await w.call<OutputOf<typeof inbox.inbox>>(agent, "chorus_inbox", {})
    expect(news).toMatchObject([{ message: 'Olive added the file "green.txt" to "Paint".', entityUuid: taskUuid }])
    expect(await w.call(agent, "chorus_get_task", { taskUuid })).toMatchObject({ files: [{ uuid, name: "green.txt" }] })
  })

  it("says of everything what to do with it, and by which short name", async () => {
    const projectUuid = await w.newProject()
    const lead = await w.agent("Told", { presets: ["lead"], projectUuids: [projectUuid] })
    await w.newIdea({ projectUuid, title: "Nobody's" })
    await w.taskAt("in_progress", { holder: lead, projectUuid })
    const ready = await w.newTask({ projectUuid })
    const { next, taskTracker } = await w.call<OutputOf<typeof checkin.checkin>>(lead, "chorus_checkin")
    expect(next).toEqual([
      expect.objectContaining({ kind: "work", shortId: expect.stringMatching(/^\w+-\d+$/), note: "In progress." }),
      expect.objectContaining({ kind: "ready", note: expect.stringContaining("chorus_start_task") }),
      expect.objectContaining({ kind: "idea", note: expect.stringContaining("chorus_claim_idea") }),
    ])
    expect(taskTracker[projectUuid]?.tasks[0]).toMatchObject({ shortId: next[0]?.shortId })
    const { task } = await w.call<work.TaskBrief>(lead, "chorus_start_task", { taskUuid: ready })
    expect(task.shortId).toBe(next[1]?.shortId)
  })
})
