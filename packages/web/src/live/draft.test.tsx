import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { refuse } from "../../test/guest.ts"
import { ask, makeIdea, question, submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { letStand } from "../../test/stand.ts"
import { hire, makeProject, makeTasks } from "../../test/workplace.ts"

type Screen = Awaited<ReturnType<typeof openPage>>["screen"]

/** As after a reload: nothing is left of the page but what the browser keeps. */
async function again(screen: Screen, path: string): Promise<Screen> {
  await screen.unmount()
  screen.container.remove()
  return (await openPage(path)).screen
}

describe("what was typed and not sent", () => {
  it.each(["Escape", "a click beside it", "Cancel"])(
    "of a new idea is there again after %s and a reload",
    async (way) => {
      const path = `/projects/${await makeProject()}/ideas`
      const { screen } = await openPage(path)
      await screen.getByRole("button", { name: "New idea" }).first().click()
      await screen.getByRole("textbox", { name: "Title" }).fill("Light in the hall")
      await screen.getByRole("textbox", { name: "In your words" }).fill("So that nobody falls.")
      if (way === "Escape") await userEvent.keyboard("{Escape}")
      else if (way === "Cancel") await screen.getByRole("button", { name: "Cancel" }).click()
      else await userEvent.click(document.querySelector(".bg-overlay") ?? document.body, { position: { x: 5, y: 5 } })
      await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
      const back = await again(screen, path)
      await back.getByRole("button", { name: "New idea" }).first().click()
      await expect.element(back.getByRole("textbox", { name: "Title" })).toHaveValue("Light in the hall")
      await expect.element(back.getByText("You started this earlier.")).toBeVisible()
      await back.getByRole("dialog").getByRole("button", { name: "Create" }).click()
      await expect.element(back.getByRole("dialog")).not.toBeInTheDocument()
      const after = await again(back, path)
      await after.getByRole("button", { name: "New idea" }).first().click()
      await expect.element(after.getByRole("textbox", { name: "Title" })).toHaveValue("")
    },
  )

  it("of a new task is there again wherever C is pressed after a reload, and goes when it is made", async () => {
    const project = await makeProject()
    const [clear = ""] = await makeTasks(project, { title: "Clear the hall" })
    await makeProject()
    const { screen } = await openPage(`/projects/${project}/board`)
    await screen.getByRole("button", { name: "New task" }).first().click()
    await screen.getByRole("textbox", { name: "Title" }).fill("Oil the hinge")
    await screen.getByRole("textbox", { name: "Brief" }).fill("It creaks.")
    await screen.getByRole("textbox", { name: /Acceptance criteria/ }).fill("It is quiet")
    await screen.getByRole("combobox", { name: "Depends on" }).fill("hall")
    await screen.getByRole("option", { name: "Clear the hall" }).click()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    const back = await again(screen, "/agents")
    await expect.element(back.getByRole("heading", { level: 1 })).toBeVisible()
    await userEvent.keyboard("c")
    await expect.element(back.getByRole("textbox", { name: "Title" })).toHaveValue("Oil the hinge")
    await expect.element(back.getByText("You started this earlier.")).toBeVisible()
    await back.getByRole("dialog").getByRole("button", { name: "Create" }).click()
    await expect.element(back.getByText("Task “Oil the hinge” is on the board")).toBeVisible()
    const { tasks } = await owner.call("chorus_list_tasks", { projectUuid: project })
    const made = tasks.find(({ uuid }) => uuid !== clear)
    expect(made).toMatchObject({ title: "Oil the hinge", ac: { total: 1 } })
    expect(await owner.call("chorus_get_task", { taskUuid: made?.uuid ?? "" })).toMatchObject({
      dependsOn: [{ uuid: clear }],
    })
    expect(Object.keys(localStorage).filter((key) => key.endsWith("capture"))).toEqual([])
  })

  it("of a part to split off is there again after a reload, with its criteria and its order", async () => {
    const project = await makeProject()
    const acceptanceCriteriaItems = [{ description: "It opens" }, { description: "It locks" }]
    const [taskUuid = ""] = await makeTasks(project, { title: "Hang the door", acceptanceCriteriaItems })
    const path = `/projects/${project}/tasks/${taskUuid}`
    const split = async (screen: Screen) => {
      await screen.getByRole("button", { name: "More" }).click()
      await screen.getByRole("menuitem", { name: "Split off a part…" }).click()
      return screen.getByRole("dialog", { name: "Split off a part" })
    }
    const { screen } = await openPage(path)
    const dialog = await split(screen)
    await dialog.getByLabelText("Title of the new task").fill("Fit the lock")
    await dialog.getByRole("checkbox", { name: "It locks" }).click()
    await dialog.getByLabelText("Order").selectOptions("The new task comes first: this one waits for it")
    const back = await again(screen, path)
    const kept = await split(back)
    await expect.element(kept.getByLabelText("Title of the new task")).toHaveValue("Fit the lock")
    await expect.element(kept.getByRole("checkbox", { name: "It locks" })).toBeChecked()
    await kept.getByRole("button", { name: "Split off" }).click()
    await expect.element(kept).not.toBeInTheDocument()
    const { dependsOn, acceptanceCriteriaItems: left } = await owner.call("chorus_get_task", { taskUuid })
    expect(dependsOn).toMatchObject([{ title: "Fit the lock" }])
    expect(left).toMatchObject([{ description: "It opens" }])
    expect(Object.keys(localStorage).filter((key) => key.includes(".split."))).toEqual([])
  })

  it("of a new project is there again after a reload, and goes when it is made", async () => {
    const { screen } = await openPage("/projects")
    const name = `Lamp ${crypto.randomUUID().slice(0, 8)}`
    await screen.getByRole("button", { name: "New project" }).first().click()
    await screen.getByRole("textbox", { name: "Name" }).fill(name)
    await screen.getByRole("textbox", { name: "Description" }).fill("Light for all.")
    const back = await again(screen, "/projects")
    await back.getByRole("button", { name: "New project" }).first().click()
    await expect.element(back.getByRole("textbox", { name: "Name" })).toHaveValue(name)
    await expect.element(back.getByText("You started this earlier.")).toBeVisible()
    await back.getByRole("dialog").getByRole("button", { name: "Create" }).click()
    await expect.element(back.getByRole("dialog")).not.toBeInTheDocument()
    expect((await owner.call("chorus_list_projects", { pageSize: 100 })).projects).toContainEqual(
      expect.objectContaining({ name, description: "Light for all." }),
    )
    expect(Object.keys(localStorage).filter((key) => key.endsWith(".project"))).toEqual([])
  })

  it("in a document comes back to its editor after going elsewhere, and is asked about before it is discarded", async () => {
    const projectUuid = await makeProject()
    const { uuid } = await owner.call("chorus_pm_create_document", {
      projectUuid,
      type: "prd",
      title: "Wires",
      content: "Copper.",
    })
    const path = `/projects/${projectUuid}/documents/${uuid}`
    const { screen, router } = await openPage(path)
    await screen.getByRole("button", { name: "Edit" }).click()
    await screen.getByRole("textbox", { name: "Content" }).fill("Silver.")
    await router.navigate({ to: "/agents" })
    const back = await again(screen, path)
    await expect.element(back.getByRole("textbox", { name: "Content" })).toHaveValue("Silver.")
    await back.getByRole("button", { name: "Cancel" }).click()
    const question = back.getByRole("dialog", { name: "Discard what you typed?" })
    await question.getByRole("button", { name: "Cancel" }).click()
    await expect.element(back.getByRole("textbox", { name: "Content" })).toHaveValue("Silver.")
    await back.getByRole("button", { name: "Cancel" }).click()
    await question.getByRole("button", { name: "Discard" }).click()
    await expect.element(back.getByText("Copper.")).toBeVisible()
    const after = await again(back, path)
    await expect.element(after.getByText("Copper.")).toBeVisible()
  })

  it("as answers, and as a comment, outlives a reload and goes when it is sent", async () => {
    const projectUuid = await makeProject()
    const ideaUuid = await makeIdea(projectUuid)
    await ask(await hire(), ideaUuid, question("cost", "What may it cost?"))
    const path = `/projects/${projectUuid}/ideas/${ideaUuid}`
    const { screen } = await openPage(path)
    await screen.getByRole("radio", { name: /Yes, cost/ }).click()
    await screen.getByRole("textbox", { name: "Or in your own words…" }).fill("At most ten")
    await screen.getByRole("textbox", { name: /comment/i }).fill("Half a thought")
    const back = await again(screen, path)
    await expect.element(back.getByRole("radio", { name: /Yes, cost/ })).toBeChecked()
    await expect.element(back.getByRole("textbox", { name: "Or in your own words…" })).toHaveValue("At most ten")
    await expect.element(back.getByRole("textbox", { name: /comment/i })).toHaveValue("Half a thought")
    await back.getByRole("button", { name: "Send answers" }).click()
    await expect.element(back.getByText("Yes, cost — At most ten")).toBeVisible()
    // The round may show as answered, by its event, before the page has the answer to its own call.
    await expect.poll(() => Object.keys(localStorage).filter((key) => key.includes("answers."))).toEqual([])
  })

  it("as a refused note stays in its dialog, and is there after a reload", async () => {
    const { projectUuid, proposalUuid } = await submitPlan()
    const path = `/projects/${projectUuid}/proposals/${proposalUuid}`
    const { screen } = await openPage(path)
    await screen.getByRole("button", { name: "Reject" }).click()
    await screen.getByRole("textbox", { name: "Note" }).fill("Where is the switch?")
    refuse("chorus_pm_reject_proposal", { code: "busy", message: "The store is busy.", next: "Wait." }, 503)
    await screen.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
    await letStand(/^Rejecting: /)
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(screen.getByRole("textbox", { name: "Note" })).toHaveValue("Where is the switch?")
    const back = await again(screen, path)
    await back.getByRole("button", { name: "Reject" }).click()
    await expect.element(back.getByRole("textbox", { name: "Note" })).toHaveValue("Where is the switch?")
  })

  it("in a form of the page is asked about before the page is left", async () => {
    const projectUuid = await makeProject()
    const { screen, router } = await openPage(`/projects/${projectUuid}/settings`)
    const description = screen.getByRole("textbox", { name: "Description" })
    const leave = () => void router.navigate({ to: "/" })
    await description.fill("A house by the sea")
    leave()
    const asked = screen.getByRole("dialog", { name: "Discard what you typed?" })
    await asked.getByRole("button", { name: "Cancel" }).click()
    await expect.element(description).toHaveValue("A house by the sea")
    await screen.getByRole("button", { name: "Save" }).first().click()
    await expect.element(screen.getByText("Saved")).toBeVisible()
    await screen.getByRole("button", { name: "Add a check" }).click()
    await screen.getByRole("textbox", { name: "Name of check 1" }).fill("Unit")
    await screen.getByRole("textbox", { name: "Command of check 1" }).fill("npm test")
    leave()
    await asked.getByRole("button", { name: "Discard" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/")
  })

  it("where it is not kept is asked about before a dialog throws it away", async () => {
    const projectUuid = await makeProject()
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Lay the wire" })
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await screen.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: "Edit" }).click()
    const dialog = screen.getByRole("dialog", { name: "Edit task" })
    await dialog.getByRole("textbox", { name: "Title" }).fill("Lay all wires")
    await userEvent.keyboard("{Escape}")
    await expect.element(dialog.getByRole("alert")).toMatchTextContent("Discard what you typed?")
    await dialog.getByRole("button", { name: "Keep writing" }).click()
    await expect.element(dialog.getByRole("textbox", { name: "Title" })).toHaveValue("Lay all wires")
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.getByRole("button", { name: "Discard" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
  })

  it("in a dialog that does not keep it is asked about before the page is left", async () => {
    const { screen, router } = await openPage("/settings/agents")
    await screen.getByRole("button", { name: "New agent" }).first().click()
    const dialog = screen.getByRole("dialog", { name: "New agent" })
    await dialog.getByRole("textbox", { name: "Name" }).fill("Ada")
    const leave = () => void router.navigate({ to: "/" })
    leave()
    await expect.element(dialog.getByRole("alert")).toMatchTextContent("Discard what you typed?")
    await dialog.getByRole("button", { name: "Keep writing" }).click()
    await expect.element(dialog.getByRole("textbox", { name: "Name" })).toHaveValue("Ada")
    expect(router.state.location.pathname).toBe("/settings/agents")
    leave()
    await dialog.getByRole("button", { name: "Discard" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/")
    await expect.element(dialog).not.toBeInTheDocument()
  })

  it("in the workspace's settings is asked about before the page is left", async () => {
    const { screen, router } = await openPage("/settings/workspace")
    const minutes = screen.getByRole("spinbutton").first()
    await minutes.fill("75")
    void router.navigate({ to: "/" })
    const asked = screen.getByRole("dialog", { name: "Discard what you typed?" })
    await asked.getByRole("button", { name: "Cancel" }).click()
    await expect.element(minutes).toHaveValue(75)
    await screen.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByText("Saved")).toBeVisible()
    await router.navigate({ to: "/" })
    expect(router.state.location.pathname).toBe("/")
  })

  it("in a form that leads on is not asked about once it is sent", async () => {
    const { screen, router } = await openPage(`/projects/${await makeProject()}/documents`)
    await screen.getByRole("button", { name: "New document" }).first().click()
    await screen.getByRole("textbox", { name: "Title" }).fill("Wires")
    await screen.getByRole("dialog").getByRole("button", { name: "Create" }).click()
    await expect.poll(() => router.state.location.pathname).toMatch(/documents\/[0-9a-f-]{36}$/)
  })
})
