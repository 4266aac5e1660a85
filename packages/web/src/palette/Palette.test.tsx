import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { MOD } from "../design/index.ts"
import { makeIdea, submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { handIn, hire, makeProject, makeTasks } from "../../test/workplace.ts"

const word = () => `w${crypto.randomUUID().slice(0, 8)}`

async function opened(path = "/projects") {
  const { router, screen } = await openPage(path)
  await expect.element(screen.getByRole("main")).toBeVisible()
  await userEvent.keyboard("{Control>}k{/Control}")
  const field = screen.getByRole("combobox", { name: "Search, or type a command" })
  await expect.element(field).toHaveFocus()
  const option = (name: string | RegExp) => screen.getByRole("option", { name })
  const current = () => screen.getByRole("listbox").element().querySelector("[aria-selected=true]")?.textContent
  return { router, screen, field, option, current, at: () => router.state.location.pathname }
}

describe("the palette", () => {
  it("goes to places by a few letters, and gives the focus back when it is left", async () => {
    const { screen, field, option, at } = await opened()
    await expect.element(option(/^Agents/)).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(field).not.toBeInTheDocument()
    await userEvent.keyboard("/")
    await field.fill("agen")
    await expect.element(screen.getByRole("option").first()).toMatchTextContent("Agents")
    await userEvent.keyboard("{Enter}")
    await expect.poll(at).toBe("/agents")
    await expect.element(field).not.toBeInTheDocument()
  })

  it("is walked by arrows between its ends, and the field says which one is meant", async () => {
    const { screen, field, current } = await opened()
    const first = screen.getByRole("option").elements()[0]?.textContent
    await expect.poll(current).toBe(first)
    await userEvent.keyboard("{ArrowUp}")
    await expect.poll(current).toBe(first)
    await userEvent.keyboard("{ArrowDown}{ArrowDown}")
    await expect.poll(current).toBe(screen.getByRole("option").elements()[2]?.textContent)
    const meant = field.element().getAttribute("aria-activedescendant") ?? ""
    expect(document.getElementById(meant)?.textContent).toBe(current())
    await field.fill("connect an agent")
    await expect.poll(current).toMatch(/^Connect an agent/)
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}")
    await expect.poll(() => screen.getByRole("option").elements().at(-1)?.textContent).toBe(current())
  })

  it("finds tasks, ideas, proposals and documents by their words, and says where they are", async () => {
    const common = word()
    const { projectUuid, ideaUuid } = await submitPlan({ title: `Plan ${common}` })
    const project = (await owner.call("chorus_get_project", { projectUuid })).name
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: `Task ${common}` })
    await owner.call("chorus_edit_idea", { ideaUuid, title: `Idea ${common}` })
    await owner.call("chorus_pm_create_document", { projectUuid, type: "guide", title: `Guide ${common}` })
    const { shortId: task } = await owner.call("chorus_get_task", { taskUuid })
    const { shortId: idea } = await owner.call("chorus_get_idea", { ideaUuid })
    const { field, option, at } = await opened()
    await field.fill(common)
    for (const [title, kind] of [
      ["Task", `Task · ${task} · Open`],
      ["Idea", `Idea · ${idea}`],
      ["Plan", "Proposal · Waits for review"],
      ["Guide", "Document"],
    ])
      await expect
        .element(option(new RegExp(`^${title} ${common}`)))
        .toHaveTextContent(`${title} ${common}${kind} · ${project}`)
    await option(new RegExp(`^Idea ${common}`)).click()
    await expect.poll(at).toBe(`/projects/${projectUuid}/ideas/${ideaUuid}`)
  })

  it("says that there is nothing, with the words it looked for", async () => {
    const nothing = word()
    const { screen, field } = await opened()
    await field.fill(nothing)
    await expect.element(screen.getByText(`Nothing found for “${nothing}”`)).toBeVisible()
    await expect.element(screen.getByText("0 results")).toBeInTheDocument()
    await userEvent.keyboard("{Enter}")
    await expect.element(field).toHaveValue(nothing)
  })

  it("keeps the choice that was walked to when what is found arrives above it", async () => {
    const common = word()
    const projectUuid = await makeProject(`${common} one`)
    await makeProject(`${common} two`)
    await makeIdea(projectUuid, `${common} three`)
    const { screen, field, current } = await opened()
    await field.fill(common)
    await userEvent.keyboard("{ArrowDown}")
    const walkedTo = current()?.slice(0, common.length + 4)
    await expect.element(screen.getByRole("option").filter({ hasText: `${common} three` })).toBeVisible()
    expect(current()?.slice(0, common.length + 4)).toBe(walkedTo)
  })

  it("does not choose by the Enter that ends a composition", async () => {
    const { field, at } = await opened()
    await field.fill("agents")
    field.element().dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }))
    await expect.element(field).toBeVisible()
    expect(at()).toBe("/projects")
  })
})

describe("commands of the palette", () => {
  it("write an idea in the project one is in: the form is open and has the focus", async () => {
    const projectUuid = await makeProject("House")
    const { screen, field, at } = await opened(`/projects/${projectUuid}/documents`)
    await field.fill("new idea")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("textbox", { name: "Title" })).toHaveFocus()
    expect(at()).toBe(`/projects/${projectUuid}/ideas`)
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await expect.element(screen.getByRole("heading", { name: "No ideas yet" })).toBeVisible()
  })

  it("offer no idea and no board outside of a project, and the project itself by its name", async () => {
    const name = `House ${word()}`
    const { uuid } = await owner.call("chorus_admin_create_project", { name })
    const { field, option, at } = await opened()
    await field.fill("new idea")
    await expect.element(option(/^New idea in/)).not.toBeInTheDocument()
    await field.fill("graph")
    await expect.element(option(/^GraphG/)).not.toBeInTheDocument()
    await field.fill(name)
    await option(new RegExp(`^${name}`))
      .first()
      .click()
    await expect.poll(at).toBe(`/projects/${uuid}/board`)
  })

  it("switch the theme and the language, and name the way back", async () => {
    const { screen, field, option } = await opened()
    const dark = document.documentElement.dataset["theme"] === "dark"
    await field.fill(dark ? "switch to light" : "switch to dark")
    await userEvent.keyboard("{Enter}")
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe(dark ? "light" : "dark")
    await userEvent.keyboard("{Control>}k{/Control}")
    await expect.element(option(dark ? "Switch to dark" : "Switch to light")).toBeVisible()
    await option("切换到中文").click()
    await expect.element(screen.getByRole("heading", { level: 1, name: "项目" })).toBeVisible()
  })

  it("show all shortcuts, each with its keys", async () => {
    const { screen, field } = await opened()
    await field.fill("keyboard")
    await userEvent.keyboard("{Enter}")
    const dialog = screen.getByRole("dialog", { name: "Keyboard shortcuts" })
    await expect.element(dialog.getByRole("heading", { name: "In “Needs you”" })).toBeVisible()
    const keys = dialog
      .getByRole("definition")
      .elements()
      .map((cap) => [...cap.querySelectorAll("kbd")].map(({ textContent }) => textContent).join(" "))
    expect(keys).toContain("G B")
    expect(keys).toContain(`${MOD} K`)
    expect(new Set(keys.filter((each) => each.startsWith("G "))).size).toBe(16)
  })

  it("lead to the tasks with a label, once its letters are typed", async () => {
    const projectUuid = await makeProject()
    await makeTasks(projectUuid, { title: "Sweet", labels: ["fruit"] }, { title: "Plain" })
    const { screen, field, option, at, router } = await opened(`/projects/${projectUuid}/documents`)
    await expect.element(option(/^Agents/)).toBeVisible()
    await expect.element(option(/fruit/)).not.toBeInTheDocument()
    await field.fill("fru")
    await option("Tasks labelled “fruit”").click()
    await expect.poll(at).toBe(`/projects/${projectUuid}/list`)
    expect(router.state.location.search).toEqual({ label: "fruit" })
    await expect.element(screen.getByRole("row").filter({ hasText: "Sweet" })).toBeVisible()
    await expect.element(screen.getByRole("row").filter({ hasText: "Plain" })).not.toBeInTheDocument()
  })

  it("begin a project", async () => {
    const { screen, field } = await opened()
    await field.fill("new project")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("dialog", { name: "New project" })).toBeVisible()
  })
})

describe("what the palette knows of people and of the page", () => {
  it("finds agents and people by name", async () => {
    const agent = await hire(word())
    const name = word()
    await owner.call("chorus_invite_member", { name, role: "member" })
    const { field, option, at } = await opened()
    await field.fill(name)
    await expect.element(option(new RegExp(name))).toMatchTextContent("Person")
    await field.fill(agent.name)
    await option(new RegExp(agent.name)).click()
    await expect.poll(at).toBe("/agents")
  })

  it("does what the open task offers", async () => {
    const projectUuid = await makeProject()
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Lay the wire" })
    await handIn(await hire(), taskUuid)
    const { screen, router } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await expect.element(screen.getByRole("button", { name: "Verify" })).toBeVisible()
    await userEvent.keyboard("{Control>}k{/Control}")
    await screen.getByRole("combobox").fill("verify")
    await expect.element(screen.getByRole("option", { name: "Verify" })).toBeVisible()
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("dialog", { name: "Verify this work?" })).toBeVisible()
    expect(router.state.location.pathname).toContain(taskUuid)
  })

  it("does what the open plan offers", async () => {
    const { projectUuid, proposalUuid } = await submitPlan()
    const { screen } = await openPage(`/projects/${projectUuid}/proposals/${proposalUuid}`)
    await expect.element(screen.getByRole("button", { name: "Approve" })).toBeVisible()
    await userEvent.keyboard("{Control>}k{/Control}")
    await screen.getByRole("combobox").fill("approve")
    await expect.element(screen.getByRole("option", { name: "Approve" })).toBeVisible()
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("dialog", { name: "Approve this proposal" })).toBeVisible()
  })
})
