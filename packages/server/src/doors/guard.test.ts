import { describe, expect, it } from "vitest"
import { assertHostAndOrigin, assertOwnPage } from "./guard.ts"

const base = { method: "POST", host: "127.0.0.1:8637", origin: undefined, fetchSite: undefined }

describe("assertHostAndOrigin", () => {
  it.each(["127.0.0.1:8637", "localhost:8637", "[::1]:8637", "LOCALHOST"])("answers to %s", (host) => {
    expect(() => assertHostAndOrigin({ ...base, host }, { hosts: [] })).not.toThrow()
  })

  it.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8637", "", undefined])(
    "does not answer to %s",
    (host) => {
      expect(() => assertHostAndOrigin({ ...base, host }, { hosts: [] })).toThrow(/host name/)
    },
  )

  it("answers to a name it was told", () => {
    expect(() => assertHostAndOrigin({ ...base, host: "chorus.lan:80" }, { hosts: ["chorus.lan"] })).not.toThrow()
  })

  it.each(["https://evil.example", "null", "http://127.0.0.1:9999", "file://", "http://localhost.evil.example"])(
    "refuses pages from %s",
    (origin) => {
      expect(() => assertHostAndOrigin({ ...base, origin }, { hosts: [] })).toThrow(/other sites/)
    },
  )

  it("lets its own page call", () => {
    expect(() => assertHostAndOrigin({ ...base, origin: "http://127.0.0.1:8637" }, { hosts: [] })).not.toThrow()
  })

  it("refuses pages from another port of a host it answers to", () => {
    const options = { hosts: ["chorus.lan"], pages: ["chorus.example.com"] }
    const from = (origin: string) => () => assertHostAndOrigin({ ...base, host: "chorus.lan:8637", origin }, options)
    expect(from("http://chorus.lan:8637")).not.toThrow()
    expect(from("http://chorus.lan:9999")).toThrow(/other sites/)
    expect(from("http://chorus.lan")).toThrow(/other sites/)
    expect(from("https://chorus.example.com")).not.toThrow()
    expect(from("https://chorus.example.com:9999")).toThrow(/other sites/)
  })
})

describe("assertOwnPage", () => {
  it("does not take a missing Origin for trust", () => {
    expect(() => assertOwnPage(base)).toThrow(/which page/)
    expect(() => assertOwnPage({ ...base, fetchSite: "cross-site" })).toThrow(/which page/)
  })

  it("lets reads and same-origin changes through", () => {
    expect(() => assertOwnPage({ ...base, method: "GET" })).not.toThrow()
    expect(() => assertOwnPage({ ...base, fetchSite: "same-origin" })).not.toThrow()
  })
})
