import { afterEach, describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { render } from "vitest-browser-react"
import { answer, hold, refuse } from "../../test/guest.ts"
import { setLanguage } from "../i18n/language.ts"
import type { SignInState } from "./sign-in.ts"
import { SignInPage } from "./SignInPage.tsx"

const nobody: SignInState = { person: null, signInUuid: null, ways: { password: true, oidc: null } }
const here = location.href

async function open(state = nobody) {
  const onSignedIn = vi.fn()
  const screen = await render(<SignInPage state={state} onSignedIn={onSignedIn} />)
  return { screen, onSignedIn }
}

afterEach(() => history.replaceState(null, "", here))

describe("signing in with a password", () => {
  it("sends what was typed and says that somebody is in", async () => {
    const sent = answer("/api/auth/sign-in", () => ({}))
    const { screen, onSignedIn } = await open()
    await screen.getByLabelText("E-mail").fill("ada@chorus.example")
    await screen.getByLabelText("Password").fill(" with blanks ")
    await userEvent.keyboard("{Enter}")
    await expect.poll(() => onSignedIn.mock.calls.length).toBe(1)
    expect(sent.inputs).toEqual([{ email: "ada@chorus.example", password: " with blanks " }])
  })

  it("says why it was refused and what to do, keeps the e-mail, and lets one try again", async () => {
    const { screen, onSignedIn } = await open()
    refuse(
      "/api/auth/sign-in",
      { code: "wrong_password", message: "E-mail or password is wrong.", next: "Ask an admin for a link." },
      401,
    )
    await screen.getByLabelText("E-mail").fill("ada@chorus.example")
    await screen.getByLabelText("Password").fill("wrong")
    await screen.getByRole("button", { name: "Sign in" }).click()
    await expect
      .element(screen.getByRole("alert"))
      .toHaveTextContent("E-mail or password is wrong.What to do: Ask an admin for a link.")
    await expect.element(screen.getByLabelText("E-mail")).toHaveValue("ada@chorus.example")
    await expect.element(screen.getByRole("button", { name: "Sign in" })).toBeEnabled()
    expect(onSignedIn).not.toHaveBeenCalled()
  })

  it("cannot be pressed twice while the server thinks; the old problem is gone meanwhile", async () => {
    const { screen } = await open()
    refuse("/api/auth/sign-in", { code: "wrong_password", message: "E-mail or password is wrong." }, 401)
    await screen.getByLabelText("E-mail").fill("ada@chorus.example")
    await screen.getByLabelText("Password").fill("wrong")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("alert")).toBeVisible()
    const letGo = hold("/api/auth/sign-in")
    await screen.getByRole("button", { name: "Sign in" }).click()
    await expect.element(screen.getByRole("button", { name: "Signing you in…" })).toBeDisabled()
    await expect.element(screen.getByRole("alert")).not.toBeInTheDocument()
    letGo()
    await expect.element(screen.getByRole("alert")).toBeVisible()
  })

  it("asks for an e-mail that is one before anything is sent", async () => {
    const sent = answer("/api/auth/sign-in", () => ({}))
    const { screen } = await open()
    await screen.getByLabelText("E-mail").fill("ada")
    await screen.getByLabelText("Password").fill("long enough")
    await screen.getByRole("button", { name: "Sign in" }).click()
    await expect.element(screen.getByLabelText("E-mail")).toBeInvalid()
    expect(sent.inputs).toEqual([])
  })

  it("tells password managers what is what", async () => {
    const { screen } = await open()
    await expect.element(screen.getByLabelText("E-mail")).toHaveAttribute("autocomplete", "username")
    await expect.element(screen.getByLabelText("Password")).toHaveAttribute("autocomplete", "current-password")
  })
})

describe("other ways in", () => {
  it("offers the provider first where there is one", async () => {
    const { screen } = await open({ ...nobody, ways: { password: true, oidc: { name: "Acme" } } })
    await expect
      .element(screen.getByRole("link", { name: "Continue with Acme" }))
      .toHaveAttribute("href", "/api/auth/oidc/start")
    await expect.element(screen.getByText("or", { exact: true })).toBeVisible()
  })

  it("names the command that prints a link, in whatever language", async () => {
    const { screen } = await open()
    await expect
      .element(screen.getByText(/^No password yet\? Run/))
      .toHaveTextContent(
        "No password yet? Run chorus signin on the machine where Chorus runs; it prints a one-time link.",
      )
    await expect.element(screen.getByRole("link")).not.toBeInTheDocument()
    await setLanguage("zh")
    await expect.element(screen.getByText("chorus signin")).toBeVisible()
    await expect.element(screen.getByRole("heading", { level: 1 })).not.toHaveTextContent("Sign in to Chorus")
  })
})

describe("a sign-in link", () => {
  it("is used once, at once, leaves no trace in the address, and leads where it was meant to", async () => {
    const sent = answer("/api/auth/link", () => ({}))
    history.replaceState(null, "", "/sign-in?next=%2Fprojects%2F1%2Fboard#one-time-token")
    const { onSignedIn } = await open()
    await expect.poll(() => onSignedIn.mock.calls.length).toBe(1)
    expect(sent.inputs).toEqual([{ token: "one-time-token" }])
    expect(location.pathname + location.search + location.hash).toBe("/projects/1/board")
  })

  it("that would lead elsewhere leads home", async () => {
    const sent = answer("/api/auth/link", () => ({}))
    history.replaceState(null, "", "/sign-in?next=%2F%09%2Fevil.example#one-time-token")
    const { onSignedIn } = await open()
    await expect.poll(() => onSignedIn.mock.calls.length).toBe(1)
    expect(sent.inputs).toHaveLength(1)
    expect(location.pathname).toBe("/")
  })

  it("that is used up says so, and the form is there", async () => {
    refuse(
      "/api/auth/link",
      { code: "link_used", message: "This link was used already.", next: "Ask for a new one." },
      410,
    )
    history.replaceState(null, "", "/sign-in#one-time-token")
    const { screen, onSignedIn } = await open()
    await expect
      .element(screen.getByRole("alert"))
      .toHaveTextContent("This link was used already.What to do: Ask for a new one.")
    await expect.element(screen.getByLabelText("E-mail")).toBeVisible()
    expect(onSignedIn).not.toHaveBeenCalled()
  })

  it("is taken for one on its own page alone: a place within another page is no token", async () => {
    const sent = answer("/api/auth/link", () => ({}))
    history.replaceState(null, "", "/projects/1#comments")
    const { screen } = await open()
    await expect.element(screen.getByRole("button", { name: "Sign in" })).toBeEnabled()
    expect(sent.inputs).toEqual([])
    expect(location.hash).toBe("#comments")
  })
})
