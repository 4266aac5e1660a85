import { type BodyOf, TeamMessageBody, type TeamMessageKind } from "@chorus/contracts"

/** What an entry's text means. Plain text, JSON of a kind we do not know, and JSON that lacks a field are all just a message. */
export function bodyOf(text: string): TeamMessageBody | undefined {
  if (!text.startsWith("{")) return undefined
  const value = parsed(text)
  const result = TeamMessageBody.safeParse(value)
  return result.success ? (value as TeamMessageBody) : undefined
}

/** The kind for people and for the page: known kinds by name, foreign ones by the name they carry, anything else `message`. */
export function kindOf(text: string): string {
  const body = bodyOf(text)
  if (body !== undefined) return body.type
  const type = text.startsWith("{") ? (parsed(text) as { type?: unknown } | undefined)?.type : undefined
  return typeof type === "string" && type !== "" ? type : "message"
}

/**
 * Whether anybody might take the text for a message of the protocol: its JSON has a known type. Broader than `bodyOf` on purpose, as
 * another reader may be content with fewer fields, or with space before the bracket.
 */
export function protocolKindIn(text: string): TeamMessageKind | undefined {
  const type = (parsed(text) as { type?: unknown } | null | undefined)?.type
  return KINDS.find((kind) => kind === type)
}

const KINDS = TeamMessageBody.options.map((option) => option.shape.type.value)

export function bodyOfKind<K extends TeamMessageKind>(text: string, kind: K): BodyOf<K> | undefined {
  const body = bodyOf(text)
  return body?.type === kind ? (body as BodyOf<K>) : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
