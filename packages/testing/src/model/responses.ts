import { randomUUID } from "node:crypto"
import type { Reply } from "./reply.ts"
import type { ToolCall, Turn } from "./turn.ts"

/** Says a turn in OpenAI's Responses format, as Codex asks for it. */
export async function replyWithResponse(reply: Reply, turn: Turn, body: Record<string, unknown>): Promise<void> {
  const response = { id: `resp_${randomUUID()}`, object: "response", model: body["model"] }
  const output: object[] = []
  if (turn.thinking)
    output.push({
      id: `rs_${randomUUID()}`,
      type: "reasoning",
      summary: [{ type: "summary_text", text: turn.thinking }],
      encrypted_content: null,
    })
  if (turn.text) output.push(textItem(turn.text))
  output.push(...(turn.tools ?? []).map(callItem))
  const finished = { ...response, status: "completed", output, usage: usageOf(turn) }
  if (body["stream"] !== true) {
    if (await reply.breaksOff(turn)) return
    reply.json(200, finished)
    return
  }
  const event = (type: string, data: object): void => reply.event(type, { type, ...data })
  reply.stream()
  event("response.created", { response: { ...response, status: "in_progress", output: [] } })
  for (const [index, item] of output.entries()) {
    const isText = "role" in item
    event("response.output_item.added", {
      output_index: index,
      item: isText ? { ...item, status: "in_progress", content: [] } : item,
    })
    if (isText) {
      await reply.pieces(turn, (delta) =>
        event("response.output_text.delta", {
          output_index: index,
          content_index: 0,
          item_id: "id" in item ? item.id : "",
          delta,
        }),
      )
      if (turn.hang) break
    }
    event("response.output_item.done", { output_index: index, item })
  }
  if (await reply.breaksOff(turn)) return
  event("response.completed", { response: finished })
  reply.end()
}

export function refuseOpenAi(reply: Reply, error: NonNullable<Turn["error"]>): void {
  const body = { error: { message: error.message ?? "scripted error", type: error.type ?? "server_error", code: null } }
  reply.json(error.status, body, error.headers)
}

function textItem(said: string): object {
  return {
    id: `msg_${randomUUID()}`,
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: said, annotations: [] }],
  }
}

function callItem(call: ToolCall): object {
  const common = { status: "completed", call_id: call.id ?? `call_${randomUUID()}`, name: call.name }
  if (typeof call.input === "string")
    return { id: `ctc_${randomUUID()}`, type: "custom_tool_call", ...common, input: call.input }
  const namespace = call.namespace === undefined ? {} : { namespace: call.namespace }
  return {
    id: `fc_${randomUUID()}`,
    type: "function_call",
    ...common,
    ...namespace,
    arguments: JSON.stringify(call.input ?? {}),
  }
}

function usageOf(turn: Turn): object {
  const input = turn.inputTokens ?? 100
  const output = turn.outputTokens ?? 20
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}
