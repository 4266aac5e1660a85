import type { HookEvent } from "@chorus/contracts"

type Fields = Readonly<Record<string, unknown>>

// Control characters other than tab and line breaks; PostgreSQL refuses one of them.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g
const MOST_REPORT = 100_000
/**
 * Where a block of a message has its words. Codex calls what one agent tells another encrypted, also where it is not.
 */
const TEXT_FIELDS: Readonly<Record<string, string>> = {
  text: "text",
  input_text: "text",
  encrypted_content: "encrypted_content",
}

/** A field that came as JSON text, or as it is. */
export function fieldsOf(value: unknown): Fields | undefined {
  if (typeof value === "string") return fieldsOf(parsed(value))
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** What an agent's program says, fit to be kept: no control characters, not endless. */
export function cleaned(text: string, most = MOST_REPORT): string {
  return text.replaceAll(CONTROL, "").slice(0, most).trim()
}

/** The same on one line. */
export function cleanLine(text: string, most: number): string {
  return cleaned(text.replaceAll(/\s+/g, " "), most)
}

/** What a message of a transcript says in words; Codex calls it the payload. */
export function wordsOf(line: HookEvent["transcript_head"]): string {
  const fields = fieldsOf(line)
  const content = fieldsOf(fields?.["message"] ?? fields?.["payload"])?.["content"]
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((block) => fieldsOf(block))
    .map((block) => block?.[TEXT_FIELDS[String(block["type"])] ?? ""])
    .filter((words) => typeof words === "string")
    .join("\n")
}

const TOOLS_USED = /^\s*<tools-used-before-summary>[\s\S]*?<\/tools-used-before-summary>\s*/

/**
 * What a call that waited for its sub-agent brings back. The program may list the tools it used first; that is not the
 * agent speaking.
 */
export function returnedWords(response: unknown): string {
  return cleaned(wordsOf({ message: response }).replace(TOOLS_USED, ""))
}

/** The last thing a sub-agent said; programs of February 2026 leave it to the transcript. */
export function lastWordsOf(event: HookEvent): string {
  const said = event.last_assistant_message ?? ""
  if (said !== "") return cleaned(said)
  const tail = fieldsOf(fieldsOf(event.transcript_tail)?.["message"])
  return tail?.["role"] === "assistant" ? cleaned(wordsOf(event.transcript_tail)) : ""
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
