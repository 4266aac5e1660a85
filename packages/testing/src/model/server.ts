import { once } from "node:events"
import { createServer, type IncomingMessage, type Server } from "node:http"
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { waitFor } from "../wait.ts"
import { replyWithChat } from "./chat.ts"
import { conversationView } from "./conversation.ts"
import { fields } from "./json.ts"
import { refuseMessage, replyWithMessage } from "./messages.ts"
import { Reply } from "./reply.ts"
import { refuseOpenAi, replyWithResponse } from "./responses.ts"
import type { Api, ModelRequest, Scenario, Turn } from "./turn.ts"

export interface ModelOptions {
  /** The answer to requests for a session title. */
  title?: string
}

export interface ScriptedModel extends AsyncDisposable {
  /** Base URL without a path: `${url}/v1/messages`, `${url}/v1/responses`, `${url}/v1/chat/completions`. */
  readonly url: string
  readonly port: number
  /** Every request so far, whatever it asked for. */
  readonly requests: readonly ModelRequest[]
  /** The first request, past or to come, for which the predicate holds. */
  waitFor(predicate: (request: ModelRequest) => boolean, timeout?: number): Promise<ModelRequest>
  /** Changes what the model does from the next request on. */
  script(scenario: Scenario): void
  stop(): Promise<void>
}

type Recorded = { -readonly [Key in keyof ModelRequest]: ModelRequest[Key] }

const WRITERS = { messages: replyWithMessage, responses: replyWithResponse, chat: replyWithChat } as const

/** A model on loopback that does what the scenario says, for every agent program: Anthropic's and OpenAI's wire formats on one port. */
export async function startModel(scenario: Scenario, options: ModelOptions = {}): Promise<ScriptedModel> {
  const requests: Recorded[] = []
  let current = scenario
  const answer = async (incoming: IncomingMessage, reply: Reply): Promise<void> => {
    const request = await record(incoming, requests)
    if (request.api === "other") return answerAside(reply, request)
    request.turn = await chosenTurn(request, current, options.title ?? "Scripted title")
    return say(reply, request.api, request.turn, request.body)
  }
  const server = createServer((incoming, response) => {
    // An agent that hangs up while it still sends is no fault of the test.
    answer(incoming, new Reply(response)).catch(() => response.destroy())
  })
  const port = await listen(server)
  const stop = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    waitFor: (predicate, timeout = 60_000) =>
      waitFor(
        () => requests.find(predicate),
        timeout,
        () => `a model request; there were ${requests.length}: ${requests.map(summary).join("; ")}`,
      ),
    script: (next) => {
      current = next
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  server.unref()
  const address = server.address()
  return typeof address === "object" && address ? address.port : 0
}

async function record(incoming: IncomingMessage, requests: Recorded[]): Promise<Recorded> {
  const body = await readBody(incoming)
  const path = new URL(incoming.url ?? "/", "http://loopback").pathname
  const api = incoming.method === "POST" ? apiOf(path) : "other"
  const view = conversationView(api, body)
  const recorded: Recorded = {
    number: requests.length + 1,
    at: Date.now(),
    method: incoming.method ?? "",
    path,
    headers: incoming.headers,
    api,
    body,
    purpose: /Generate a concise, single-line task title|You are a title generator/.test(
      `${view.system}\n${view.prompt}`,
    )
      ? "title"
      : "turn",
    ...view,
    sessionId: headerOf(incoming, "x-claude-code-session-id"),
    agentId: headerOf(incoming, "x-claude-code-agent-id"),
    turn: undefined,
  }
  requests.push(recorded)
  return recorded
}

function apiOf(path: string): Api {
  if (path.endsWith("/messages")) return "messages"
  if (path.endsWith("/responses")) return "responses"
  return path.endsWith("/chat/completions") ? "chat" : "other"
}

async function chosenTurn(request: ModelRequest, scenario: Scenario, title: string): Promise<Turn> {
  if (request.purpose === "title") return { text: request.api === "responses" ? JSON.stringify({ title }) : title }
  try {
    return await scenario(request)
  } catch (error) {
    // 400 is not retried, so a fault in a scenario shows at once where the agent reports it.
    return { error: { status: 400, type: "invalid_request_error", message: `The scenario failed: ${String(error)}` } }
  }
}

async function say(reply: Reply, api: Exclude<Api, "other">, turn: Turn, body: Record<string, unknown>): Promise<void> {
  await reply.wait(turn.delay)
  if (turn.error) return api === "messages" ? refuseMessage(reply, turn.error) : refuseOpenAi(reply, turn.error)
  if (turn.hang && !turn.text) return reply.hang()
  return WRITERS[api](reply, turn, body)
}

function answerAside(reply: Reply, request: ModelRequest): void {
  if (request.method === "HEAD" || request.method === "OPTIONS") return reply.json(200, "")
  if (request.path.endsWith("/count_tokens"))
    return reply.json(200, { input_tokens: Math.ceil(JSON.stringify(request.body).length / 4) })
  if (request.path.endsWith("/models"))
    return reply.json(200, { object: "list", data: [{ id: "scripted", object: "model" }], models: [], has_more: false })
  return refuseMessage(reply, {
    status: 404,
    type: "not_found_error",
    message: `Nothing is scripted at ${request.path}.`,
  })
}

async function readBody(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  try {
    return fields(JSON.parse(unpack(Buffer.concat(chunks), incoming.headers["content-encoding"]).toString("utf8")))
  } catch {
    return {}
  }
}

function unpack(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "gzip") return gunzipSync(bytes)
  if (encoding === "br") return brotliDecompressSync(bytes)
  return encoding === "zstd" ? zstdDecompressSync(bytes) : bytes
}

function headerOf(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name]
  return Array.isArray(value) ? value[0] : value
}

function summary(request: ModelRequest): string {
  return `${request.method} ${request.path} "${request.prompt.slice(0, 60)}"`
}
