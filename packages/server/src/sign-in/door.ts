import { ChorusError, type RouteName, type RouteOutput, type RouteParsed } from "@chorus/contracts"
import type { Store } from "@chorus/store"
import { type Context, Hono } from "hono"
import type { Actor } from "../operation.ts"
import type { DoorEnv } from "../doors/door-env.ts"
import { serveRoute } from "../doors/served-route.ts"
import { refuseAgentsPassword } from "../persons-place.ts"
import { findMember, memberByEmail } from "../operations/people/member-row.ts"
import { arrive, recordPerson } from "./arrival.ts"
import {
  type Attempt,
  beginAttempt,
  type Counted,
  forgetAttempts,
  giveBack,
  type Limit,
  tooManyAttempts,
} from "./attempts.ts"
import { clearSignInCookie, setSignInCookie } from "./cookie.ts"
import { linkHolder, useUpLink } from "./link.ts"
import { hashPassword, verifyPassword } from "./password.ts"
import { endSignIns } from "./sign-ins.ts"
import { type Outside, placeOf } from "./visitor.ts"

const QUARTER_MS = 15 * 60_000
const PER_PLACE: Limit = { counter: "place", most: 30, windowMs: QUARTER_MS }
/** From elsewhere its owner still gets in: a stranger's guesses must not lock anybody out. */
const PER_ACCOUNT: Limit = { counter: "account", most: 10, windowMs: QUARTER_MS }
const FROM_ANYWHERE: Limit = { counter: "anywhere", most: 100, windowMs: QUARTER_MS }
const LINKS_PER_PLACE: Limit = { counter: "links", most: 100, windowMs: QUARTER_MS }

export interface SignInDoorParts {
  readonly store: Store
  readonly workspaceUuid: string
  readonly outside: Outside
  /** What the sign-in page calls the OIDC provider, where there is one. */
  readonly oidcName: string | undefined
  now(): Date
}

/** `/api/auth/…`: how people come in, go out and change their password. */
export function signInDoor({ store, workspaceUuid, outside, oidcName, now }: SignInDoorParts): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()

  serve("GET /api/auth/sign-in", async (c) => {
    const actor = c.get("actor")
    return {
      person: actor === undefined || actor.role === null ? null : { ...nameOf(actor), role: actor.role },
      signInUuid: c.get("identity")?.signIn?.uuid ?? null,
      ways: { password: true, oidc: oidcName === undefined ? null : { name: oidcName } },
    }
  })

  serve("POST /api/auth/link", async (c, { token, insteadOf }) => {
    const given = await attempt(c, [[LINKS_PER_PLACE, placeOf(c, outside)]])
    const here = c.get("identity")?.signIn && c.get("actor")
    const outcome = await store.write(async (unit) => {
      const holder = await findMember(unit.db, await linkHolder(unit.db, token, given.now))
      await giveBack(unit.db, given)
      const agreed = here === undefined || here.uuid === holder.uuid || here.uuid === insteadOf
      if (!agreed && holder.disabledAt === null)
        return { signedIn: false, here: nameOf(here), holder: nameOf(holder) } as const
      await useUpLink(unit.db, token, given.now)
      return arrive(store, unit, { userUuid: holder.uuid, ...visit(c, given.now) })
    })
    if (typeof outcome !== "string") return outcome
    setSignInCookie(c, outcome, outside)
    return { signedIn: true }
  })

  serve("POST /api/auth/sign-in", async (c, { email, password }) => {
    const place = placeOf(c, outside)
    const given = await attempt(c, [
      [PER_PLACE, place],
      [PER_ACCOUNT, `${email} ${place}`],
      [FROM_ANYWHERE, email],
    ])
    const person = await memberByEmail(store.db, workspaceUuid, email)
    const fits = await verifyPassword(password, person?.passwordHash ?? null)
    if (person === undefined || !fits || person.disabledAt !== null) throw signInFailed()
    const cookie = await store.write(async (unit) => {
      await giveBack(unit.db, given)
      await forgetAttempts(unit.db, [PER_ACCOUNT, `${email} ${place}`])
      await forgetAttempts(unit.db, [FROM_ANYWHERE, email])
      return arrive(store, unit, { userUuid: person.uuid, ...visit(c, given.now) })
    })
    setSignInCookie(c, cookie, outside)
    return { signedIn: true }
  })

  serve("POST /api/auth/sign-out", async (c) => {
    const actor = c.get("actor")
    const signInUuid = c.get("identity")?.signIn?.uuid
    if (actor !== undefined && signInUuid !== undefined) {
      await store.write(async (unit) => {
        const at = now().toISOString()
        await unit.db.updateTable("signIns").set({ revokedAt: at }).where("uuid", "=", signInUuid).execute()
        await recordPerson(store, unit, actor, "member.signed_out", { now: at, requestId: c.get("requestId") })
      })
    }
    clearSignInCookie(c, outside)
    return { signedIn: false }
  })

  // Not an operation: hashing takes a while, and a change may not wait for it while it holds the store.
  serve("POST /api/auth/password", async (c, { current, password }) => {
    const actor = signedInPerson(c.get("actor"))
    refuseAgentsPassword(actor)
    const person = await findMember(store.db, actor.uuid)
    if (person.email === null) throw emailMissing()
    // Who owns the data directory can do everything already; the command has no old password to ask for.
    if (person.passwordHash !== null && !c.get("local")) {
      const given = await attempt(c, [[PER_ACCOUNT, person.uuid]])
      if (!(await verifyPassword(current ?? "", person.passwordHash))) throw wrongPassword()
      await store.write(({ db }) => giveBack(db, given))
    }
    const passwordHash = await hashPassword(password)
    await store.write(async (unit) => {
      const at = now().toISOString()
      const changed = await unit.db
        .updateTable("users")
        .set({ passwordHash })
        .where("uuid", "=", person.uuid)
        .where("passwordHash", person.passwordHash === null ? "is" : "=", person.passwordHash)
        .where("disabledAt", "is", null)
        .returning("uuid")
        .executeTakeFirst()
      if (changed === undefined) throw changedMeanwhile()
      await endSignIns(unit.db, person.uuid, at, c.get("identity")?.signIn?.uuid)
      await recordPerson(store, unit, person, "member.password_changed", { now: at, requestId: c.get("requestId") })
    })
    return { changed: true }
  })

  return door

  function serve<Name extends RouteName>(
    name: Name,
    run: (c: Context<DoorEnv>, input: RouteParsed<Name>) => Promise<RouteOutput<Name>>,
  ): void {
    serveRoute(door, "/api/auth", name, run)
  }

  function visit(c: Context<DoorEnv>, at: string) {
    return {
      userAgent: c.req.header("user-agent"),
      replaces: c.get("identity")?.signIn?.uuid,
      now: at,
      requestId: c.get("requestId"),
    }
  }

  /** Begins an attempt that counts against each, or refuses with the time to wait. */
  async function attempt(
    c: Context<DoorEnv>,
    counted: readonly Counted[],
  ): Promise<Attempt & { readonly now: string }> {
    const at = now()
    const begun = await beginAttempt(store, counted, at)
    if (begun.waitMs === 0) return { ...begun, now: at.toISOString() }
    c.header("retry-after", String(Math.max(1, Math.ceil(begun.waitMs / 1000))))
    throw tooManyAttempts(begun.waitMs)
  }
}

function nameOf({ uuid, name }: { readonly uuid: string; readonly name: string }) {
  return { uuid, name }
}

function signedInPerson(actor: Actor | undefined): Actor {
  if (actor?.type === "user") return actor
  throw new ChorusError("unauthenticated", "Only a signed-in person has a password.", {
    status: 401,
    next: "Sign in on the page first.",
  })
}

/** The same for an unknown address, a wrong password and a disabled account: none can be told from another. */
function signInFailed(): ChorusError {
  return new ChorusError("sign_in_failed", "The e-mail or the password is wrong.", {
    status: 401,
    next: "Check both, or sign in with a one-time link from an admin of the workspace.",
  })
}

function wrongPassword(): ChorusError {
  return new ChorusError("wrong_password", "The current password does not fit.", {
    status: 403,
    next: "Give the password you have now as `current`.",
  })
}

function emailMissing(): ChorusError {
  return new ChorusError("email_missing", "An account needs an e-mail to sign in with a password.", {
    status: 409,
    next: "Set your e-mail first (chorus_update_me), or let an admin set it.",
  })
}

function changedMeanwhile(): ChorusError {
  return new ChorusError("password_changed_meanwhile", "The password was changed by another request.", {
    status: 409,
    next: "Try again with the new one as `current`.",
  })
}
