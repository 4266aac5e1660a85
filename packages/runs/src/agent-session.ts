import type { Readable, Writable } from "node:stream"
import { ChorusError, type runs } from "@chorus/contracts"
import { SIGN_IN_NEEDED } from "@chorus/core"
import { AcpError, connectAcp, ENDED, fieldsOf, listOf, textOf } from "./acp-connection.ts"
import { type Answer, choiceFor, formAnswer, isOurTool, questionsOfForm, wantsSecret } from "./answers.ts"
import manifest from "../package.json" with { type: "json" }

type Fields = Readonly<Record<string, unknown>>

const PROTOCOL = 1
const INITIALIZE_MS = 20_000
const SESSION_MS = 30_000
const SETTING_MS = 10_000
/** What the protocol answers where there is no such conversation. */
const NOT_FOUND = -32_002
const CLOSE_MS = 2000

/** A question that only a person answers. */
export interface Asked {
  readonly requestId: string
  readonly kind: "permission" | "input"
  readonly title: string
  readonly detail: Fields
  /** After so long the program goes on without an answer. */
  readonly expiresInMs?: number
  /** It wants what nobody may read, and what people answer is kept. */
  readonly isSecret?: boolean
}

export interface TurnEnd {
  readonly stopReason: string
  readonly usage: Partial<runs.RunUsage>
  readonly failure?: string
}

export interface AgentOptions {
  readonly from: Readable
  readonly to: Writable
  readonly program: runs.RunProgram
  readonly cwd: string
  readonly mcp: { readonly url: string; readonly key: string } | undefined
  /** The conversation to go on with. */
  readonly sessionId: string | null
  /** Whether to begin a new one where the program does not know that one any more. */
  readonly orAnew: boolean
  readonly modeId: string | undefined
  readonly model: string | null
  /** Resolves when the person may have signed in; throws where nobody will. */
  signIn(refused: AcpError): Promise<void>
  onLine(direction: "in" | "out", line: string): Promise<void> | undefined
  onUpdate(sessionId: string, update: Fields): void
  onAsk(asked: Asked): void
  /** It need not be answered any more. */
  onSettled(requestId: string): void
  /** What is known of a tool call that a request names. */
  callOf(toolCallId: string): Fields | undefined
}

/** One conversation with one agent program. */
export interface AgentSession {
  readonly id: string
  /** The program has heard nothing in it yet. */
  readonly isNew: boolean
  /** Resolves when the turn is over; only one is open at a time. */
  prompt(text: string): Promise<TurnEnd>
  /** Whether it hears words within a turn at all. */
  readonly steers: boolean
  /** Whether the words reached the turn that is running. */
  steer(text: string): Promise<boolean>
  /** Ends the turn; whatever waits for a person is taken back. */
  cancel(): void
  /** From the next turn on; a mode or model that the program does not know is refused. */
  set(choice: { readonly modeId: string | undefined; readonly model: string | null }): Promise<void>
  /** Whether that request was still open. */
  answer(requestId: string, answer: Answer): boolean
  close(): Promise<void>
}

/** Greets the program and opens or takes up a conversation. */
export async function openSession(options: AgentOptions): Promise<AgentSession> {
  const open = new Map<string, (answer: Answer | undefined) => void>()
  let heard = options.sessionId === null
  let systemError = false
  let lastMessage = ""
  const connection = connectAcp({
    from: options.from,
    to: options.to,
    onLine: options.onLine,
    onRequest: (method, params, id) => {
      if (method === "session/request_permission") return permission(params, id)
      if (method === "elicitation/create") return question(params, id)
      return undefined
    },
    onNotification(method, params) {
      if (method === "$/cancel_request") return settle(String(params["requestId"]), undefined)
      // What comes before a conversation is taken up again is what was said before; that is known.
      if (method !== "session/update" || !heard) return
      const update = fieldsOf(params["update"])
      noteHealth(update)
      options.onUpdate(textOf(params["sessionId"]) ?? "", update)
    },
  })

  function noteHealth(update: Fields): void {
    const status = fieldsOf(fieldsOf(fieldsOf(update["_meta"])["codex"])["threadStatus"])["type"]
    if (typeof status === "string") systemError = status === "systemError"
    if (update["sessionUpdate"] === "agent_message_chunk")
      lastMessage = (lastMessage + (textOf(fieldsOf(update["content"])["text"]) ?? "")).slice(-1000)
  }

  function permission(params: Fields, id: string): Promise<unknown> {
    const asked = fieldsOf(params["toolCall"])
    const call = { ...options.callOf(textOf(asked["toolCallId"]) ?? ""), ...asked }
    const choices = listOf(params["options"]).map(fieldsOf)
    const said = (answer: Answer | undefined) => ({
      outcome: choiceFor(choices, answer) ?? { outcome: "cancelled" },
    })
    if (isOurTool(call)) return Promise.resolve(said({ decision: "approve" }))
    const title = textOf(call["title"]) ?? textOf(call["name"]) ?? "A tool"
    const detail = { tool: title, kind: call["kind"], input: call["rawInput"], content: call["content"], choices }
    return ask({ requestId: `r${id}`, kind: "permission", title, detail }).then(said)
  }

  function question(params: Fields, id: string): Promise<unknown> {
    const schema = fieldsOf(params["requestedSchema"])
    const message = textOf(params["message"]) ?? "The agent asks"
    const questions = questionsOfForm(schema, message)
    const [first, ...more] = questions
    const title = `${first?.question ?? message}${more.length === 0 ? "" : ` (+${more.length})`}`
    const { autoResolutionMs: ms } = fieldsOf(fieldsOf(params["_meta"])["codex"])
    const lapses = typeof ms === "number" && ms >= 1 ? { expiresInMs: Math.round(ms) } : {}
    const isSecret = wantsSecret(schema)
    const detail = { message, questions }
    return ask({ requestId: `r${id}`, kind: "input", title, detail, isSecret, ...lapses }).then((answer) =>
      formAnswer(schema, answer),
    )
  }

  function ask(asked: Asked): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      open.set(asked.requestId, resolve)
      options.onAsk(asked)
    })
  }

  function settle(requestId: string, answer: Answer | undefined): void {
    const key = open.has(requestId) ? requestId : `r${requestId}`
    const resolve = open.get(key)
    if (resolve === undefined) return
    open.delete(key)
    resolve(answer)
    options.onSettled(key)
  }

  const settleAll = () => [...open.keys()].forEach((requestId) => settle(requestId, undefined))
  void connection.closed.then(settleAll)

  const { protocolVersion, agentCapabilities, _meta } = await connection.request(
    "initialize",
    {
      protocolVersion: PROTOCOL,
      clientInfo: { name: "chorus", title: "Chorus", version: manifest.version },
      // Neither files nor terminals: who offers them answers for what is written. Questions and sub-agents come only
      // to who offers them.
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {} },
        subagents: {},
      },
    },
    INITIALIZE_MS,
  )
  if (protocolVersion !== PROTOCOL)
    throw new ChorusError(
      "protocol_unknown",
      `The program speaks version ${String(protocolVersion)} of the protocol.`,
      {
        status: 409,
        next: "Use a version of it that speaks 1.",
      },
    )
  const can = fieldsOf(agentCapabilities)
  const sessionCan = fieldsOf(can["sessionCapabilities"])
  const opened = await begunOnceSignedIn()
  heard = true
  const begun = textOf(opened["sessionId"])
  const isNew = options.sessionId === null || (begun !== undefined && begun !== options.sessionId)
  const id = (isNew ? begun : options.sessionId) ?? ""
  await settings(options)

  async function begunOnceSignedIn(): Promise<Fields> {
    for (;;) {
      try {
        return await begin()
      } catch (error) {
        if (!(error instanceof AcpError) || error.code !== SIGN_IN_NEEDED) throw error
        await options.signIn(error)
      }
    }
  }

  async function begin(): Promise<Fields> {
    const { cwd, mcp, sessionId } = options
    const headers = [{ name: "Authorization", value: `Bearer ${mcp?.key ?? ""}` }]
    const mcpServers = mcp === undefined ? [] : [{ type: "http", name: "chorus", url: mcp.url, headers }]
    const meta = { claudeCode: { options: { allowedTools: ["mcp__chorus"] } } }
    const about = { cwd, mcpServers, ...(options.program === "claude" ? { _meta: meta } : {}) }
    if (sessionId === null) return connection.request("session/new", about, SESSION_MS)
    const method = sessionCan["resume"] === undefined ? "session/load" : "session/resume"
    if (method === "session/load" && can["loadSession"] !== true)
      throw new ChorusError("not_resumable", "This program cannot take up a conversation again.", {
        status: 409,
        next: "Start a new run.",
      })
    return connection.request(method, { ...about, sessionId }, SESSION_MS).catch((error: unknown) => {
      // One that was killed early may not have written down that there was a conversation.
      if (!(error instanceof AcpError) || error.message === ENDED || error.code === SIGN_IN_NEEDED) throw error
      if (options.orAnew) return connection.request("session/new", about, SESSION_MS)
      throw error.code === NOT_FOUND ? forgotten() : error
    })
  }

  /** A mode that cannot be set may be a wider one than the machine allows: then nothing begins. */
  async function settings({ modeId, model }: Pick<AgentOptions, "modeId" | "model">): Promise<void> {
    if (modeId !== undefined) await connection.request("session/set_mode", { sessionId: id, modeId }, SETTING_MS)
    if (model === null) return
    const choice = listOf(opened["configOptions"])
      .map(fieldsOf)
      .find(({ category }) => category === "model")
    await (choice === undefined
      ? connection.request("session/set_model", { sessionId: id, modelId: model }, SETTING_MS)
      : connection.request(
          "session/set_config_option",
          { sessionId: id, configId: choice["id"], value: model },
          SETTING_MS,
        ))
  }

  const words = (text: string) => [{ type: "text", text }]
  const steers = fieldsOf(fieldsOf(_meta)["steering"])["supported"] === true
  return {
    id,
    isNew,
    steers,
    async prompt(text) {
      systemError = false
      lastMessage = ""
      const answered = await connection.request("session/prompt", { sessionId: id, prompt: words(text) })
      const stopReason = textOf(answered["stopReason"]) ?? "end_turn"
      // Codex tells a model's failure as the end of a good turn.
      const failed =
        options.program === "codex" && stopReason === "end_turn" && (answered["usage"] === null || systemError)
      return {
        stopReason,
        usage: usageOf(answered),
        ...(failed ? { failure: lastMessage.trim() || "It failed." } : {}),
      }
    },
    async steer(text) {
      if (!steers) return false
      const meta = { steering: { idleBehavior: "promptRequired" } }
      const answered = await connection
        .request("_session/steering", { sessionId: id, prompt: words(text), _meta: meta }, SETTING_MS)
        .catch((error: unknown) => (error instanceof AcpError ? {} : Promise.reject(error)))
      return fieldsOf(answered)["outcome"] === "injected"
    },
    cancel() {
      settleAll()
      connection.notify("session/cancel", { sessionId: id })
    },
    set: settings,
    answer(requestId, answer) {
      const waits = open.has(requestId)
      settle(requestId, answer)
      return waits
    },
    async close() {
      settleAll()
      if (sessionCan["close"] === undefined) return
      await connection.request("session/close", { sessionId: id }, CLOSE_MS).catch(() => undefined)
    },
  }
}

function forgotten(): ChorusError {
  return new ChorusError("conversation_gone", "The program no longer has the conversation of this run.", {
    status: 409,
    next: "Start a new run on the task: it gets the whole brief again. What this one changed is kept in its worktree.",
  })
}

function usageOf(answered: Fields): Partial<runs.RunUsage> {
  const told = fieldsOf(answered["usage"])
  const quota = fieldsOf(fieldsOf(fieldsOf(answered["_meta"])["quota"])["token_count"])
  const count = (...values: unknown[]) => Math.round(Number(values.find((value) => typeof value === "number") ?? 0))
  return {
    inputTokens: count(told["inputTokens"], quota["input_tokens"]),
    outputTokens: count(told["outputTokens"], quota["output_tokens"]),
    cacheReadTokens: count(told["cachedReadTokens"]),
    cacheCreationTokens: count(told["cachedWriteTokens"]),
  }
}

/** Whether such an update tells of work that goes on, and not of the session alone. */
export function isWorkToldBy(kind: string): boolean {
  return !/^(available_commands|usage|session_info|current_mode|config_option)/.test(kind)
}

/** Some programs say that they could not reach the server they were given; the others go on without a word. */
export function isWithoutTools(update: Fields): boolean {
  const { kind, server, status } = fieldsOf(fieldsOf(update["_meta"])["claudeCode"])
  if (kind === "mcpServerStatus") return server === "chorus" && status === "failed"
  return update["status"] === "failed" && textOf(update["toolCallId"])?.startsWith("mcp_startup.chorus.") === true
}
