import { describe, expect, it } from "vitest"
import { becomeGuest, refuse } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"

const memberOf = async (uuid: string) =>
  (await owner.call("chorus_list_members", { pageSize: 100 })).members.find((member) => member.uuid === uuid)

describe("the profile", () => {
  it("lets those who run the workspace change their name and e-mail", async () => {
    const guest = await becomeGuest("admin")
    const { screen } = await openPage("/settings/profile")
    await expect.element(screen.getByLabelText("Name")).toHaveValue(guest.name)
    await screen.getByLabelText("Name").fill("  Ada Lovelace ")
    await screen.getByLabelText("E-mail").fill(`new-${guest.email}`)
    await screen.getByRole("button", { name: "Save" }).first().click()
    await expect.element(screen.getByText("Saved")).toBeVisible()
    expect(await memberOf(guest.uuid)).toMatchObject({ name: "Ada Lovelace", email: `new-${guest.email}` })
  })

  it("lets everybody else change their name, and says who changes e-mails", async () => {
    const guest = await becomeGuest("viewer")
    const { screen } = await openPage("/settings/profile")
    await expect.element(screen.getByLabelText("E-mail")).toBeDisabled()
    await expect
      .element(screen.getByLabelText("E-mail"))
      .toHaveAccessibleDescription("Only an admin of the workspace can change e-mail addresses.")
    await screen.getByLabelText("Name").fill("Grace Hopper")
    await screen.getByRole("button", { name: "Save" }).first().click()
    await expect.element(screen.getByText("Saved")).toBeVisible()
    expect(await memberOf(guest.uuid)).toMatchObject({ name: "Grace Hopper", email: guest.email })
  })

  it("says why a change was refused and what to do, and loses nothing of what was typed", async () => {
    await becomeGuest("admin")
    const { screen } = await openPage("/settings/profile")
    await screen.getByLabelText("Name").fill("Somebody else")
    refuse(
      "/chorus_update_me",
      { code: "email_taken", message: "Somebody has this e-mail already.", next: "Choose another one." },
      409,
    )
    await screen.getByRole("button", { name: "Save" }).first().click()
    await expect.element(screen.getByText("Somebody has this e-mail already.")).toBeVisible()
    await expect.element(screen.getByText("Choose another one.")).toBeVisible()
    await expect.element(screen.getByLabelText("Name")).toHaveValue("Somebody else")
  })

  it("takes an e-mail away, and then offers no password", async () => {
    const guest = await becomeGuest("admin")
    const { screen } = await openPage("/settings/profile")
    await expect.element(screen.getByRole("heading", { name: "Set a password" })).toBeVisible()
    await screen.getByLabelText("E-mail").fill("")
    await screen.getByRole("button", { name: "Save" }).first().click()
    await expect.element(screen.getByRole("heading", { name: "Set a password" })).not.toBeInTheDocument()
    expect(await memberOf(guest.uuid)).toMatchObject({ email: null })
  })

  it("explains why it cannot be shown, and shows it once it can", async () => {
    await becomeGuest("member")
    const letGo = refuse("/chorus_get_me", { code: "too_many", message: "Too many calls.", next: "Wait a minute." })
    const { screen } = await openPage("/settings/profile")
    await expect.element(screen.getByRole("alert")).toHaveTextContent("Too many calls.Wait a minute.Try again")
    letGo()
    await screen.getByRole("button", { name: "Try again" }).click()
    await expect.element(screen.getByLabelText("Name")).toBeVisible()
  })
})

describe("the password", () => {
  it("is set without one, changed with the one before, and refused with a wrong one", async () => {
    await becomeGuest("member")
    const { screen } = await openPage("/settings/profile")
    const save = screen.getByRole("button", { name: "Save" }).last()
    await screen.getByLabelText("New password").fill("correct horse battery")
    await save.click()
    await expect.element(screen.getByRole("heading", { name: "Change password" })).toBeVisible()
    await expect.element(screen.getByText("Password changed; other browsers are signed out")).toBeVisible()
    await expect.element(screen.getByLabelText("New password")).toHaveValue("")

    await screen.getByLabelText("Current password").fill("wrong horse battery")
    await screen.getByLabelText("New password").fill("another long password")
    await save.click()
    await expect.element(screen.getByText(/password is (wrong|not right)|current password/i).last()).toBeVisible()
    await expect.element(screen.getByLabelText("New password")).toHaveValue("another long password")

    await screen.getByLabelText("Current password").fill("correct horse battery")
    await save.click()
    await expect.element(screen.getByLabelText("Current password")).toHaveValue("")
  })

  it("has at least ten characters: a shorter one is not even sent", async () => {
    await becomeGuest("member")
    const { screen } = await openPage("/settings/profile")
    await screen.getByLabelText("New password").fill("short")
    await screen.getByRole("button", { name: "Save" }).last().click()
    await expect.element(screen.getByLabelText("New password")).toBeInvalid()
    await expect.element(screen.getByRole("heading", { name: "Set a password" })).toBeVisible()
  })
})

describe("the appearance", () => {
  it("changes at once and is kept for the next visit", async () => {
    const { screen } = await openPage("/settings/profile")
    const theme = screen.getByRole("radiogroup", { name: "Theme" })
    await expect.element(theme.getByRole("radio", { name: "System" })).toBeChecked()
    await theme.getByRole("radio", { name: "Dark" }).click()
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe("dark")
    await theme.getByRole("radio", { name: "Light" }).click()
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe("light")
    expect(localStorage.getItem("chorus.theme")).toBe("light")
  })

  it("stays chosen when the choice is pressed again", async () => {
    const { screen } = await openPage("/settings/profile")
    const english = screen.getByRole("radiogroup", { name: "Language" }).getByRole("radio", { name: "English" })
    await english.click()
    await expect.element(english).toBeChecked()
    await screen.getByRole("radio", { name: "中文" }).click()
    await expect.element(screen.getByRole("heading", { name: "个人资料" })).toBeVisible()
  })
})
