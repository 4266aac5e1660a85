import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"

/** Speaks as one of the agent programs does and obeys the last word in angle brackets: <say …>, <fail …>, <die …>, <kill …>, <hang>. */
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

if (kind === "claude") for await (const line of createInterface({ input: process.stdin })) obey(line)
else if (args[0] === "app-server" || args[0] === "acp")
  for await (const line of createInterface({ input: process.stdin })) converse(line)
else obey(await text(process.stdin))

/** The protocols in which a program can ask: of each only what a turn needs. */
function converse(line: string): void {
  const { id, method, params = {} } = JSON.parse(line) as { id?: number; method?: string; params?: Spoken }
  if (method === "thread/resume" || method === "session/load") log({ resumed: params.threadId ?? params.sessionId })
  if (method === "thread/start" || method === "thread/resume") log({ sandbox: params.sandbox })
  if (method === "turn/start" || method === "session/prompt")
    return obey((params.input ?? params.prompt ?? [])[0]?.text ?? "", id)
  if (id !== undefined) print({ id, result: { thread: { id: "thread-1" }, sessionId: "ses_1" } })
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

function obey(given: string, id?: number): void {
  log({ given })
  const [, order, words = "ready"] = [...given.matchAll(/<(say|fail|die|kill|hang) ?([^>]*)>/g)].at(-1) ?? []
  process.stdout.write("not JSON at all\n{broken\n")
  // Whoever was told nothing to do is done.
  const said = order === undefined || order === "say" || order === "fail"
  if (said && id !== undefined) print(...answered(id, words, order === "fail"))
  else if (order === "say") print(...(SPOKEN[kind]?.said(words) ?? []))
  else if (order === "fail") print(...(SPOKEN[kind]?.failed(words) ?? []))
  if (order === "hang") setInterval(() => undefined, 60_000)
  if (order === "kill") process.stderr.write(`\u001b[31m${words}\u001b[0m\n`, () => process.kill(process.pid, "SIGKILL"))
  if (order !== "die") return
  process.stderr.write(`${words}\n`)
  process.exit(3)
}
