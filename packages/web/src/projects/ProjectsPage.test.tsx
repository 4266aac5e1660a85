import { expect, it } from "vitest"
import { openPage, owner } from "../../test/stage.tsx"

it("lists a project that is made while it is on show", async () => {
  const { screen } = await openPage("/projects")
  const name = `Lamp ${crypto.randomUUID()}`
  await owner.call("chorus_admin_create_project", { name })
  await expect.element(screen.getByRole("main").getByText(name)).toBeVisible()
})
