import { describe, expect, it } from "vitest"
import { oidcSettings } from "./oidc-settings.ts"

describe("oidcSettings", () => {
  it("is off when nothing is set", () => {
    expect(oidcSettings(undefined, { PATH: "/bin", CHORUS_OIDC_ISSUER: "" })).toBeUndefined()
  })

  it("reads the environment", () => {
    const settings = oidcSettings(undefined, {
      CHORUS_OIDC_ISSUER: "https://id.example.com",
      CHORUS_OIDC_CLIENT_ID: "chorus",
      CHORUS_OIDC_DOMAINS: "Example.com, example.org,",
      CHORUS_OIDC_ROLE: "viewer",
    })
    expect(settings).toEqual({
      issuer: "https://id.example.com",
      clientId: "chorus",
      name: "single sign-on",
      domains: ["example.com", "example.org"],
      role: "viewer",
      trustEmail: false,
    })
  })

  it("prefers what the caller gives", () => {
    const settings = oidcSettings(
      { issuer: "https://a.example.com", clientId: "a" },
      { CHORUS_OIDC_ISSUER: "https://b.example.com" },
    )
    expect(settings?.issuer).toBe("https://a.example.com")
  })

  it.each([
    [{ CHORUS_OIDC_ISSUER: "https://id.example.com" }, /clientId/],
    [{ CHORUS_OIDC_CLIENT_ID: "chorus" }, /issuer/],
    [{ CHORUS_OIDC_ISSUER: "http://id.example.com", CHORUS_OIDC_CLIENT_ID: "chorus" }, /https/],
    [{ CHORUS_OIDC_ISSUER: "http://127.0.0.1.evil.example", CHORUS_OIDC_CLIENT_ID: "chorus" }, /https/],
    [
      { CHORUS_OIDC_ISSUER: "https://id.example.com", CHORUS_OIDC_CLIENT_ID: "chorus", CHORUS_OIDC_ROLE: "owner" },
      /role/,
    ],
    [
      { CHORUS_OIDC_ISSUER: "https://id.example.com", CHORUS_OIDC_CLIENT_ID: "chorus", CHORUS_OIDC_DOMAINS: "*" },
      /domains/,
    ],
  ])("refuses a start with %o", (environment, fault) => {
    expect(() => oidcSettings(undefined, environment)).toThrow(
      expect.objectContaining({ code: "oidc_misconfigured", message: expect.stringMatching(fault) }),
    )
  })

  it("allows plain http to a provider on this machine", () => {
    expect(oidcSettings({ issuer: "http://127.0.0.1:4000", clientId: "chorus" }, {})?.issuer).toBe(
      "http://127.0.0.1:4000",
    )
  })
})
