import { expect, it } from "vitest"
import { becomeGuest, comeInAgain, refuse } from "../../test/guest.ts"
import { openPage } from "../../test/stage.tsx"

it("shows this browser alone where a person is signed in nowhere else", async () => {
  await becomeGuest("member")
  const { screen } = await openPage("/settings/sign-ins")
  await expect.element(screen.getByText("This browser")).toBeVisible()
  await expect.element(screen.getByText("Last used now")).toBeVisible()
  await expect.element(screen.getByRole("button", { name: "Sign out everywhere else" })).not.toBeInTheDocument()
  await expect.element(screen.getByRole("main").getByRole("button", { name: "Sign out" })).not.toBeInTheDocument()
})

it("signs out one other browser, or all others, and never this one", async () => {
  const { uuid } = await becomeGuest("member")
  await comeInAgain(uuid, 3)
  const { screen } = await openPage("/settings/sign-ins")
  const ends = screen.getByRole("main").getByRole("button", { name: "Sign out", exact: true })
  await expect.poll(() => ends.elements().length).toBe(3)
  await expect.element(screen.getByText("Unknown browser").first()).toBeVisible()
  await ends.first().click()
  await expect.poll(() => ends.elements().length).toBe(2)
  await screen.getByRole("button", { name: "Sign out everywhere else" }).click()
  await expect.poll(() => ends.elements().length).toBe(0)
  await expect.element(screen.getByText("This browser")).toBeVisible()
})

it("says why a browser could not be signed out, and leaves it in the list", async () => {
  const { uuid } = await becomeGuest("member")
  await comeInAgain(uuid, 1)
  const { screen } = await openPage("/settings/sign-ins")
  refuse("/chorus_end_sign_in", { code: "not_found", message: "There is no such sign-in.", next: "Look again." }, 404)
  const end = screen.getByRole("main").getByRole("button", { name: "Sign out", exact: true })
  await end.click()
  await expect.element(screen.getByText("There is no such sign-in.")).toBeVisible()
  await expect.element(end).toBeVisible()
})

it("says why the list cannot be shown", async () => {
  refuse("/chorus_list_sign_ins", { code: "forbidden", message: "You may not see this." })
  const { screen } = await openPage("/settings/sign-ins")
  await expect.element(screen.getByRole("main").getByRole("alert").getByText("You may not see this.")).toBeVisible()
})
