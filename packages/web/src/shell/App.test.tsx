import { describe, expect, it } from "vitest"
import { page } from "vitest/browser"
import { render } from "vitest-browser-react"
import { answer, hold, refuse, sentTo } from "../../test/guest.ts"
import { getSignIn } from "../sign-in/sign-in.ts"
import { App } from "./App.tsx"

const NOBODY = { person: null, signInUuid: null, ways: { password: true, oidc: null } }
const AWAY = { code: "store_unavailable", message: "The database does not answer." }
const workplace = () => page.getByRole("navigation", { name: "Main" })

describe("the page as a whole", () => {
  it("asks who is there again until the server answers, and then shows the workplace", async () => {
    const comeBack = refuse("/api/auth/sign-in", AWAY, 503)
    const screen = await render(<App />)
    await expect.element(screen.getByText("Chorus is not responding. Trying again…")).toBeVisible()
    comeBack()
    await expect.element(workplace()).toBeVisible()
    await expect.element(screen.getByText("Chorus is not responding. Trying again…")).not.toBeInTheDocument()
  })

  it("shows the sign-in to who is not signed in, and nothing of the workplace", async () => {
    answer("/api/auth/sign-in", () => NOBODY)
    const screen = await render(<App />)
    await expect.element(screen.getByRole("heading", { name: "Sign in to Chorus" })).toBeVisible()
    await expect.element(screen.getByRole("navigation")).not.toBeInTheDocument()
  })

  it("hears from another tab that somebody came in", async () => {
    const owner = await getSignIn()
    let now: object = NOBODY
    answer("/api/auth/sign-in", () => now)
    const screen = await render(<App />)
    await expect.element(screen.getByRole("heading", { name: "Sign in to Chorus" })).toBeVisible()
    now = owner
    dispatchEvent(new StorageEvent("storage", { key: "chorus.signIn" }))
    await expect.element(workplace()).toBeVisible()
  })

  it("believes the answer it asked for last, whichever comes first", async () => {
    const owner = await getSignIn()
    const late = Promise.withResolvers<object>()
    const answers: (object | Promise<object>)[] = [late.promise, owner]
    const asked = answer("/api/auth/sign-in", () => answers.shift() ?? owner)
    const screen = await render(<App />)
    await expect.poll(() => asked.inputs.length).toBe(1)
    dispatchEvent(new StorageEvent("storage", { key: "chorus.signIn" }))
    await expect.element(workplace()).toBeVisible()
    late.resolve(NOBODY)
    await late.promise
    await expect.element(workplace()).toBeVisible()
    await expect.element(screen.getByRole("heading", { name: "Sign in to Chorus" })).not.toBeInTheDocument()
  })
})

describe("a link by which the page was opened", () => {
  it("that has expired is said to have, and who is signed in stays", async () => {
    refuse("/api/auth/link", { code: "link_expired", message: "This sign-in link has expired." }, 410)
    const screen = await render(<App link="token" />)
    await expect.element(screen.getByText("This sign-in link has expired. Ask for a new one.")).toBeVisible()
    await expect.element(workplace()).toBeVisible()
  })

  it("is kept while the server does not answer, and redeemed once it does", async () => {
    const redeemed = answer("/api/auth/link", () => ({ signedIn: true }))
    const comeBack = refuse("/api/auth/link", AWAY, 503)
    const screen = await render(<App link="token" />)
    await expect.element(screen.getByText("Chorus is not responding. Trying again…")).toBeVisible()
    expect(redeemed.inputs).toEqual([])
    comeBack()
    await expect.element(workplace()).toBeVisible()
    expect(redeemed.inputs).toEqual([{ token: "token" }])
  })

  it("of somebody else is asked about; the answer says whom it replaces, and what fails is said beside the question", async () => {
    const [here, holder] = [
      { uuid: "u-ada", name: "Ada" },
      { uuid: "u-bea", name: "Bea" },
    ]
    const sent = answer("/api/auth/link", () => ({ signedIn: false, here, holder }))
    const screen = await render(<App link="token" />)
    await expect
      .element(screen.getByRole("heading", { name: "You are signed in as Ada. Sign in as Bea instead?" }))
      .toBeVisible()
    await expect.element(workplace()).not.toBeInTheDocument()
    const comeBack = refuse("/api/auth/link", AWAY, 503)
    await screen.getByRole("button", { name: "Sign in as Bea" }).click()
    await expect.element(screen.getByRole("alert")).toHaveTextContent("The database does not answer.")
    comeBack()
    await screen.getByRole("button", { name: "Sign in as Bea" }).click()
    await expect.poll(() => sent.inputs).toEqual([{ token: "token" }, { token: "token", insteadOf: "u-ada" }])
    await screen.getByRole("button", { name: "Stay signed in as Ada" }).click()
    await expect.element(workplace()).toBeVisible()
  })
})

describe("a page out of the browser's memory", () => {
  it("shows nothing before it is known that nobody else came since", async () => {
    await render(<App />)
    await expect.element(workplace()).toBeVisible()
    const letGo = hold("/api/auth/sign-in")
    const asked = sentTo("/api/auth/sign-in")
    localStorage.setItem("chorus.signIn", "somebody-else of-another-time")
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
    await expect.element(workplace()).not.toBeInTheDocument()
    await expect.poll(() => asked.count).toBe(1)
    letGo()
    await expect.element(workplace()).toBeVisible()
  })
})
