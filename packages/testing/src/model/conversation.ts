import { fields, items, text } from "./json.ts"
import type { Api, ModelRequest } from "./turn.ts"

interface Line {
  from: "system" | "user" | "model"
  text: string
  /** The part of a user's line that somebody meant to say; empty for tool results and reminders. */
  prompt: string
}

type ConversationView = Pick<
  ModelRequest,
  "model" | "tools" | "system" | "prompt" | "firstPrompt" | "sincePrompt" | "turns" | "newest" | "all"
>

const READERS: Record<Api, (body: Record<string, unknown>) => Line[]> = {
  messages: messagesLines,
  responses: responsesLines,
  chat: chatLines,
  other: () => [],
}

/** Reads a conversation out of a request body of any of the wire formats. */
export function conversationView(api: Api, body: Record<string, unknown>): ConversationView {
  const lines = READERS[api](body)
  const prompts = lines.filter((line) => line.prompt !== "")
  const newestPrompt = prompts.at(-1)
  const after = newestPrompt ? lines.slice(lines.indexOf(newestPrompt) + 1) : lines
  const isModel = (line: Line): boolean => line.from === "model"
  return {
    model: text(body["model"]),
    tools: items(body["tools"])
      .map(toolName)
      .filter((name) => name !== ""),
    system: lines
      .filter((line) => line.from === "system")
      .map((line) => line.text)
      .join("\n"),
    prompt: newestPrompt?.prompt ?? "",
    firstPrompt: prompts[0]?.prompt ?? "",
    sincePrompt: after.filter(isModel).length,
    turns: lines.filter(isModel).length,
    newest: lines.filter((line) => line.from === "user").at(-1)?.text ?? "",
    all: lines.map((line) => line.text).join("\n"),
  }
}

function messagesLines(body: Record<string, unknown>): Line[] {
  const system: Line = { from: "system", text: said(body["system"]), prompt: "" }
  return [system, ...items(body["messages"]).map(fields).map(messagesLine)]
}

function messagesLine(message: Record<string, unknown>): Line {
  const whole = said(message["content"])
  if (message["role"] === "assistant") return { from: "model", text: whole, prompt: "" }
  if (message["role"] !== "user") return { from: "system", text: whole, prompt: "" }
  const blocks = blocksOf(message["content"])
  const spoken = blocks
    .filter((block) => block["type"] === "text")
    .map((block) => text(block["text"]))
    .filter((part) => !isReminder(part))
  const afterTool = blocks.some((block) => block["type"] === "tool_result")
  // After an interrupted tool call the client sends its result and the next prompt in one message.
  const isPrompt = !afterTool || spoken.some((part) => /\bDO:\s*\[|\[Request interrupted/.test(part))
  return { from: "user", text: whole, prompt: isPrompt ? spoken.join("\n") : "" }
}

function responsesLines(body: Record<string, unknown>): Line[] {
  const lines: Line[] = [{ from: "system", text: text(body["instructions"]), prompt: "" }]
  const input = typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : items(body["input"])
  for (const item of input.map(fields)) {
    const line = responsesLine(item)
    const before = lines.at(-1)
    // Thought, text and calls of one turn are separate items here.
    if (line.from === "model" && before?.from === "model") before.text += `\n${line.text}`
    else lines.push(line)
  }
  return lines
}

function responsesLine(item: Record<string, unknown>): Line {
  const kind = text(item["type"]) || "message"
  if (kind.endsWith("_call") || kind === "reasoning")
    return { from: "model", text: text(item["arguments"]) || text(item["input"]), prompt: "" }
  if (kind === "agent_message") return agentLine(item)
  if (kind !== "message") return { from: "user", text: said(item["output"]), prompt: "" }
  return spokenLine(item)
}

/** What Codex's agents tell each other: a sub-agent is given its work so, and its lead what came of it. */
function agentLine(item: Record<string, unknown>): Line {
  const whole = blocksOf(item["content"])
    .map((block) => text(block["text"]) || text(block["encrypted_content"]))
    .join("\n")
  return { from: "user", text: whole, prompt: whole.includes("NEW_TASK") ? whole : "" }
}

function chatLines(body: Record<string, unknown>): Line[] {
  return items(body["messages"])
    .map((message) => spokenLine(fields(message)))
    .map((line) => ({ ...line, prompt: unquoted(line.prompt) }))
}

// `opencode run` puts a prompt of several words in quotes.
function unquoted(prompt: string): string {
  if (!/^"[\s\S]*"\s*$/.test(prompt)) return prompt
  try {
    return text(JSON.parse(prompt))
  } catch {
    return prompt.trim().slice(1, -1).replaceAll('\\"', '"')
  }
}

function spokenLine(message: Record<string, unknown>): Line {
  const whole = said(message["content"])
  if (message["role"] === "assistant") return { from: "model", text: whole, prompt: "" }
  if (message["role"] === "tool") return { from: "user", text: whole, prompt: "" }
  if (message["role"] !== "user") return { from: "system", text: whole, prompt: "" }
  const spoken = blocksOf(message["content"])
    .map((block) => text(block["text"]))
    .filter((part) => part !== "" && !isReminder(part))
  return { from: "user", text: whole, prompt: spoken.join("\n") }
}

/** All text of a content field: a string, or blocks that may hold blocks. */
function said(content: unknown): string {
  return blocksOf(content)
    .map((block) => text(block["text"]) || (block["content"] === undefined ? "" : said(block["content"])))
    .join("\n")
}

function blocksOf(content: unknown): Record<string, unknown>[] {
  if (typeof content === "string") return [{ type: "text", text: content }]
  return items(content).map(fields)
}

// Text the client itself puts into a user's message: reminders (Claude Code, OpenCode), surroundings and instructions (Codex).
function isReminder(part: string): boolean {
  return (
    /^\s*<(system-reminder|environment_context|user_instructions|permissions instructions|skills_instructions|INSTRUCTIONS)>[\s\S]*<\/\1>\s*$/.test(
      part,
    ) || /^\s*# AGENTS\.md instructions/.test(part)
  )
}

function toolName(tool: unknown): string {
  const { name, type, function: called } = fields(tool)
  return text(name) || text(fields(called)["name"]) || text(type)
}
