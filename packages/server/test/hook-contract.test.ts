import { waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStage, type Role, type Stage } from "./contract-stage.ts"

type Json = Record<string, unknown>

const LONG =
  "What is built, how it hangs together and why it is done this way and no other, in enough words to be read. ".repeat(
    2,
  )
const CRITERIA = [{ description: "it works" }]

let stage: Stage
const keys = new Map<string, string>()

beforeAll(async () => {
  stage = await openStage()
  for (const role of Object.values(stage.roles))
    keys.set(role.name, String((await stage.own("chorus_create_key", { agentUuid: role.uuid }))["key"]))
})
afterAll(() => stage.close())

/** What a shell script with curl does for one tool call: three requests, no session, and of the answer only the first data line. */
async function mcpTool(
  role: Role,
  name: string,
  input: object = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const initialize = await send({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "chorus-hook", version: "1" } },
  })
  expect(initialize.headers.get("mcp-session-id")).toBeNull()
  await initialize.text()
  await (await send({ jsonrpc: "2.0", method: "notifications/initialized" })).text()
  const call = await send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: input } })
  const lines = (await call.text()).split("\n")
  const first = lines.find((line) => line.startsWith("data: "))
  const { result } = JSON.parse(first === undefined ? lines.join("\n") : first.slice("data: ".length)) as {
    result: { content: { type: string; text: string }[] }
  }
  return result.content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("\n")

  function send(body: object): Promise<Response> {
    return fetch(`${stage.server.url}/api/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${keys.get(role.name)}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
    })
  }
}

async function tool(role: Role, name: string, input: object = {}, headers: Record<string, string> = {}): Promise<Json> {
  return JSON.parse(await mcpTool(role, name, input, headers)) as Json
}

async function newTask(more: object = {}): Promise<string> {
  const { tasks } = await stage.own("chorus_create_tasks", {
    projectUuid: stage.project,
    tasks: [{ title: "Build", acceptanceCriteriaItems: CRITERIA, ...more }],
  })
  return (tasks as { uuid: string }[])[0]?.uuid ?? ""
}

/** A task handed in by the developer from a session that is still checked in elsewhere, all criteria passed. */
async function handedIn(): Promise<string> {
  const { developer } = stage.roles
  const taskUuid = await newTask()
  await tool(developer, "chorus_claim_task", { taskUuid })
  await tool(developer, "chorus_update_task", { taskUuid, status: "in_progress" })
  await tool(developer, "chorus_submit_for_verify", { taskUuid })
  const { acceptanceCriteriaItems } = await stage.own("chorus_get_task", { taskUuid })
  await stage.own("chorus_mark_acceptance_criteria", {
    taskUuid,
    criteria: (acceptanceCriteriaItems as { uuid: string }[]).map(({ uuid }) => ({ uuid, status: "passed" })),
  })
  return taskUuid
}

describe("the transport", () => {
  it("needs no session, and answers failures as results a script can print", async () => {
    const text = await mcpTool(stage.roles.developer, "chorus_get_task", {
      taskUuid: "11111111-1111-4111-8111-111111111111",
    })
    expect(JSON.parse(text)).toMatchObject({ error: { code: "not_found", next: expect.any(String) } })
  })

  it("takes many callers at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        tool(stage.roles.developer, "chorus_create_session", { name: `crowd-${n}` }),
      ),
    )
    expect(new Set(answers.map(({ uuid }) => uuid)).size).toBe(20)
  })

  it("tells its health to whoever has a key", async () => {
    const response = await fetch(`${stage.server.url}/api/health`, {
      headers: { authorization: `Bearer ${keys.get("developer")}` },
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ status: "ok" })
  })

  it("is not upset by the end of a session it never began", async () => {
    const response = await fetch(`${stage.server.url}/api/mcp`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${keys.get("developer")}`, "mcp-session-id": "none" },
    })
    expect(response.status).toBeLessThan(500)
  })
})

describe("SessionStart", () => {
  it("learns who the agent is, whose it is and what it may do", async () => {
    const { agent } = await tool(stage.roles.pm, "chorus_checkin")
    expect(agent).toMatchObject({ owner: { name: expect.any(String), uuid: stage.owner.uuid } })
    expect("email" in (agent as { owner: object }).owner).toBe(true)
    const bits = Object.entries((agent as { permissions: Record<string, string[]> }).permissions).flatMap(
      ([resource, actions]) => actions.map((action) => `${resource}:${action}`),
    )
    expect(bits).toHaveLength(10)
    expect(bits).toContain("proposal:write")
  })

  it("is narrowed to a project by a header", async () => {
    const projects = async (headers: Record<string, string>) =>
      ((await tool(stage.roles.pm, "chorus_checkin", {}, headers))["activeProjects"] as { uuid: string }[]).map(
        ({ uuid }) => uuid,
      )
    expect(await projects({ "x-chorus-project": stage.project })).toEqual([stage.project])
    expect((await projects({ "x-chorus-project": `${stage.project}, ${stage.otherProject}` })).sort()).toEqual(
      [stage.project, stage.otherProject].sort(),
    )
    const { uuid } = await stage.own("chorus_admin_create_project_group", { name: "Header group" })
    expect(await projects({ "x-chorus-project": stage.project, "x-chorus-project-group": String(uuid) })).toEqual([])
  })
})

describe("SubagentStart", () => {
  it("finds its session by name, or makes, revives or reopens it", async () => {
    const { developer } = stage.roles
    const find = async (name: string) => {
      const { sessions } = await tool(developer, "chorus_list_sessions")
      const rows = (
        sessions as { name: string; uuid: string; status: string; updatedAt: string; createdAt: string }[]
      ).filter((row) => row.name === name)
      return rows.toSorted((a, b) => (a.updatedAt ?? a.createdAt).localeCompare(b.updatedAt ?? b.createdAt)).at(-1)
    }
    expect(await find("frontend")).toBeUndefined()
    const { uuid } = await tool(developer, "chorus_create_session", { name: "frontend", description: "Sub-agent" })
    expect(await find("frontend")).toMatchObject({ uuid, status: "active" })
    expect(await mcpTool(developer, "chorus_session_heartbeat", { sessionUuid: uuid })).toMatch(/\d{4}-\d\d-\d\dT/)
    await tool(developer, "chorus_close_session", { sessionUuid: uuid })
    expect(await find("frontend")).toMatchObject({ uuid, status: "closed" })
    expect(await tool(developer, "chorus_reopen_session", { sessionUuid: uuid })).toMatchObject({ uuid })
    expect(await find("frontend")).toMatchObject({ status: "active" })
  })
})

describe("SubagentStop", () => {
  it("checks out of every task, closes, and sees what became of the work", async () => {
    const { developer, admin } = stage.roles
    const { uuid: sessionUuid } = await tool(developer, "chorus_create_session", { name: "stopping" })
    const [one, two] = [await newTask(), await newTask()]
    for (const taskUuid of [one, two]) await tool(developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })
    const session = await tool(developer, "chorus_get_session", { sessionUuid })
    const open = (rows: unknown) =>
      (rows as { taskUuid: string; checkoutAt: string | null }[])
        .filter(({ checkoutAt }) => checkoutAt === null)
        .map(({ taskUuid }) => taskUuid)
    expect(open(session["checkins"]).sort()).toEqual([one, two].sort())
    expect(open(session["sessionTaskCheckins"]).sort()).toEqual([one, two].sort())
    for (const taskUuid of open(session["checkins"]))
      await mcpTool(developer, "chorus_session_checkout_task", { sessionUuid, taskUuid })
    expect(open((await tool(developer, "chorus_get_session", { sessionUuid }))["checkins"])).toEqual([])
    expect(await tool(developer, "chorus_close_session", { sessionUuid })).toMatchObject({
      uuid: sessionUuid,
      status: "closed",
    })

    const taskUuid = await handedIn()
    const task = await tool(admin, "chorus_get_task", { taskUuid })
    expect(task).toMatchObject({
      status: "to_verify",
      title: "Build",
      project: { uuid: stage.project },
      acceptanceSummary: { required: 1, requiredPassed: 1 },
      dependedBy: [],
    })
    expect((task["acceptanceCriteriaItems"] as object[])[0]).toMatchObject({ required: true, devStatus: "pending" })
    expect(await tool(admin, "chorus_admin_verify_task", { taskUuid })).toMatchObject({ status: "done" })
    const unblocked = await tool(developer, "chorus_get_unblocked_tasks", { projectUuid: stage.project })
    expect(unblocked["total"]).toBe((unblocked["tasks"] as object[]).length)
    expect((unblocked["tasks"] as object[])[0]).toMatchObject({
      status: expect.any(String),
      title: "Build",
      uuid: expect.any(String),
      priority: "medium",
    })
  })
})

describe("TeammateIdle and TaskCompleted", () => {
  it("keep a session alive and check out of a task that is named", async () => {
    const { developer } = stage.roles
    const { uuid: sessionUuid } = await tool(developer, "chorus_create_session", { name: "teammate" })
    const taskUuid = await newTask()
    await tool(developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })
    const before = (await tool(developer, "chorus_get_session", { sessionUuid }))["lastActiveAt"]
    await waitFor(async () => {
      await mcpTool(developer, "chorus_session_heartbeat", { sessionUuid })
      return String((await tool(developer, "chorus_get_session", { sessionUuid }))["lastActiveAt"]) > String(before)
    })
    await mcpTool(developer, "chorus_session_checkout_task", { sessionUuid, taskUuid })
    expect((await tool(developer, "chorus_get_session", { sessionUuid }))["checkins"]).toEqual([])
  })
})

describe("after a tool was used", () => {
  it("a submitted proposal and a task handed in are called by their titles", async () => {
    const { pm, developer } = stage.roles
    const proposalUuid = await draft(pm)
    expect(await tool(pm, "chorus_pm_submit_proposal", { proposalUuid })).toMatchObject({
      title: "A proposal",
      status: "pending",
    })
    const taskUuid = await newTask()
    await tool(developer, "chorus_claim_task", { taskUuid })
    await tool(developer, "chorus_update_task", { taskUuid, status: "in_progress" })
    expect(await tool(developer, "chorus_submit_for_verify", { taskUuid })).toMatchObject({
      title: "Build",
      status: "to_verify",
    })
  })

  it("a verified task leads to its proposal, all its tasks and its report, though more is asked for than one page holds", async () => {
    const { pm, admin } = stage.roles
    const proposalUuid = await draft(pm)
    await tool(pm, "chorus_pm_submit_proposal", { proposalUuid })
    const { materializedTasks } = await stage.own("chorus_admin_approve_proposal", { proposalUuid })
    const [{ taskUuid } = { taskUuid: "" }] = materializedTasks as { taskUuid: string }[]
    const task = await tool(admin, "chorus_get_task", { taskUuid })
    expect(task).toMatchObject({ proposalUuid, project: { uuid: stage.project } })
    const proposal = await tool(admin, "chorus_get_proposal", { proposalUuid })
    expect(proposal).toMatchObject({ description: "Why and how", inputType: "idea", inputUuids: [expect.any(String)] })
    const tasks = await tool(admin, "chorus_list_tasks", {
      projectUuid: stage.project,
      proposalUuids: [proposalUuid],
      pageSize: 200,
    })
    expect(tasks).toMatchObject({ total: 1, pageSize: 100, tasks: [{ status: "open" }] })
    await tool(pm, "chorus_create_report", { proposalUuid, title: "Report", content: "Done." })
    const documents = await tool(admin, "chorus_get_documents", {
      projectUuid: stage.project,
      type: "report",
      pageSize: 200,
    })
    expect((documents["documents"] as { proposalUuid: string }[]).map((row) => row.proposalUuid)).toContain(
      proposalUuid,
    )
  })

  async function draft(pm: Role): Promise<string> {
    const { uuid: ideaUuid } = await tool(pm, "chorus_pm_create_idea", { projectUuid: stage.project, title: "Idea" })
    await tool(pm, "chorus_claim_idea", { ideaUuid })
    await tool(pm, "chorus_pm_skip_elaboration", { ideaUuid, reason: "clear" })
    const { uuid: proposalUuid } = await tool(pm, "chorus_pm_create_proposal", {
      projectUuid: stage.project,
      title: "A proposal",
      description: "Why and how",
      inputType: "idea",
      inputUuids: [ideaUuid],
    })
    await tool(pm, "chorus_pm_add_document_draft", { proposalUuid, type: "prd", title: "PRD", content: LONG })
    // Some clients send lists as text.
    await tool(pm, "chorus_pm_add_task_draft", {
      proposalUuid,
      title: "Build",
      acceptanceCriteriaItems: JSON.stringify(CRITERIA),
    })
    return String(proposalUuid)
  }
})

describe("a monitor", () => {
  it("hears of notifications as they come, and reads them without marking", async () => {
    const { developer } = stage.roles
    const stopped = new AbortController()
    const response = await fetch(`${stage.server.url}/api/events/notifications`, {
      headers: { authorization: `Bearer ${keys.get("developer")}`, accept: "text/event-stream" },
      signal: stopped.signal,
    })
    const lines: string[] = []
    const reading = read(response, lines).catch(() => undefined)
    await waitFor(() => lines[0]?.startsWith(":"), 60_000, "the first comment line")
    await mcpTool(developer, "chorus_mark_notification_read", { all: true })
    const taskUuid = await newTask({ title: "Wake up" })
    await stage.own("chorus_pm_assign_task", { taskUuid, agentUuid: developer.uuid })
    const heard = () =>
      lines.filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice("data: ".length)) as Json)
    const news = await waitFor(
      () => heard().find(({ type, entityTitle }) => type === "new_notification" && entityTitle === "Wake up"),
      60_000,
      "the notification",
    )
    expect(news).toMatchObject({
      notificationUuid: expect.any(String),
      action: "task_assigned",
      actorName: expect.any(String),
      entityType: "task",
      entityUuid: taskUuid,
      projectUuid: stage.project,
    })
    const unread = await tool(developer, "chorus_get_notifications", {
      status: "unread",
      limit: 50,
      autoMarkRead: false,
    })
    expect(unread["notifications"]).toMatchObject([
      { uuid: news["notificationUuid"], message: expect.stringContaining("Wake up") },
    ])
    await mcpTool(developer, "chorus_mark_notification_read", { notificationUuid: news["notificationUuid"] })
    await waitFor(
      () => heard().some(({ type, unreadCount }) => type === "count_update" && unreadCount === 0),
      60_000,
      "the count",
    )
    await stage.own("chorus_pm_assign_task", {
      taskUuid: await newTask({ title: "Not yours" }),
      agentUuid: stage.roles.admin.uuid,
    })
    const last = await newTask({ title: "The last" })
    await stage.own("chorus_pm_assign_task", { taskUuid: last, agentUuid: developer.uuid })
    await waitFor(() => heard().some(({ entityUuid }) => entityUuid === last))
    expect(heard().map(({ entityTitle }) => entityTitle)).not.toContain("Not yours")
    stopped.abort()
    await reading
  })

  it("needs a key", async () => {
    expect((await fetch(`${stage.server.url}/api/events/notifications`)).status).toBe(401)
  })
})

describe("the page", () => {
  it("sees what agents touch when it asks, with no trace in the log", async () => {
    const stopped = new AbortController()
    const response = await fetch(`${stage.server.url}/api/events?presence=1&projectUuid=${stage.project}`, {
      headers: { authorization: `Bearer ${keys.get("admin")}` },
      signal: stopped.signal,
    })
    const lines: string[] = []
    const reading = read(response, lines).catch(() => undefined)
    await waitFor(() => lines.length > 0)
    const taskUuid = await newTask()
    const before = (await stage.own("chorus_list_events", { limit: 1 }))["last"]
    await mcpTool(stage.roles.developer, "chorus_get_task", { taskUuid })
    const seen = await waitFor(() => {
      const at = lines.indexOf("event: presence")
      return at < 0 ? undefined : (JSON.parse(String(lines[at + 1]).slice("data: ".length)) as Json)
    })
    expect(seen).toMatchObject({
      entityType: "task",
      entityUuid: taskUuid,
      action: "view",
      agent: { name: "The developer" },
      projectUuid: stage.project,
    })
    expect((await stage.own("chorus_list_events", { limit: 1 }))["last"]).toBe(before)
    stopped.abort()
    await reading
  })
})

/** Gathers the lines of a stream until it ends. */
async function read(response: Response, lines: string[]): Promise<void> {
  expect(response.status).toBe(200)
  let rest = ""
  for await (const part of response.body?.pipeThrough(
    new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
  ) ?? []) {
    const whole = (rest + part).split("\n")
    rest = whole.pop() ?? ""
    lines.push(...whole)
  }
}
