import { randomUUID } from "node:crypto"
import type { Reply } from "./reply.ts"
import type { Turn } from "./turn.ts"

type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: unknown }

/** Says a turn in Anthropic's Messages format. */
export async function replyWithMessage(reply: Reply, turn: Turn, body: Record<string, unknown>): Promise<void> {
  const content = blocksOf(turn)
  const stop = turn.stopReason ?? (turn.tools?.length ? "tool_use" : "end_turn")
  const usage = {
    input_tokens: turn.inputTokens ?? 100,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: turn.cacheReadTokens ?? 0,
    output_tokens: turn.outputTokens ?? 20,
    service_tier: "standard",
  }
  const message = {
    id: `msg_${randomUUID()}`,
    type: "message",
    role: "assistant",
    model: body["model"],
    stop_sequence: null,
  }
  if (body["stream"] !== true) {
    if (await reply.breaksOff(turn)) return
    reply.json(200, { ...message, content, stop_reason: stop, usage })
    return
  }
  const event = (type: string, data: object): void => reply.event(type, { type, ...data })
  reply.stream()
  event("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  })
  for (const [index, block] of content.entries()) {
    event("content_block_start", { index, content_block: opening(block) })
    const delta = (data: object): void => event("content_block_delta", { index, delta: data })
    if (block.type === "text") await reply.pieces(turn, (piece) => delta({ type: "text_delta", text: piece }))
    if (block.type === "tool_use") delta({ type: "input_json_delta", partial_json: JSON.stringify(block.input) })
    if (block.type === "thinking") {
      delta({ type: "thinking_delta", thinking: block.thinking })
      delta({ type: "signature_delta", signature: block.signature })
    }
    if (turn.hang && block.type === "text") break
    event("content_block_stop", { index })
  }
  if (await reply.breaksOff(turn)) return
  event("message_delta", {
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  })
  event("message_stop", {})
  reply.end()
}

export function refuseMessage(reply: Reply, error: NonNullable<Turn["error"]>): void {
  const body = { type: "error", error: { type: error.type ?? "api_error", message: error.message ?? "scripted error" } }
  reply.json(error.status, body, error.headers)
}

function blocksOf(turn: Turn): Block[] {
  const blocks: Block[] = []
  if (turn.thinking) blocks.push({ type: "thinking", thinking: turn.thinking, signature: "scripted" })
  if (turn.text) blocks.push({ type: "text", text: turn.text })
  for (const call of turn.tools ?? [])
    blocks.push({ type: "tool_use", id: call.id ?? `toolu_${randomUUID()}`, name: call.name, input: call.input ?? {} })
  return blocks.length > 0 ? blocks : [{ type: "text", text: "" }]
}

function opening(block: Block): object {
  if (block.type === "text") return { type: "text", text: "" }
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" }
  return { ...block, input: {} }
}
