import { createHmac, timingSafeEqual } from "node:crypto"

/** Puts data into text that a browser may carry and give back, but not change or keep beyond its time. */
export function seal(data: object, secret: Buffer, expiresAt: number): string {
  const body = Buffer.from(JSON.stringify({ data, expiresAt })).toString("base64url")
  return `${body}.${signature(body, secret)}`
}

/** What was sealed; undefined when it is not ours, was changed, or is over. */
export function unseal(text: string, secret: Buffer, now: number): unknown {
  const [body = "", given = "", ...more] = text.split(".")
  const expected = Buffer.from(signature(body, secret))
  const actual = Buffer.from(given)
  if (more.length > 0 || actual.byteLength !== expected.byteLength || !timingSafeEqual(actual, expected))
    return undefined
  const { data, expiresAt } = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as {
    data: unknown
    expiresAt: number
  }
  return expiresAt > now ? data : undefined
}

function signature(body: string, secret: Buffer): string {
  return createHmac("sha256", secret).update(body).digest("base64url")
}
