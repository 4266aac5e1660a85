import type { Context } from "hono"
import { deleteCookie, setCookie } from "hono/cookie"
import type { DoorEnv } from "../doors/door-env.ts"
import { SIGN_IN_COOKIE } from "./authenticate.ts"
import { SIGN_IN_LIFE_MS } from "./sign-ins.ts"
import { isSecure, type Outside } from "./visitor.ts"

export function setSignInCookie(c: Context<DoorEnv>, token: string, outside: Outside): void {
  setCookie(c, SIGN_IN_COOKIE, token, { ...attributes(c, outside), maxAge: SIGN_IN_LIFE_MS / 1000 })
}

export function clearSignInCookie(c: Context<DoorEnv>, outside: Outside): void {
  deleteCookie(c, SIGN_IN_COOKIE, attributes(c, outside))
}

function attributes(c: Context<DoorEnv>, outside: Outside) {
  return { httpOnly: true, sameSite: "Lax", secure: isSecure(c, outside), path: "/" } as const
}
