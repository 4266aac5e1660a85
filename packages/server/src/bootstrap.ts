import { randomUUID } from "node:crypto"
import { type Db, lock, type Store } from "@chorus/store"
import { addSignInLink, signInPath } from "./sign-in/link.ts"

const SYSTEM = { type: "system", uuid: "chorus", name: "Chorus" } as const

export interface Owner {
  readonly workspaceUuid: string
  readonly userUuid: string
}

/** Makes the workspace and its owner on the very first start; afterwards finds them. `first` until somebody has signed in. */
export async function ensureOwner(store: Store, now: Date): Promise<Owner & { first: boolean }> {
  const owner = (await findOwner(store.db)) ?? (await makeOwner(store, now.toISOString()))
  const signedIn = await store.db.selectFrom("signIns").select("uuid").limit(1).executeTakeFirst()
  return { ...owner, first: signedIn === undefined }
}

/** A token that signs its user in once, within fifteen minutes. Only its hash is kept. */
export async function makeSignInToken(store: Store, userUuid: string, now: Date): Promise<string> {
  const { token } = await store.write(({ db }) => addSignInLink(db, userUuid, now.toISOString()))
  return token
}

export function signInLink(baseUrl: string, token: string): string {
  return `${baseUrl}${signInPath(token)}`
}

async function findOwner(db: Db): Promise<Owner | undefined> {
  return db
    .selectFrom("users")
    .select(["uuid as userUuid", "workspaceUuid"])
    .where("role", "=", "owner")
    .where("disabledAt", "is", null)
    .orderBy("createdAt")
    .orderBy("uuid")
    .executeTakeFirst()
}

/** Several servers may start on an empty database at once; one makes the workspace and the others find it. */
async function makeOwner(store: Store, at: string): Promise<Owner> {
  return store.write(async (unit) => {
    await lock(unit, "first-start")
    const found = await findOwner(unit.db)
    if (found !== undefined) return found
    const workspaceUuid = randomUUID()
    const userUuid = randomUUID()
    await unit.db
      .insertInto("workspaces")
      .values({ uuid: workspaceUuid, name: "Chorus", lastEvent: 0, settings: "{}", createdAt: at })
      .execute()
    await unit.db
      .insertInto("users")
      .values({
        uuid: userUuid,
        workspaceUuid,
        name: "Owner",
        email: null,
        role: "owner",
        passwordHash: null,
        oidcSubject: null,
        createdAt: at,
        disabledAt: null,
      })
      .execute()
    unit.append({ workspaceUuid, actor: SYSTEM, at, requestId: null }, [
      {
        kind: "workspace.created",
        entityType: "workspace",
        entityUuid: workspaceUuid,
        projectUuid: null,
        action: "created",
        patch: { name: "Chorus" },
      },
    ])
    return { workspaceUuid, userUuid }
  })
}
