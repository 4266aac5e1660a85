import { describe, expect, it, vi } from "vitest"
import { owner } from "../../test/stage.tsx"
import { showTask } from "../../test/task-panel.tsx"
import { handIn, hire, makeProject, makeTasks } from "../../test/workplace.ts"

const CRITERIA = [
  { description: "The door opens" },
  { description: "The door locks", required: false, command: "npm run lock" },
]

async function split() {
  const project = await makeProject()
  const [task = ""] = await makeTasks(project, {
    title: "Hang the door",
    priority: "high",
    labels: ["hall"],
    acceptanceCriteriaItems: CRITERIA,
  })
  const { screen, router } = await showTask(task)
  await screen.getByRole("button", { name: "More" }).click()
  await screen.getByRole("menuitem", { name: "Split off a part…" }).click()
  const dialog = screen.getByRole("dialog", { name: "Split off a part" })
  await dialog.getByLabelText("Title of the new task").fill("Fit the lock")
  return {
    task,
    screen,
    router,
    dialog,
    confirm: dialog.getByRole("button", { name: "Split off" }),
    get: (taskUuid: string) => owner.call("chorus_get_task", { taskUuid }),
    parts: async () =>
      (await owner.call("chorus_list_tasks", { projectUuid: project })).tasks.filter(({ uuid }) => uuid !== task),
  }
}

describe("a part of a task", () => {
  it("becomes a task of its own that takes its criteria along, and comes first if one says so", async () => {
    const { task, screen, router, dialog, confirm, get, parts } = await split()
    await dialog.getByRole("checkbox", { name: "The door locks" }).click()
    await dialog.getByLabelText("Order").selectOptions("The new task comes first: this one waits for it")
    await confirm.click()
    await expect.element(dialog).not.toBeInTheDocument()
    const [part] = await parts()
    expect(await get(part?.uuid ?? "")).toMatchObject({
      title: "Fit the lock",
      priority: "high",
      labels: ["hall"],
      acceptanceCriteriaItems: [CRITERIA[1]],
      dependedBy: [{ uuid: task }],
    })
    expect((await get(task)).acceptanceCriteriaItems.map(({ description }) => description)).toEqual(["The door opens"])
    await screen.getByRole("button", { name: "Open", exact: true }).click()
    await expect.poll(() => router.state.location.pathname).toMatch(new RegExp(`/tasks/${part?.uuid}$`))
  })

  it("may leave all criteria here and come after, but cannot take all of them", async () => {
    const { task, dialog, confirm, get, parts } = await split()
    const boxes = CRITERIA.map(({ description }) => dialog.getByRole("checkbox", { name: description }))
    for (const box of boxes) await box.click()
    await expect.element(dialog.getByRole("alert")).toMatchTextContent("Leave at least one criterion here")
    await expect.element(confirm).toBeDisabled()
    for (const box of boxes) await box.click()
    await dialog.getByLabelText("Order").selectOptions("The new task comes after: it waits for this one")
    await confirm.click()
    await expect.element(dialog).not.toBeInTheDocument()
    const [part] = await parts()
    expect(await get(part?.uuid ?? "")).toMatchObject({
      acceptanceCriteriaItems: [{ description: "Fit the lock" }],
      dependsOn: [{ uuid: task }],
    })
    expect((await get(task)).version).toBe(1)
  })

  it("that was made while the task could not be changed is not made again, and no criterion is lost", async () => {
    const { task, dialog, confirm, get, parts } = await split()
    await dialog.getByRole("checkbox", { name: "The door locks" }).click()
    const network = globalThis.fetch
    const broken = vi
      .spyOn(globalThis, "fetch")
      .mockImplementation((address, init) =>
        String(address instanceof Request ? address.url : address).includes("chorus_update_task")
          ? Promise.reject(new TypeError("Failed to fetch"))
          : network(address, init),
      )
    try {
      await confirm.click()
      await expect
        .element(dialog.getByRole("alert"))
        .toMatchTextContent("“Fit the lock” was made, but this task is as it was")
    } finally {
      broken.mockRestore()
    }
    const [part] = await parts()
    expect(await get(part?.uuid ?? "")).toMatchObject({ acceptanceCriteriaItems: [CRITERIA[1]] })
    expect((await get(task)).acceptanceCriteriaItems).toMatchObject(CRITERIA)
    await dialog.getByRole("button", { name: "Try again" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(await parts()).toHaveLength(1)
    expect((await get(task)).acceptanceCriteriaItems).toMatchObject([CRITERIA[0]])
  })

  it("is not split off once the work is handed in", async () => {
    const { task, dialog, confirm } = await split()
    await handIn(await hire(), task)
    await expect.element(dialog.getByRole("alert")).toMatchTextContent("It was handed in meanwhile")
    await expect.element(confirm).toBeDisabled()
  })
})
