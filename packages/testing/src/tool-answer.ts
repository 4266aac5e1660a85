/** What a tool answered, in whichever form the client's revision of the protocol gets it. */
export function toolAnswer(result: { content?: unknown; structuredContent?: unknown }): Record<string, unknown> {
  if (result.structuredContent !== undefined) return result.structuredContent as Record<string, unknown>
  const [first] = (result.content ?? []) as { text?: string }[]
  return JSON.parse(first?.text ?? "{}") as Record<string, unknown>
}
