import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly payload: Record<string, unknown>
}

/** A push service and the browser behind it: takes messages as RFC 8030 has it, and reads them as RFC 8291 has it. */
export async function pushReceiver() {
  const browser = createECDH("prime256v1")
  const publicKey = browser.generateKeys()
  const auth = randomBytes(16)
  const received: Received[] = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const status = statuses.shift() ?? 201
      if (status < 300)
        received.push({
          headers: request.headers,
          payload: JSON.parse(decrypt(Buffer.concat(chunks))) as Record<string, unknown>,
        })
      response.writeHead(status).end()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }

  function decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16)
    const keyLength = body[20] ?? 0
    const theirs = body.subarray(21, 21 + keyLength)
    const sealed = body.subarray(21 + keyLength)
    const seed = hkdf(
      browser.computeSecret(theirs),
      auth,
      Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, theirs]),
      32,
    )
    const decipher = createDecipheriv(
      "aes-128-gcm",
      hkdf(seed, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16),
      hkdf(seed, salt, Buffer.from("Content-Encoding: nonce\0"), 12),
    )
    decipher.setAuthTag(sealed.subarray(-16))
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    if (plain.at(-1) !== 2) throw new Error("the record does not say that it is the last")
    return plain.subarray(0, -1).toString("utf8")
  }

  return {
    endpoint: `http://127.0.0.1:${port}/push/one`,
    keys: { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") },
    received,
    /** What the next requests are answered with, in order; 201 after that. */
    answer: (...next: number[]) => void statuses.push(...next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

/** What a VAPID header claims, checked against the key it names. */
export function vapidClaims(authorization: string): { claims: Record<string, unknown>; publicKey: string } {
  const [, token = "", publicKey = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [head = "", body = "", signature = ""] = token.split(".")
  const point = Buffer.from(publicKey, "base64url")
  const key = createPublicKey({
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    },
    format: "jwk",
  })
  if (
    !verify(
      "sha256",
      Buffer.from(`${head}.${body}`),
      { key, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    )
  )
    throw new Error("the signature is not of that key")
  return { claims: JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as Record<string, unknown>, publicKey }
}

function hkdf(key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, length))
}
