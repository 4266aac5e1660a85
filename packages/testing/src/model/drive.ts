import { fields } from "./json.ts"
import type { ModelRequest, ToolCall, Turn } from "./turn.ts"

/**
 * The scenario in which the prompt says what the model does. `DO: [[call, …], [call, …]]` anywhere in the newest prompt gives one
 * inner array of `{"name", "input"}` for each turn; an object in place of an array is a turn as it stands (`{"text": …}`,
 * `{"error": …}`, `{"hang": true}`). Then the model says "Done."; without a directive it says "Noted.". It works alike for a
 * lead, a subagent and a teammate, because each obeys its own newest prompt.
 *
 * `{{reqid}}` stands for the newest request id in the conversation. A request to shut down is agreed to, or refused where
 * `MODE:reject` was the last mode named.
 */
export function drive(request: ModelRequest): Turn {
  if (isShutdownRequest(request.prompt)) return answerShutdown(request)
  try {
    const turns = directives(request.prompt.replaceAll("{{reqid}}", newestRequestId(request.all)))
    if (turns === undefined) return { text: "Noted." }
    const next = turns[request.sincePrompt]
    if (next === undefined) return { text: "Done." }
    return Array.isArray(next) ? { tools: next as ToolCall[] } : (fields(next) as Turn)
  } catch (error) {
    return {
      error: { status: 400, type: "invalid_request_error", message: `The DO: directive is not JSON: ${String(error)}` },
    }
  }
}

/** The turns of all directives of a prompt in order, or undefined when there is none. Those inside another's strings are left alone. */
export function directives(prompt: string): unknown[] | undefined {
  const found: unknown[][] = []
  const sign = /\bDO:\s*(?=\[)/g
  while (sign.exec(prompt)) {
    const end = endOfArray(prompt, sign.lastIndex)
    found.push(JSON.parse(prompt.slice(sign.lastIndex, end)) as unknown[])
    sign.lastIndex = end
  }
  return found.length === 0 ? undefined : found.flat()
}

function endOfArray(source: string, start: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[[\]]/gs
  token.lastIndex = start
  let depth = 0
  for (let match = token.exec(source); match; match = token.exec(source)) {
    if (match[0] === "[") depth++
    if (match[0] === "]" && --depth === 0) return token.lastIndex
  }
  return source.length
}

function isShutdownRequest(prompt: string): boolean {
  return prompt.includes("shutdown_request") && prompt.includes("teammate_id=")
}

function answerShutdown(request: ModelRequest): Turn {
  if (request.sincePrompt > 0) return { text: "Answered." }
  const approve = [...request.all.matchAll(/MODE:(approve|reject)/g)].at(-1)?.[1] !== "reject"
  const answer = { type: "shutdown_response", request_id: newestRequestId(request.prompt), approve }
  const reason = "Still at work."
  if (takesRecipient(request))
    return { tools: [{ name: "SendMessage", input: { ...answer, ...(approve ? {} : { content: reason }) } }] }
  return {
    tools: [
      { name: "SendMessage", input: { to: "team-lead", message: { ...answer, ...(approve ? {} : { reason }) } } },
    ],
  }
}

// Claude Code of February 2026 had one flat SendMessage with a recipient.
function takesRecipient(request: ModelRequest): boolean {
  const tools = Array.isArray(request.body["tools"]) ? request.body["tools"].map(fields) : []
  const schema = fields(tools.find((tool) => tool["name"] === "SendMessage")?.["input_schema"])
  return "recipient" in fields(schema["properties"])
}

function newestRequestId(said: string): string {
  return [...said.matchAll(/"request_?[iI]d\\?"\s*:\s*\\?"([^"\\]+)/g)].at(-1)?.[1] ?? "none"
}
