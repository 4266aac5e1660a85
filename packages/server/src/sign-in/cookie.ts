import type { Context } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import type { DoorEnv } from "../doors/door-env.ts"
import { SIGN_IN_LIFE_MS } from "./sign-ins.ts"
import { isSecure, type Outside } from "./visitor.ts"

export const SIGN_IN_COOKIE = "chorus_sign_in"
/** What browsers hold that were signed in by 0.20 or before: it counts until the next that is set takes its place. */
const FORMER_COOKIE = "chorus_session"

export function signInCookie(c: Context<DoorEnv>): string | undefined {
  return getCookie(c, SIGN_IN_COOKIE) ?? getCookie(c, FORMER_COOKIE)
}

export function setSignInCookie(c: Context<DoorEnv>, token: string, outside: Outside): void {
  setCookie(c, SIGN_IN_COOKIE, token, { ...attributes(c, outside), maxAge: SIGN_IN_LIFE_MS / 1000 })
  clearFormerCookie(c, outside)
}

export function clearSignInCookie(c: Context<DoorEnv>, outside: Outside): void {
  deleteCookie(c, SIGN_IN_COOKIE, attributes(c, outside))
  clearFormerCookie(c, outside)
}

/** One that was left would count again when the present one is gone. */
function clearFormerCookie(c: Context<DoorEnv>, outside: Outside): void {
  if (getCookie(c, FORMER_COOKIE) !== undefined) deleteCookie(c, FORMER_COOKIE, attributes(c, outside))
}

function attributes(c: Context<DoorEnv>, outside: Outside) {
  return { httpOnly: true, sameSite: "Lax", secure: isSecure(c, outside), path: "/" } as const
}
