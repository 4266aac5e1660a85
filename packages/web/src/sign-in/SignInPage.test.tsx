import { ChorusError, type SignInState } from "@chorus/contracts"
import { afterEach, describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { render } from "vitest-browser-react"
import { answer, hold, refuse, sentTo } from "../../test/guest.ts"
import { owner } from "../../test/stage.tsx"

import { setLanguage } from "../i18n/language.ts"
import { App } from "../shell/App.tsx"
import { changePassword, getSignIn, redeemLink } from "./sign-in.ts"

const nobody: SignInState = { person: null, signInUuid: null, ways: { password: true, oidc: null } }
const here = location.href
afterEach(() => history.replaceState(null, "", here))

/** The page for who is not signed in; a password that is sent is taken, and the owner is here. */
async function open(ways = nobody.ways, link?: string) {
  const owner = await getSignIn()
  let entered = false
  const { inputs } = answer("/api/auth/sign-in", (input) => {
    if (input === null) return entered ? owner : { ...nobody, ways }
    entered = true
    return { signedIn: true }
  })
  const screen = await render(<App link={link} />)
  return { screen, sent: () => inputs.filter((input) => input !== null) }
}

describe("signing in with a password", () => {
  it("sends what was typed and shows the workplace", async () => {
    const { screen, sent } = await open()
    await screen.getByLabelText("E-mail").fill("ada@chorus.example")
    await screen.getByLabelText("Password").fill(" with blanks ")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("navigation", { name: "Main" })).toBeVisible()
    expect(sent()).toEqual([{ email: "ada@chorus.example", password: " with blanks " }])
  })

  it("says why it was refused and what to do, keeps the e-mail, and lets one try again", async () => {
    const { screen } = await open()
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
    const { screen, sent } = await open()
    await screen.getByLabelText("E-mail").fill("ada")
    await screen.getByLabelText("Password").fill("long enough")
    await screen.getByRole("button", { name: "Sign in" }).click()
    await expect.element(screen.getByLabelText("E-mail")).toBeInvalid()
    expect(sent()).toEqual([])
  })

  it("says at the field that an address the browser would pass is none, in the reader's language", async () => {
    const { screen, sent } = await open()
    const email = screen.getByLabelText("E-mail")
    await email.fill("a@b.c")
    await screen.getByLabelText("Password").fill("long enough")
    await screen.getByRole("button", { name: "Sign in" }).click()
    await expect
      .element(email)
      .toHaveAccessibleDescription("This is not an e-mail address. Write it as in name@example.org.")
    await expect.element(email).toHaveFocus()
    expect(sent()).toEqual([])
    await setLanguage("zh")
    await expect.element(screen.getByText(/^这不是有效的邮箱地址/)).toBeVisible()
    await userEvent.keyboard("om")
    await expect.element(screen.getByText(/^这不是有效的邮箱地址/)).not.toBeInTheDocument()
  })

  it("words what the server alone refuses for people", async () => {
    const { screen } = await open()
    refuse(
      "/api/auth/sign-in",
      {
        code: "invalid_input",
        message: "The input does not fit: email: Invalid email address.",
        next: "Correct the named fields and call again; nothing was changed.",
      },
      400,
    )
    await screen.getByLabelText("E-mail").fill("ada@chorus.example")
    await screen.getByLabelText("Password").fill("long enough")
    await screen.getByRole("button", { name: "Sign in" }).click()
    await expect
      .element(screen.getByRole("alert"))
      .toHaveTextContent("This is not an e-mail address. Write it as in name@example.org.")
  })

  it("tells password managers what is what", async () => {
    const { screen } = await open()
    await expect.element(screen.getByLabelText("E-mail")).toHaveAttribute("autocomplete", "username")
    await expect.element(screen.getByLabelText("Password")).toHaveAttribute("autocomplete", "current-password")
  })

  it("is changed with the current one, or set first without", async () => {
    const sent = answer("/api/auth/password", () => ({ changed: true }))
    await changePassword("a new password")
    await changePassword("a newer password", "a new password")
    expect(sent.inputs).toEqual([
      { password: "a new password" },
      { password: "a newer password", current: "a new password" },
    ])
  })
})

describe("other ways in", () => {
  it("offers the provider first where there is one", async () => {
    const { screen } = await open({ password: true, oidc: { name: "Acme" } })
    await expect
      .element(screen.getByRole("link", { name: "Continue with Acme" }))
      .toHaveAttribute("href", "/api/auth/oidc/start")
    await expect.element(screen.getByText("or", { exact: true })).toBeVisible()
  })

  it("names the command that prints a link, in whatever language", async () => {
    const { screen } = await open()
    await expect
      .element(screen.getByLabelText("Command for a one-time link"))
      .toHaveTextContent(`npx -y --allow-remote=root ${location.origin}/chorus.tgz signin`)
    await screen.getByRole("button", { name: "Copy" }).click()
    await expect.element(screen.getByRole("button", { name: "Copied" })).toBeVisible()
    await expect.element(screen.getByRole("link")).not.toBeInTheDocument()
    await setLanguage("zh")
    await expect.element(screen.getByText(/chorus\.tgz signin$/)).toBeVisible()
    await expect.element(screen.getByText(/^还没有密码/)).toBeVisible()
    await expect.element(screen.getByRole("heading", { level: 1 })).not.toHaveTextContent("Sign in to Chorus")
  })
})

describe("a sign-in that has ended", () => {
  it("is said to have, and leads back to where its person was, also by a link opened elsewhere", async () => {
    const { person } = await getSignIn()
    localStorage.setItem("chorus.signIn", `${person?.uuid} of-before`)
    history.replaceState(null, "", "/settings/profile?x=1")
    const { screen } = await open()
    await expect.element(screen.getByText(/^Your sign-in has ended\./)).toBeVisible()
    history.replaceState(null, "", "/")
    await screen.getByLabelText("E-mail").fill("ada@chorus.example")
    await screen.getByLabelText("Password").fill("long enough")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("navigation", { name: "Main" })).toBeVisible()
    expect(location.pathname).toBe("/settings/profile")
    expect(localStorage.getItem("chorus.left")).toBeNull()
  })

  it("of somebody else leads nobody to where they were", async () => {
    localStorage.setItem("chorus.left", JSON.stringify({ person: "u-bea", place: "/projects/1", at: Date.now() }))
    history.replaceState(null, "", "/")
    const { screen } = await open()
    await screen.getByLabelText("E-mail").fill("ada@chorus.example")
    await screen.getByLabelText("Password").fill("long enough")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("navigation", { name: "Main" })).toBeVisible()
    expect(location.pathname).not.toBe("/projects/1")
    expect(localStorage.getItem("chorus.left")).toBeNull()
  })
})

describe("a sign-in link", () => {
  it("that is used up says so, and the form is there", async () => {
    const error = { code: "link_used", message: "This link was used already.", next: "Ask for a new one." }
    refuse("/api/auth/link", error, 410)
    const { screen } = await open(nobody.ways, "one-time-token")
    await expect
      .element(screen.getByRole("alert"))
      .toHaveTextContent("This sign-in link was used already. Ask for a new one.")
    await expect.element(screen.getByLabelText("E-mail")).toBeVisible()
  })

  it("that a newer one replaced says so, in whatever language", async () => {
    const mark = crypto.randomUUID().slice(0, 8)
    const { signInPath, member } = await owner.call("chorus_invite_member", { name: `Guest ${mark}`, role: "viewer" })
    await owner.call("chorus_create_sign_in_link", { userUuid: member.uuid })
    const { screen } = await open(nobody.ways, signInPath.slice(signInPath.indexOf("#") + 1))
    await expect
      .element(screen.getByRole("alert"))
      .toHaveTextContent("A newer sign-in link replaced this one. Open the newest link you were sent.")
    await setLanguage("zh")
    await expect.element(screen.getByRole("alert")).toMatchTextContent("已被更新的链接取代")
  })

  it("that was never given out is refused for real", async () => {
    await expect(redeemLink("never-given-out")).rejects.toBeInstanceOf(ChorusError)
    await expect(redeemLink("never-given-out")).rejects.toMatchObject({ code: "link_unknown", status: 401 })
  })

  it("is not tried again by itself when too many were", async () => {
    const tried = sentTo("/api/auth/link")
    refuse("/api/auth/link", { code: "too_many_attempts", message: "Too many sign-ins failed from here." }, 429)
    const { screen } = await open(nobody.ways, "one-time-token")
    await expect.element(screen.getByRole("alert")).toHaveTextContent("Too many sign-ins failed from here.")
    expect(tried.count).toBeLessThan(2)
  })

  it("is taken for one on its own page alone: a place within another page is no token", async () => {
    const tried = sentTo("/api/auth/link")
    history.replaceState(null, "", "/projects/1#comments")
    const { screen } = await open()
    await expect.element(screen.getByRole("button", { name: "Sign in" })).toBeEnabled()
    dispatchEvent(new HashChangeEvent("hashchange"))
    expect(location.hash).toBe("#comments")
    expect(tried.count).toBe(0)
  })
})
