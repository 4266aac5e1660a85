import { describe, expect, it, onTestFinished } from "vitest"
import { page } from "vitest/browser"
import { openPage, owner } from "../../test/stage.tsx"
import { handIn, hire, makeProject, makeTasks } from "../../test/workplace.ts"

describe("the page of a task", () => {
  it("is under its own address, follows its name, and leads back to the board", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Old name" })
    const { shortId } = await owner.call("chorus_get_task", { taskUuid: task })
    const { screen, router } = await openPage(`/projects/${project}/tasks/${task}`)
    const title = screen.getByRole("main").getByRole("heading", { level: 1 })
    await expect.element(title).toHaveTextContent(`Board/${shortId}Old name`)
    await owner.call("chorus_update_task", { taskUuid: task, title: "New name" })
    await expect.element(title).toHaveTextContent(`Board/${shortId}New name`)
    await title.getByRole("link", { name: "Board" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/board`)
  })

  it("says what it is called in the tracker it was brought from, and is found by that", async () => {
    const projectUuid = await makeProject()
    const items = [{ key: "AB-77", title: "Came along" }]
    const { results } = await owner.call("chorus_import_items", { projectUuid, origin: "jira:AB", items })
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${results[0]?.taskUuid ?? ""}`)
    await expect.element(screen.getByText("AB-77 jira:AB")).toBeVisible()
    expect((await owner.call("chorus_search", { query: "ab-77" })).results).toMatchObject([{ title: "Came along" }])
  })

  it("goes to the board when the task is deleted on it", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Doomed" })
    const { screen, router } = await openPage(`/projects/${project}/tasks/${task}`)
    await screen.getByRole("main").getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: "Delete" }).click()
    await screen.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/board`)
    await expect.element(screen.getByRole("heading", { name: "No tasks yet" })).toBeVisible()
  })

  it("keeps what can be done under the thumb on a phone, and needs no bar for a menu alone", async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Finished" })
    const { screen } = await openPage(`/projects/${project}/tasks/${task}`)
    const more = screen.getByRole("main").getByRole("button", { name: "More", exact: true })
    await expect.poll(() => more.element().getBoundingClientRect().top).toBeGreaterThan(700)
    await owner.call("chorus_admin_close_task", { taskUuid: task })
    await expect.poll(() => more.element().getBoundingClientRect().top).toBeLessThan(200)
  })

  it("has all that can be done in one line on a phone", async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Handed in" })
    const { screen } = await openPage(`/projects/${project}/tasks/${task}`)
    const places = () =>
      [...document.querySelectorAll("main [data-actions] [data-actions] button")].map((button) => {
        const { top, bottom, left, right } = button.getBoundingClientRect()
        return { line: Math.round((top + bottom) / 2), inside: left >= 0 && right <= 390 }
      })
    const inOneLine = () => new Set(places().map(({ line }) => line)).size === 1 && places().every((one) => one.inside)
    await expect.element(screen.getByRole("button", { name: "Assign" })).toBeVisible()
    expect(inOneLine()).toBe(true)
    const ada = await hire()
    await handIn(ada, task)
    const programs = [{ program: "codex" as const, version: "1.0", missing: null }]
    await ada.client.call("chorus_lease_run", { machine: "studio", programs, folders: ["/shop"], slots: 1, busy: 0 })
    await expect.element(screen.getByRole("button", { name: "Have it reviewed" })).toBeVisible()
    expect(places()).toHaveLength(4)
    expect(places()).toHaveLength(4)
    expect(inOneLine()).toBe(true)
  })

  it("says that there is none under a wrong address", async () => {
    const { screen } = await openPage(`/projects/${await makeProject()}/tasks/${crypto.randomUUID()}`)
    await expect.element(screen.getByRole("main").getByRole("alert")).toBeVisible()
    await expect.element(screen.getByRole("main").getByRole("button", { name: "More" })).not.toBeInTheDocument()
  })
})
