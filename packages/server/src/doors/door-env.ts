import type { HttpBindings } from "@hono/node-server"
import type { Actor } from "../actor.ts"

/** What every door finds on a request. */
export interface DoorEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    actor: Actor | undefined
    /** Whether the chorus command of the data directory's owner calls. */
    local: boolean
  }
}
