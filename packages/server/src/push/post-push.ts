import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { type Resolve, vettedAddress } from "../webhooks/address.ts"

export interface PushPost {
  readonly endpoint: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

export interface PushRoute {
  /** Only for receivers of tests on this machine. */
  readonly allowPrivate?: boolean | undefined
  readonly resolve?: Resolve | undefined
  readonly timeoutMs?: number | undefined
}

const TIMEOUT_MS = 10_000

/** Hands one message to a push service and tells its answer. The connection goes to the address that was judged; redirects are not followed. */
export async function postPush({ endpoint, body, headers }: PushPost, route: PushRoute = {}): Promise<number> {
  const url = new URL(endpoint)
  const target = await vettedAddress(url.hostname, { allowPrivate: route.allowPrivate ?? false, resolve: route.resolve })
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    const request = send(url, {
      method: "POST",
      agent: false,
      lookup: (_host, { all }, found) => (all === true ? found(null, [target]) : found(null, target.address, target.family)),
      headers: { ...headers, "content-length": body.length },
    })
    const timeout = route.timeoutMs ?? TIMEOUT_MS
    const deadline = setTimeout(() => request.destroy(new Error(`no answer within ${timeout} ms`)), timeout)
    request.on("response", (response) => {
      clearTimeout(deadline)
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
