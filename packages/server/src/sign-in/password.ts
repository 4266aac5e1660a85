import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"

const COST = { N: 2 ** 15, r: 8, p: 3 }
const HASH_BYTES = 32
/** Above what `COST` takes (32 MB); a hash that asks for more was not made here. */
const MAX_MEMORY = 160 * 1024 * 1024

/** What nobody's password hashes to; checking against it takes as long as checking a real one. */
const NOBODYS = encode(COST, Buffer.alloc(16), Buffer.alloc(HASH_BYTES))

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

/** A salted scrypt hash that carries its own parameters, so that they can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return encode(COST, salt, await derive(password.normalize("NFKC"), salt, HASH_BYTES, { ...COST, maxmem: MAX_MEMORY }))
}

/** Whether the password fits. Without a hash the answer is no, after the same work. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const stored = decode(hash ?? NOBODYS)
  const made = await derive(password.normalize("NFKC"), stored.salt, stored.hash.byteLength, {
    ...stored.cost,
    maxmem: MAX_MEMORY,
  })
  return timingSafeEqual(made, stored.hash) && hash !== null
}

function encode({ N, r, p }: typeof COST, salt: Buffer, hash: Buffer): string {
  return ["scrypt", N, r, p, salt.toString("base64url"), hash.toString("base64url")].join("$")
}

function decode(text: string) {
  const [scheme, N, r, p, salt, hash] = text.split("$")
  if (scheme !== "scrypt" || salt === undefined || hash === undefined)
    throw new Error("a stored password hash is damaged")
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64url"),
    hash: Buffer.from(hash, "base64url"),
  }
}
