import type { Store } from "@chorus/store"
import type { Context, Hono } from "hono"
import type { Logger } from "pino"
import type { DoorEnv } from "../doors/door-env.ts"
import { identify, type Identity, personStillSignedIn } from "./authenticate.ts"
import { setSignInCookie, signInCookie } from "./cookie.ts"
import { signInDoor } from "./door.ts"
import { LastUse } from "./last-use.ts"
import { OidcProvider } from "./oidc.ts"
import { oidcDoor } from "./oidc-door.ts"
import type { OidcSettings } from "./oidc-settings.ts"
import type { Secrets } from "./secrets.ts"
import { needsRotation, rotateSignIn } from "./sign-ins.ts"
import type { Outside } from "./visitor.ts"

export interface ReceptionParts {
  readonly store: Store
  readonly workspaceUuid: string
  readonly secrets: Secrets
  readonly outside: Outside
  readonly oidc: OidcSettings | undefined
  readonly log: Logger
  readonly now?: () => Date
}

/** Knows who comes in, by key or cookie, and lets people in and out. */
export interface Reception {
  /** `/api/auth/…` */
  readonly routes: Hono<DoorEnv>
  identify(c: Context<DoorEnv>): Promise<Identity | undefined>
  /** Gives the browser a new cookie when the one it has is old; call it once the answer is made. */
  refresh(c: Context<DoorEnv>, identity: Identity | undefined): Promise<void>
  /** Whether somebody who was let in earlier still may stay, and still reaches the same. */
  stillHolds(c: Context<DoorEnv>, identity: Identity): Promise<boolean>
  /** The same for what shows nothing of any project: whoever is confined to some may go on. */
  stillKnown(c: Context<DoorEnv>, identity: Identity): Promise<boolean>
  close(): Promise<void>
}

export function reception({
  store,
  workspaceUuid,
  secrets,
  outside,
  oidc,
  log,
  now = () => new Date(),
}: ReceptionParts): Reception {
  const lastUse = new LastUse(store, (error) => log.warn({ err: error }, "could not keep when keys were last used"))
  const routes = signInDoor({ store, workspaceUuid, outside, oidcName: oidc?.name, now })
  if (oidc !== undefined) {
    routes.route(
      "/oidc",
      oidcDoor({ store, workspaceUuid, outside, provider: new OidcProvider(oidc), secret: secrets.signing, log, now }),
    )
  }
  return { routes, identify: identifyCaller, refresh, stillHolds, stillKnown, close: () => lastUse.flush() }

  async function identifyCaller(c: Context<DoorEnv>): Promise<Identity | undefined> {
    const at = now().toISOString()
    const identity = await identify(
      store.db,
      { authorization: c.req.header("authorization"), signInToken: signInCookie(c) },
      at,
    )
    if (identity?.key !== undefined) lastUse.key(identity.key, at)
    if (identity?.signIn !== undefined) lastUse.signIn(identity.signIn, at)
    return identity
  }

  async function refresh(c: Context<DoorEnv>, identity: Identity | undefined): Promise<void> {
    const at = now().toISOString()
    const signIn = identity?.signIn
    if (signIn === undefined || !needsRotation(signIn, at) || hasNoRoomForCookie(c.req.path)) return
    const token = await store.write(({ db }) => rotateSignIn(db, signIn, at))
    if (token !== undefined) setSignInCookie(c, token, outside)
  }

  async function stillHolds(c: Context<DoorEnv>, before: Identity): Promise<boolean> {
    if (before.signIn !== undefined) return stillKnown(c, before)
    const identity = await identifyCaller(c)
    return identity !== undefined && sameReach(before, identity)
  }

  async function stillKnown(c: Context<DoorEnv>, { signIn }: Identity): Promise<boolean> {
    if (signIn !== undefined) return personStillSignedIn(store.db, signIn.uuid, now().toISOString())
    return (await identifyCaller(c)) !== undefined
  }
}

/** An event stream has sent its head long ago, and the sign-in routes set the cookie themselves. */
function hasNoRoomForCookie(path: string): boolean {
  return path === "/api/events" || path.startsWith("/api/auth/")
}

function sameReach(before: Identity, after: Identity): boolean {
  const reach = ({ actor: { projectUuids, permissions } }: Identity) =>
    JSON.stringify([projectUuids && [...projectUuids].sort(), [...permissions].sort()])
  return reach(before) === reach(after)
}
