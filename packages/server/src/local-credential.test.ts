import { expect, test } from "vitest"
import { makeLocalCredential } from "./local-credential.ts"

const local = makeLocalCredential()
const request = {
  authorization: `Bearer ${local.token}`,
  remoteAddress: "127.0.0.1",
  origin: undefined,
  fetchSite: undefined,
  forwarded: false,
}

test("vouches for whoever brings the token over loopback", () => {
  expect(local.vouchesFor(request)).toBe(true)
  expect(local.vouchesFor({ ...request, remoteAddress: "::1" })).toBe(true)
  expect(local.vouchesFor({ ...request, remoteAddress: "::ffff:127.0.0.1" })).toBe(true)
})

test.each([
  ["no token", { authorization: undefined }],
  ["another start's token", { authorization: `Bearer ${makeLocalCredential().token}` }],
  ["a part of the token", { authorization: `Bearer ${local.token.slice(0, -1)}` }],
  ["another machine", { remoteAddress: "192.168.1.7" }],
  ["an address that is not known", { remoteAddress: undefined }],
  ["a page", { origin: "http://127.0.0.1:8637" }],
  ["a browser", { fetchSite: "same-origin" }],
  ["a proxy, which speaks for whoever it is", { forwarded: true }],
])("does not vouch for %s", (_, change) => {
  expect(local.vouchesFor({ ...request, ...change })).toBe(false)
})
