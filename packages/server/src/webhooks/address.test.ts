import { isIP } from "node:net"
import { describe, expect, it } from "vitest"
import { type Address, isPublic, vettedAddress } from "./address.ts"

const of = (address: string): Address => ({ address, family: isIP(address) as 4 | 6 })

describe("addresses", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.0.1",
    "169.253.1.1",
    "2606:4700::1111",
    "2a00:1450:4001::5",
  ])("%s is public", (address) => {
    expect(isPublic(of(address))).toBe(true)
  })

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "fc00::1",
    "fd12::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "2002:7f00:1::",
  ])("%s is not", (address) => {
    expect(isPublic(of(address))).toBe(false)
  })
})

describe("a host name", () => {
  const resolve = (...addresses: string[]) => ({ resolve: async () => addresses.map(of), allowPrivate: false })

  it("is connected to at the address that was looked at", async () => {
    expect(await vettedAddress("hook.test", resolve("8.8.8.8"))).toEqual(of("8.8.8.8"))
  })

  it("is spoiled by one private address", async () => {
    await expect(vettedAddress("hook.test", resolve("8.8.8.8", "10.0.0.1"))).rejects.toMatchObject({
      code: "address_private",
    })
  })

  it("may be private when that is allowed", async () => {
    expect(await vettedAddress("hook.test", { ...resolve("10.0.0.1"), allowPrivate: true })).toEqual(of("10.0.0.1"))
  })

  it("may be an address itself, in any notation a URL reads", async () => {
    for (const url of [
      "http://127.0.0.1/",
      "http://0x7f.1/",
      "http://2130706433/",
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
    ]) {
      await expect(vettedAddress(new URL(url).hostname, resolve())).rejects.toMatchObject({ code: "address_private" })
    }
  })

  it("must have an address", async () => {
    await expect(vettedAddress("hook.test", resolve())).rejects.toMatchObject({ code: "address_unknown" })
  })
})
