import { randomUUID } from "node:crypto"
import type { Reply } from "./reply.ts"
import type { Turn } from "./turn.ts"

/** Says a turn in OpenAI's Chat Completions format, as OpenCode asks for it. */
export async function replyWithChat(reply: Reply, turn: Turn, body: Record<string, unknown>): Promise<void> {
  const base = { id: `chatcmpl_${randomUUID()}`, created: Math.floor(Date.now() / 1000), model: body["model"] }
  const calls = (turn.tools ?? []).map((call, index) => {
    const given = typeof call.input === "string" ? call.input : JSON.stringify(call.input ?? {})
    return {
      index,
      id: call.id ?? `call_${randomUUID()}`,
      type: "function",
      function: { name: call.name, arguments: given },
    }
  })
  const finish = turn.stopReason ?? (calls.length > 0 ? "tool_calls" : "stop")
  const usage = {
    prompt_tokens: turn.inputTokens ?? 100,
    completion_tokens: turn.outputTokens ?? 20,
    total_tokens: (turn.inputTokens ?? 100) + (turn.outputTokens ?? 20),
  }
  if (body["stream"] !== true) {
    if (await reply.breaksOff(turn)) return
    const message = {
      role: "assistant",
      content: turn.text ?? null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
    reply.json(200, {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    })
    return
  }
  const chunk = (choices: object[], more: object = {}): void =>
    reply.event(undefined, { ...base, object: "chat.completion.chunk", choices, ...more })
  const delta = (data: object, finish_reason: string | null = null): void =>
    chunk([{ index: 0, delta: data, finish_reason }])
  reply.stream()
  delta({ role: "assistant", content: "" })
  if (turn.thinking) delta({ reasoning_content: turn.thinking })
  await reply.pieces(turn, (content) => delta({ content }))
  if (turn.hang) {
    await reply.hang()
    return
  }
  for (const call of calls) delta({ tool_calls: [call] })
  if (await reply.breaksOff(turn)) return
  delta({}, finish)
  chunk([], { usage })
  reply.event(undefined, "[DONE]")
  reply.end()
}
