import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { hostReach } from "@chorus/core"
import { agentIn, callersOf, type Connection } from "@chorus/disk"
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
  /** A proxy speaks for others, from wherever they are. */
  readonly forwarded: boolean
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
    vouchesFor: ({ authorization, remoteAddress, origin, fetchSite, forwarded }) =>
      authorization !== undefined &&
      !forwarded &&
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

/** The agent that uses the credential, in words: its file can be read by whatever runs as its owner. */
export function agentUsing(connection: Connection, said: string | undefined): string | undefined {
  if (said !== undefined) return said
  const callers = callersOf(connection)
  if (callers?.length === 0) return "a process that cannot be seen"
  return callers?.map(agentIn).find((agent) => agent !== undefined)
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
