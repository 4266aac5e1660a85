import { createHmac } from "node:crypto"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { VERSION } from "../version.ts"
import { type Resolve, vettedAddress } from "./address.ts"

export interface Parcel {
  readonly url: string
  readonly secret: string
  readonly allowPrivate: boolean
  readonly deliveryUuid: string
  readonly kind: string
  readonly body: string
  readonly now: Date
}

const TIMEOUT_MS = 10_000

/** `t=<seconds>,v1=<hex>`: the HMAC-SHA256 of `<seconds>.<body>` under the webhook's secret. The time lets a receiver refuse what is replayed. */
export function signatureOf(secret: string, body: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000)
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`
}

/**
 * Sends one parcel and tells the status of the answer. The name is looked up once and the connection goes to the address that was judged;
 * redirects are not followed, since they could lead elsewhere.
 */
export async function post(parcel: Parcel, options: { resolve?: Resolve | undefined; timeoutMs?: number | undefined } = {}): Promise<number> {
  const url = new URL(parcel.url)
  const target = await vettedAddress(url.hostname, { allowPrivate: parcel.allowPrivate, resolve: options.resolve })
  const timeout = options.timeoutMs ?? TIMEOUT_MS
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    const request = send(url, {
      method: "POST",
      agent: false,
      lookup: (_host, { all }, found) => (all === true ? found(null, [target]) : found(null, target.address, target.family)),
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(parcel.body),
        "user-agent": `Chorus/${VERSION}`,
        "x-chorus-delivery": parcel.deliveryUuid,
        "x-chorus-event": parcel.kind,
        "x-chorus-signature": signatureOf(parcel.secret, parcel.body, parcel.now),
      },
    })
    const deadline = setTimeout(() => request.destroy(new Error(`no answer within ${timeout} ms`)), timeout)
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
    request.end(parcel.body)
  })
}
