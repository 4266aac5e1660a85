import { describe, expect, it, onTestFinished, vi } from "vitest"
import { openPage, owner } from "../../test/stage.tsx"
import { makeProject, makeTasks } from "../../test/workplace.ts"

describe("a short id", () => {
  it("stands on the card and the task's page, finds its card, and is an address", async () => {
    const project = await makeProject()
    const { key } = await owner.call("chorus_get_project", { projectUuid: project })
    const [first = ""] = await makeTasks(project, { title: "Dig" }, { title: "Pour" })
    const { screen, router } = await openPage(`/projects/${project}/board`)
    await expect.element(screen.getByText(`${key}-1`, { exact: true })).toBeVisible()
    await screen.getByRole("searchbox", { name: "Filter cards" }).fill(`${key}-2`)
    await expect.element(screen.getByText("Dig")).not.toBeInTheDocument()
    await expect.element(screen.getByText("Pour")).toBeVisible()
    await router.navigate({ to: "/t/$shortId", params: { shortId: `${key.toLowerCase()}-1` } })
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/tasks/${first}`)
    await expect.element(screen.getByRole("heading", { level: 1 })).toHaveTextContent(`Board/${key}-1Dig`)
  })

  it("copies its address by a click, which opens nothing", async () => {
    const project = await makeProject()
    const { key } = await owner.call("chorus_get_project", { projectUuid: project })
    const [task = ""] = await makeTasks(project, { title: "Dig" })
    const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue()
    onTestFinished(() => copied.mockRestore())
    const { screen, router } = await openPage(`/projects/${project}/tasks/${task}`)
    await screen.getByRole("button", { name: `${key}-1` }).click()
    await expect.element(screen.getByText(`Link to ${key}-1 copied`)).toBeVisible()
    expect(copied.mock.calls).toEqual([[`${location.origin}/t/${key}-1`]])
    expect(router.state.location.pathname).toBe(`/projects/${project}/tasks/${task}`)
  })

  it("leads to ideas too, and says so when nobody has it", async () => {
    const project = await makeProject()
    const { key } = await owner.call("chorus_get_project", { projectUuid: project })
    const idea = await owner.call("chorus_pm_create_idea", { projectUuid: project, title: "Pool" })
    const { router, screen } = await openPage(`/t/${idea.shortId}`)
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/ideas/${idea.uuid}`)
    await router.navigate({ to: "/t/$shortId", params: { shortId: `${key}-77` } })
    await expect.element(screen.getByText(new RegExp(`${key}-77`)).first()).toBeVisible()
    await expect.element(screen.getByRole("alert")).toBeVisible()
  })
})
