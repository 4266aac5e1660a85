/** Of the fields of a structured message, the most telling first. */
const TELLING = [
  "result",
  "failureReason",
  "subject",
  "summary",
  "reason",
  "feedback",
  "description",
  "planContent",
  "idleReason",
  "error",
]

/** What a structured message between members says to a person; the text itself when it is not structured after all. */
export function teamWords(text: string): string {
  const fields = teamFields(text)
  if (fields === undefined) return text
  const tool = wordsIn(fields, "tool_name")
  if (wordsIn(fields, "type") === "permission_request" && tool !== "") return toolWords(tool, fields.get("input"))
  return TELLING.map((name) => wordsIn(fields, name)).find((words) => words !== "") ?? ""
}

const ABOUT = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "filepath",
  "notebook_path",
  "files",
  "path",
  "pattern",
  "url",
]

/** What a tool is used for: its name, and the one thing it is about. */
export function toolWords(tool: string, input: unknown): string {
  const given = new Map(typeof input === "object" && input !== null ? Object.entries(input) : [])
  const about = ABOUT.map((name) => wordsOf(given.get(name))).find((words) => words !== "")
  return about === undefined ? tool : `${tool}: ${about}`
}

function wordsOf(value: unknown): string {
  if (typeof value === "string") return value
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(", ") : ""
}

/** The fields of a structured message; none of words. */
export function teamFields(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === "object" && body !== null ? new Map(Object.entries(body)) : undefined
  } catch {
    return undefined
  }
}

/** A field's text; none where it is missing or something else. */
export function wordsIn(fields: ReadonlyMap<string, unknown> | undefined, name: string): string {
  const value = fields?.get(name)
  return typeof value === "string" ? value : ""
}
