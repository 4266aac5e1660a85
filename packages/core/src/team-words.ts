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
  return TELLING.map((name) => wordsIn(fields, name)).find((words) => words !== "") ?? ""
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
