import { describe, expect, it } from "vitest"
import type { Screen } from "../../test/cards.ts"
import { submitPlan } from "../../test/planning.ts"
import { owner } from "../../test/stage.tsx"
import { showTask } from "../../test/task-panel.tsx"
import { approvePlan, hire, makeProject, makeTasks } from "../../test/workplace.ts"

/** The value that stands beside a name among the facts. */
function fact(screen: Screen, name: string): string | undefined {
  const term = screen
    .getByRole("term")
    .elements()
    .find(({ textContent }) => textContent === name)
  return term?.nextElementSibling?.textContent ?? undefined
}

describe("a task in the panel", () => {
  it("says what is known, and what is not", async () => {
    const [task = ""] = await makeTasks(await makeProject(), { title: "Bare" })
    const { screen } = await showTask(task)
    await expect.element(screen.getByRole("heading", { name: "Bare" })).toBeVisible()
    await expect.element(screen.getByText("No brief was written.")).toBeVisible()
    expect(fact(screen, "Status")).toBe("Open")
    expect(fact(screen, "Assignee")).toBe("Nobody")
    expect(fact(screen, "Priority")).toBe("Medium")
    await expect.poll(() => fact(screen, "Cost")).toBe("Nothing reported")
    expect(fact(screen, "Estimate")).toBeUndefined()
    expect(fact(screen, "Proposal")).toBeUndefined()
    expect(fact(screen, "Took")).toBeUndefined()
    expect(fact(screen, "Created")).toMatch(/Owner$/)
  })

  it("draws the brief as text and never as code to run", async () => {
    const [task = ""] = await makeTasks(await makeProject(), {
      title: "Sly",
      description: 'A *point*.\n\n<img src=x onerror="window.hit = 1">',
    })
    const { screen } = await showTask(task)
    await expect.element(screen.getByRole("emphasis").getByText("point")).toBeVisible()
    expect(screen.getByRole("region", { name: "Brief" }).element().querySelector("img")).toBeNull()
    expect("hit" in window).toBe(false)
  })

  it("names what it waits for and who is on it, and what waits for it with what it relies on", async () => {
    const project = await makeProject()
    const ada = await hire()
    const [first = "", second = ""] = await makeTasks(
      project,
      { title: "Lay the ground" },
      { title: "Build the wall" },
      { title: "Hang the picture" },
    )
    const third =
      (await owner.call("chorus_list_tasks", { projectUuid: project })).tasks.find(
        ({ title }) => title === "Hang the picture",
      )?.uuid ?? ""
    await owner.call("chorus_add_task_dependency", {
      taskUuid: second,
      dependsOnTaskUuid: first,
      contract: "It is level.",
    })
    await owner.call("chorus_add_task_dependency", { taskUuid: third, dependsOnTaskUuid: second })
    const session = await ada.client.call("chorus_create_session", { name: "digger" })
    await ada.client.call("chorus_start_task", { taskUuid: first, sessionUuid: session.uuid })

    const { screen, router } = await showTask(second)
    await expect.element(screen.getByText("Waits for Lay the ground")).toBeVisible()
    const before = screen.getByRole("list", { name: "Depends on" })
    await expect.element(before.getByText("It is level.")).toBeVisible()
    await expect.element(before.getByTitle(`digger · ${ada.name}`)).toBeVisible()
    await expect.element(before.getByText(ada.name).first()).toBeVisible()
    await expect.element(before.getByRole("link")).toHaveAttribute("title", "In progress")
    await expect
      .element(screen.getByRole("list", { name: "Needed by" }).getByRole("link", { name: "Hang the picture" }))
      .toBeVisible()
    await before.getByRole("link", { name: "Lay the ground" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/tasks/${first}`)
  })

  it("forgets that it waits once the other is done", async () => {
    const project = await makeProject()
    const [first = "", second = ""] = await makeTasks(
      project,
      { title: "First" },
      { title: "Second", dependsOnDraftUuids: ["First"] },
    )
    const { screen } = await showTask(second)
    await expect.element(screen.getByText("Waits for First")).toBeVisible()
    await owner.call("chorus_admin_close_task", { taskUuid: first })
    await expect.element(screen.getByText("Waits for First")).not.toBeInTheDocument()
    await expect
      .element(screen.getByRole("list", { name: "Depends on" }).getByRole("link"))
      .toHaveAttribute("title", "Closed")
  })

  it("follows work as it goes on: who sits there, what it costs, what is reported, how long it took", async () => {
    const [task = ""] = await makeTasks(await makeProject(), {
      title: "Live",
      storyPoints: 3,
      acceptanceCriteriaItems: [{ description: "Nice", required: false }],
    })
    const ada = await hire()
    const { screen } = await showTask(task)
    await expect.poll(() => fact(screen, "Estimate")).toBe("3 agent hours")
    const session = await ada.client.call("chorus_create_session", { name: "forge" })
    await ada.client.call("chorus_start_task", { taskUuid: task, sessionUuid: session.uuid })
    await expect.poll(() => fact(screen, "At work")).toBe("forge")
    await expect.poll(() => fact(screen, "Assignee")).toContain(ada.name)
    await ada.client.call("chorus_report_usage", {
      taskUuid: task,
      inputTokens: 1200,
      outputTokens: 300,
      costUsd: 0.25,
    })
    await expect.poll(() => fact(screen, "Cost")).toBe("1,500 tokens · $0.25")
    await ada.client.call("chorus_finish_task", {
      taskUuid: task,
      report: "It is **forged**.",
      sessionUuid: session.uuid,
    })
    await expect.poll(() => fact(screen, "Status")).toBe("To verify")
    await expect.poll(() => fact(screen, "At work")).toBeUndefined()
    await expect.element(screen.getByRole("strong").getByText("forged")).toBeVisible()
    await expect.element(screen.getByRole("tabpanel").getByText("Report", { exact: true })).toBeVisible()
    await owner.call("chorus_admin_verify_task", { taskUuid: task })
    await expect.poll(() => fact(screen, "Took")).toBeDefined()
  })

  it("keeps each kind of history under its own tab, counted", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Storied" })
    const ada = await hire()
    const session = await ada.client.call("chorus_create_session", { name: "anvil" })
    await ada.client.call("chorus_session_checkin_task", { taskUuid: task, sessionUuid: session.uuid })
    await owner.call("chorus_add_comment", { targetType: "task", targetUuid: task, content: "Well?" })
    const { screen } = await showTask(task)
    const tab = (name: string) => screen.getByRole("tab", { name, exact: false })
    await expect.element(tab("Comments")).toHaveTextContent("Comments1")
    await expect.element(tab("Sessions")).toHaveTextContent("Sessions1")
    await expect.element(tab("Reviews")).toHaveTextContent("Reviews")
    await expect.element(screen.getByText("Well?")).toBeVisible()
    await tab("Sessions").click()
    await expect.element(screen.getByRole("tabpanel").getByTitle(`anvil · ${ada.name}`)).toBeVisible()
    await tab("Activity").click()
    await expect.element(screen.getByRole("tabpanel").getByText(/claimed/)).toBeVisible()
  })

  it("shows paths kept for it while they are kept", async () => {
    const [task = ""] = await makeTasks(await makeProject(), { title: "Fenced" })
    const ada = await hire()
    await ada.client.call("chorus_start_task", { taskUuid: task })
    const { screen } = await showTask(task)
    await ada.client.call("chorus_reserve_paths", { taskUuid: task, globs: ["fence/**"] })
    await expect.element(screen.getByRole("list", { name: "Reserved paths" }).getByText("fence/**")).toBeVisible()
    await ada.client.call("chorus_release_paths", { taskUuid: task })
    await expect.element(screen.getByText("freed")).toBeVisible()
  })

  it("says that a task is not there, offers nothing to do with it, and closes", async () => {
    const { screen, onClose } = await showTask(crypto.randomUUID())
    await expect.element(screen.getByRole("alert").getByRole("button", { name: "Try again" })).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "More" })).not.toBeInTheDocument()
    await screen.getByRole("button", { name: "Close" }).click()
    expect(onClose).toHaveBeenCalledOnce()
  })

  it("closes with the task when it is deleted from here", async () => {
    const [task = ""] = await makeTasks(await makeProject(), { title: "Doomed" })
    const { screen, onClose } = await showTask(task)
    await screen.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: "Delete" }).click()
    await screen.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expect.poll(() => onClose.mock.calls.length).toBe(1)
  })

  it("links to where it was planned", async () => {
    const { projectUuid, proposalUuid } = await submitPlan()
    const task = await approvePlan(proposalUuid)
    const { screen } = await showTask(task)
    await expect
      .element(screen.getByRole("link", { name: "Open the proposal" }))
      .toHaveAttribute("href", `/projects/${projectUuid}/proposals/${proposalUuid}`)
  })
})
