import type { IncomingHttpHeaders } from "node:http"

/** What the scripted model does when it is asked. An empty turn says nothing and ends. */
export interface Turn {
  text?: string
  thinking?: string
  tools?: ToolCall[]
  /** Answer with an HTTP error instead. */
  error?: { status: number; type?: string; message?: string; headers?: Record<string, string> }
  /** Milliseconds before the answer begins. To wait for a fact instead, make the scenario asynchronous. */
  delay?: number
  /** Milliseconds between the pieces of the text. */
  chunkDelay?: number
  /** Say the text, if any, and then nothing more until the agent hangs up or the model stops. */
  hang?: boolean
  /** Say what there is to say and break the connection. */
  drop?: boolean
  stopReason?: string
  inputTokens?: number
  outputTokens?: number
  /** Of Claude's API alone. */
  cacheReadTokens?: number
}

/** A string as input makes a free-form call, as Codex's code mode wants; `namespace` is Codex's too. */
export interface ToolCall {
  name: string
  input?: Record<string, unknown> | string
  id?: string
  namespace?: string
}

/** The three wire formats that call a scenario, and the rest, which is answered and recorded only. */
export type Api = "messages" | "responses" | "chat" | "other"

/** One request as the scenario sees it, whichever wire format it came in. */
export interface ModelRequest {
  /** Counts from 1 in order of arrival. */
  readonly number: number
  readonly at: number
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly api: Api
  readonly body: Record<string, unknown>
  /** "title" requests ask for a session title beside the conversation; the server answers them without the scenario. */
  readonly purpose: "turn" | "title"
  readonly model: string
  readonly tools: readonly string[]
  readonly system: string
  /** The newest message that a person, a lead or a peer wrote; tool results and injected reminders are not prompts. */
  readonly prompt: string
  readonly firstPrompt: string
  /** How many turns the model took since the newest prompt. Taken from the conversation, so a retried request has the same. */
  readonly sincePrompt: number
  /** How many turns the model took in the whole conversation. */
  readonly turns: number
  /** The newest thing the model is told, tool results and reminders included. */
  readonly newest: string
  /** Everything said, in one text. */
  readonly all: string
  /** Claude Code's session, and which subagent or teammate of it asks. */
  readonly sessionId: string | undefined
  readonly agentId: string | undefined
  /** What was answered; undefined while the scenario is still thinking. */
  readonly turn: Turn | undefined
}

export type Scenario = (request: ModelRequest) => Turn | Promise<Turn>
