import { ChorusError, type FolderConsent, type FolderOutlook, type FolderWish } from "@chorus/contracts"
import { hostReach } from "@chorus/core"
import { type Context, Hono } from "hono"
import { type DoorEnv, isForwarded } from "./door-env.ts"
import { serveRoute } from "./served-route.ts"

/** The machine a server runs on, for its owner: its policy file decides what agents may do there, this changes it. */
export interface OwnMachine {
  /** As its runner calls it. */
  readonly name: string
  /** The repository that lies nearest to where the server was started. */
  suggested(): Promise<string | undefined>
  look(wish: FolderWish): Promise<FolderOutlook>
  /** Refuses where the machine would allow something else than was shown. */
  allow(consent: FolderConsent): Promise<void>
  disallow(wish: FolderWish): Promise<void>
}

/**
 * `/api/machine…`: the owner, signed in on the server's own machine, allows a folder with one click. No key does, the
 * command's own included, nobody from another machine, and nobody through a proxy.
 */
export function ownMachineDoor(machine: OwnMachine | undefined): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()

  serveRoute(door, "/api/machine", "POST /api/machine", async (c) => {
    if (machine === undefined || !isOwnerHere(c)) return { machine: null }
    return { machine: { name: machine.name, suggested: (await machine.suggested()) ?? null } }
  })
  serveRoute(door, "/api/machine", "POST /api/machine/look", (c, wish) => machineFor(c).look(wish))
  serveRoute(door, "/api/machine", "POST /api/machine/allow", async (c, consent) => {
    await machineFor(c).allow(consent)
    return { allowed: true }
  })
  serveRoute(door, "/api/machine", "POST /api/machine/disallow", async (c, wish) => {
    await machineFor(c).disallow(wish)
    return { allowed: false }
  })
  return door

  function machineFor(c: Context<DoorEnv>): OwnMachine {
    if (machine !== undefined && isOwnerHere(c)) return machine
    throw new ChorusError(
      "not_at_the_machine",
      "Only the owner, signed in on the server's own machine, allows folders here.",
      {
        status: 403,
        next: "Run `chorus runner allow DIR` on that machine.",
      },
    )
  }
}

/**
 * Page, address and socket all have to be this machine's: a proxy that says nothing of itself still sends the page's
 * own origin.
 */
function isOwnerHere(c: Context<DoorEnv>): boolean {
  const { actor, signIn } = c.get("identity") ?? {}
  const origin = c.req.header("origin") ?? ""
  return (
    signIn !== undefined &&
    actor?.type === "user" &&
    actor.role === "owner" &&
    hostReach(c.env.incoming.socket.remoteAddress ?? "") === "loopback" &&
    URL.canParse(origin) &&
    hostReach(new URL(origin).hostname) === "loopback" &&
    new URL(origin).host === c.req.header("host") &&
    !isForwarded(c)
  )
}
