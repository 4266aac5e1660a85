import { SIGN_IN_REFUSALS } from "@chorus/contracts"
import { afterEach, expect, it } from "vitest"
import { render } from "vitest-browser-react"
import { answer } from "../../test/guest.ts"
import { App } from "../shell/App.tsx"
import { takeLink } from "./opened-link.ts"

const here = location.href
afterEach(() => history.replaceState(null, "", here))

it.each([
  ["/sign-in#token", "token", "/"],
  ["/sign-in?next=%2Fprojects%2F1%2Fboard#token", "token", "/projects/1/board"],
  ["/sign-in?next=%2F%09%2Fevil.example#token", "token", "/"],
  ["/sign-in", undefined, "/sign-in"],
  ["/sign-in?error=oidc_failed", undefined, "/sign-in?error=oidc_failed"],
  ["/projects/1#comments", undefined, "/projects/1#comments"],
])("of %s the token %s is taken, and the address is %s", (opened, token, after) => {
  history.replaceState(null, "", opened)
  const steps = history.length
  expect(takeLink()).toBe(token)
  expect(location.pathname + location.search + location.hash).toBe(after)
  expect(history.length).toBe(steps)
})

it.each([...SIGN_IN_REFUSALS, "of_tomorrow"])("a provider's refusal is told in words: %s", async (code) => {
  history.replaceState(null, "", `/sign-in?error=${code}`)
  answer("/api/auth/sign-in", () => ({ person: null, signInUuid: null, ways: { password: true, oidc: null } }))
  const screen = await render(<App />)
  await expect.element(screen.getByRole("alert").getByText(/^What to do: Try once more/)).toBeVisible()
  const words = screen.getByRole("alert").element().textContent ?? ""
  expect(words).toMatch(/^[A-Z].+\.What to do/)
  expect(words).not.toContain(code)
})
