import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto"
import { ChorusError } from "@chorus/contracts"
import { askedOften, lock, type Unit } from "@chorus/store"
import type { Actor } from "./operation.ts"

export interface ReceiptKey {
  /** A digest of the caller's key: what is stored. */
  readonly key: string
  /** Made from the caller's key, which only the caller has: answers may hold secrets that are shown once. */
  readonly secret: Buffer
  readonly operation: string
  readonly inputHash: string
}

export function receiptKey(key: string, operation: string, input: unknown): ReceiptKey {
  if (key.length > 200) {
    throw new ChorusError("invalid_input", "An idempotency key has at most 200 characters.", { next: "Use a UUID." })
  }
  return {
    key: digest(key),
    secret: Buffer.from(hkdfSync("sha256", key, "", "chorus receipt", 32)),
    operation,
    inputHash: digest(JSON.stringify(input)),
  }
}

/** The first answer given under this key, if there was one. Holds the key until the change ends. */
export async function findReceipt(
  unit: Unit,
  actor: Actor,
  wanted: ReceiptKey,
): Promise<{ answer: unknown } | undefined> {
  const [, found] = await Promise.all([
    lock(unit, `receipt:${actor.uuid}:${wanted.key}`),
    kept(unit.db, actor.workspaceUuid, actor.uuid, wanted.key),
  ])
  if (found === undefined) return undefined
  if (found.operation !== wanted.operation || found.inputHash !== wanted.inputHash) {
    throw new ChorusError("idempotency_key_reused", "This idempotency key was used for a different call.", {
      status: 409,
      next: "Use a new key for a new call; repeat a call with exactly the same input.",
    })
  }
  return { answer: JSON.parse(unseal(found.answer, wanted.secret)) as unknown }
}

const kept = askedOften((db, workspaceUuid, actorUuid, key) =>
  db
    .selectFrom("receipts")
    .select(["operation", "inputHash", "answer"])
    .where("workspaceUuid", "=", workspaceUuid)
    .where("actorUuid", "=", actorUuid)
    .where("key", "=", key),
)

export function keepReceipt(unit: Unit, actor: Actor, wanted: ReceiptKey, answer: unknown, now: string): void {
  unit.later(
    unit.db.insertInto("receipts").values({
      workspaceUuid: actor.workspaceUuid,
      actorUuid: actor.uuid,
      key: wanted.key,
      operation: wanted.operation,
      inputHash: wanted.inputHash,
      answer: seal(JSON.stringify(answer), wanted.secret),
      createdAt: now,
    }),
  )
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url")
}

function seal(text: string, secret: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", secret, nonce)
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")
}

function unseal(stored: string, secret: Buffer): string {
  const bytes = Buffer.from(stored, "base64url")
  const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8")
}
