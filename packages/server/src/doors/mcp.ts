import { attachments, attentions, ChorusError, type OutputOf } from "@chorus/contracts"
import { type AuthInfo, createMcpHandler, type McpHttpHandler, Server } from "@modelcontextprotocol/server"
import { type Actor, asChorusError, type Focus } from "../operation.ts"
import type { Registry } from "../registry.ts"
import { MCP_VERSIONS, VERSION } from "../version.ts"
import { attachedFile } from "./attached-file.ts"
import { MAX_BODY_BYTES } from "./json-body.ts"
import { jsonText } from "./json-text.ts"
import { isLean, leanAnswer } from "./lean-answer.ts"
import { plainAnswer, plainCall } from "./mcp-plain-call.ts"
import { askInWindow, mayElicit } from "./elicitation.ts"
import { ToolLists, type ToolProfile } from "./tool-list.ts"

export interface McpCaller {
  readonly actor: Actor
  readonly requestId: string
  readonly focus?: Focus | undefined
  /** Which of the tools it may use are listed; all of them when left out. */
  readonly profile?: ToolProfile
  readonly gone?: (() => AbortSignal) | undefined
  /** Somebody sits at the client's window: a question may be put there, and the call waits for it. */
  readonly attended?: boolean
}

export interface McpDoor {
  /** `body` is the request's JSON, already read; undefined for methods without one. */
  handle(request: Request, body: unknown, caller: McpCaller): Promise<Response>
  /** Tells clients with an open subscription to list the tools again. */
  toolsChanged(): void
  close(): Promise<void>
}

/** What a client is greeted with, whichever list of tools it has. */
export const INSTRUCTIONS =
  "Chorus is the shared workplace of people and agents: people write ideas and decide, agents propose, build and report. " +
  "Call chorus_checkin first; chorus_inbox has what waits for you. Errors carry a code and what to do next."

export interface McpDoorOptions {
  /** Called with errors that are our fault. */
  onFault(error: unknown, requestId: string): void
}

/** The MCP door: stateless Streamable HTTP, one low-level server object per request, tool lists computed ahead. */
export function mcpDoor(registry: Registry, options: McpDoorOptions): McpDoor {
  const lists = new ToolLists(registry)
  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) => {
      const server = new Server(
        { name: "chorus", version: VERSION },
        {
          capabilities: { tools: { listChanged: true } },
          instructions: INSTRUCTIONS,
          supportedProtocolVersions: [...MCP_VERSIONS],
        },
      )
      const caller = callerOf(authInfo)
      server.setRequestHandler("tools/list", () => ({ tools: [...lists.for(caller.actor, caller.profile)] }))
      server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
        caller.attended === true && mayElicit(mcpReq) && params.name === attentions.createAttention.name
          ? askInWindow((name, input) => callTool({ ...params, name, arguments: input }, caller), params, mcpReq)
          : callTool(params, caller),
      )
      return server
    },
    { maxRequestBodySize: MAX_BODY_BYTES, onerror: () => undefined },
  )
  return {
    async handle(request, body, caller) {
      const call = plainCall(request.headers, body)
      if (call !== undefined) return plainAnswer(call.id, await callTool(call.params, { ...caller, form: "text" }))
      const form = readsStructure(request.headers.get("mcp-protocol-version")) ? "structure" : "text"
      const authInfo = {
        token: "",
        clientId: caller.actor.uuid,
        scopes: [...caller.actor.permissions],
        extra: { caller: { ...caller, form } satisfies Listener },
      }
      const response = await handler.fetch(request, body === undefined ? { authInfo } : { authInfo, parsedBody: body })
      return isWholeAtOnce(body) ? whole(response) : response
    },
    toolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close(),
  }

  async function callTool({ name, arguments: sent = {}, _meta }: CallParams, caller: Listener) {
    const { actor, requestId, focus, profile, gone } = caller
    const idempotencyKey = _meta?.["chorus/idempotencyKey"]
    const signature = registry.find(name)
    // Unlisted tools are called by programs themselves, which read text.
    const form = signature?.tool === "listed" ? caller.form : "text"
    try {
      if (signature === undefined || signature.tool === "none") throw unknownTool(name)
      const answer = await registry.execute(name, lists.unstringify(name, sent), {
        actor,
        requestId,
        focus,
        gone,
        idempotencyKey: typeof idempotencyKey === "string" ? idempotencyKey : undefined,
      })
      if (name === attachments.getAttachment.name)
        return attachedFile(answer as OutputOf<typeof attachments.getAttachment>)
      return await toolResult(isLean(name, profile) ? leanAnswer(answer) : answer, form)
    } catch (error) {
      const fault = asChorusError(error, requestId)
      if (fault.status >= 500) options.onFault(error, requestId)
      // Of a call that failed Claude Code tells its model the text alone, whatever it reads of others.
      return { ...(await toolResult({ error: fault.toBody() }, "text")), isError: true }
    }
  }
}

interface CallParams {
  readonly name: string
  readonly arguments?: Record<string, unknown> | undefined
  readonly _meta?: Record<string, unknown> | undefined
}

/** Our tools say nothing before their answer, so the stream that frames it can be sent in one piece; only a subscription stays open. */
function isWholeAtOnce(body: unknown): boolean {
  return typeof body === "object" && body !== null && "method" in body && !isSubscription(body)
}

export function isSubscription(body: unknown): boolean {
  return typeof body === "object" && body !== null && "method" in body && body.method === "subscriptions/listen"
}

async function whole(response: Response): Promise<Response> {
  if (response.body === null) return response
  return new Response(await response.text(), { status: response.status, headers: response.headers })
}

/** A caller and how it reads an answer; it gets each once. */
interface Listener extends McpCaller {
  readonly form: "text" | "structure"
}

/**
 * Whether clients of this revision show their model the structure of an answer. Structured content came with 2025-06-18, but programs
 * that speak the revisions of 2025 read the text alone (OpenCode), or the structure only beside a text.
 */
function readsStructure(version: string | null): boolean {
  return version !== null && version >= "2026-07-28"
}

/** The HTTP door has established the caller already; the SDK hands it through. */
function callerOf(authInfo: AuthInfo | undefined): Listener {
  const caller = authInfo?.extra?.["caller"]
  if (caller === undefined) throw new Error("an MCP request reached the tools without a caller")
  return caller as Listener
}

async function toolResult(answer: unknown, form: Listener["form"]) {
  if (form === "structure") return { content: [], structuredContent: answer as Record<string, unknown> }
  return { content: [{ type: "text" as const, text: await jsonText(answer as object) }] }
}

function unknownTool(name: string): ChorusError {
  return new ChorusError("unknown_tool", `There is no tool called ${name}.`, {
    status: 404,
    next: "List the tools to see what this key may call.",
  })
}
