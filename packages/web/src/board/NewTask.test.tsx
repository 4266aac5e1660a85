import { beforeEach, describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { openPage, owner } from "../../test/stage.tsx"
import { makeProject } from "../../test/workplace.ts"

/** What the test before did not send is kept for whoever is the same person. */
beforeEach(() => localStorage.clear())

describe("a task that a person writes down", () => {
  it("is made on the board, with criteria and all, and is opened", async () => {
    const project = await makeProject()
    const { screen, router } = await openPage(`/projects/${project}/board`)
    await screen.getByRole("button", { name: "New task" }).click()
    const form = screen.getByRole("dialog", { name: "New task" })
    await form.getByLabelText("Title").fill("Show the total")
    await form.getByLabelText("Acceptance criteria").fill("Tax is included\n\n Shipping is included ")
    await form.getByLabelText("Priority").selectOptions("High")
    await form.getByLabelText("Estimate in agent hours").fill("2.5")
    await form.getByRole("button", { name: "Create" }).click()
    await expect.poll(() => router.state.location.search).toMatchObject({ task: expect.any(String) })
    const [task] = (await owner.call("chorus_list_tasks", { projectUuid: project })).tasks
    expect(task).toMatchObject({ title: "Show the total", priority: "high", storyPoints: 2.5, ac: { total: 2 } })
    await expect.element(screen.getByRole("heading", { name: /Show the total/ })).toBeVisible()
  })

  it("takes one line and Enter from anywhere by C, and goes into the project that is open", async () => {
    const [project, other] = [await makeProject(), await makeProject()]
    const { screen } = await openPage(`/projects/${project}/ideas`)
    await expect.element(screen.getByRole("heading", { name: "Ideas", level: 1 })).toBeVisible()
    await userEvent.keyboard("c")
    await expect.element(screen.getByLabelText("Title")).toHaveFocus()
    await userEvent.keyboard("Quick one{Enter}")
    await expect.element(screen.getByText("Task “Quick one” is on the board")).toBeVisible()
    const [task] = (await owner.call("chorus_list_tasks", { projectUuid: project })).tasks
    expect(task).toMatchObject({ title: "Quick one", ac: { total: 1 } })
    expect((await owner.call("chorus_list_tasks", { projectUuid: other })).total).toBe(0)
  })

  it("may turn out to be an idea", async () => {
    const project = await makeProject()
    const { screen, router } = await openPage(`/projects/${project}/board`)
    await userEvent.keyboard("c")
    await screen.getByRole("radio", { name: "Idea" }).click()
    await screen.getByLabelText("Title").fill("Gift cards")
    await screen.getByRole("button", { name: "Create" }).click()
    await expect.poll(() => router.state.location.pathname).toMatch(new RegExp(`^/projects/${project}/ideas/.+`))
    expect((await owner.call("chorus_get_ideas", { projectUuid: project })).ideas).toMatchObject([
      { title: "Gift cards" },
    ])
  })

  it("stays in the form when the server refuses", async () => {
    const project = await makeProject()
    const { screen } = await openPage(`/projects/${project}/board`)
    await userEvent.keyboard("c")
    await screen.getByLabelText("Title").fill("Kept\u0007")
    await screen.getByRole("button", { name: "Create" }).click()
    await expect.element(screen.getByRole("dialog", { name: "New task" })).toBeVisible()
    await expect.element(screen.getByLabelText("Title")).toHaveValue("Kept\u0007")
  })
})
