import { type IncomingMessage, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { type Resolve, vettedAddress } from "./address.ts"

export interface VettedPost {
  readonly url: string
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly allowPrivate: boolean
  readonly resolve?: Resolve | undefined
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

const TIMEOUT_MS = 10_000

/**
 * Posts to an address that somebody gave us and tells the status of the answer. What it says does not matter, and could
 * be endless.
 */
export async function vettedPost(post: VettedPost): Promise<number> {
  return vettedRequest({ ...post, method: "POST" }, (response) => {
    response.destroy()
    return response.statusCode ?? 0
  })
}

export interface VettedAnswer {
  readonly status: number
  readonly text: string
}

/** Asks something at an address that somebody gave us, and reads the answer as far as `most` bytes. */
export async function vettedAsk(
  ask: Omit<VettedPost, "body"> & { readonly method: string; readonly body?: string | undefined },
  most: number,
): Promise<VettedAnswer> {
  return vettedRequest({ ...ask, body: ask.body ?? "" }, async (response) => {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.byteLength
      if (size > most) throw new Error(`an answer of more than ${most} bytes`)
      chunks.push(chunk)
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }
  })
}

/**
 * The name is looked up once and the connection goes to the address that was judged; redirects are not followed, since
 * they could lead elsewhere. The time is for the whole answer.
 */
async function vettedRequest<Answer>(
  {
    url: address,
    method,
    body,
    headers,
    allowPrivate,
    resolve: look,
    timeoutMs = TIMEOUT_MS,
    signal,
  }: VettedPost & { readonly method: string },
  read: (response: IncomingMessage) => Answer | Promise<Answer>,
): Promise<Answer> {
  const url = new URL(address)
  const target = await vettedAddress(url.hostname, { allowPrivate, resolve: look })
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    const request = send(url, {
      method,
      agent: false,
      ...(signal === undefined ? {} : { signal }),
      lookup: (_host, { all }, found) =>
        all === true ? found(null, [target]) : found(null, target.address, target.family),
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
    })
    const deadline = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    request.on("response", (response) => {
      Promise.resolve(read(response))
        .then(resolve, reject)
        .finally(() => clearTimeout(deadline))
    })
    request.on("error", (error) => {
      clearTimeout(deadline)
      reject(error)
    })
    request.end(body)
  })
}
