import { ChorusError } from "@chorus/contracts"
import { afterEach, describe, expect, it, vi } from "vitest"
import { changePassword, getSignIn, redeemLink, signIn, signOut } from "./sign-in.ts"

afterEach(() => {
  vi.restoreAllMocks()
})

/** A server that answers once, and what it was asked. */
function answering(status: number, body: unknown) {
  return vi.spyOn(globalThis, "fetch").mockResolvedValue(
    new Response(JSON.stringify(body), {
      status,
      statusText: "Out of order",
      headers: { "content-type": "application/json" },
    }),
  )
}

describe("the sign-in of this browser", () => {
  it("is the owner's here", async () => {
    expect(await getSignIn()).toMatchObject({ person: { role: "owner" }, ways: { password: expect.any(Boolean) } })
  })

  it.each([
    ["a link", () => redeemLink("abc"), "/api/auth/link", { token: "abc" }],
    ["a password", () => signIn("a@b.c", "secret"), "/api/auth/sign-in", { email: "a@b.c", password: "secret" }],
    ["leaving", () => signOut(), "/api/auth/sign-out", {}],
    ["a first password", () => changePassword("new"), "/api/auth/password", { password: "new" }],
    ["another password", () => changePassword("new", "old"), "/api/auth/password", { password: "new", current: "old" }],
  ])("sends %s as the server wants it", async (_, send, address, body) => {
    const sent = answering(200, {})
    await send()
    const [url, options] = sent.mock.calls[0] ?? []
    expect([url, options?.method, JSON.parse(String(options?.body))]).toEqual([address, "POST", body])
  })

  it("fails with the server's code, words and next step", async () => {
    answering(401, { error: { code: "wrong_password", message: "That is not it.", next: "Try once more." } })
    const failure = await signIn("a@b.c", "x").catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ChorusError)
    expect(failure).toMatchObject({
      code: "wrong_password",
      message: "That is not it.",
      next: "Try once more.",
      status: 401,
    })
  })

  it("fails with what little is known when the server says nothing", async () => {
    answering(500, {})
    await expect(getSignIn()).rejects.toMatchObject({ code: "internal", message: "Out of order", status: 500 })
  })

  it("is refused for real with a link that was never given out", async () => {
    await expect(redeemLink("never-given-out")).rejects.toBeInstanceOf(ChorusError)
  })
})
