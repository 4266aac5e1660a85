import { lookup } from "node:dns/promises"
import { BlockList, isIP } from "node:net"
import { ChorusError } from "@chorus/contracts"

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

export type Resolve = (host: string) => Promise<readonly Address[]>

/** Not of the public internet: this machine, private and link-local networks, shared, documentation, multicast and reserved space, and ways to wrap these. */
const PRIVATE = new BlockList()
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv4")
}
/** Of IPv6 only this part is handed out to the public; in it, tunnels and documentation are not. */
const PUBLIC_V6 = new BlockList()
PUBLIC_V6.addSubnet("2000::", 3, "ipv6")
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv6")
}

export function isPublic({ address, family }: Address): boolean {
  if (family === 4) return !PRIVATE.check(address, "ipv4")
  return PUBLIC_V6.check(address, "ipv6") && !PRIVATE.check(address, "ipv6")
}

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
  const inside = addresses.find((address) => !isPublic(address))
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
