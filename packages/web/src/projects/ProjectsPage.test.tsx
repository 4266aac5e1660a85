import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import type { Screen } from "../../test/cards.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { makeTasks } from "../../test/workplace.ts"

async function makeNamed(name: string, description?: string) {
  const unique = `${name} ${crypto.randomUUID().slice(0, 8)}`
  const { uuid } = await owner.call("chorus_admin_create_project", {
    name: unique,
    ...(description === undefined ? {} : { description }),
  })
  return { uuid, name: unique }
}

function card(screen: Screen, name: string) {
  return screen.getByRole("main").getByRole("link", { name, exact: false })
}

describe("the projects", () => {
  it("are listed as they are made, with what is in them, and let go when archived", async () => {
    const { screen, router } = await openPage("/projects")
    const lamp = await makeNamed("Lamp", "Light for all.")
    await expect.element(card(screen, lamp.name).getByText("Light for all.")).toBeVisible()
    await expect.element(card(screen, lamp.name).getByText("0 ideas")).toBeVisible()
    await owner.call("chorus_update_project", { projectUuid: lamp.uuid, name: `${lamp.name} II` })
    await expect.element(card(screen, `${lamp.name} II`)).toBeVisible()
    await card(screen, lamp.name).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${lamp.uuid}/board`)
    await router.navigate({ to: "/projects" })
    await owner.call("chorus_update_project", { projectUuid: lamp.uuid, status: "archived" })
    await expect.element(card(screen, lamp.name)).not.toBeInTheDocument()
  })

  it("count one and many in words", async () => {
    const shelf = await makeNamed("Shelf")
    await owner.call("chorus_pm_create_idea", { projectUuid: shelf.uuid, title: "Books" })
    await makeTasks(shelf.uuid, { title: "Saw" }, { title: "Drill" })
    const { screen } = await openPage("/projects")
    await expect.element(card(screen, shelf.name).getByText("1 idea", { exact: true })).toBeVisible()
    await expect.element(card(screen, shelf.name).getByText("2 open tasks", { exact: true })).toBeVisible()
  })

  it("are kept at the top when pinned, for this person, until they are not", async () => {
    const chair = await makeNamed("Chair")
    const { screen } = await openPage("/projects")
    const pin = screen.getByRole("button", { name: `Pin ${chair.name}`, exact: true })
    await expect.element(pin).toHaveAttribute("aria-pressed", "false")
    await pin.click()
    const unpin = screen.getByRole("button", { name: `Unpin ${chair.name}`, exact: true })
    await expect.element(unpin).toHaveAttribute("aria-pressed", "true")
    const pinned = async () =>
      (await owner.call("chorus_get_my_projects", {})).visits.find(({ projectUuid }) => projectUuid === chair.uuid)
        ?.pinnedAt ?? null
    await expect.poll(pinned).not.toBeNull()
    const first = screen.getByRole("navigation", { name: "Main" }).getByRole("link", { name: chair.name })
    await expect.element(first).toBeVisible()
    await unpin.click()
    await expect.poll(pinned).toBeNull()
  })
})

describe("a new project", () => {
  it("is made with a name, leads to its board, and is in the list from then on", async () => {
    const { screen, router } = await openPage("/projects")
    await screen.getByRole("main").getByRole("button", { name: "New project" }).click()
    const dialog = screen.getByRole("dialog", { name: "New project" })
    const name = `Table ${crypto.randomUUID().slice(0, 8)}`
    await expect.element(dialog.getByLabelText("Name")).toHaveFocus()
    await userEvent.keyboard(`  ${name}  `)
    await dialog.getByLabelText("Description").fill(" Round. ")
    await dialog.getByRole("button", { name: "Create" }).click()
    await expect.element(screen.getByRole("heading", { name: "No tasks yet" })).toBeVisible()
    await expect.element(dialog).not.toBeInTheDocument()
    const uuid = router.state.location.pathname.split("/")[2] ?? ""
    expect(await owner.call("chorus_get_project", { projectUuid: uuid })).toMatchObject({ name, description: "Round." })
    await expect.element(screen.getByRole("navigation", { name: "Main" }).getByRole("link", { name })).toBeVisible()
  })

  it("is not made without one, and by Enter with one", async () => {
    const { screen, router } = await openPage("/projects")
    await screen.getByRole("navigation", { name: "Main" }).getByRole("button", { name: "New project" }).click()
    const dialog = screen.getByRole("dialog", { name: "New project" })
    await dialog.getByRole("button", { name: "Create" }).click()
    await expect.element(dialog).toBeVisible()
    await dialog.getByLabelText("Name").fill(`Stool ${crypto.randomUUID().slice(0, 8)}`)
    await userEvent.keyboard("{Enter}")
    await expect.poll(() => router.state.location.pathname).toMatch(/^\/projects\/[0-9a-f-]{36}\/board$/)
  })

  it("stays a question with what was typed when the server refuses it", async () => {
    const { screen } = await openPage("/projects")
    await screen.getByRole("main").getByRole("button", { name: "New project" }).click()
    const dialog = screen.getByRole("dialog", { name: "New project" })
    await dialog.getByLabelText("Name").fill("   ")
    await dialog.getByLabelText("Description").fill("Long thought about")
    await dialog.getByRole("button", { name: "Create" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(dialog.getByLabelText("Description")).toHaveValue("Long thought about")
  })

  it("is left with Escape, and the focus goes back", async () => {
    const { screen } = await openPage("/projects")
    const button = screen.getByRole("main").getByRole("button", { name: "New project" })
    await button.click()
    await expect.element(screen.getByRole("dialog", { name: "New project" })).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("dialog", { name: "New project" })).not.toBeInTheDocument()
    await expect.element(button).toHaveFocus()
  })
})
