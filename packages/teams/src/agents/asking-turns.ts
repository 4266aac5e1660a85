import type { Turn } from "../runtime/driver.ts"
import { agentFailed, Conversation, type Fields, fieldsOf, isRefused, Permissions, textOf } from "./conversation.ts"
import type { Program } from "./program.ts"

/** One turn with a program that asks within it. */
export interface AskingTurn {
  readonly program: Program
  readonly turn: Turn
  readonly text: string
  readonly cwd: string
  readonly thread: string | undefined
  readonly model?: string | undefined
  /** Told of the conversation as soon as it has a name. */
  began(thread: string): void
}

const CLIENT = { name: "chorus", title: "Chorus", version: "1" }

/** Codex by its app-server: a command or change beyond its sandbox waits for a person. */
export async function codexTurn({ program, turn, text, cwd, thread, model, began }: AskingTurn): Promise<string> {
  const changes = new Map<string, unknown>()
  let said = ""
  let ended: (turn: Fields) => void = () => undefined
  const permissions = new Permissions(turn)
  const codex = new Conversation(program, "Codex", {
    asked(method, { itemId, command, cwd: folder, reason }) {
      if (method === "item/commandExecution/requestApproval")
        return decided(permissions.isAllowed("exec_command", itemId, reason ?? command, { command, cwd: folder }))
      if (method !== "item/fileChange/requestApproval") return undefined
      return decided(permissions.isAllowed("apply_patch", itemId, reason, patchOf(changes.get(textOf(itemId)))))
    },
    told(method, params) {
      const { type, id, command, status, text: words, changes: changed } = fieldsOf(params["item"])
      if (method === "turn/completed") return ended(fieldsOf(params["turn"]))
      if (method === "item/started" && type === "commandExecution") turn.heard({ line: textOf(command) })
      if (method === "item/started" && type === "fileChange") changes.set(textOf(id), changed)
      if (method === "thread/tokenUsage/updated") turn.heard({ tokens: tokensIn(params) })
      if (method === "item/completed" && isRefused(status))
        turn.heard({ line: `failed: ${textOf(command) || textOf(type)}` })
      if (method !== "item/completed" || type !== "agentMessage") return
      said = textOf(words)
      turn.heard({ line: said })
    },
  })
  await codex.request("initialize", { clientInfo: CLIENT })
  codex.notify("initialized", {})
  // A conversation goes on in the sandbox that it began in, whatever the program is started with.
  const about = {
    cwd,
    approvalPolicy: "on-request",
    sandbox: "workspace-write",
    ...(model === undefined ? {} : { model }),
  }
  const opened = await (thread === undefined
    ? codex.request("thread/start", about)
    : codex.request("thread/resume", { ...about, threadId: thread }))
  const threadId = textOf(fieldsOf(opened["thread"])["id"])
  began(threadId)
  for (let words = text; words !== ""; words = permissions.toTell()) {
    const over = new Promise<Fields>((resolve) => (ended = resolve))
    await codex.request("turn/start", { threadId, input: [{ type: "text", text: words }] })
    const { error } = await Promise.race([over, program.ended.then(() => endedEarly(program))])
    if (error !== undefined && error !== null) throw agentFailed(textOf(fieldsOf(error)["message"]))
  }
  return said
}

const HEADS: Readonly<Record<string, string>> = { add: "Add", delete: "Delete" }

/** Which files a patch changes and how, written as Codex itself writes patches. */
function patchOf(changes: unknown): Fields {
  const all = Array.isArray(changes) ? changes.map(fieldsOf) : []
  const parts = all.map(({ path, kind, diff }) => {
    const { type, move_path: moved } = fieldsOf(kind)
    const head = `*** ${HEADS[textOf(type)] ?? "Update"} File: ${textOf(path)}`
    return [head, ...(textOf(moved) === "" ? [] : [`*** Move to: ${textOf(moved)}`]), textOf(diff)].join("\n")
  })
  const files = all.flatMap(({ path, kind }) => [path, fieldsOf(kind)["move_path"]]).filter((one) => textOf(one) !== "")
  return { files, patch: parts.join("\n") }
}

async function decided(allowed: Promise<boolean>): Promise<object> {
  return { decision: (await allowed) ? "accept" : "decline" }
}

function tokensIn(params: Fields): number {
  const last = fieldsOf(fieldsOf(params["tokenUsage"])["last"])
  return Number(last["totalTokens"] ?? 0)
}

/** OpenCode by the agent client protocol: what its configuration wants asked waits for a person. */
export async function opencodeTurn(
  { program, turn, text, cwd, thread, began }: AskingTurn,
  agent: string | undefined,
): Promise<string> {
  let said = ""
  let isWhole = true
  let hears = false
  /** By the id of each call: a question only says what the call is about. */
  const tools = new Map<string, string>()
  const permissions = new Permissions(turn)
  const opencode = new Conversation(program, "OpenCode", {
    asked(method, params) {
      if (method !== "session/request_permission") return undefined
      const { toolCallId, title, rawInput, kind } = fieldsOf(params["toolCall"])
      const choice = (allowed: boolean) => chosen(params["options"], allowed ? "allow_once" : "reject_once")
      // The team's own tools ask nobody.
      if (kind !== "execute" && /^team_[A-Za-z]+$/.test(textOf(title))) return Promise.resolve(choice(true))
      const input = fieldsOf(rawInput)
      const says = Object.values(input).includes(title) ? "" : title
      return permissions.isAllowed(tools.get(textOf(toolCallId)) ?? textOf(title), toolCallId, says, input).then(choice)
    },
    told(method, params) {
      // What comes before a conversation is taken up again was said before.
      if (method !== "session/update" || !hears) return
      const { sessionUpdate, content, title, toolCallId, status } = fieldsOf(params["update"])
      if (sessionUpdate === "tool_call") {
        tools.set(textOf(toolCallId), textOf(title))
        isWhole = true
        turn.heard({ line: textOf(title) })
      }
      if (sessionUpdate === "tool_call_update" && isRefused(status)) turn.heard({ line: `failed: ${textOf(title)}` })
      if (sessionUpdate !== "agent_message_chunk") return
      said = (isWhole ? "" : said) + textOf(fieldsOf(content)["text"])
      isWhole = false
    },
  })
  await opencode.request("initialize", {
    protocolVersion: 1,
    clientInfo: CLIENT,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  })
  const about = { cwd, mcpServers: [] }
  const opened = await (thread === undefined
    ? opencode.request("session/new", about)
    : opencode.request("session/load", { ...about, sessionId: thread }))
  const sessionId = thread ?? textOf(opened["sessionId"])
  began(sessionId)
  if (agent !== undefined) await opencode.request("session/set_mode", { sessionId, modeId: agent })
  hears = true
  for (let words = text; words !== ""; words = permissions.toTell()) {
    const prompt = [{ type: "text", text: words }]
    const { usage } = await opencode.request("session/prompt", { sessionId, prompt })
    turn.heard({ line: said, tokens: Number(fieldsOf(usage)["totalTokens"] ?? 0) })
  }
  return said
}

function chosen(options: unknown, kind: string): object {
  const offered = Array.isArray(options) ? options.map(fieldsOf) : []
  const optionId = offered.find((option) => option["kind"] === kind)?.["optionId"]
  return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } }
}

function endedEarly(program: Program): never {
  throw agentFailed(program.howEnded("Codex"))
}
