import { randomUUID } from "node:crypto"
import type { inbox, OutputOf, tasks } from "@chorus/contracts"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { approvedPlan, type Brief, DESIGN, type Hand } from "../packages/server/test/closed-loops.ts"
import { type House, openHouse } from "./walk/house.ts"

type Inbox = OutputOf<typeof inbox.inbox>

let house: House
let planner: Hand
let builder: Hand
let reviewer: Hand
/** A lead at whose address every tool is listed. */
let writer: Hand
beforeAll(async () => {
  house = await openHouse()
  ;[planner, builder, reviewer, writer] = await Promise.all([
    house.hire("Petra", "lead"),
    house.hire("Bob", "developer"),
    house.hire("Rita", "developer", "?tools=review"),
    house.hire("Wim", "lead", ""),
  ])
})
afterAll(() => house[Symbol.asyncDispose]())

const newsOf = async (hand: Hand) => (await hand.use<Inbox>("chorus_inbox", {})).news.map(({ message }) => message)
const waiting = async () =>
  (await house.owner.call<{ items: { uuid: string; title: string }[] }>("chorus_needs_you")).items
const TASK = { key: "store", title: "Keep baskets", description: "Of guests.", criteria: ["It survives"] }

describe("what a person changes while it is built upon", () => {
  it("is told to whoever builds it: another answer, other words of the idea, another document", async () => {
    const { owner } = house
    const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Minds" })
    const { uuid: ideaUuid } = await owner.call<{ uuid: string }>("chorus_pm_create_idea", {
      projectUuid,
      title: "Guests can pay",
      content: "Without an account.",
    })
    await planner.use("chorus_claim_idea", { ideaUuid })
    const options = ["keep", "drop"].map((id) => ({ id, label: id }))
    const { uuid: roundUuid } = await planner.use<{ uuid: string }>("chorus_pm_start_elaboration", {
      ideaUuid,
      depth: "minimal",
      questions: [{ id: "basket", text: "What becomes of a basket?", category: "functional", options }],
    })
    const answer = (selectedOptionId: string) =>
      owner.call("chorus_answer_elaboration", {
        ideaUuid,
        roundUuid,
        answers: [{ questionId: "basket", selectedOptionId }],
      })
    await answer("keep")
    const { uuid: proposalUuid } = await planner.use<{ uuid: string }>("chorus_submit_plan", {
      projectUuid,
      title: "Guest checkout",
      ideaUuids: [ideaUuid],
      documents: [{ type: "tech_design", title: "Baskets", content: DESIGN }],
      tasks: [TASK],
    })
    await owner.call("chorus_admin_approve_proposal", { proposalUuid })
    const { documents = [] } = await builder.use<Brief>("chorus_next_task", { projectUuid })
    const { cursor } = await builder.use<Inbox>("chorus_inbox", {})
    await answer("drop")
    await owner.call("chorus_edit_idea", { ideaUuid, content: "Without an account, in two clicks." })
    await owner.call("chorus_pm_update_document", { documentUuid: documents[0]?.uuid, content: `${DESIGN}\nShort.` })
    const { news } = await builder.use<Inbox>("chorus_inbox", { after: cursor })
    expect(news.map(({ message }) => message)).toEqual([
      'Owner changed an answer about "Guests can pay":\nWhat becomes of a basket? — drop (before: keep)',
      'Owner changed "Guests can pay": Without an account, in two clicks.',
      'Owner changed "Baskets": version 2.',
    ])
  })
})

describe("a file that stands in a text", () => {
  it("is seen by who builds and by who reviews, with a tool that each of them is shown", async () => {
    const { owner } = house
    const plan = await approvedPlan(owner, planner, { tasks: [TASK] })
    const attachmentUuid = randomUUID()
    const target = { targetType: "task", targetUuid: plan.taskOf(TASK.title) }
    await owner.call("chorus_add_attachment", {
      ...target,
      as: attachmentUuid,
      name: "sketch.txt",
      mediaType: "text/plain",
      contentBase64: Buffer.from("A basket with a lid.").toString("base64"),
    })
    const description = `Of guests, see [the sketch](attachment:${attachmentUuid}).`
    await owner.call("chorus_update_task", { taskUuid: target.targetUuid, description })
    const { task } = await builder.use<Brief>("chorus_next_task", { projectUuid: plan.projectUuid })
    const [, named] = /attachment:([\w-]+)/.exec(task.description ?? "") ?? []
    for (const hand of [builder, reviewer, planner])
      expect(await hand.use("chorus_get_attachment", { attachmentUuid: named })).toMatchObject({
        name: "sketch.txt",
        text: "A basket with a lid.",
      })
  })
})

describe("a reviewer", () => {
  it("reads a plan, finds something, and finds its findings again, with the tools it is shown", async () => {
    const { owner } = house
    const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Read" })
    const targetUuid = await proposed(planner, projectUuid)
    for (const hand of [reviewer, builder])
      expect(await hand.use("chorus_get_proposal", { proposalUuid: targetUuid, section: "full" })).toMatchObject({
        taskDrafts: [{ title: TASK.title }],
        documentDrafts: [{ content: DESIGN }],
      })
    const target = { targetType: "proposal", targetUuid }
    const findings = [{ severity: "blocker", text: "Nothing about mail." }]
    await reviewer.use("chorus_submit_review", { ...target, verdict: "fail", summary: "Thin.", findings })
    expect(await reviewer.use("chorus_get_reviews", target)).toMatchObject({
      openBlockers: 1,
      reviews: [{ verdict: "fail", findings: [{ key: "B1" }] }],
    })
  })
})

describe("an agent that may decide", () => {
  it("finds what others propose and hand in, and with which tools it is decided; its own it does not", async () => {
    const { owner } = house
    const judge = await house.hire("Judith", "admin")
    const waits = async () =>
      (await judge.use<Inbox>("chorus_inbox", { projectUuid })).waits.map(({ kind, uuid }) => [kind, uuid])
    const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Court" })
    await proposed(judge, projectUuid)
    const proposalUuid = await proposed(planner, projectUuid)
    expect(await waits()).toEqual([["proposal", proposalUuid]])
    const { next } = await judge.use<{ next: Inbox["waits"] }>("chorus_checkin", {})
    const tools = next.flatMap(({ note = "" }) => note.match(/chorus_\w+/g) ?? [])
    expect(tools).toContain("chorus_admin_approve_proposal")
    expect(judge.tools).toEqual(expect.arrayContaining(tools))
    await judge.use("chorus_admin_approve_proposal", { proposalUuid })
    const { task } = await builder.use<Brief>("chorus_next_task", { projectUuid })
    await builder.use("chorus_finish_task", { taskUuid: task.uuid, report: "done" })
    expect(await waits()).toEqual([["task", task.uuid]])
    const criteria = task.acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status: "passed" }))
    await judge.use("chorus_mark_acceptance_criteria", { taskUuid: task.uuid, criteria })
    await judge.use("chorus_admin_verify_task", { taskUuid: task.uuid })
    expect(await waits()).toEqual([])
  })
})

/** A plan for an idea of a person, submitted by that agent. */
async function proposed(hand: Hand, projectUuid: string): Promise<string> {
  const idea = { projectUuid, title: "Guests can pay" }
  const { uuid: ideaUuid } = await house.owner.call<{ uuid: string }>("chorus_pm_create_idea", idea)
  const { uuid } = await hand.use<{ uuid: string }>("chorus_submit_plan", {
    projectUuid,
    title: "Guest checkout",
    ideaUuids: [ideaUuid],
    skipElaboration: "It is clear.",
    documents: [{ type: "tech_design", title: "Baskets", content: DESIGN }],
    tasks: [TASK],
  })
  return uuid
}

describe("a question of an agent whose client can ask at its window", () => {
  type Said = { action: "accept"; content: { answer: string } } | { action: "decline" }

  let key: string
  beforeAll(async () => {
    key = (await house.key("Wanda", "developer")).key
  })

  /** A client at whose window somebody sits, at the address that docs/mcp.md gives it. */
  const asked = async (title: string, say: (message: string) => Promise<Said>, text?: string) => {
    const client = new Client(
      { name: "window", version: "1" },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
    )
    client.setRequestHandler("elicitation/create", async ({ params }) => say(params.message))
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${house.server.url}/api/mcp?tools=lean&ask=window`), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
      }),
    )
    const { content } = await client.callTool({ name: "chorus_create_attention", arguments: { title, text } })
    await client.close()
    return JSON.parse((content as { text: string }[])[0]?.text ?? "") as unknown
  }
  const isWaiting = async (title: string) => (await waiting()).some((item) => item.title === title)

  it("is answered there, in the same call, and waits for nobody then", async () => {
    const say = async (message: string): Promise<Said> => {
      expect([message, await isWaiting("Tea or coffee?")]).toEqual(["Tea or coffee?\n\nThere is no milk.", true])
      return { action: "accept", content: { answer: "tea" } }
    }
    const row = await asked("Tea or coffee?", say, "There is no milk.")
    expect(row).toMatchObject({ state: "delivered", answer: { text: "tea" } })
    expect(await isWaiting("Tea or coffee?")).toBe(false)
  })

  it("is answered once: who was faster on the page is heard", async () => {
    const row = await asked("Left or right?", async (message) => {
      const attentionUuid = (await waiting()).find(({ title }) => title === message)?.uuid
      await house.owner.call("chorus_answer_attention", { attentionUuid, answer: { text: "right" } })
      return { action: "accept", content: { answer: "left" } }
    })
    expect(row).toMatchObject({ state: "delivered", answer: { text: "right" } })
  })

  it("stays open on the page where nobody wants to answer there", async () => {
    expect(await asked("Now or later?", async () => ({ action: "decline" }))).toMatchObject({ state: "open" })
    expect(await isWaiting("Now or later?")).toBe(true)
  })
})

describe("what an agent and a person write at once", () => {
  it.each(["idea", "task", "document"] as const)("of %s: who was slower is told, and both texts stay", async (kind) => {
    const { owner } = house
    const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: kind })
    const make = {
      idea: () => writer.use<{ uuid: string }>("chorus_pm_create_idea", { projectUuid, title: "T", content: "one" }),
      task: async () => {
        const task = { title: "T", description: "one", acceptanceCriteriaItems: [{ description: "It works" }] }
        const made = await writer.use<{ tasks: { uuid: string }[] }>("chorus_create_tasks", {
          projectUuid,
          tasks: [task],
        })
        return { uuid: made.tasks[0]?.uuid ?? "" }
      },
      document: () =>
        writer.use<{ uuid: string }>("chorus_pm_create_document", {
          projectUuid,
          type: "prd",
          title: "T",
          content: "one",
        }),
    }
    const { uuid } = await make[kind]()
    const [tool, id, field] = {
      idea: ["chorus_edit_idea", "ideaUuid", "content"],
      task: ["chorus_update_task", "taskUuid", "description"],
      document: ["chorus_pm_update_document", "documentUuid", "content"],
    }[kind] as [string, string, string]
    await writer.use(tool, { [id]: uuid, [field]: "the agent's" })
    const save = (expectedVersion: number) => owner.call(tool, { [id]: uuid, [field]: "the person's", expectedVersion })
    await expect(save(1)).rejects.toMatchObject({
      code: "stale_version",
      details: { currentVersion: 2, changedBy: { name: "Wim" } },
    })
    await save(2)
    const target = { targetType: kind, targetUuid: uuid }
    const { versions } = await owner.call<{ versions: { version: number; changedBy: { name: string } }[] }>(
      "chorus_get_versions",
      target,
    )
    expect(versions.map(({ version, changedBy }) => [version, changedBy.name])).toEqual([
      [3, "Owner"],
      [2, "Wim"],
      [1, "Wim"],
    ])
    expect(await owner.call("chorus_diff_versions", { ...target, from: 2 })).toMatchObject({ added: 1, removed: 1 })
  })
})

describe("a session that dies", () => {
  it("frees its task while its sibling on the same key lives, and says so to who built, who leads and who owns", async () => {
    const { owner } = house
    const plan = await approvedPlan(owner, planner, {
      tasks: [TASK, { ...TASK, key: "page", title: "Pay without an account" }],
    })
    const begin = async (name: string, taskUuid: string) => {
      const { uuid: sessionUuid } = await writer.use<{ uuid: string }>("chorus_create_session", { name })
      await writer.use("chorus_start_task", { taskUuid, sessionUuid })
      return sessionUuid
    }
    const [left, kept] = [plan.taskOf(TASK.title), plan.taskOf("Pay without an account")]
    await begin("dead", left)
    const alive = await begin("alive", kept)
    const statusOf = async (taskUuid: string) =>
      (await owner.call<tasks.TaskDetail>("chorus_get_task", { taskUuid })).status
    let minutes = 0
    for (; (await statusOf(left)) !== "open" && minutes < 24 * 60; minutes++) {
      house.advance(60)
      await writer.use("chorus_session_heartbeat", { sessionUuid: alive })
    }
    expect(minutes).toBeGreaterThanOrEqual(59)
    expect([await statusOf(left), await statusOf(kept)]).toEqual(["open", "in_progress"])
    const said = `Chorus took "${TASK.title}" back from Wim after a long silence; it is ready again.`
    expect(await newsOf(writer)).toContain(said)
    expect(await newsOf(planner)).toContain(said)
    expect((await owner.call<Inbox>("chorus_inbox")).news.map(({ message }) => message)).toContain(said)
    expect(await builder.use<Brief>("chorus_next_task", { projectUuid: plan.projectUuid })).toMatchObject({
      task: { uuid: left },
    })
  })
})

describe("taking away", () => {
  it("a task between others asks what becomes of their order, and an archived project takes nothing new", async () => {
    const { owner } = house
    const plan = await approvedPlan(owner, planner, {
      tasks: ["first", "middle", "last"].map((key, at, all) => ({
        ...TASK,
        key,
        title: key,
        dependsOn: all.slice(Math.max(at - 1, 0), at),
      })),
    })
    const middle = { taskUuid: plan.taskOf("middle") }
    await expect(owner.call("chorus_admin_delete_task", middle)).rejects.toMatchObject({
      code: "has_neighbours",
      message: '"last" waits for "first" only through "middle".',
    })
    await owner.call("chorus_admin_delete_task", { ...middle, neighbours: "bridge" })
    expect(await owner.call("chorus_get_task", { taskUuid: plan.taskOf("last") })).toMatchObject({
      dependsOn: [{ uuid: plan.taskOf("first") }],
    })
    const { projectUuid } = plan
    await owner.call("chorus_update_project", { projectUuid, status: "archived" })
    await expect(owner.call("chorus_pm_create_idea", { projectUuid, title: "More" })).rejects.toMatchObject({
      code: "project_archived",
    })
    expect(await builder.refused("chorus_next_task", { projectUuid })).toContain("project_archived")
  })
})
