import type { attachments, OutputOf } from "@chorus/contracts"
import { pictureType } from "./files.ts"

const MOST_WORDS = 60_000

/**
 * An attached file as a model reads it: a picture is seen, a text is read, of anything else it learns where the bytes
 * lie.
 */
export function attachedFile({ contentBase64, ...file }: OutputOf<typeof attachments.getAttachment>) {
  const bytes = Buffer.from(contentBase64, "base64")
  const mimeType = pictureType(bytes)
  const { uuid, name, mediaType, size } = file
  const about = { uuid, name, mediaType: mimeType ?? mediaType, size }
  if (mimeType !== undefined)
    return { content: [said(about), { type: "image" as const, data: contentBase64, mimeType }] }
  const words = wordsIn(bytes)
  if (words === undefined) return { content: [said({ ...about, bytes: `/api/files/${uuid}` })] }
  const cut =
    words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}… (cut: all of it is at /api/files/${uuid})` : words
  return { content: [said({ ...about, text: cut })] }
}

function said(fields: object) {
  return { type: "text" as const, text: JSON.stringify(fields) }
}

function wordsIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}
