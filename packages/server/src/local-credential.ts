import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { hostReach } from "@chorus/core"
import type { Store } from "@chorus/store"
import type { Actor } from "./operation.ts"
import { ensureOwner } from "./bootstrap.ts"
import { personActor } from "./sign-in/person-actor.ts"

export interface LocalRequest {
  readonly authorization: string | undefined
  readonly remoteAddress: string | undefined
  /** Set by browsers; a page must never act with the command's credential. */
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
}

/**
 * Lets the `chorus` command act for the owner while a server runs. The token is new at each start, lives in this
 * process and in a file that only the owner of the data directory can read, and is worth nothing once this process has
 * ended.
 */
export interface LocalCredential {
  readonly token: string
  vouchesFor(request: LocalRequest): boolean
}

export function makeLocalCredential(): LocalCredential {
  const token = `chl_${randomBytes(32).toString("base64url")}`
  const expected = digest(`Bearer ${token}`)
  return {
    token,
    vouchesFor: ({ authorization, remoteAddress, origin, fetchSite }) =>
      authorization !== undefined &&
      hostReach(remoteAddress ?? "") === "loopback" &&
      origin === undefined &&
      fetchSite === undefined &&
      timingSafeEqual(digest(authorization), expected),
  }
}

/** The workspace's owner as a caller; makes workspace and owner where there are none yet. */
export async function ownerActor(store: Store, now: Date): Promise<Actor> {
  const { workspaceUuid } = await ensureOwner(store, now)
  const owner = await store.db
    .selectFrom("users")
    .select(["uuid", "name", "workspaceUuid", "role"])
    .where("workspaceUuid", "=", workspaceUuid)
    .where("role", "=", "owner")
    .where("disabledAt", "is", null)
    .orderBy("createdAt")
    .executeTakeFirstOrThrow()
  return personActor(owner)
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
