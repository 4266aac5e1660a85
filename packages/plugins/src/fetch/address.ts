import { BlockList, isIP } from "node:net"

const LOCAL = new BlockList()
LOCAL.addSubnet("127.0.0.0", 8)
LOCAL.addSubnet("0.0.0.0", 8)
LOCAL.addSubnet("169.254.0.0", 16)
LOCAL.addAddress("::1", "ipv6")
LOCAL.addAddress("::", "ipv6")
LOCAL.addSubnet("fe80::", 10, "ipv6")
LOCAL.addAddress("100.100.100.200")
LOCAL.addAddress("fd00:ec2::254", "ipv6")

const PRIVATE = new BlockList()
PRIVATE.addSubnet("10.0.0.0", 8)
PRIVATE.addSubnet("172.16.0.0", 12)
PRIVATE.addSubnet("192.168.0.0", 16)
PRIVATE.addSubnet("100.64.0.0", 10)
PRIVATE.addSubnet("192.0.0.0", 24)
PRIVATE.addSubnet("198.18.0.0", 15)
PRIVATE.addSubnet("224.0.0.0", 3)
PRIVATE.addSubnet("fc00::", 7, "ipv6")
PRIVATE.addSubnet("ff00::", 8, "ipv6")
PRIVATE.addSubnet("64:ff9b::", 96, "ipv6")

const METADATA_NAMES = new Set(["metadata", "metadata.google.internal", "metadata.goog", "instance-data"])

/** How far an address reaches: `local` is this machine, its link or a cloud's metadata service. */
export function reachOf(address: string): "local" | "private" | "public" {
  const plain = unmapped(address)
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4"
  if (LOCAL.check(plain, family)) return "local"
  return PRIVATE.check(plain, family) ? "private" : "public"
}

/** Whether a host name or literal means this machine, its link or a metadata service, as far as the text alone tells. */
export function isLocalHost(host: string): boolean {
  const name = bareHost(host)
  if (isIP(name) !== 0) return reachOf(name) === "local"
  return isLoopbackHost(host) || METADATA_NAMES.has(name)
}

export function isLoopbackHost(host: string): boolean {
  const name = bareHost(host)
  if (isIP(name) !== 0) return unmapped(name).startsWith("127.") || name === "::1"
  return name === "localhost" || name.endsWith(".localhost")
}

export function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replaceAll(/^\[|\]$/g, "")
    .replace(/\.$/, "")
}

/** `::ffff:127.0.0.1` and its hexadecimal spelling as the IPv4 address they are. */
function unmapped(address: string): string {
  const text = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (text?.[1] !== undefined) return text[1]
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address)
  if (hex?.[1] === undefined || hex[2] === undefined) return address
  const [high, low] = [Number.parseInt(hex[1], 16), Number.parseInt(hex[2], 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}
