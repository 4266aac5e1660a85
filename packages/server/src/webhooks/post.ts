import { createHmac } from "node:crypto"
import { VERSION } from "../version.ts"
import { type VettedPost, vettedPost } from "./vetted-request.ts"

export interface Parcel {
  readonly url: string
  readonly secret: string
  readonly allowPrivate: boolean
  readonly deliveryUuid: string
  readonly kind: string
  readonly body: string
  readonly now: Date
}

/**
 * `t=<seconds>,v1=<hex>`: the HMAC-SHA256 of `<seconds>.<body>` under the webhook's secret. The time lets a receiver
 * refuse what is replayed.
 */
export function signatureOf(secret: string, body: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000)
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`
}

/** Sends one parcel and tells the status of the answer. */
export function post(
  parcel: Parcel,
  options: Pick<VettedPost, "resolve" | "timeoutMs" | "signal"> = {},
): Promise<number> {
  return vettedPost({
    url: parcel.url,
    body: parcel.body,
    headers: {
      "content-type": "application/json",
      "user-agent": `Chorus/${VERSION}`,
      "x-chorus-delivery": parcel.deliveryUuid,
      "x-chorus-event": parcel.kind,
      "x-chorus-signature": signatureOf(parcel.secret, parcel.body, parcel.now),
    },
    allowPrivate: parcel.allowPrivate,
    ...options,
  })
}
