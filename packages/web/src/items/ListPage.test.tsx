import { describe, expect, it, onTestFinished } from "vitest"
import { page, userEvent } from "vitest/browser"
import type { Screen } from "../../test/cards.ts"
import { becomeGuest } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { makeProject, makeTasks } from "../../test/workplace.ts"

const grid = (screen: Screen) => screen.getByRole("grid", { name: "List" })
const row = (screen: Screen, title: string) => grid(screen).getByRole("row").filter({ hasText: title })
const titles = (screen: Screen) =>
  [...grid(screen).element().querySelectorAll<HTMLElement>("[data-row]")]
    .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
    .map((each) => each.querySelector("a")?.textContent)

async function openList(search = "") {
  const project = await makeProject()
  const uuids = await makeTasks(
    project,
    { title: "Apple", priority: "high", labels: ["fruit", "red"], dueOn: "2026-01-02", storyPoints: 2 },
    { title: "Pear", labels: ["fruit"], dueOn: "2026-01-01" },
    { title: "Stone" },
  )
  const { screen, router } = await openPage(`/projects/${project}/list${search}`)
  await expect.element(row(screen, "Stone")).toBeVisible()
  return { project, uuids, screen, router }
}

describe("the list", () => {
  it("is one click from the board, sorts by a click on a column and keeps that in the address", async () => {
    const { screen, router, project } = await openList()
    await screen.getByRole("radio", { name: "Board" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/board`)
    await screen.getByRole("radio", { name: "List" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/list`)
    const due = screen.getByRole("columnheader", { name: "Due" })
    await due.getByRole("button").click()
    await expect.poll(() => titles(screen)).toEqual(["Pear", "Apple", "Stone"])
    await expect.element(due).toHaveAttribute("aria-sort", "ascending")
    await due.getByRole("button").click()
    await expect.poll(() => titles(screen)).toEqual(["Apple", "Pear", "Stone"])
    expect(router.state.location.search).toEqual({ sort: "-due" })
  })

  it("groups by label, and a filter by one narrows it", async () => {
    const { screen, router } = await openList("?group=label&sort=id")
    await expect.element(grid(screen).getByText("None")).toBeVisible()
    expect(titles(screen)).toEqual(["Apple", "Pear", "Apple", "Stone"])
    await screen.getByRole("button", { name: "Filter", exact: true }).click()
    await screen.getByRole("menuitemradio", { name: "red" }).click()
    await expect.poll(() => titles(screen)).toEqual(["Apple", "Apple"])
    expect(router.state.location.search).toEqual({ group: "label", sort: "id", label: "red" })
  })

  it("narrows by status and by what is overdue, and shows how urgent each is", async () => {
    const { screen, uuids, router } = await openList()
    await owner.call("chorus_claim_task", { taskUuid: uuids[1] ?? "" })
    await owner.call("chorus_move_task", { taskUuid: uuids[1] ?? "", status: "in_progress" })
    await expect.element(row(screen, "Apple").getByText("High")).toBeVisible()
    await screen.getByRole("button", { name: "Filter", exact: true }).click()
    await screen.getByRole("menuitemradio", { name: "In progress" }).click()
    await expect.poll(() => titles(screen)).toEqual(["Pear"])
    expect(router.state.location.search).toEqual({ status: "in_progress" })
    await router.navigate({ to: ".", search: {} as never })
    await expect.poll(() => titles(screen).length).toBe(3)
    await screen.getByRole("button", { name: "Filter", exact: true }).click()
    await screen.getByRole("menuitemcheckbox", { name: "Overdue" }).click()
    await expect.poll(() => titles(screen).toSorted()).toEqual(["Apple", "Pear"])
  })

  it("names each task in full on a tablet, with its id and what else counts below", async () => {
    await page.viewport(768, 1024)
    onTestFinished(() => page.viewport(1280, 800))
    const { screen, project } = await openList()
    const title = "Show the date of delivery beside each line"
    await makeTasks(project, { title })
    const link = row(screen, title).getByRole("link")
    await expect.element(link).toBeVisible()
    expect(link.element().scrollWidth).toBeLessThanOrEqual(link.element().clientWidth)
    await expect.element(row(screen, title).getByText(/-\d+$/).last()).toBeVisible()
  })

  it("sorts by the due day on a phone too, with its tools in two rows", async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const { screen, router } = await openList()
    await screen.getByRole("button", { name: "Sort by" }).click()
    await screen.getByRole("menuitemradio", { name: "Due" }).click()
    await expect.poll(() => titles(screen)).toEqual(["Pear", "Apple", "Stone"])
    expect(router.state.location.search).toEqual({ sort: "due" })
    expect(grid(screen).element().getBoundingClientRect().top).toBeLessThan(200)
  })

  it.each([768, 1280])("chooses all by one box, and no news covers what can be done, %i wide", async (width) => {
    await page.viewport(width, 800)
    onTestFinished(() => page.viewport(1280, 800))
    const { screen } = await openList()
    const all = screen.getByRole("checkbox", { name: "Select all" })
    await row(screen, "Pear").getByRole("checkbox").click()
    await expect.element(all).toBePartiallyChecked()
    await all.click()
    await expect.element(screen.getByText("3 selected")).toBeVisible()
    const bar = screen.getByRole("toolbar", { name: "Change the selected tasks" })
    await bar.getByRole("button", { name: "Priority" }).click()
    await screen.getByRole("menuitem", { name: "Low" }).click()
    const news = screen.getByRole("region", { name: "News" })
    await expect.element(news.getByText("3 tasks changed")).toBeVisible()
    expect(news.element().getBoundingClientRect().bottom).toBeLessThanOrEqual(bar.element().getBoundingClientRect().top)
    await bar.getByRole("button", { name: "Clear the selection" }).click()
    await expect.element(bar).not.toBeInTheDocument()
    await expect.element(all).not.toBeChecked()
  })

  it("is walked, chosen from and opened by keys", async () => {
    const { screen, router, uuids } = await openList("?sort=title")
    row(screen, "Apple").element().focus()
    await userEvent.keyboard("x{ArrowDown}")
    await expect.element(row(screen, "Pear")).toHaveFocus()
    await userEvent.keyboard(" ")
    await expect.element(screen.getByText("2 selected")).toBeVisible()
    await userEvent.keyboard("{Control>}a{/Control}")
    await expect.element(screen.getByText("3 selected")).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByText("3 selected")).not.toBeInTheDocument()
    await userEvent.keyboard("{Enter}")
    await expect.poll(() => router.state.location.search).toEqual({ sort: "title", task: uuids[1] })
    await expect.element(screen.getByRole("dialog").getByRole("heading", { name: "Pear" })).toBeVisible()
  })

  it("changes all that were chosen at once, says what was refused, and takes it back", async () => {
    const { screen, uuids } = await openList("?sort=title")
    await owner.call("chorus_edit_tasks", {
      projectUuid: (await owner.call("chorus_get_task", { taskUuid: uuids[2] ?? "" })).projectUuid,
      taskUuids: [uuids[2] ?? ""],
      status: "closed",
    })
    await expect.poll(() => titles(screen)).toEqual(["Apple", "Pear"])
    for (const title of ["Apple", "Pear"])
      await row(screen, title)
        .getByRole("checkbox", { name: `Select ${title}` })
        .click()
    const bar = screen.getByRole("toolbar", { name: "Change the selected tasks" })
    await bar.getByRole("button", { name: "Labels" }).click()
    await screen.getByRole("textbox", { name: "Find or create a label" }).fill("sweet")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByText("2 tasks changed")).toBeVisible()
    await userEvent.keyboard("{Escape}")
    const labels = async (at: number) =>
      (await owner.call("chorus_get_task", { taskUuid: uuids[at] ?? "" })).labels.join()
    expect([await labels(0), await labels(1)]).toEqual(["fruit,red,sweet", "fruit,sweet"])
    await screen.getByRole("button", { name: "Undo" }).click()
    await expect.poll(async () => [await labels(0), await labels(1)]).toEqual(["fruit,red", "fruit"])
    await bar.getByRole("button", { name: "Move" }).click()
    await screen.getByRole("menuitem", { name: "To verify" }).click()
    await expect.element(screen.getByText(/2 left unchanged/)).toBeVisible()
  })

  it("saves the view under a name, shared, and a colleague's menu leads to the same address", async () => {
    const { screen, router, project } = await openList("?group=state&sort=-due")
    await screen.getByRole("button", { name: "Views" }).click()
    await screen.getByRole("menuitem", { name: "Save this view…" }).click()
    await screen.getByRole("textbox", { name: "Name" }).fill("What is due")
    await screen.getByRole("switch", { name: /^Share with the project/ }).click()
    await screen.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByText("Saved as “What is due”")).toBeVisible()
    await router.navigate({ to: "/projects/$projectUuid/board", params: { projectUuid: project } })
    await screen.getByRole("button", { name: "Views" }).click()
    await screen.getByRole("menuitem", { name: "What is due", exact: true }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/list`)
    expect(router.state.location.search).toEqual({ group: "state", sort: "-due" })
  })

  it("shows what a colleague shared, and not what they kept to themselves", async () => {
    const project = await makeProject()
    await makeTasks(project, { title: "Apple" })
    const saved = { projectUuid: project, layout: "list" as const }
    for (const [name, shared] of [
      ["What is due", true],
      ["My own order", false],
    ] as const)
      await owner.call("chorus_save_view", { ...saved, name, shared, query: "sort=-due" })
    await becomeGuest("member")
    const { screen, router } = await openPage(`/projects/${project}/board`)
    await screen.getByRole("button", { name: "Views" }).click()
    await expect.element(screen.getByRole("menuitem", { name: "What is due", exact: true })).toBeVisible()
    expect(screen.getByRole("menuitem", { name: "My own order" }).elements()).toEqual([])
    await screen.getByRole("menuitem", { name: "What is due", exact: true }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/list`)
  })
})
