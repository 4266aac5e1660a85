import { isIPv6 } from "node:net"
import { ChorusError } from "@chorus/contracts"
import type { Context } from "hono"
import type { DoorEnv } from "../doors/door-env.ts"

/** How this server is reached from outside. */
export interface Outside {
  /** The address people type, when a proxy stands in front: `https://chorus.example.com`. */
  readonly publicUrl?: string | undefined
  /** Whether a proxy in front says truly whom it speaks for (X-Forwarded-For, X-Forwarded-Proto). */
  readonly trustProxy?: boolean | undefined
}

/** What the caller of the server says, else the environment. */
export function outsideOf(options: Outside, environment: NodeJS.ProcessEnv): Outside {
  const publicUrl = options.publicUrl ?? (environment["CHORUS_PUBLIC_URL"] || undefined)
  if (publicUrl !== undefined && !(URL.canParse(publicUrl) && /^https?:$/.test(new URL(publicUrl).protocol))) {
    throw new ChorusError("public_url_invalid", `${publicUrl} is not an http or https address.`, {
      next: "Set CHORUS_PUBLIC_URL to the address people type, such as https://chorus.example.com.",
    })
  }
  return { publicUrl, trustProxy: options.trustProxy ?? environment["CHORUS_TRUST_PROXY"] === "1" }
}

/** From where a request comes, for counting. */
export function placeOf(c: Context<DoorEnv>, { trustProxy }: Outside): string {
  const forwarded = trustProxy ? c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined
  return networkOf(forwarded ?? c.env.incoming.socket.remoteAddress ?? "unknown")
}

/** The address under which the browser reached this server. */
export function baseUrlOf(c: Context<DoorEnv>, outside: Outside): string {
  if (outside.publicUrl !== undefined) return new URL(outside.publicUrl).origin
  return `${isSecure(c, outside) ? "https" : "http"}://${c.req.header("host") ?? "localhost"}`
}

/** Whether the browser speaks TLS, be it to a proxy in front of us. */
export function isSecure(c: Context<DoorEnv>, { publicUrl, trustProxy }: Outside): boolean {
  if (publicUrl?.startsWith("https:")) return true
  if (c.req.header("origin")?.startsWith("https:")) return true
  return trustProxy === true && c.req.header("x-forwarded-proto") === "https"
}

/** An IPv4 address as it is; of an IPv6 address the first four groups, which is what one household or company is given. */
export function networkOf(address: string): string {
  const v4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (v4 !== undefined || !isIPv6(address)) return v4 ?? address
  const [head = "", tail] = address.split("::")
  const first = head.split(":").filter(Boolean)
  const last = tail?.split(":").filter(Boolean) ?? []
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0")
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`
}
