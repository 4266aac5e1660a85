import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { inbox, OutputOf } from "@chorus/contracts"
import type { Actor } from "../src/index.ts"
import { Browser } from "./browser.ts"
import { person } from "./closed-loops.ts"
import { onEachEngine } from "./each-engine.ts"
import { makeKey, runningServer, type TestServer } from "./running-server.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

type Inbox = OutputOf<typeof inbox.inbox>

onEachEngine("an inbox", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const inboxOf = (actor: Actor, input: object = {}) => w.call<Inbox>(actor, "chorus_inbox", input)
  const ask = (actor: Actor, title: string, more: object = {}) =>
    w.call<{ uuid: string }>(actor, "chorus_create_attention", { title, projectUuid: w.project, ...more })
  const attention = (attentionUuid: string) =>
    w.call<{ state: string; deliveredAt: string | null; options: string[] }>(w.owner, "chorus_get_attention", {
      attentionUuid,
    })

  it("holds the answer to a question until its reader goes on with the cursor, and then says that it was read", async () => {
    const agent = await w.agent("Asker")
    const { uuid } = await ask(agent, "Which colour?", { options: ["red", "blue"] })
    expect(await attention(uuid)).toMatchObject({ options: ["red", "blue"], state: "open" })
    expect((await inboxOf(agent)).waitingFor).toEqual(['a person, to answer "Which colour?"'])
    await w.call(w.owner, "chorus_answer_attention", { attentionUuid: uuid, answer: { text: "blue, and soon" } })
    const first = await inboxOf(agent)
    expect(first.waits[0]).toMatchObject({ kind: "answer", uuid, title: "Which colour?", note: "blue, and soon" })
    expect((await inboxOf(agent)).waits[0]).toEqual(first.waits[0])
    expect(await attention(uuid)).toMatchObject({ state: "answered", deliveredAt: null })
    expect((await inboxOf(agent, { after: first.cursor })).waits.map((item) => item.kind)).not.toContain("answer")
    expect(await attention(uuid)).toMatchObject({ state: "delivered", deliveredAt: expect.any(String) })
  })

  it("keeps question and answer in the conversation of the task they are about", async () => {
    const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
      projectUuid: w.project,
      tasks: [{ title: "Paint", acceptanceCriteriaItems: [{ description: "dry" }] }],
    })
    const taskUuid = tasks[0]?.uuid ?? ""
    const options = ["matt", "gloss"]
    const { uuid } = await ask(w.developer, "Matt or gloss?", { taskUuid, text: "Gloss shows every scratch.", options })
    await w.call(w.owner, "chorus_answer_attention", { attentionUuid: uuid, answer: { text: "Matt." } })
    const { comments } = await w.call<{ comments: { content: string; author: { name: string } }[] }>(
      w.pm,
      "chorus_get_comments",
      { targetType: "task", targetUuid: taskUuid },
    )
    expect(comments.map(({ content, author }) => [author.name, content]).toReversed()).toEqual([
      [w.developer.name, "**Matt or gloss?**\n\nGloss shows every scratch.\n\n- matt\n- gloss"],
      ["Olive", "Matt or gloss?\n\nMatt."],
    ])
    expect(await w.call(w.owner, "chorus_list_attentions", { taskUuid, open: false })).toMatchObject({
      attentions: [{ uuid, taskUuid, detail: { text: "Gloss shows every scratch." }, answer: { text: "Matt." } }],
    })
  })

  it("shows the oldest news first, says how much it left out, and loses none of it on the way", async () => {
    const agent = await w.agent("Busy")
    for (let n = 1; n <= 23; n++) {
      const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
        projectUuid: w.otherProject,
        tasks: [{ title: `t${n}`, acceptanceCriteriaItems: [{ description: "x" }] }],
      })
      await w.call(w.pm, "chorus_pm_assign_task", { taskUuid: tasks[0]?.uuid ?? "", agentUuid: agent.uuid })
    }
    const first = await inboxOf(agent)
    expect(first.news).toHaveLength(20)
    expect(first.more).toMatchObject({ news: 3 })
    const second = await inboxOf(agent, { after: first.cursor })
    expect(second.news.map(({ message }) => message)).toEqual(
      [21, 22, 23].map((n) => `${w.pm.name} assigned "t${n}" to you.`),
    )
    expect((await inboxOf(agent, { after: second.cursor })).news).toEqual([])
  })

  it("tells the person whom an agent calls by name, once, however it writes it", async () => {
    const { uuid: ideaUuid } = await w.call<{ uuid: string }>(w.pm, "chorus_pm_create_idea", {
      projectUuid: w.project,
      title: "Called",
    })
    const { cursor } = await inboxOf(w.owner)
    const say = (content: string) =>
      w.call(w.developer, "chorus_add_comment", { targetType: "idea", targetUuid: ideaUuid, content })
    await say("@Owner may I? `@Owner` in code is nobody; olive@Olive.example neither")
    await say("@olive, or you?")
    await say("@Oliver is nobody")
    const { news } = await inboxOf(w.owner, { after: cursor })
    expect(news.map(({ action }) => action)).toEqual(["mentioned", "mentioned"])
    expect(news[0]?.message).toContain("mentioned you on")
  })

  it("of an idea's holder tells its whole life, and not what others may start", async () => {
    const holder = await w.agent("Holder", { presets: ["lead"] })
    const builder = await w.agent("Other builder")
    const { uuid: ideaUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", {
      projectUuid: w.project,
      title: "A life",
    })
    await w.call(holder, "chorus_claim_idea", { ideaUuid })
    await w.call(holder, "chorus_pm_skip_elaboration", { ideaUuid, reason: "clear" })
    const content =
      "A plan that is long enough to be read by somebody who wants to know what will be done here, and how."
    const plan = await w.call<{ uuid: string }>(holder, "chorus_submit_plan", {
      projectUuid: w.project,
      title: "Plan of a life",
      ideaUuids: [ideaUuid],
      documents: [{ type: "tech_design", title: "Design", content }],
      tasks: [
        { key: "a", title: "first step", criteria: ["done"] },
        { key: "b", title: "second step", criteria: ["done"], dependsOn: ["a"] },
      ],
    })
    let { cursor } = await inboxOf(holder)
    const actionsOf = async () => {
      const { news, waits, cursor: next } = await inboxOf(holder, { after: cursor })
      cursor = next
      return [...news.map(({ action }) => action), ...waits.flatMap(({ kind }) => (kind === "revise" ? [kind] : []))]
    }
    await w.call(w.owner, "chorus_edit_idea", { ideaUuid, content: "Said better." })
    expect(await actionsOf()).toEqual(["changed"])
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid: plan.uuid })
    expect(await actionsOf()).toEqual(["proposal_approved"])
    const finish = async () => {
      const { task } = await w.call<{ task: { uuid: string; acceptanceCriteriaItems: { uuid: string }[] } }>(
        builder,
        "chorus_next_task",
        { projectUuid: w.project, proposalUuids: [plan.uuid] },
      )
      await w.call(builder, "chorus_finish_task", { taskUuid: task.uuid, report: "done" })
      return task
    }
    const verify = async ({ uuid: taskUuid, acceptanceCriteriaItems }: Awaited<ReturnType<typeof finish>>) => {
      await w.call(w.owner, "chorus_mark_acceptance_criteria", {
        taskUuid,
        criteria: acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status: "passed" })),
      })
      await w.call(w.owner, "chorus_admin_verify_task", { taskUuid })
    }
    const first = await finish()
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid: first.uuid, reason: "Not yet." })
    expect(await actionsOf()).toContain("task_reopened")
    await w.call(builder, "chorus_finish_task", { taskUuid: first.uuid, report: "done now" })
    await verify(first)
    expect(await actionsOf()).not.toContain("task_unblocked")
    await verify(await finish())
    expect(await actionsOf()).toContain("idea_done")
  })

  it("is answered once, however many answer at once", async () => {
    const agent = await w.agent("Raced")
    const { uuid: attentionUuid } = await ask(agent, "Who is first?")
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) =>
        w.call(w.owner, "chorus_answer_attention", { attentionUuid, answer: { text: `answer ${n}` } }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const { waits } = await inboxOf(agent)
    expect(waits.filter(({ kind }) => kind === "answer")).toHaveLength(1)
  })

  it("is answered once by a reply and on the page at the same time, and the reply is kept either way", async () => {
    const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
      projectUuid: w.project,
      tasks: [{ title: "Raced by a reply", acceptanceCriteriaItems: [{ description: "x" }] }],
    })
    const target = { targetType: "task", targetUuid: tasks[0]?.uuid }
    const { uuid: attentionUuid } = await ask(w.developer, "Left or right?", { taskUuid: target.targetUuid })
    const said = () => w.call<{ comments: { uuid: string; content: string }[] }>(w.pm, "chorus_get_comments", target)
    const parentUuid = (await said()).comments[0]?.uuid
    await Promise.allSettled([
      w.call(w.owner, "chorus_answer_attention", { attentionUuid, answer: { text: "Left." } }),
      w.call(w.owner, "chorus_add_comment", { ...target, parentUuid, content: "Right." }),
    ])
    expect((await said()).comments.map(({ content }) => content)).toContain("Right.")
    const answered = await w.store.db
      .selectFrom("events")
      .select("id")
      .where("entityUuid", "=", attentionUuid)
      .where("kind", "=", "attention.answered")
      .execute()
    expect(answered).toHaveLength(1)
  })

  it("opens one round of questions, however many are asked at once", async () => {
    const { uuid: ideaUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", {
      projectUuid: w.project,
      title: "Asked at once",
    })
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
    const options = ["a", "b"].map((id) => ({ id, label: id }))
    const questions = [{ id: "q", text: "Which?", category: "scope", options }]
    const outcomes = await Promise.allSettled(
      Array.from({ length: 4 }, () =>
        w.call(w.pm, "chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions }),
      ),
    )
    const codes = outcomes.map((one) => (one.status === "rejected" ? (one.reason as { code: string }).code : "asked"))
    expect(codes.sort()).toEqual(["asked", "round_open", "round_open", "round_open"])
  })

  it("closes a round once when two people send the last answers at once", async () => {
    const { uuid: ideaUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", {
      projectUuid: w.project,
      title: "Raced round",
    })
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
    const options = [
      { id: "a", label: "A" },
      { id: "b", label: "B" },
    ]
    const asked = (id: string) => ({ id, text: `${id}?`, category: "scope", options })
    const { uuid: roundUuid } = await w.call<{ uuid: string }>(w.pm, "chorus_pm_start_elaboration", {
      ideaUuid,
      depth: "minimal",
      questions: [asked("one"), asked("two")],
    })
    await Promise.all(
      (["one", "two"] as const).map((questionId, n) =>
        w.call(n === 0 ? w.owner : w.member, "chorus_answer_elaboration", {
          ideaUuid,
          roundUuid,
          answers: [{ questionId, selectedOptionId: "a" }],
        }),
      ),
    )
    const accepted = await w.store.db
      .selectFrom("events")
      .select("id")
      .where("entityUuid", "=", ideaUuid)
      .where("kind", "=", "elaboration.validated")
      .execute()
    expect(accepted).toHaveLength(1)
  })
})

describe("waiting", () => {
  let chorus: TestServer
  let projectUuid: string
  beforeAll(async () => {
    chorus = await runningServer()
    projectUuid = String((await chorus.post("chorus_admin_create_project", { name: "Wait" })).body["uuid"])
  })
  afterAll(() => chorus.close())

  const call = async (key: string, name: string, input: object, signal?: AbortSignal) => {
    const response = await fetch(`${chorus.url}/api/v1/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify(input),
      ...(signal && { signal }),
    })
    return (await response.json()) as Record<string, unknown>
  }
  const addTask = (title: string) =>
    chorus.post("chorus_create_tasks", {
      projectUuid,
      tasks: [{ title, acceptanceCriteriaItems: [{ description: "x" }] }],
    })
  const waiting = async () => {
    while (chorus.server.readers() === 0) await new Promise((next) => setImmediate(next))
  }

  it("for a task ends as soon as one is ready, and is given to one of those who wait", async () => {
    const keys = [await makeKey(chorus.server, "developer"), await makeKey(chorus.server, "developer")]
    const gone = new AbortController()
    const calls = keys.map((key) =>
      call(key, "chorus_next_task", { projectUuid, wait_seconds: 60 }, gone.signal).catch(() => undefined),
    )
    await waiting()
    await addTask("at last")
    expect(await Promise.race(calls)).toMatchObject({ task: { title: "at last" } })
    gone.abort()
    const outcomes = await Promise.all(calls)
    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1)
  })

  it("for news ends with the news, and costs nothing once the client has gone away", async () => {
    const key = await makeKey(chorus.server, "developer")
    const { cursor } = await call(key, "chorus_inbox", {})
    const gone = new AbortController()
    const left = call(key, "chorus_inbox", { after: cursor, wait_seconds: 300 }, gone.signal)
    await waiting()
    gone.abort()
    await expect(left).rejects.toThrow()
    while (chorus.server.readers() > 0) await new Promise((next) => setImmediate(next))

    const heard = call(key, "chorus_inbox", { after: cursor, wait_seconds: 60 })
    await waiting()
    await addTask("news")
    expect(await heard).toMatchObject({
      fresh: true,
      waits: expect.arrayContaining([expect.objectContaining({ kind: "ready", title: "news" })]),
    })
  })

  it("for news ends with all that was done in one go, not with the first of it", async () => {
    const owner = await person(chorus.server)
    const key = await makeKey(chorus.server, "developer")
    const { cursor } = await call(key, "chorus_inbox", {})
    const heard = call(key, "chorus_inbox", { after: cursor, wait_seconds: 60 })
    await waiting()
    const add = (title: string) =>
      owner.call("chorus_create_tasks", {
        projectUuid,
        tasks: [{ title, acceptanceCriteriaItems: [{ description: "x" }] }],
      })
    await add("one")
    // The page's second call has its way to go.
    await new Promise((gone) => setTimeout(gone, 60))
    await add("and another")
    const { waits } = (await heard) as { waits: { title: string }[] }
    expect(waits.map(({ title }) => title)).toEqual(expect.arrayContaining(["one", "and another"]))
  })

  it("goes on when somebody else's key is made or revoked, and ends with one's own", async () => {
    const owner = await person(chorus.server)
    const key = await makeKey(chorus.server, "developer")
    const { cursor } = await call(key, "chorus_inbox", {})
    const keyUuids = async (prefix: string) => {
      const { keys } = await owner.call<{ keys: { uuid: string; prefix: string }[] }>("chorus_list_keys")
      return keys.filter((one) => one.prefix === prefix).map(({ uuid }) => uuid)
    }
    const heard = call(key, "chorus_inbox", { after: cursor, wait_seconds: 60 })
    await waiting()
    const others = await makeKey(chorus.server, "developer")
    for (const keyUuid of await keyUuids(others.slice(0, 10))) await owner.call("chorus_revoke_key", { keyUuid })
    // The wait has heard of both by the time it hears of this.
    await addTask("later")
    expect(await heard).toMatchObject({
      fresh: true,
      waits: expect.arrayContaining([expect.objectContaining({ title: "later" })]),
    })

    const { cursor: end } = await call(key, "chorus_inbox", {})
    const cut = call(key, "chorus_inbox", { after: end, wait_seconds: 60 })
    await waiting()
    const began = performance.now()
    for (const keyUuid of await keyUuids(key.slice(0, 10))) await owner.call("chorus_revoke_key", { keyUuid })
    expect(await cut).toMatchObject({ fresh: false })
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it("ends when the person an agent belongs to is disabled, not when they are renamed", async () => {
    const owner = await person(chorus.server)
    const invited = await owner.call<{ signInPath: string; member: { uuid: string } }>("chorus_invite_member", {
      name: "Mia",
    })
    const mia = new Browser(chorus.server)
    await mia.open(invited.signInPath)
    const agent = await mia.call("chorus_create_agent", { name: "Mia's", presets: ["developer"] })
    const made = await mia.call("chorus_create_key", { agentUuid: agent.body["uuid"] })
    const key = String(made.body["key"])
    const update = (change: object) => owner.call("chorus_update_member", { userUuid: invited.member.uuid, ...change })

    const { cursor } = await call(key, "chorus_inbox", {})
    const heard = call(key, "chorus_inbox", { after: cursor, wait_seconds: 60 })
    await waiting()
    await update({ name: "Mia B." })
    await addTask("for Mia")
    expect(await heard).toMatchObject({
      fresh: true,
      waits: expect.arrayContaining([expect.objectContaining({ title: "for Mia" })]),
    })

    const { cursor: end } = await call(key, "chorus_inbox", {})
    const cut = call(key, "chorus_inbox", { after: end, wait_seconds: 60 })
    await waiting()
    const began = performance.now()
    await update({ disabled: true })
    expect(await cut).toMatchObject({ fresh: false })
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it("for the answer to a question needs no cursor, though one's own work is in progress", async () => {
    const key = await makeKey(chorus.server, "developer")
    const project = String((await chorus.post("chorus_admin_create_project", { name: "Ask" })).body["uuid"])
    await chorus.post("chorus_create_tasks", {
      projectUuid: project,
      tasks: [{ title: "Roof", acceptanceCriteriaItems: [{ description: "x" }] }],
    })
    const { task } = (await call(key, "chorus_next_task", { projectUuid: project })) as { task: { uuid: string } }
    const inbox = () => call(key, "chorus_inbox", { projectUuid: project, wait_seconds: 60 })
    expect(await inbox()).toMatchObject({ waits: [{ kind: "work" }], fresh: true })
    const asked = await call(key, "chorus_create_attention", { title: "Tile or slate?", taskUuid: task.uuid })
    const heard = inbox()
    await waiting()
    const answer = { attentionUuid: asked["uuid"], answer: { text: "Slate" } }
    await (await person(chorus.server)).call("chorus_answer_attention", answer)
    expect(await heard).toMatchObject({ waits: [{ kind: "answer", note: "Slate" }, { kind: "work" }] })
  })

  it("answers when the time is up, and when the server closes", async () => {
    const key = await makeKey(chorus.server, "developer")
    const { cursor } = await call(key, "chorus_inbox", {})
    expect(await call(key, "chorus_inbox", { after: cursor, wait_seconds: 0.2 })).toMatchObject({ fresh: false })
    const other = await runningServer({ preset: "developer" })
    const { body } = await other.post("chorus_inbox")
    const held = other.post("chorus_inbox", { after: body["cursor"], wait_seconds: 300 })
    while (other.server.readers() === 0) await new Promise((next) => setImmediate(next))
    const began = performance.now()
    await other.close()
    expect((await held).body).toMatchObject({ fresh: false })
    expect(performance.now() - began).toBeLessThan(4000)
  })
})
