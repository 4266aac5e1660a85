import { type Context, Hono } from "hono"
import { describe, expect, it } from "vitest"
import type { DoorEnv } from "../doors/door-env.ts"
import { baseUrlOf, isSecure, networkOf, type Outside, outsideOf, placeOf } from "./visitor.ts"

describe("networkOf", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["unknown", "unknown"],
  ])("counts %s as %s", (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe("outsideOf", () => {
  it("believes no proxy unless told", () => {
    expect(outsideOf({}, {})).toEqual({ publicUrl: undefined, trustProxy: false })
    expect(outsideOf({}, { CHORUS_TRUST_PROXY: "1", CHORUS_PUBLIC_URL: "https://chorus.example.com" })).toEqual({
      publicUrl: "https://chorus.example.com",
      trustProxy: true,
    })
  })

  it("refuses an address that no browser could open", () => {
    for (const publicUrl of ["chorus.example.com", "ftp://chorus.example.com", "javascript:alert(1)"]) {
      expect(() => outsideOf({ publicUrl }, {})).toThrow(expect.objectContaining({ code: "public_url_invalid" }))
    }
  })
})

/** What a door sees of a request with these headers. */
async function seen<T>(
  headers: Record<string, string>,
  look: (c: Context<DoorEnv>) => T,
  remoteAddress: string | undefined = "203.0.113.9",
): Promise<T> {
  let answer: T | undefined
  const app = new Hono<DoorEnv>()
  app.get("/", (c) => {
    answer = look(c)
    return c.text("")
  })
  await app.request("/", { headers }, { incoming: { socket: { remoteAddress } } })
  return answer as T
}
const behind: Outside = { trustProxy: true }

describe("from where a request comes", () => {
  it("is its own address, whatever it says, unless a proxy is to be believed", async () => {
    const headers = { "x-forwarded-for": "198.51.100.1" }
    expect(await seen(headers, (c) => placeOf(c, {}))).toBe("203.0.113.9")
    expect(await seen(headers, (c) => placeOf(c, behind))).toBe("198.51.100.1")
    expect(await seen({}, (c) => placeOf(c, behind))).toBe("203.0.113.9")
  })

  it("is what the nearest proxy saw: what stands before that anybody could have written", async () => {
    expect(await seen({ "x-forwarded-for": "1.2.3.4, 198.51.100.7" }, (c) => placeOf(c, behind))).toBe("198.51.100.7")
  })
})

describe("under which address the browser came", () => {
  it("is the one people type, where that is known", async () => {
    expect(
      await seen({ host: "10.0.0.1" }, (c) => baseUrlOf(c, { publicUrl: "https://chorus.example.com/path" })),
    ).toBe("https://chorus.example.com")
  })

  it("is else what the request says of itself", async () => {
    expect(await seen({ host: "127.0.0.1:8637" }, (c) => baseUrlOf(c, {}))).toBe("http://127.0.0.1:8637")
    expect(await seen({ host: "chorus.lan", "x-forwarded-proto": "https" }, (c) => baseUrlOf(c, behind))).toBe(
      "https://chorus.lan",
    )
  })
})

describe("whether the browser speaks TLS", () => {
  it.each<[string, Record<string, string>, Outside, boolean]>([
    ["a public address that does", {}, { publicUrl: "https://chorus.example.com" }, true],
    ["a public address that does not", {}, { publicUrl: "http://chorus.example.com" }, false],
    ["its page was loaded by it", { origin: "https://chorus.example.com" }, {}, true],
    ["a proxy that is believed", { "x-forwarded-proto": "https" }, behind, true],
    ["a proxy that is not", { "x-forwarded-proto": "https" }, {}, false],
    ["nothing", {}, behind, false],
  ])("by %s", async (_, headers, outside, secure) => {
    expect(await seen(headers, (c) => isSecure(c, outside))).toBe(secure)
  })
})
