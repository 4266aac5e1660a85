import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { showRouted } from "../../test/stage.tsx"
import { getSignIn } from "../sign-in/sign-in.ts"
import { UserMenu } from "./UserMenu.tsx"

async function openMenu() {
  const { screen, router } = await showRouted(<UserMenu />)
  await screen.getByRole("button", { name: "Your account", exact: false }).click()
  await expect.element(screen.getByRole("menu")).toBeVisible()
  return { screen, router }
}

describe("the menu of the person", () => {
  it("leads to the settings and to connecting an agent", async () => {
    const { screen, router } = await openMenu()
    await screen.getByRole("menuitem", { name: "Settings" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/settings/profile")
    await screen.getByRole("button", { name: "Your account", exact: false }).click()
    await screen.getByRole("menuitem", { name: "Connect an agent" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/welcome")
  })

  it("changes light and dark at once, and ticks the choice", async () => {
    const { screen } = await openMenu()
    await screen.getByRole("menuitemradio", { name: "Dark" }).click()
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe("dark")
    await screen.getByRole("button", { name: "Your account", exact: false }).click()
    await expect.element(screen.getByRole("menuitemradio", { name: "Dark" })).toBeChecked()
    await screen.getByRole("menuitemradio", { name: "Light" }).click()
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe("light")
  })

  it("changes the language of everything at once", async () => {
    const { screen } = await openMenu()
    await screen.getByRole("menuitemradio", { name: "中文" }).click()
    await expect.poll(() => document.documentElement.lang).toBe("zh")
    await screen.getByRole("button").first().click()
    await expect.element(screen.getByRole("menuitem", { name: "退出登录" })).toBeVisible()
  })

  it("closes with Escape and gives the focus back", async () => {
    const { screen } = await openMenu()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("menu")).not.toBeInTheDocument()
    await expect.element(screen.getByRole("button", { name: "Your account", exact: false })).toHaveFocus()
  })

  it("asks what becomes of unsent texts before it signs out, and leaves those of others alone", async () => {
    const { screen } = await openMenu()
    const { person } = await getSignIn()
    const draft = JSON.stringify({ at: Date.now(), value: "Half a thought" })
    const [mine, theirs] = [person?.uuid ?? "", "somebody-else"].map((uuid) => `chorus.draft.${uuid}.capture`)
    for (const key of [mine, theirs]) localStorage.setItem(key ?? "", draft)
    const signOut = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({}))
    try {
      await screen.getByRole("menuitem", { name: "Sign out" }).click()
      const dialog = screen.getByRole("dialog", { name: "Sign out with 1 unsent text?" })
      await dialog.getByRole("button", { name: "Keep and sign out" }).click()
      const asked = () => signOut.mock.calls.filter(([to]) => String(to).endsWith("/api/auth/sign-out"))
      await expect.poll(() => asked().length).toBe(1)
      expect(localStorage.getItem(mine ?? "")).toBe(draft)
      await dialog.getByRole("button", { name: "Delete and sign out" }).click()
      await expect.poll(() => localStorage.getItem(mine ?? "")).toBeNull()
      expect(localStorage.getItem(theirs ?? "")).toBe(draft)
    } finally {
      signOut.mockRestore()
    }
  })

  it("says when signing out did not go well", async () => {
    const { screen } = await openMenu()
    const broken = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("Failed to fetch"))
    await screen.getByRole("menuitem", { name: "Sign out" }).click()
    await expect.element(screen.getByRole("alert").getByText(/^Chorus is not responding/)).toBeVisible()
    broken.mockRestore()
  })
})
