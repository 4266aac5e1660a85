import { randomUUID } from "node:crypto"
import { ChorusError } from "@chorus/contracts"
import type { Store } from "@chorus/store"
import { type Context, Hono } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import type { Logger } from "pino"
import { z } from "zod"
import type { DoorEnv } from "../doors/door-env.ts"
import { asChorusError } from "../operation.ts"
import { arrive } from "./arrival.ts"
import { setSignInCookie } from "./cookie.ts"
import type { OidcProvider } from "./oidc.ts"
import { memberFor } from "./oidc-member.ts"
import { seal, unseal } from "./seal.ts"
import { baseUrlOf, isSecure, type Outside } from "./visitor.ts"

const FLOW_LIFE_MS = 10 * 60_000
const PATH = "/api/auth/oidc"

const Flow = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), returnTo: z.string() })

export interface OidcDoorParts {
  readonly store: Store
  readonly workspaceUuid: string
  readonly outside: Outside
  readonly provider: OidcProvider
  readonly secret: Buffer
  readonly log: Logger
  now(): Date
}

/** `/api/auth/oidc/…`: sends a browser to the provider and takes it back. A refusal ends on the sign-in page, which says why. */
export function oidcDoor({ store, workspaceUuid, outside, provider, secret, log, now }: OidcDoorParts): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()

  door.get("/start", (c) =>
    orBackToSignIn(c, async () => {
      const { url, flow } = await provider.begin(callbackUrl(c))
      const sealed = seal(
        { ...flow, returnTo: localPath(c.req.query("returnTo")) },
        secret,
        now().getTime() + FLOW_LIFE_MS,
      )
      setCookie(c, cookieFor(flow.state), sealed, { ...attributes(c), maxAge: FLOW_LIFE_MS / 1000 })
      return c.redirect(url.href, 302)
    }),
  )

  door.get("/callback", (c) =>
    orBackToSignIn(c, async () => {
      const cookie = cookieFor(c.req.query("state") ?? "")
      const flow = Flow.safeParse(unseal(getCookie(c, cookie) ?? "", secret, now().getTime()))
      deleteCookie(c, cookie, attributes(c))
      if (!flow.success) throw flowLost()
      const callback = new URL(callbackUrl(c))
      callback.search = new URL(c.req.url).search
      const claims = await provider.finish(callback, flow.data)
      const at = now().toISOString()
      const requestId = c.get("requestId")
      const token = await store.write(async (unit) => {
        const userUuid = await memberFor(store, unit, {
          workspaceUuid,
          claims,
          settings: provider.settings,
          now: at,
          requestId,
          newId: randomUUID,
        })
        return arrive(store, unit, {
          userUuid,
          userAgent: c.req.header("user-agent"),
          replaces: c.get("identity")?.signIn?.uuid,
          now: at,
          requestId,
        })
      })
      setSignInCookie(c, token, outside)
      return c.redirect(flow.data.returnTo, 303)
    }),
  )

  return door

  async function orBackToSignIn(c: Context<DoorEnv>, run: () => Promise<Response>): Promise<Response> {
    try {
      return await run()
    } catch (error) {
      const fault = asChorusError(error, c.get("requestId"))
      log.warn({ err: error, requestId: c.get("requestId"), code: fault.code }, "OIDC sign-in refused")
      return c.redirect(`/sign-in?error=${fault.code}`, 303)
    }
  }

  function callbackUrl(c: Context<DoorEnv>): string {
    return `${baseUrlOf(c, outside)}${PATH}/callback`
  }

  /** Lax, because the browser comes back from another site. */
  function attributes(c: Context<DoorEnv>) {
    return { httpOnly: true, sameSite: "Lax", secure: isSecure(c, outside), path: PATH } as const
  }
}

/** One cookie per sign-in under way, so that two tabs do not disturb each other. */
function cookieFor(state: string): string {
  return `chorus_oidc_${state.replace(/[^\w-]/g, "").slice(0, 12)}`
}

/** Only a path of our own: a link must not use the sign-in to send people elsewhere. */
export function localPath(path: string | undefined): string {
  if (path === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || path.includes("\\")) return "/"
  return path
}

function flowLost(): ChorusError {
  return new ChorusError("oidc_flow_lost", "This sign-in was not begun in this browser, or took too long.", {
    status: 403,
    next: "Start the sign-in again from the sign-in page.",
  })
}
