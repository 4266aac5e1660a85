import { ChorusError } from "@chorus/contracts"

export const MAX_BODY_BYTES = 4 * 1024 * 1024

/** Reads a JSON object from a request, refusing what is too large, of another type, or not JSON. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? ""
  const bytes = await readBody(request)
  if (bytes.byteLength === 0) return {}
  if (!/^application\/json\b/i.test(type)) {
    throw new ChorusError("unsupported_media_type", "The body must be JSON.", { status: 415, next: "Send Content-Type: application/json." })
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch (error) {
    throw new ChorusError("invalid_json", "The body is not valid JSON in UTF-8.", { next: "Correct the body and send it again.", cause: error })
  }
}

async function readBody(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(): ChorusError {
  return new ChorusError("body_too_large", `A body has at most ${MAX_BODY_BYTES / 1024 / 1024} MB.`, { status: 413, next: "Send less at once." })
}
