import { request as httpRequest } from "node:http"
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
 * Posts to an address that somebody gave us and tells the status of the answer. The name is looked up once and the connection goes to the
 * address that was judged; redirects are not followed, since they could lead elsewhere.
 */
export async function vettedPost({
  url: address,
  body,
  headers,
  allowPrivate,
  resolve: look,
  timeoutMs = TIMEOUT_MS,
  signal,
}: VettedPost): Promise<number> {
  const url = new URL(address)
  const target = await vettedAddress(url.hostname, { allowPrivate, resolve: look })
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    const request = send(url, {
      method: "POST",
      agent: false,
      ...(signal === undefined ? {} : { signal }),
      lookup: (_host, { all }, found) =>
        all === true ? found(null, [target]) : found(null, target.address, target.family),
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
    })
    const deadline = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    request.on("response", (response) => {
      clearTimeout(deadline)
      // What it says does not matter, and could be endless.
      response.destroy()
      resolve(response.statusCode ?? 0)
    })
    request.on("error", (error) => {
      clearTimeout(deadline)
      reject(error)
    })
    request.end(body)
  })
}
