import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import type { Screen } from "../../test/cards.ts"
import { submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { approvePlan, hire, makeProject, makeTasks } from "../../test/workplace.ts"

/** A plan of four tasks in a row and one beside it. */
async function openGraph() {
  const project = await makeProject()
  const uuids = await makeTasks(
    project,
    { title: "Dig", storyPoints: 2 },
    { title: "Pour", storyPoints: 3, dependsOnDraftUuids: ["Dig"] },
    { title: "Build", storyPoints: 4, dependsOnDraftUuids: ["Pour"] },
    { title: "Paint the fence", storyPoints: 1 },
  )
  const { screen, router } = await openPage(`/projects/${project}/graph`)
  await expect.element(node(screen, "Build")).toBeVisible()
  return { project, uuids, screen, router }
}

function node(screen: Screen, title: string) {
  return screen.getByRole("region", { name: /^Dependency graph/ }).getByRole("group", { name: title, exact: true })
}

function facts(screen: Screen, title: string) {
  return screen.getByRole("complementary", { name: title })
}

const left = (screen: Screen, title: string) => node(screen, title).element().getBoundingClientRect().left

describe("the graph", () => {
  it("explains an empty project and leads to where graphs come from", async () => {
    const project = await makeProject()
    const { screen, router } = await openPage(`/projects/${project}/graph`)
    await expect.element(screen.getByRole("heading", { name: "No tasks to connect yet" })).toBeVisible()
    await screen.getByRole("link", { name: "See proposals" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/proposals`)
  })

  it("draws tasks in the order of work, says what can start and what waits, and how much is left", async () => {
    const { screen } = await openGraph()
    await expect.element(screen.getByRole("region", { name: "Dependency graph of 4 tasks" })).toBeVisible()
    expect(left(screen, "Dig")).toBeLessThan(left(screen, "Pour"))
    expect(left(screen, "Pour")).toBeLessThan(left(screen, "Build"))
    await expect.element(screen.getByText("9 h left on the critical path")).toBeVisible()
    await expect.element(node(screen, "Dig").getByText("Ready to start")).toBeVisible()
    await expect.element(node(screen, "Build").getByText("Waits for 1 task")).toBeVisible()
    await expect.element(node(screen, "Build").getByTitle("Blocked by Pour")).toBeVisible()
    await expect.element(screen.getByRole("list", { name: "Legend" }).getByText("Critical path")).toBeVisible()
  })

  it("follows the work: who holds what, what is done and what that sets free", async () => {
    const { screen, uuids } = await openGraph()
    const ada = await hire("Ada")
    await ada.client.call("chorus_claim_task", { taskUuid: uuids[0] ?? "" })
    await expect.element(node(screen, "Dig").getByTitle(ada.name)).toBeVisible()
    await owner.call("chorus_admin_close_task", { taskUuid: uuids[0] ?? "" })
    await expect.element(screen.getByText("7 h left on the critical path")).toBeVisible()
    await expect.element(node(screen, "Pour").getByText("Ready to start")).toBeVisible()
  })

  it("is drawn anew when tasks come, go or depend otherwise", async () => {
    const { screen, project, uuids } = await openGraph()
    const [more = ""] = await makeTasks(project, { title: "Roof" })
    await expect.element(node(screen, "Roof")).toBeInTheDocument()
    await owner.call("chorus_add_task_dependency", { taskUuid: more, dependsOnTaskUuid: uuids[2] ?? "" })
    await expect.poll(() => left(screen, "Roof") > left(screen, "Build")).toBe(true)
    await owner.call("chorus_admin_delete_task", { taskUuid: uuids[3] ?? "" })
    await expect.element(node(screen, "Paint the fence")).not.toBeInTheDocument()
  })
})

describe("a chosen task", () => {
  it("says what it waits for and what needs it, and leads along the chain", async () => {
    const { screen, router, project, uuids } = await openGraph()
    await node(screen, "Pour").click()
    const pour = facts(screen, "Pour")
    await expect.element(pour.getByRole("button", { name: "Dig" })).toBeVisible()
    await expect.element(pour.getByRole("button", { name: "Build" })).toBeVisible()
    await pour.getByRole("button", { name: "Build" }).click()
    await expect.element(facts(screen, "Build").getByText("Nothing")).toBeVisible()
    await expect.element(pour).not.toBeInTheDocument()
    await facts(screen, "Build").getByRole("link", { name: "Open task" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/tasks/${uuids[2] ?? ""}`)
  })

  it("lights up its chain and dims the rest, until it is closed", async () => {
    const { screen } = await openGraph()
    const dimmed = (title: string) => node(screen, title).element().querySelector(".opacity-30") !== null
    await node(screen, "Dig").click()
    await expect
      .poll(() => ["Dig", "Pour", "Build", "Paint the fence"].map(dimmed))
      .toEqual([false, false, false, true])
    await facts(screen, "Dig").getByRole("button", { name: "Close" }).click()
    await expect.element(facts(screen, "Dig")).not.toBeInTheDocument()
    await expect.poll(() => dimmed("Paint the fence")).toBe(false)
  })

  it("tells what the next may rely on", async () => {
    const project = await makeProject()
    const [build = "", moveIn = ""] = await makeTasks(project, { title: "Build" }, { title: "Move in" })
    await owner.call("chorus_add_task_dependency", {
      taskUuid: moveIn,
      dependsOnTaskUuid: build,
      contract: "The door locks.",
    })
    const { screen } = await openPage(`/projects/${project}/graph`)
    await node(screen, "Move in").click()
    await expect.element(facts(screen, "Move in").getByText("Relies on: The door locks.")).toBeVisible()
  })

  it("is reached and opened by keys", async () => {
    const { screen } = await openGraph()
    ;(node(screen, "Pour").element() as HTMLElement).focus()
    await userEvent.keyboard("{Enter}")
    await expect.element(facts(screen, "Pour")).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(facts(screen, "Pour")).not.toBeInTheDocument()
  })
})

describe("the graph of one proposal", () => {
  it("is chosen from the list of those that were approved", async () => {
    const project = await makeProject()
    const { proposalUuid } = await submitPlan({
      projectUuid: project,
      title: "House plan",
      tasks: [{ key: "walls", title: "Walls", criteria: ["They stand"] }],
    })
    await makeTasks(project, { title: "Weeds" })
    const { screen } = await openPage(`/projects/${project}/graph`)
    await expect.element(node(screen, "Weeds")).toBeVisible()
    const scope = screen.getByRole("combobox", { name: "Tasks of" })
    await expect.element(scope).not.toBeInTheDocument()
    await approvePlan(proposalUuid)
    await expect.element(node(screen, "Walls")).toBeInTheDocument()
    await scope.selectOptions("House plan")
    await expect.element(node(screen, "Weeds")).not.toBeInTheDocument()
    await expect.element(node(screen, "Walls")).toBeVisible()
    await scope.selectOptions("All proposals")
    await expect.element(node(screen, "Weeds")).toBeInTheDocument()
  })
})
