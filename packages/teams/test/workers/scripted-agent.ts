import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"

/** Speaks as one of the agent programs does and obeys the last word in angle brackets: <say …>, <fail …>, <die …>, <kill …>, <fault …>, <write …>, <hang>. */
const [kind = "", ...args] = process.argv.slice(2)
const log = (line: unknown) => appendFileSync(process.env["AGENT_LOG"] ?? "", `${JSON.stringify(line)}\n`)
const print = (...events: object[]) =>
  process.stdout.write(events.map((event) => `${JSON.stringify(event)}\n`).join(""))
if (args[0] === "--version") {
  process.stdout.write("2.1.325 (Claude Code)\n")
  process.exit()
}
if (args[0] === "debug") {
  process.stdout.write(process.env["AGENT_CONFIG"] ?? "{}")
  process.exit()
}
log({ args, mode: process.env["CHORUS_TEAM_MODE"], config: process.env["OPENCODE_CONFIG_CONTENT"] })

const SPOKEN: Record<string, { said(words: string): object[]; failed(words: string): object[] }> = {
  claude: {
    said: (words) => [
      { type: "system", session_id: "session-1" },
      { type: "assistant" },
      { type: "result", result: words, session_id: "session-1" },
    ],
    failed: (words) => [{ type: "result", is_error: true, subtype: "error_during_execution", result: words }],
  },
  codex: {
    said: (words) => [
      { type: "thread.started", thread_id: "thread-1" },
      { type: "item.completed", item: { type: "reasoning", text: "hm" } },
      { type: "item.completed", item: { type: "agent_message", text: words } },
    ],
    failed: (words) => [{ type: "turn.failed", error: { message: words } }],
  },
  opencode: {
    said: (words) => [
      { type: "step_start", sessionID: "ses_1" },
      { type: "text", sessionID: "ses_1", part: { text: words } },
    ],
    failed: (words) => [{ type: "error", sessionID: "ses_1", error: { name: words } }],
  },
}

/** The turn in which it waits for an answer. */
let asked = 0

if (kind === "claude") for await (const line of createInterface({ input: process.stdin })) obey(line)
else if (args[0] === "app-server" || args[0] === "acp")
  for await (const line of createInterface({ input: process.stdin })) converse(line)
else obey(await text(process.stdin))

/** The protocols in which a program can ask: of each only what a turn needs. */
function converse(line: string): void {
  const { id, method, params = {}, result } = JSON.parse(line) as Frame
  if (method === undefined) {
    print(...answered(asked, JSON.stringify(result), false))
    return
  }
  if (method === "thread/resume" || method === "session/load") log({ resumed: params.threadId ?? params.sessionId })
  if (method === "thread/start" || method === "thread/resume") log({ sandbox: params.sandbox })
  if (method === "turn/start" || method === "session/prompt")
    return obey((params.input ?? params.prompt ?? [])[0]?.text ?? "", id)
  if (id !== undefined) print({ id, result: { thread: { id: "thread-1" }, sessionId: "ses_1" } })
}

interface Frame {
  readonly id?: number
  readonly method?: string
  readonly params?: Spoken
  readonly result?: object
}

interface Spoken {
  readonly threadId?: string
  readonly sandbox?: string
  readonly sessionId?: string
  readonly input?: readonly { text: string }[]
  readonly prompt?: readonly { text: string }[]
}

function answered(id: number, words: string, failed: boolean): object[] {
  if (kind === "opencode") {
    const update = (sessionUpdate: string, content: object = {}) => ({
      method: "session/update",
      params: { update: { sessionUpdate, content, title: "bash" } },
    })
    const chunks = ["an earlier word", "", words].map((chunk) =>
      chunk === "" ? update("tool_call") : update("agent_message_chunk", { type: "text", text: chunk }),
    )
    return [...chunks, failed ? { id, error: { code: -32_603, message: words } } : { id, result: {} }]
  }
  const turn = failed ? { status: "failed", error: { message: words } } : { status: "completed", error: null }
  const item = { type: "agentMessage", text: words }
  return [
    { id, result: {} },
    ...(failed ? [] : [{ method: "item/completed", params: { item } }]),
    { method: "turn/completed", params: { turn } },
  ]
}

/** Asks to write a file, as the program that it speaks for does; what it is answered are its last words. */
function writes(path: string): object[] {
  const diff = "+rose"
  if (kind === "codex") {
    const item = { type: "fileChange", id: "w", changes: [{ path, kind: { type: "add" }, diff }] }
    const about = { method: "item/fileChange/requestApproval", params: { itemId: "w", reason: null } }
    return [
      { method: "item/started", params: { item } },
      { id: 900, ...about },
    ]
  }
  const update = { sessionUpdate: "tool_call", toolCallId: "w", title: "write", kind: "edit", rawInput: {} }
  const toolCall = { toolCallId: "w", title: path, kind: "edit", rawInput: { filepath: path, diff } }
  const options = [{ optionId: "once", kind: "allow_once" }]
  return [
    { method: "session/update", params: { update } },
    { id: 900, method: "session/request_permission", params: { toolCall, options } },
  ]
}

/** A command that was refused or has failed, as the program that it speaks for tells of it. */
function faults(words: string, conversing: boolean): object[] {
  if (kind === "claude") {
    const content = [{ type: "tool_result", tool_use_id: "f", is_error: true, content: words }]
    return [{ type: "user", message: { content } }]
  }
  if (kind === "codex") {
    const item = { id: "f", command: "touch early.txt", status: "failed" }
    return conversing
      ? [{ method: "item/completed", params: { item: { ...item, type: "commandExecution" } } }]
      : [{ type: "item.completed", item: { ...item, type: "command_execution" } }]
  }
  const input = { command: "touch early.txt" }
  if (!conversing)
    return [{ type: "tool_use", sessionID: "ses_1", part: { tool: "bash", state: { status: "error", input } } }]
  const update = { sessionUpdate: "tool_call_update", toolCallId: "f", title: "touch early.txt", status: "failed" }
  return [{ method: "session/update", params: { update } }]
}

function obey(given: string, id?: number): void {
  log({ given })
  const [, order, words = "ready"] =
    [...given.matchAll(/<(say|fail|die|kill|fault|write|hang) ?([^>]*)>/g)].at(-1) ?? []
  process.stdout.write("not JSON at all\n{broken\n")
  // Whoever was told nothing to do is done.
  if (order === "write" && id !== undefined) {
    asked = id
    print(...writes(words))
    return
  }
  if (order === "fault") print(...faults(words, id !== undefined))
  const said = order === undefined || order === "say" || order === "fail" || order === "fault"
  if (said && id !== undefined) print(...answered(id, words, order === "fail"))
  else if (order === "say" || order === "fault") print(...(SPOKEN[kind]?.said(words) ?? []))
  else if (order === "fail") print(...(SPOKEN[kind]?.failed(words) ?? []))
  if (order === "hang") setInterval(() => undefined, 60_000)
  if (order === "kill")
    process.stderr.write(`\u001b[31m${words}\u001b[0m\n`, () => process.kill(process.pid, "SIGKILL"))
  if (order !== "die") return
  process.stderr.write(`${words}\n`)
  process.exit(3)
}
