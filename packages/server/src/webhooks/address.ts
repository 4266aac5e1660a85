import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { ChorusError } from "@chorus/contracts"
import { hostReach } from "@chorus/core"

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

export type Resolve = (host: string) => Promise<readonly Address[]>

/** Where to connect for a host name. One address that is not public spoils the name, so that nothing can be smuggled in beside good ones. */
export async function vettedAddress(
  hostname: string,
  { allowPrivate, resolve = byDns }: { allowPrivate: boolean; resolve?: Resolve | undefined },
): Promise<Address> {
  const host = hostname.replace(/^\[|\]$/g, "")
  const family = isIP(host)
  const addresses = family === 4 || family === 6 ? [{ address: host, family } as const] : await resolve(host)
  const [first] = addresses
  if (first === undefined)
    throw new ChorusError("address_unknown", `${host} has no address.`, { next: "Check the webhook's URL." })
  const inside = addresses.find(({ address }) => hostReach(address) !== "public")
  if (inside === undefined || allowPrivate) return first
  throw new ChorusError(
    "address_private",
    `${host} is ${inside.address}, which is not an address of the public internet.`,
    {
      status: 403,
      next: "Use a public address, or allow private addresses for this webhook.",
    },
  )
}

async function byDns(host: string): Promise<Address[]> {
  const found = await lookup(host, { all: true, order: "verbatim" })
  return found.flatMap(({ address, family }) => (family === 4 || family === 6 ? [{ address, family }] : []))
}
