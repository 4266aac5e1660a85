import { afterEach, describe, expect, it, vi } from "vitest"
import { render } from "vitest-browser-react"
import { App } from "./App.tsx"

const real = globalThis.fetch
afterEach(() => {
  vi.restoreAllMocks()
})

/** Who the server says is here, as long as it says so; `undefined` is a server that does not answer. */
function answerWho(who: () => "owner" | "nobody" | undefined) {
  return vi.spyOn(globalThis, "fetch").mockImplementation(async (...call) => {
    if (!String(call[0]).endsWith("/api/auth/sign-in")) return real(...call)
    const now = who()
    if (now === undefined) throw new TypeError("Failed to fetch")
    if (now === "nobody") return Response.json({ person: null, signInUuid: null, ways: { password: true, oidc: null } })
    return real(...call)
  })
}

describe("the page as a whole", () => {
  it("asks who is there again until the server answers, and then shows the workplace", async () => {
    const server: { who?: "owner" } = {}
    answerWho(() => server.who)
    const screen = await render(<App />)
    await expect.element(screen.getByText("Chorus does not answer. Trying again…")).toBeVisible()
    server.who = "owner"
    await expect.element(screen.getByRole("navigation", { name: "Main" })).toBeVisible()
    await expect.element(screen.getByText("Chorus does not answer. Trying again…")).not.toBeInTheDocument()
  })

  it("shows the sign-in to who is not signed in, and nothing of the workplace", async () => {
    answerWho(() => "nobody")
    const screen = await render(<App />)
    await expect.element(screen.getByRole("heading", { name: "Sign in to Chorus" })).toBeVisible()
    await expect.element(screen.getByRole("navigation")).not.toBeInTheDocument()
  })
})
