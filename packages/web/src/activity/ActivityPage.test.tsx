import { describe, expect, it } from "vitest"
import type { Screen } from "../../test/cards.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject, makeTasks } from "../../test/workplace.ts"

async function openFeed(projectUuid: string) {
  return openPage(`/projects/${projectUuid}/activity`)
}

/** The lines from top to bottom, without their times. */
function lines(screen: Screen): string[] {
  return [...screen.getByRole("main").element().querySelectorAll("section li > p")].map(({ textContent }) =>
    textContent.replaceAll(/\s+/g, " ").trim(),
  )
}

describe("the activity of a project", () => {
  it("tells newest first what people and agents did, with links to it, and goes on while one looks", async () => {
    const project = await makeProject("Garden")
    const ada = await hire("Ada")
    const [task = ""] = await makeTasks(project, { title: "Plant roses" })
    const { screen, router } = await openFeed(project)
    await expect.element(screen.getByRole("region", { name: "Today" })).toBeVisible()
    await expect.poll(() => lines(screen)[0]).toBe("Owner created Plant roses")
    await ada.client.call("chorus_claim_task", { taskUuid: task })
    await expect.poll(() => lines(screen)[0]).toBe(`${ada.name} claimed Plant roses`)
    const session = await ada.client.call("chorus_create_session", { name: "spade" })
    await ada.client.call("chorus_session_checkin_task", { taskUuid: task, sessionUuid: session.uuid })
    await expect.poll(() => lines(screen)[0]).toBe(`${ada.name} checked in on Plant roses spade`)
    await screen.getByRole("main").getByRole("link", { name: "Plant roses" }).first().click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/tasks/${task}`)
  })

  it("has one row for what an agent reports on the way, and one for its hand-in", async () => {
    const project = await makeProject()
    const ada = await hire("Ada")
    const [taskUuid = ""] = await makeTasks(project, { title: "Prune" })
    await ada.client.call("chorus_start_task", { taskUuid })
    const { screen } = await openFeed(project)
    await expect.poll(() => lines(screen).length).toBeGreaterThan(0)
    const before = lines(screen).filter((line) => line.startsWith(ada.name)).length
    for (const report of ["A third.", "Two thirds."]) await ada.client.call("chorus_report_work", { taskUuid, report })
    await ada.client.call("chorus_finish_task", { taskUuid, report: "All of it.", insist: true })
    const own = () => lines(screen).filter((line) => line.startsWith(ada.name))
    await expect.poll(() => own()[0]).toMatch(/handed in/)
    await expect.poll(() => own().length - before).toBe(2)
  })

  it("narrows to people or agents", async () => {
    const project = await makeProject()
    const ada = await hire("Ada")
    const [task = ""] = await makeTasks(project, { title: "Dig" })
    await ada.client.call("chorus_claim_task", { taskUuid: task })
    const { screen } = await openFeed(project)
    await expect.poll(() => lines(screen).length).toBeGreaterThanOrEqual(2)
    await screen.getByRole("radio", { name: "Agents" }).click()
    await expect.poll(() => lines(screen)).toEqual([`${ada.name} claimed Dig`])
    await screen.getByRole("radio", { name: "People" }).click()
    await expect.poll(() => lines(screen).some((line) => line.startsWith(ada.name))).toBe(false)
    expect(lines(screen)).toContain("Owner created Dig")
    await screen.getByRole("radio", { name: "All" }).click()
    await expect.poll(() => lines(screen).some((line) => line.startsWith(ada.name))).toBe(true)
  })

  it("says that nobody of that kind has done anything", async () => {
    const project = await makeProject()
    const { screen } = await openFeed(project)
    await screen.getByRole("radio", { name: "Agents" }).click()
    await expect.element(screen.getByRole("heading", { name: "Nothing has happened yet" })).toBeVisible()
  })

  it("shows older lines on request until there are none, each once", async () => {
    const project = await makeProject()
    const titles = Array.from({ length: 60 }, (_, at) => `Leaf ${String(at).padStart(2, "0")}`)
    await makeTasks(project, ...titles.map((title) => ({ title })))
    const { screen } = await openFeed(project)
    const older = screen.getByRole("button", { name: "Show older" })
    await expect.element(older).toBeVisible()
    expect(lines(screen).length).toBeLessThanOrEqual(50)
    // What comes meanwhile pushes lines of the first page into the second.
    await owner.call("chorus_admin_create_project", { name: "Elsewhere" })
    await makeTasks(project, { title: "Late leaf" })
    await expect.poll(() => lines(screen)[0]).toBe("Owner created Late leaf")
    await older.click()
    await expect.element(older).not.toBeInTheDocument()
    const told = lines(screen).filter((line) => line.startsWith("Owner created Leaf"))
    expect(told.toSorted()).toEqual(titles.map((title) => `Owner created ${title}`))
  })

  it("of a project nobody made is a problem with a way to try again", async () => {
    const { screen } = await openFeed(crypto.randomUUID())
    await expect
      .element(screen.getByRole("main").getByRole("alert").getByRole("button", { name: "Try again" }))
      .toBeVisible()
  })
})
