import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { owner } from "../../test/stage.tsx"
import { showTask } from "../../test/task-panel.tsx"
import { handIn, hire, makeProject, makeTasks, type Wanted } from "../../test/workplace.ts"

async function edit(wanted: Partial<Wanted> = {}) {
  const [task = ""] = await makeTasks(await makeProject(), {
    title: "Draft",
    description: "First *thought*",
    priority: "low",
    storyPoints: 2,
    ...wanted,
  })
  const { screen } = await showTask(task)
  await screen.getByRole("button", { name: "More" }).click()
  await screen.getByRole("menuitem", { name: "Edit" }).click()
  const dialog = screen.getByRole("dialog", { name: "Edit task" })
  const field = {
    title: dialog.getByLabelText("Title"),
    brief: dialog.getByLabelText("Brief"),
    priority: dialog.getByLabelText("Priority"),
    estimate: dialog.getByLabelText("Estimate"),
  }
  return {
    task,
    screen,
    dialog,
    field,
    save: dialog.getByRole("button", { name: "Save" }),
    saved: () => owner.call("chorus_get_task", { taskUuid: task }),
  }
}

describe("editing a task", () => {
  it("begins with what is there and saves every field", async () => {
    const { screen, dialog, field, save, saved } = await edit()
    await expect.element(field.title).toHaveValue("Draft")
    await expect.element(field.brief).toHaveValue("First *thought*")
    await expect.element(field.priority).toHaveValue("low")
    await expect.element(field.estimate).toHaveValue(2)
    await field.title.fill("  Final  ")
    await field.brief.fill("Second thought")
    await field.priority.selectOptions("high")
    await field.estimate.fill("0.5")
    await save.click()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(screen.getByRole("heading", { name: "Final" })).toBeVisible()
    expect(await saved()).toMatchObject({
      title: "Final",
      description: "Second thought",
      priority: "high",
      storyPoints: 0.5,
    })
  })

  it("takes the brief and the estimate away when they are emptied", async () => {
    const { dialog, screen, field, save, saved } = await edit()
    await field.brief.clear()
    await field.estimate.clear()
    await save.click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(await saved()).toMatchObject({ description: null, storyPoints: null })
    await expect.element(screen.getByText("No brief was written.")).toBeVisible()
  })

  it("does not save without a title", async () => {
    const { field, save, saved } = await edit()
    await field.title.fill("   ")
    await expect.element(save).toBeDisabled()
    await field.brief.click()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    expect((await saved()).title).toBe("Draft")
  })

  it("saves from the brief by Ctrl+Enter, and a plain Enter is a new line", async () => {
    const { dialog, field, saved } = await edit({ description: "a" })
    await userEvent.type(field.brief, "{End}{Enter}b{Control>}{Enter}{/Control}")
    await expect.element(dialog).not.toBeInTheDocument()
    expect((await saved()).description).toBe("a\nb")
  })

  it("keeps what was typed when the server refuses, and says why", async () => {
    const { screen, dialog, field, save } = await edit()
    await field.estimate.fill("10001")
    await field.title.fill("Too much")
    await save.click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(dialog).toBeVisible()
    await expect.element(field.title).toHaveValue("Too much")
    await expect.element(field.estimate).toHaveValue(10_001)
  })

  it("says that criteria stay as they are once the work is handed in, and saves the rest", async () => {
    const { task, dialog, field, save, saved } = await edit()
    await dialog.getByRole("textbox", { name: "Criterion 1" }).fill("It works twice")
    await handIn(await hire(), task)
    await expect.element(dialog.getByRole("alert")).toMatchTextContent("It was handed in meanwhile")
    await expect.element(dialog.getByText("- It works twice")).toBeVisible()
    await expect.element(save).toBeDisabled()
    await field.title.fill("Final")
    await save.click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(await saved()).toMatchObject({ title: "Final", acceptanceCriteriaItems: [{ description: "It works" }] })
  })

  it("changes nothing when it is cancelled", async () => {
    const { dialog, field, saved } = await edit()
    await field.title.fill("Forget it")
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.getByRole("button", { name: "Discard" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect((await saved()).title).toBe("Draft")
  })
})
