import { ChorusError } from "@chorus/contracts"
import { hostReach } from "@chorus/core"

export interface GuardOptions {
  /** Host names this server answers to besides loopback. */
  readonly hosts: readonly string[]
  /** Where our page may come from although the request names another host: a proxy in front rewrites it. `name` or `name:port`. */
  readonly pages?: readonly string[]
}

export interface Incoming {
  readonly method: string
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
}

/**
 * Refuses requests for a host that is not ours (DNS rebinding) and from pages that are not ours, before any routing.
 * A missing Origin is not trusted for more than it proves: see `assertOwnPage` for what cookies may do.
 */
export function assertHostAndOrigin(incoming: Incoming, options: GuardOptions): void {
  if (incoming.host === undefined || !isOurHost(hostName(incoming.host), options)) {
    throw new ChorusError("host_refused", "This server does not answer to that host name.", {
      status: 403,
      next: "Use the address printed at start, or start with --allow-host NAME.",
    })
  }
  if (incoming.origin === undefined) return
  if (!isOurOrigin(incoming.origin, incoming.host, options)) {
    throw new ChorusError("origin_refused", "Pages from other sites may not call this server.", {
      status: 403,
      next: "Open Chorus itself, or call from a program without an Origin header.",
    })
  }
}

/** A cookie counts for a change only when the browser itself says that our own page sent the request. */
export function assertOwnPage(incoming: Incoming): void {
  if (incoming.method === "GET" || incoming.method === "HEAD") return
  if (incoming.origin !== undefined || incoming.fetchSite === "same-origin") return
  throw new ChorusError("origin_missing", "A signed-in browser must say which page a change comes from.", {
    status: 403,
    next: "Call from the Chorus page, or use an API key.",
  })
}

function isOurOrigin(origin: string, host: string, options: GuardOptions): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  if (url.protocol !== "http:" && url.protocol !== "https:") return false
  // The port counts: browsers send our cookie along from every port of the machine.
  return url.host === host.toLowerCase() || (options.pages ?? []).includes(url.host)
}

function isOurHost(name: string, options: GuardOptions): boolean {
  return hostReach(name) === "loopback" || options.hosts.some((host) => hostName(host) === name)
}

function hostName(host: string): string {
  return host.replace(/:\d+$/, "").toLowerCase()
}
