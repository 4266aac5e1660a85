import { isIP } from "node:net"
import { describe, expect, it } from "vitest"
import { type Address, vettedAddress } from "./address.ts"

const of = (address: string): Address => ({ address, family: isIP(address) as 4 | 6 })

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
