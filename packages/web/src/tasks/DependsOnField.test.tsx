import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { openPage, owner } from "../../test/stage.tsx"
import { showTask } from "../../test/task-panel.tsx"
import { makeProject, makeTasks } from "../../test/workplace.ts"

async function building() {
  const project = await makeProject()
  const [dig = "", pour = "", paint = ""] = await makeTasks(
    project,
    { title: "Dig the trench" },
    {
      title: "Pour the footing",
      dependsOnDraftUuids: ["Dig the trench"],
      contracts: { "Dig the trench": "80 cm deep" },
    },
    { title: "Paint the trench cover", dependsOnDraftUuids: ["Pour the footing"] },
  )
  await makeTasks(await makeProject(), { title: "A trench elsewhere" })
  return { project, dig, pour, paint }
}

const dependsOn = async (taskUuid: string) => (await owner.call("chorus_get_task", { taskUuid })).dependsOn

describe("what a task depends on", () => {
  it("is typed and chosen by the keys where the task is written down", async () => {
    const { project, dig } = await building()
    const { screen, router } = await openPage(`/projects/${project}/board`)
    await screen.getByRole("button", { name: "New task" }).click()
    const form = screen.getByRole("dialog", { name: "New task" })
    await form.getByLabelText("Title").fill("Lay the pipe")
    const field = form.getByRole("combobox", { name: "Depends on" })
    await field.fill("trench")
    const offered = () =>
      form
        .getByRole("listbox", { name: "Type to find a task…" })
        .getByRole("option")
        .elements()
        .map(({ textContent }) => textContent)
    await expect.poll(() => offered().toSorted()).toEqual(["Dig the trench", "Paint the trench cover"])
    for (const option of form.getByRole("listbox").getByRole("option").elements()) {
      const { left, top, height } = option.getBoundingClientRect()
      expect(option.contains(document.elementFromPoint(left + 20, top + height / 2)), option.textContent).toBe(true)
    }
    await userEvent.keyboard("{Escape}")
    await expect.element(field).toHaveValue("")
    await field.fill("dig")
    await expect.poll(offered).toEqual(["Dig the trench"])
    await userEvent.keyboard("{Enter}")
    await expect.element(form.getByRole("button", { name: "Remove the dependency on Dig the trench" })).toBeVisible()
    await form.getByRole("button", { name: "Create" }).click()
    await expect.poll(() => router.state.location.search).toMatchObject({ task: expect.any(String) })
    const { task = "" } = router.state.location.search as { task?: string }
    expect(await dependsOn(task)).toMatchObject([{ uuid: dig }])
  })

  it("is changed where the task is edited: what would wait in a circle is not offered, what stays keeps its contract", async () => {
    const { project, dig, pour } = await building()
    const [hire = ""] = await makeTasks(project, { title: "Hire a trench digger" })
    const { screen } = await showTask(pour)
    await screen.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: "Edit" }).click()
    const dialog = screen.getByRole("dialog", { name: "Edit task" })
    await dialog.getByRole("combobox", { name: "Depends on" }).fill("trench")
    const offered = dialog.getByRole("listbox", { name: "Type to find a task…" }).getByRole("option")
    await expect.element(offered).toMatchTextContent("Hire a trench digger")
    await offered.click()
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(await dependsOn(pour)).toMatchObject([
      { uuid: dig, contract: "80 cm deep" },
      { uuid: hire, contract: null },
    ])
    await expect.element(screen.getByRole("link", { name: "Hire a trench digger" })).toBeVisible()
    await screen.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: "Edit" }).click()
    await dialog.getByRole("button", { name: "Remove the dependency on Dig the trench" }).click()
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(await dependsOn(pour)).toMatchObject([{ uuid: hire }])
  })
})
