import { describe, expect, it, onTestFinished } from "vitest"
import { page } from "vitest/browser"
import { becomeGuest } from "../../test/guest.ts"
import { openPage } from "../../test/stage.tsx"

const namesIn = (screen: Awaited<ReturnType<typeof openPage>>["screen"]) =>
  screen
    .getByRole("navigation", { name: "Settings" })
    .getByRole("link")
    .elements()
    .map((link) => link.textContent)

describe("the settings", () => {
  it("are parted into sections, the one on show marked, each one click away", async () => {
    const { screen, router } = await openPage("/settings/notifications")
    const nav = screen.getByRole("navigation", { name: "Settings" })
    await expect.element(nav.getByRole("link", { name: "Notifications" })).toHaveAttribute("aria-current", "page")
    expect(namesIn(screen)).toEqual([
      "Profile",
      "Agents and keys",
      "Notifications",
      "Signed-in browsers",
      "Members",
      "Webhooks",
      "Undelivered",
      "Workspace",
    ])
    await nav.getByRole("link", { name: "Workspace" }).click()
    await expect.element(screen.getByRole("heading", { name: "Workspace" })).toBeVisible()
    expect(router.state.location.pathname).toBe("/settings/workspace")
    await expect.element(nav.getByRole("link", { name: "Notifications" })).not.toHaveAttribute("aria-current")
  })

  it("begin with the profile, also where the address names no section there is", async () => {
    const { screen, router } = await openPage("/settings")
    await expect.element(screen.getByRole("heading", { name: "Profile" })).toBeVisible()
    expect(router.state.location.pathname).toBe("/settings/profile")
    await router.navigate({ to: "/settings/$section", params: { section: "nonsense" } })
    await expect.element(screen.getByRole("heading", { name: "Profile" })).toBeVisible()
  })

  it("show those who do not run the workspace no webhooks, whatever the address says", async () => {
    await becomeGuest("member")
    const { screen } = await openPage("/settings/webhooks")
    await expect.element(screen.getByRole("heading", { name: "Profile" })).toBeVisible()
    expect(namesIn(screen)).not.toContain("Webhooks")
    await expect.element(screen.getByRole("button", { name: "New webhook" })).not.toBeInTheDocument()
  })

  it("are all in sight on a phone, and never push the page wider than it", async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const { screen, router } = await openPage("/settings/profile")
    await expect.element(screen.getByRole("heading", { name: "Profile" })).toBeVisible()
    for (const section of ["workspace", "agents", "notifications", "sign-ins", "members", "webhooks", "undelivered"]) {
      await expect
        .element(page.elementLocator(document.querySelector(`main a[href="/settings/${section}"]`) ?? document.body))
        .toBeInViewport({ ratio: 1 })
      await router.navigate({ to: "/settings/$section", params: { section } })
      await expect
        .poll(() => document.querySelector("nav [aria-current=page]")?.getAttribute("href"))
        .toBe(`/settings/${section}`)
      expect(document.documentElement.scrollWidth, section).toBeLessThanOrEqual(390)
    }
  })
})
