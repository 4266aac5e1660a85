import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CHORUS_MAIN, temporaryDirectory } from "@chorus/testing"
import { type Board, openBoard } from "./board.ts"

// The hook scripts that people come from speak MCP by curl: three requests for a call, the first data line counts, errors are results.
// Here is what those of a session's start, a sub-agent's start and end, a teammate's idling, a completed task and the end of a turn call;
// those before a spawn, at a prompt and at a session's end keep files of their own and call nobody.
let board: Board
beforeAll(async () => {
  board = await openBoard({ version: "2.1.41" })
})
afterAll(() => board[Symbol.asyncDispose]())

async function post(body: object): Promise<{ status: number; text: string; session: string | undefined }> {
  const headers = [
    "Authorization: Bearer " + board.key,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
  ].flatMap((header) => ["-H", header])
  const { stdout } = await promisify(execFile)("curl", [
    "-sS",
    "-i",
    "-X",
    "POST",
    `${board.url}/api/mcp`,
    ...headers,
    "-d",
    JSON.stringify(body),
  ])
  const [head = "", ...rest] = stdout.split("\r\n\r\n")
  return {
    status: Number(/^HTTP\/\S+ (\d+)/.exec(head)?.[1]),
    text: rest.join("\r\n\r\n"),
    session: /^mcp-session-id: (\S+)/im.exec(head)?.[1],
  }
}

type Tool = (name: string, args?: object) => Promise<Record<string, never>>

async function byCurl(name: string, args: object = {}): Promise<Record<string, never>> {
  const opened = await post({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "chorus-hook", version: "0.7.5" } },
  })
  expect(opened.status).toBe(200)
  expect(opened.session).toBeUndefined()
  expect((await post({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBeLessThan(300)
  const { status, text } = await post({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name, arguments: args },
  })
  expect(status).toBe(200)
  const line =
    text
      .split("\n")
      .find((one) => one.startsWith("data: "))
      ?.slice("data: ".length) ?? text
  const { result } = JSON.parse(line) as { result: { content: { type: string; text: string }[] } }
  return JSON.parse(
    result.content
      .filter((part) => part.type === "text")
      .map((part) => part.text)
      .join("\n"),
  ) as Record<string, never>
}

/**
 * Their newer scripts ask for a command of 0.17 or later, and then go through that; what it prints is what they read.
 */
async function byCommand(name: string, args: object = {}): Promise<Record<string, never>> {
  const env = { PATH: "/usr/bin:/bin", HOME: board.home.path }
  const run = promisify(execFile)
  const where = ["--url", board.url, "--api-key", board.key]
  const command = [CHORUS_MAIN, "mcp", "call", name, JSON.stringify(args), ...where]
  // A refusal is printed all the same.
  const { stdout } = await run(process.execPath, command, { env }).catch((error: { stdout: string }) => error)
  return JSON.parse(stdout) as Record<string, never>
}

const WAYS: [string, Tool][] = [
  ["curl", byCurl],
  ...(process.env["CHORUS_STRESS"] === "1" ? [["chorus mcp call", byCommand] as [string, Tool]] : []),
]

it("the hook scripts people come from find the command on the PATH, and hand texts over as they stand in files", async () => {
  const folder = temporaryDirectory("path-")
  const chorus = join(folder.path, "chorus")
  writeFileSync(chorus, `#!/bin/sh\nexec '${process.execPath}' '${CHORUS_MAIN}' "$@"\n`, { mode: 0o755 })
  const content = 'A "quoted" line,\n\tand one with é; $(nothing) is run.\n'
  writeFileSync(join(folder.path, "report.md"), content)
  const [targetUuid = ""] = await board.addTasks({ title: "text" })
  const env = {
    PATH: `${folder.path}:/usr/bin:/bin`,
    HOME: board.home.path,
    CHORUS_URL: board.url,
    CHORUS_API_KEY: board.key,
  }
  const call = `chorus mcp call chorus_add_comment '{"targetType":"task"}' --agent main --arg targetUuid=${targetUuid}`
  const run = (script: string) => promisify(execFile)("bash", ["-c", script], { env, cwd: folder.path })
  await run(`${call} --arg-file content=report.md`)
  await run(`${call} --arg-file content=- < report.md`)
  const { comments } = await board.call<{ comments: { content: string }[] }>("chorus_get_comments", {
    targetType: "task",
    targetUuid,
  })
  expect(comments.map((comment) => comment.content)).toEqual([content, content])
  await expect(run(`${call} --arg content`)).rejects.toMatchObject({ stderr: expect.stringContaining("name=value") })
  await folder.remove()
})

it("the hook scripts people come from report what a terminal used with each turn, all of it again, and it counts once", async () => {
  const [taskUuid = "", otherUuid = ""] = await board.addTasks({ title: "sign" }, { title: "window" })
  const at = (minute: number) => new Date(Date.UTC(2026, 3, 22, 9, minute)).toISOString()
  const turn = (minute: number, cache_read_input_tokens: number) => ({
    ts: at(minute),
    input_tokens: 5,
    output_tokens: 2,
    cache_creation_input_tokens: 1,
    // What came on top of the turn before: after a compaction that is less than nothing.
    cache_read_input_tokens,
  })
  const turns = [turn(1, 400), turn(3, 60), turn(6, -300)]
  const timeline = [
    { ts: at(0), entity_type: "task", entity_uuid: taskUuid },
    { ts: at(5), entity_type: "task", entity_uuid: otherUuid },
  ]
  const tell = async (upTo: number) => {
    const body = JSON.stringify({ sourceSessionId: "terminal-1", turns: turns.slice(0, upTo), timeline })
    const headers = ["Authorization: Bearer " + board.key, "Content-Type: application/json"]
    const where = `${board.url}/api/agent-report/token-usage`
    const args = ["-sS", "-X", "POST", ...headers.flatMap((header) => ["-H", header]), "-d", body, where]
    return JSON.parse((await promisify(execFile)("curl", args)).stdout) as unknown
  }
  for (const [upTo, recorded] of [
    [1, 1],
    [2, 1],
    [3, 1],
    [3, 0],
  ] as const)
    expect(await tell(upTo)).toEqual({ recorded })
  const used = async (of: string) => (await board.call<{ total: object }>("chorus_get_usage", { taskUuid: of })).total
  expect(await used(taskUuid)).toMatchObject({ inputTokens: 10, outputTokens: 4, cacheReadTokens: 460 })
  expect(await used(otherUuid)).toMatchObject({ inputTokens: 5, outputTokens: 2, cacheReadTokens: 0 })
})

describe.each(WAYS)("the hook scripts people come from, by %s", (way, tool) => {
  it("check in, and find who they are", async () => {
    const health = await fetch(`${board.url}/api/health`, { headers: { authorization: `Bearer ${board.key}` } })
    expect(health.status).toBe(200)
    expect(await tool("chorus_checkin")).toMatchObject({
      agent: { owner: { name: "Owner" }, permissions: { task: ["read", "write"] } },
    })
  })

  it("open, reuse, close and reopen a session by its name", async () => {
    const worker = `frontend-worker by ${way}`
    const made = await tool("chorus_create_session", { name: worker, description: "a sub-agent" })
    expect(made["uuid"]).toMatch(/^[0-9a-f-]{36}$/)
    const { sessions } = (await tool("chorus_list_sessions")) as unknown as {
      sessions: { name: string; uuid: string; status: string; updatedAt: string }[]
    }
    expect(sessions.filter((session) => session.name === worker)).toMatchObject([
      { uuid: made["uuid"], status: "active", updatedAt: expect.any(String) },
    ])
    const sessionUuid = made["uuid"]
    expect(await tool("chorus_session_heartbeat", { sessionUuid })).toMatchObject({ uuid: sessionUuid })
    expect(await tool("chorus_close_session", { sessionUuid })).toMatchObject({ status: "closed" })
    expect(await tool("chorus_reopen_session", { sessionUuid })).toMatchObject({ uuid: sessionUuid, status: "active" })
  })

  it("give a sub-agent of a known name the session that was heard from last, whatever has become of it", async () => {
    const name = `painter by ${way}`
    const list = async () =>
      (
        (await tool("chorus_list_sessions")) as unknown as {
          sessions: { name: string; uuid: string; status: string }[]
        }
      ).sessions
    const { uuid: sessionUuid } = await tool("chorus_create_session", { name, description: "Auto-created" })
    await tool("chorus_close_session", { sessionUuid })
    for (const status of ["closed", "active"]) {
      expect((await list()).filter((session) => session.name === name)).toMatchObject([{ uuid: sessionUuid, status }])
      expect(await tool("chorus_reopen_session", { sessionUuid })).toMatchObject({ uuid: sessionUuid })
    }
    await tool("chorus_close_session", { sessionUuid })
    // It idles once more: a sign of life does not open again what has ended.
    expect(await tool("chorus_session_heartbeat", { sessionUuid })).toMatchObject({ error: {} })
    expect(await tool("chorus_get_session", { sessionUuid })).toMatchObject({ status: "closed" })
  })

  it("end a sub-agent: its check-ins, its task, what became unblocked, and lists longer than a page may be", async () => {
    const [taskUuid = ""] = await board.addTasks({ title: "lamp" }, { title: "shade", after: ["lamp"] })
    const { uuid: sessionUuid } = await tool("chorus_create_session", { name: "closing" })
    await tool("chorus_session_checkin_task", { sessionUuid, taskUuid })
    await tool("chorus_update_task", { taskUuid, status: "in_progress", sessionUuid })
    expect(await tool("chorus_get_session", { sessionUuid })).toMatchObject({
      checkins: [{ taskUuid, checkoutAt: null }],
      sessionTaskCheckins: [{ taskUuid }],
    })
    expect(await tool("chorus_session_checkout_task", { sessionUuid, taskUuid })).toMatchObject({ taskUuid })
    expect(await tool("chorus_get_task", { taskUuid })).toMatchObject({
      status: "in_progress",
      project: { uuid: board.projectUuid },
      acceptanceSummary: { required: 2, requiredPassed: 0 },
      acceptanceCriteriaItems: [{ devStatus: "pending" }, {}],
      dependedBy: [{ title: "shade" }],
    })
    expect(await tool("chorus_get_unblocked_tasks", { projectUuid: board.projectUuid })).toMatchObject({
      total: expect.any(Number),
      tasks: expect.any(Array),
    })
    expect(await tool("chorus_list_tasks", { projectUuid: board.projectUuid, pageSize: 200 })).toMatchObject({
      total: expect.any(Number),
      tasks: expect.any(Array),
    })
    expect(await tool("chorus_get_notifications", { status: "unread", limit: 50, autoMarkRead: false })).toMatchObject({
      notifications: expect.any(Array),
    })
  })

  it("say that a teammate idles, that its task is completed, and when its session is closed what it used", async () => {
    const [taskUuid = ""] = await board.addTasks({ title: `bench by ${way}` })
    const { uuid: sessionUuid } = await tool("chorus_create_session", { name: "idling" })
    await tool("chorus_session_checkin_task", { sessionUuid, taskUuid })
    expect(await tool("chorus_session_heartbeat", { sessionUuid })).toMatchObject({ status: "active" })
    expect(await tool("chorus_session_checkout_task", { sessionUuid, taskUuid })).toMatchObject({ checkedOut: true })
    await tool("chorus_close_session", { sessionUuid })
    const turns = [{ ts: null, input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 90 }]
    const used = await fetch(`${board.url}/api/agent-report/token-usage`, {
      method: "POST",
      headers: { authorization: `Bearer ${board.key}`, "content-type": "application/json" },
      body: JSON.stringify({ sessionUuid, sourceSessionId: sessionUuid, isReviewer: false, turns, timeline: [] }),
    })
    expect(await used.json()).toEqual({ recorded: 1 })
    expect(await board.call("chorus_get_usage", { taskUuid })).toMatchObject({
      total: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 90 },
    })
  })

  it("are told of errors as results, which print nothing they could take for success", async () => {
    expect(await tool("chorus_get_session", { sessionUuid: "00000000-0000-4000-8000-000000000000" })).toMatchObject({
      error: { code: "not_found" },
    })
  })
})
