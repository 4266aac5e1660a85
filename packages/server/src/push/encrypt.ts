import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto"

const RECORD_SIZE = 4096
/** One record holds this much beside its tag and its end mark. */
export const MOST_PAYLOAD = RECORD_SIZE - 17

export interface PushKeys {
  /** The browser's public key and its shared secret, in base64url. */
  readonly p256dh: string
  readonly auth: string
}

/**
 * A message only that browser can read (RFC 8291, in one record of RFC 8188): forty lines of the standard on Node's own cryptography,
 * where a library would bring its own way of sending, past our judgement of addresses.
 */
export function encryptPush(payload: string, { p256dh, auth }: PushKeys): Buffer {
  const theirs = Buffer.from(p256dh, "base64url")
  const ours = createECDH("prime256v1")
  const ourPublic = ours.generateKeys()
  const secret = ours.computeSecret(theirs)
  const salt = randomBytes(16)
  const keyInfo = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ourPublic])
  const seed = hkdf(secret, Buffer.from(auth, "base64url"), keyInfo, 32)
  const cipher = createCipheriv(
    "aes-128-gcm",
    hkdf(seed, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16),
    hkdf(seed, salt, Buffer.from("Content-Encoding: nonce\0"), 12),
  )
  // A two marks the last record.
  const sealed = Buffer.concat([
    cipher.update(Buffer.concat([Buffer.from(payload), Buffer.of(2)])),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_SIZE)
  return Buffer.concat([salt, size, Buffer.of(ourPublic.length), ourPublic, sealed])
}

function hkdf(key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, length))
}
