import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import type { Actor } from "../operation.ts"
import type { Identity } from "../sign-in/authenticate.ts"

/** What every door finds on a request. */
export interface DoorEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    actor: Actor | undefined
    /** By what the caller was known. */
    identity: Identity | undefined
    /** Whether the chorus command of the data directory's owner calls. */
    local: boolean
  }
}

const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]

/** Whether a proxy says that it speaks for somebody else. */
export function isForwarded(c: Context<DoorEnv>): boolean {
  return FORWARDED.some((name) => c.req.header(name) !== undefined)
}
