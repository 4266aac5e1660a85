import { randomBytes, randomUUID } from "node:crypto"
import type { Store } from "@chorus/store"
import { appendEvents } from "@chorus/store"
import { tokenHash } from "./sign-in/authenticate.ts"

const LINK_LIFE_MS = 15 * 60_000
const SYSTEM = { type: "system", uuid: "chorus", name: "Chorus" } as const

export interface Owner {
  readonly workspaceUuid: string
  readonly userUuid: string
}

/** Makes the workspace and its owner on the very first start; afterwards finds them. */
export async function ensureOwner(store: Store, now: Date): Promise<Owner & { first: boolean }> {
  const found = await store.db.selectFrom("users").select(["uuid", "workspaceUuid"]).where("role", "=", "owner").orderBy("createdAt").executeTakeFirst()
  if (found !== undefined) return { userUuid: found.uuid, workspaceUuid: found.workspaceUuid, first: false }
  const at = now.toISOString()
  const workspaceUuid = randomUUID()
  const userUuid = randomUUID()
  await store.write(async (unit) => {
    await unit.db.insertInto("workspaces").values({ uuid: workspaceUuid, name: "Chorus", lastEvent: 0, settings: "{}", createdAt: at }).execute()
    await unit.db
      .insertInto("users")
      .values({ uuid: userUuid, workspaceUuid, name: "Owner", email: null, role: "owner", passwordHash: null, oidcSubject: null, createdAt: at, disabledAt: null })
      .execute()
    await appendEvents(store, unit, { workspaceUuid, actor: SYSTEM, at, requestId: null }, [
      { kind: "workspace.created", entityType: "workspace", entityUuid: workspaceUuid, projectUuid: null, action: "created", patch: { name: "Chorus" } },
    ])
  })
  return { workspaceUuid, userUuid, first: true }
}

/** A token that signs its user in once, within fifteen minutes. Only its hash is kept. */
export async function makeSignInToken(store: Store, userUuid: string, now: Date): Promise<string> {
  const token = randomBytes(32).toString("base64url")
  await store.write(async ({ db }) => {
    await db
      .insertInto("signInLinks")
      .values({
        hash: tokenHash(token),
        userUuid,
        createdAt: now.toISOString(),
        expiresAt: new Date(now.getTime() + LINK_LIFE_MS).toISOString(),
        usedAt: null,
      })
      .execute()
  })
  return token
}

/** The token stands behind the hash sign, which browsers keep to themselves: it reaches no log and no referrer. */
export function signInLink(baseUrl: string, token: string): string {
  return `${baseUrl}/sign-in#${token}`
}
