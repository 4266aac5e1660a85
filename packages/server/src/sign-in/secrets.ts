import { randomBytes } from "node:crypto"
import { chmodSync, statSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { readText, replaceFile } from "@chorus/disk"
import type { Store } from "@chorus/store"
import { z } from "zod"

const SecretsFile = z.object({ signing: z.string().regex(/^[\w-]{43}$/) })

export interface Secrets {
  /** Signs what a browser carries for us between two requests. */
  readonly signing: Buffer
}

const OTHERS = 0o077
const SIGNING = "signing"

/** Makes a file or directory unreadable to other accounts of this machine; false when it belongs to somebody else. */
export function keepPrivate(path: string, mode = 0o700): boolean {
  if (process.platform === "win32" || (statSync(path).mode & OTHERS) === 0) return true
  try {
    chmodSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** The secrets of this server: random, made on the first start, and kept in a file that only its owner can read. */
export function openSecrets(directory: string): Secrets {
  const path = join(directory, "secrets.json")
  const text = readText(path) ?? makeSecrets(path)
  keepPrivate(path, 0o600)
  const parsed = SecretsFile.safeParse(parseJson(text))
  if (!parsed.success) throw damaged(path)
  return { signing: Buffer.from(parsed.data.signing, "base64url") }
}

/** Several servers on one database sign alike, so that a browser may come back to another one: the first to start gives its secrets to all. */
export async function sharedSecrets(store: Store, own: Secrets): Promise<Secrets> {
  if (store.engine === "sqlite") return own
  const value = own.signing.toString("base64url")
  await store.write(({ db }) =>
    db
      .insertInto("sharedSecrets")
      .values({ name: SIGNING, value })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
  const shared = await store.db
    .selectFrom("sharedSecrets")
    .select("value")
    .where("name", "=", SIGNING)
    .executeTakeFirstOrThrow()
  return { signing: Buffer.from(shared.value, "base64url") }
}

function makeSecrets(path: string): string {
  const text = JSON.stringify({ signing: randomBytes(32).toString("base64url") })
  replaceFile(path, text)
  return text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function damaged(path: string): ChorusError {
  return new ChorusError("secrets_damaged", `The secrets in ${path} cannot be read.`, {
    status: 500,
    next: "Put back the file from a backup, or remove it to have new secrets made; sign-ins under way through OIDC then start over.",
    details: { path },
  })
}
