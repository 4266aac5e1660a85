import { createDecipheriv, createECDH, createPublicKey, hkdfSync, verify } from "node:crypto"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { encryptPush, MOST_PAYLOAD } from "./encrypt.ts"
import { ensureVapid, findVapid, vapidHeader } from "./vapid.ts"

const w = embeddedWorkspace()

/** A browser, as the standard (RFC 8291) has it read what it is sent. */
function browser() {
  const keys = createECDH("prime256v1")
  const publicKey = keys.generateKeys()
  const auth = Buffer.alloc(16, 9)
  const derive = (key: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync("sha256", key, salt, info, length))
  return {
    keys: { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") },
    read: (message: Buffer): string => {
      const salt = message.subarray(0, 16)
      const length = message.readUInt8(20)
      const theirs = message.subarray(21, 21 + length)
      const sealed = message.subarray(21 + length)
      const seed = derive(
        keys.computeSecret(theirs),
        auth,
        Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, theirs]),
        32,
      )
      const key = derive(seed, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16)
      const nonce = derive(seed, salt, Buffer.from("Content-Encoding: nonce\0"), 12)
      const opener = createDecipheriv("aes-128-gcm", key, nonce).setAuthTag(sealed.subarray(-16))
      const opened = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()])
      expect(opened.at(-1)).toBe(2)
      return opened.subarray(0, -1).toString()
    },
  }
}

describe("a message to a browser", () => {
  it.each(["", "hello", "计划 🙂", "x".repeat(MOST_PAYLOAD)])(
    "is read by that browser as it was written (%#)",
    (text) => {
      const { keys, read } = browser()
      expect(read(encryptPush(text, keys))).toBe(text)
    },
  )

  it("is read by no other, nor when a single bit was changed", () => {
    const [mine, other] = [browser(), browser()]
    const message = encryptPush("secret", mine.keys)
    expect(() => other.read(message)).toThrow()
    message.writeUInt8((message.at(-1) ?? 0) ^ 1, message.length - 1)
    expect(() => mine.read(message)).toThrow()
  })

  it("is another each time, though it says the same", () => {
    const { keys } = browser()
    expect(encryptPush("same", keys).equals(encryptPush("same", keys))).toBe(false)
  })

  it("fits into one record of the standard's size", () => {
    const message = encryptPush("x", browser().keys)
    expect(message.readUInt32BE(16)).toBe(4096)
    expect(message.readUInt8(20)).toBe(65)
  })

  it.each(["", "AAAA", Buffer.alloc(65, 4).toString("base64url")])(
    "cannot be made for the key %j, which is no point",
    (p256dh) => {
      expect(() => encryptPush("x", { ...browser().keys, p256dh })).toThrow()
    },
  )
})

describe("the key by which push services know us", () => {
  it("is made once, by however many who need it first", async () => {
    expect(await findVapid(w.store.db)).toBeUndefined()
    const made = await Promise.all([1, 2, 3].map(() => w.store.write(({ db }) => ensureVapid(db))))
    expect(new Set(made.map(({ publicKey }) => publicKey)).size).toBe(1)
    expect(Buffer.from(made[0]?.publicKey ?? "", "base64url")).toHaveLength(65)
    expect((await findVapid(w.store.db))?.publicKey).toBe(made[0]?.publicKey)
  })

  it("signs who sends, to whom and until when", async () => {
    const vapid = await w.store.write(({ db }) => ensureVapid(db))
    const header = vapidHeader(
      vapid,
      "https://push.example.test:8443/send/abc?x=1",
      "mailto:ops@example.test",
      new Date("2026-03-02T09:00:00Z"),
    )
    const [, head = "", claims = "", signature = "", key] =
      /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(.+)$/.exec(header) ?? []
    expect(key).toBe(vapid.publicKey)
    const part = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString()) as object
    expect(part(head)).toEqual({ typ: "JWT", alg: "ES256" })
    expect(part(claims)).toEqual({
      aud: "https://push.example.test:8443",
      exp: Date.parse("2026-03-02T21:00:00Z") / 1000,
      sub: "mailto:ops@example.test",
    })
    const verified = verify(
      "sha256",
      Buffer.from(`${head}.${claims}`),
      { key: createPublicKey(vapid.privateKey), dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    )
    expect(verified).toBe(true)
  })
})
