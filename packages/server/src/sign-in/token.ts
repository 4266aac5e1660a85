import { createHash, randomBytes } from "node:crypto"

/** 32 random bytes in text that goes into links, cookies and headers as it is. */
export function newToken(): string {
  return randomBytes(32).toString("base64url")
}

/** Tokens are random, so a plain digest is enough to store and to look up by. */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("base64url")
}
