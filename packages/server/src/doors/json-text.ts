import { inTurns } from "@chorus/store"

/** Lists longer than this are written in pieces of it. */
const PIECE = 200

/** Puts an answer into JSON; a long list in it takes a while, in which others have their turn. */
export async function jsonText(answer: object): Promise<string> {
  return Array.isArray(answer) || !Object.values(answer).some(isLong)
    ? JSON.stringify(answer)
    : inTurns(inPieces(answer))
}

function* inPieces(answer: object): Generator<undefined, string, undefined> {
  const fields: string[] = []
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue
    if (!isLong(value)) {
      fields.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
      continue
    }
    const items: string[] = []
    for (let at = 0; at < value.length; at += PIECE) {
      items.push(JSON.stringify(value.slice(at, at + PIECE)).slice(1, -1))
      yield
    }
    fields.push(`${JSON.stringify(name)}:[${items.join(",")}]`)
  }
  return `{${fields.join(",")}}`
}

function isLong(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > PIECE
}
