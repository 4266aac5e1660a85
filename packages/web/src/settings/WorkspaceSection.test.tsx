import { expect, it } from "vitest"
import { becomeGuest, refuse } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"

const INACTIVE = "A session counts as inactive after"
const LEASE = "A silent agent's task may be taken back after"

it("changes how long silence may last, and still says so after a look elsewhere", async () => {
  const { watchedMinutes: _, ...before } = await owner.call("chorus_get_work_settings", {})
  expect(before).toMatchObject({ sessionInactiveMinutes: 60, leaseMinutes: 60 })
  const { screen } = await openPage("/settings/workspace")
  await expect
    .element(screen.getByLabelText(LEASE))
    .toHaveAccessibleDescription(
      "minutes; 60 by default, and never more than 10 for a program that Chorus watches over",
    )
  await screen.getByLabelText(INACTIVE).fill("45")
  await screen.getByLabelText(LEASE).fill("90")
  await screen.getByRole("button", { name: "Save" }).click()
  await expect.element(screen.getByText("Saved")).toBeVisible()
  expect(await owner.call("chorus_get_work_settings", {})).toMatchObject({
    sessionInactiveMinutes: 45,
    leaseMinutes: 90,
  })
  await screen.getByRole("link", { name: "Members" }).click()
  await screen.getByRole("link", { name: "Workspace" }).click()
  await expect.element(screen.getByLabelText(INACTIVE)).toHaveValue(45)
  await expect.element(screen.getByLabelText(LEASE)).toHaveValue(90)
  await owner.call("chorus_update_work_settings", before)
})

it("leaves dead agents' tasks to a person where the switch is off", async () => {
  const { screen } = await openPage("/settings/workspace")
  const lapsed = async () => (await owner.call("chorus_get_work_settings", {})).lapsedTasks
  expect(await lapsed()).toBe("return")
  await screen.getByRole("switch", { name: /^Then make it ready again automatically/ }).click()
  await expect.element(screen.getByText("Saved")).toBeVisible()
  expect(await lapsed()).toBe("keep")
  await owner.call("chorus_update_work_settings", { lapsedTasks: "return" })
})

it("sends nothing that is no number of minutes", async () => {
  const { screen } = await openPage("/settings/workspace")
  for (const wrong of ["0", "10081", ""]) {
    await screen.getByLabelText(LEASE).fill(wrong)
    await screen.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByLabelText(LEASE)).toBeInvalid()
  }
  await expect.element(screen.getByText("Saved")).not.toBeInTheDocument()
})

it("shows those who do not run the workspace what holds, and says who changes it", async () => {
  await becomeGuest("member")
  const { screen } = await openPage("/settings/workspace")
  await expect.element(screen.getByText("Only owners and admins of the workspace can change this.")).toBeVisible()
  await expect.element(screen.getByLabelText(LEASE)).toBeDisabled()
  await expect.element(screen.getByRole("button", { name: "Save" })).toBeDisabled()
})

it("names the version and the database, for whoever asks for help", async () => {
  const { version } = await owner.call("chorus_health", {})
  const { screen } = await openPage("/settings/workspace")
  await expect.element(screen.getByText(version, { exact: true })).toBeVisible()
  await expect.element(screen.getByText("SQLite", { exact: true })).toBeVisible()
})

it("keeps what was typed when the server refuses it", async () => {
  const { screen } = await openPage("/settings/workspace")
  await screen.getByLabelText(LEASE).fill("77")
  refuse("/chorus_update_work_settings", { code: "forbidden", message: "You may not change this." })
  await screen.getByRole("button", { name: "Save" }).click()
  await expect.element(screen.getByText("You may not change this.")).toBeVisible()
  await expect.element(screen.getByLabelText(LEASE)).toHaveValue(77)
})
