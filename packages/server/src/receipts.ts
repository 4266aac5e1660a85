import { createHash } from "node:crypto"
import { ChorusError } from "@chorus/contracts"
import { lock, type Unit } from "@chorus/store"
import type { Actor } from "./actor.ts"

export interface ReceiptKey {
  readonly key: string
  readonly operation: string
  readonly inputHash: string
}

export function receiptKey(key: string, operation: string, input: unknown): ReceiptKey {
  if (key.length > 200) {
    throw new ChorusError("invalid_input", "An idempotency key has at most 200 characters.", { next: "Use a UUID." })
  }
  return { key, operation, inputHash: createHash("sha256").update(JSON.stringify(input)).digest("base64url") }
}

/** The first answer given under this key, if there was one. Holds the key until the change ends. */
export async function findReceipt(unit: Unit, actor: Actor, wanted: ReceiptKey): Promise<{ answer: unknown } | undefined> {
  await lock(unit, `receipt:${actor.uuid}:${wanted.key}`)
  const found = await unit.db
    .selectFrom("receipts")
    .select(["operation", "inputHash", "answer"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("actorUuid", "=", actor.uuid)
    .where("key", "=", wanted.key)
    .executeTakeFirst()
  if (found === undefined) return undefined
  if (found.operation !== wanted.operation || found.inputHash !== wanted.inputHash) {
    throw new ChorusError("idempotency_key_reused", "This idempotency key was used for a different call.", {
      status: 409,
      next: "Use a new key for a new call; repeat a call with exactly the same input.",
    })
  }
  return { answer: JSON.parse(found.answer) as unknown }
}

export async function keepReceipt(unit: Unit, actor: Actor, wanted: ReceiptKey, answer: unknown, now: string): Promise<void> {
  await unit.db
    .insertInto("receipts")
    .values({
      workspaceUuid: actor.workspaceUuid,
      actorUuid: actor.uuid,
      key: wanted.key,
      operation: wanted.operation,
      inputHash: wanted.inputHash,
      answer: JSON.stringify(answer),
      createdAt: now,
    })
    .execute()
}
