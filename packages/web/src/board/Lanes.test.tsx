import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { card, focusCard, type Screen } from "../../test/cards.ts"
import { submitPlan } from "../../test/planning.ts"
import { openPage } from "../../test/stage.tsx"
import { approvePlan, hire, makeProject, makeTasks, statusOf } from "../../test/workplace.ts"

function laneNames(screen: Screen): string[] {
  return [...screen.getByRole("main").element().querySelectorAll("h3")].map(({ textContent }) => textContent)
}

describe("lanes by agent", () => {
  it("gather each agent's cards under its name with the nobody's last, and fold", async () => {
    const project = await makeProject()
    const ada = await hire("Ada")
    const bo = await hire("Bo")
    const [one = "", two = "", three = ""] = await makeTasks(
      project,
      { title: "Ada's first" },
      { title: "Ada's second" },
      { title: "Bo's own" },
      { title: "Free" },
    )
    for (const taskUuid of [one, two]) await ada.client.call("chorus_claim_task", { taskUuid })
    await bo.client.call("chorus_start_task", { taskUuid: three })
    const { screen } = await openPage(`/projects/${project}/board?lanes=agent`)
    await expect.element(card(screen, "Free")).toBeVisible()
    expect(laneNames(screen)).toEqual([`${ada.name}2`, `${bo.name}1`, "Unassigned1"])

    const head = screen.getByRole("button", { name: ada.name, exact: false })
    await expect.element(head).toHaveAttribute("aria-expanded", "true")
    await head.click()
    await expect.element(card(screen, "Ada's first")).not.toBeInTheDocument()
    await expect.element(head).toHaveAttribute("aria-expanded", "false")
    await expect.element(card(screen, "Bo's own")).toBeVisible()
    await head.click()
    await expect.element(card(screen, "Ada's first")).toBeVisible()
  })

  it("take a card over when somebody takes it, while one looks", async () => {
    const project = await makeProject()
    const ada = await hire("Ada")
    const [task = ""] = await makeTasks(project, { title: "Wanderer" }, { title: "Stays" })
    const { screen } = await openPage(`/projects/${project}/board?lanes=agent`)
    await expect.element(card(screen, "Wanderer")).toBeVisible()
    expect(laneNames(screen)).toEqual(["Unassigned2"])
    await ada.client.call("chorus_claim_task", { taskUuid: task })
    await expect.poll(() => laneNames(screen)).toEqual([`${ada.name}1`, "Unassigned1"])
  })

  it("are walked and worked by keys like the plain board", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Lantern" })
    const { screen } = await openPage(`/projects/${project}/board?lanes=agent`)
    await focusCard(screen, "Lantern")
    await userEvent.keyboard(" {ArrowRight}{Enter}")
    await expect.poll(() => statusOf(task)).toBe("in_progress")
    await expect.element(card(screen, "Lantern")).toHaveFocus()
  })

  it("open a card beside them on a click", async () => {
    const project = await makeProject()
    await makeTasks(project, { title: "Door", description: "Behind the door." })
    const { screen } = await openPage(`/projects/${project}/board?lanes=agent`)
    await card(screen, "Door").click()
    await expect.element(screen.getByRole("dialog").getByText("Behind the door.")).toBeVisible()
  })
})

describe("lanes by proposal", () => {
  it("are named by the proposal, offer it as a filter, and are chosen and left from the menu", async () => {
    const project = await makeProject()
    const { proposalUuid } = await submitPlan({
      projectUuid: project,
      title: "Kitchen plan",
      tasks: [{ key: "tap", title: "Fix the tap", criteria: ["No drop falls"] }],
    })
    await approvePlan(proposalUuid)
    await makeTasks(project, { title: "Loose end" })
    const { screen, router } = await openPage(`/projects/${project}/board`)
    await expect.element(card(screen, "Fix the tap")).toBeVisible()

    await screen.getByRole("button", { name: "Lanes" }).click()
    await screen.getByRole("menuitemradio", { name: "By proposal" }).click()
    await expect.poll(() => laneNames(screen)).toEqual(["Kitchen plan1", "No proposal1"])
    expect(router.state.location.search).toEqual({ lanes: "proposal" })

    await screen.getByRole("button", { name: "Filter", exact: true }).click()
    await screen.getByRole("menuitemradio", { name: "Kitchen plan" }).click()
    await expect.element(card(screen, "Loose end")).not.toBeInTheDocument()
    expect(router.state.location.search).toEqual({ lanes: "proposal", proposal: proposalUuid })

    await screen.getByRole("button", { name: "By proposal" }).click()
    await screen.getByRole("menuitemradio", { name: "No lanes" }).click()
    await expect.poll(() => laneNames(screen)).toEqual([])
  })
})
