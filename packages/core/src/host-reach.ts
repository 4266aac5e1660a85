import ipaddr from "ipaddr.js"

/**
 * How far a host reaches: this machine, something beside it that answers for it (its link, a cloud's metadata service), a
 * network that is not the public internet, or that. A name is only `named`: what it means is known once it is resolved.
 */
export type HostReach = "loopback" | "link" | "private" | "public" | "named"

type Address = ipaddr.IPv4 | ipaddr.IPv6

const METADATA = new Set(["100.100.100.200", "fd00:ec2::254"])
const METADATA_NAMES = new Set(["metadata", "metadata.google.internal", "metadata.goog", "instance-data"])
/** Of IPv6 only this part is handed out to the public. */
const HANDED_OUT = ipaddr.IPv6.parseCIDR("2000::/3")

/** Takes a host as a URL, a socket or a setting spells it. Only what cannot be anything else is `loopback`, so that it may be trusted. */
export function hostReach(host: string): HostReach {
  const name = host
    .toLowerCase()
    .replaceAll(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    // The library takes `::1.2.3.4` for `::ffff:1.2.3.4`, which is another address.
    .replace(/^::(?=\d+\.)/, "0::")
  if (ipaddr.isValid(name)) return addressReach(ipaddr.parse(name))
  if (name === "localhost") return "loopback"
  return name.endsWith(".localhost") || METADATA_NAMES.has(name) ? "link" : "named"
}

export function isLoopbackUrl(text: string): boolean {
  return URL.canParse(text) && hostReach(new URL(text).hostname) === "loopback"
}

function addressReach(address: Address): Exclude<HostReach, "named"> {
  const range = address.range()
  const inside = carried(address)
  if (inside !== undefined) {
    const reach = addressReach(inside)
    // A mapped address is the one inside; any other comes from a network, where anybody may claim it.
    if (reach === "loopback" && range !== "ipv4Mapped") return "link"
    return reach === "public" ? "private" : reach
  }
  if (range === "loopback") return range
  if (range === "unspecified" || range === "linkLocal" || METADATA.has(address.toString())) return "link"
  const handedOut = address instanceof ipaddr.IPv4 || address.match(HANDED_OUT)
  return range === "unicast" && handedOut ? "public" : "private"
}

/** The IPv4 address that an IPv6 address only carries: mapped, compatible, translated (NAT64) or tunnelled (6to4). */
function carried(address: Address): ipaddr.IPv4 | undefined {
  if (address instanceof ipaddr.IPv4) return undefined
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === "6to4") return new ipaddr.IPv4(bytes.slice(2, 6))
  const isCompatible = range === "unicast" && bytes.slice(0, 12).every((byte) => byte === 0)
  return isCompatible || ["ipv4Mapped", "rfc6052", "rfc6145"].includes(range)
    ? new ipaddr.IPv4(bytes.slice(12))
    : undefined
}
