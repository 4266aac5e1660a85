import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { card, type Screen } from "../../test/cards.ts"
import { PROSE, submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { approvePlan, hire, makeProject, makeTasks } from "../../test/workplace.ts"
import { filterCount } from "./BoardTools.tsx"

/** A board with cards that differ in what one can filter by. */
async function openMixedBoard(search = "") {
  const project = await makeProject()
  const ada = await hire("Ada")
  const [apple = ""] = await makeTasks(
    project,
    { title: "Apple", priority: "high" },
    { title: "Pear", priority: "low" },
    { title: "Plum", dependsOnDraftUuids: ["Apple"] },
  )
  await ada.client.call("chorus_claim_task", { taskUuid: apple })
  const { screen, router } = await openPage(`/projects/${project}/board${search}`)
  return { project, ada, apple, screen, router }
}

async function choose(screen: Screen, menu: string, role: "menuitemradio" | "menuitemcheckbox", name: string) {
  await screen.getByRole("main").getByRole("button", { name: menu }).click()
  await screen.getByRole(role, { name, exact: true }).first().click()
}

async function expectShown(screen: Screen, shown: readonly string[], hidden: readonly string[]) {
  for (const title of shown) await expect.element(card(screen, title)).toBeVisible()
  for (const title of hidden) await expect.element(card(screen, title)).not.toBeInTheDocument()
}

describe("narrowing the board", () => {
  it("by words shows what fits while one types, keeps it in the address, and clears with the field", async () => {
    const { screen, router } = await openMixedBoard()
    const field = screen.getByRole("searchbox", { name: "Filter cards" })
    await field.fill("pea")
    await expectShown(screen, ["Pear"], ["Apple", "Plum"])
    expect(router.state.location.search).toEqual({ find: "pea" })
    await expect.element(screen.getByRole("button", { name: "Filter · 1" })).toBeVisible()
    await field.clear()
    await expectShown(screen, ["Pear", "Apple", "Plum"], [])
    expect(router.state.location.search).toEqual({})
  })

  it("by priority, and back to any", async () => {
    const { screen, router } = await openMixedBoard()
    await choose(screen, "Filter", "menuitemradio", "High")
    await expectShown(screen, ["Apple"], ["Pear", "Plum"])
    expect(router.state.location.search).toEqual({ priority: "high" })
    await screen.getByRole("main").getByRole("button", { name: "Filter · 1" }).click()
    await screen.getByRole("group", { name: "Priority" }).getByRole("menuitemradio", { name: "Any" }).click()
    await expectShown(screen, ["Apple", "Pear", "Plum"], [])
  })

  it("by a plan names also the oldest of more than a hundred", async () => {
    const { projectUuid, proposalUuid, ideaUuid, planner } = await submitPlan({ title: "Oldest plan" })
    await approvePlan(proposalUuid)
    for (let at = 0; at < 100; at++) {
      const { uuid } = await planner.client.call("chorus_submit_plan", {
        projectUuid,
        title: `Plan ${at}`,
        ideaUuids: [ideaUuid],
        skipElaboration: "Small and clear.",
        documents: [{ type: "prd", title: "What light is for", content: PROSE.repeat(2) }],
        tasks: [{ key: "lamp", title: `Lamp ${at}`, criteria: ["It shines"] }],
      })
      await approvePlan(uuid)
    }
    const { screen } = await openPage(`/projects/${projectUuid}/board`)
    await choose(screen, "Filter", "menuitemradio", "Oldest plan")
    await expectShown(screen, ["Lay the wire", "Hang the lamp"], [])
  })

  it("by who holds it names everybody who holds something, and nobody", async () => {
    const { screen, ada, router } = await openMixedBoard()
    await choose(screen, "Filter", "menuitemradio", ada.name)
    await expectShown(screen, ["Apple"], ["Pear", "Plum"])
    expect(router.state.location.search).toEqual({ assignee: ada.uuid })
    await choose(screen, "Filter · 1", "menuitemradio", "Nobody")
    await expectShown(screen, ["Pear", "Plum"], ["Apple"])
  })

  it("by readiness leaves out what waits, and the menu stays open for more", async () => {
    const { screen } = await openMixedBoard()
    await choose(screen, "Filter", "menuitemcheckbox", "Ready to start")
    await expect.element(screen.getByRole("menuitemcheckbox", { name: "Ready to start" })).toBeChecked()
    await screen.getByRole("menuitemradio", { name: "Low", exact: true }).click()
    await expectShown(screen, ["Pear"], ["Apple", "Plum"])
    await expect.element(screen.getByRole("button", { name: "Filter · 2" })).toBeVisible()
  })

  it("says how many cards the filters hide when nothing is left, and takes them all away at once", async () => {
    const { screen, router } = await openMixedBoard("?find=zebra&priority=high&lanes=agent")
    await expect.element(screen.getByRole("heading", { name: "No card matches" })).toBeVisible()
    await expect.element(screen.getByText("3 cards are hidden by the filters.")).toBeVisible()
    await screen.getByRole("button", { name: "Clear filters" }).click()
    await expectShown(screen, ["Apple", "Pear", "Plum"], [])
    expect(router.state.location.search).toEqual({ lanes: "agent" })
  })

  it("clears from the menu too, which offers it only when there is something to clear", async () => {
    const { screen, router } = await openMixedBoard("?find=apple")
    await screen.getByRole("button", { name: "Filter · 1" }).click()
    await screen.getByRole("menuitem", { name: "Clear filters" }).click()
    await expect.poll(() => router.state.location.search).toEqual({})
    await screen.getByRole("button", { name: "Filter", exact: true }).click()
    await expect.element(screen.getByRole("menuitemradio", { name: "High" })).toBeVisible()
    await expect.element(screen.getByRole("menuitem", { name: "Clear filters" })).not.toBeInTheDocument()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("button", { name: "Filter", exact: true })).toHaveFocus()
  })

  it("drops from an address what it does not understand", async () => {
    const { screen, router } = await openMixedBoard("?priority=huge&ready=maybe&lanes=moon&find=pear")
    await expectShown(screen, ["Pear"], ["Apple"])
    await expect.element(screen.getByRole("button", { name: "Filter · 1" })).toBeVisible()
    expect(router.state.matches.at(-1)?.search).toEqual({ find: "pear" })
  })
})

describe("closed cards", () => {
  it("are out of sight until asked for, and marked", async () => {
    const { screen, apple, ada } = await openMixedBoard()
    await ada.client.call("chorus_release_task", { taskUuid: apple })
    await owner.call("chorus_admin_close_task", { taskUuid: apple })
    await expect.element(card(screen, "Apple")).not.toBeInTheDocument()
    await choose(screen, "Filter", "menuitemcheckbox", "Show closed")
    await expect.element(card(screen, "Apple").getByText("Closed")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Filter", exact: true })).toBeInTheDocument()
  })
})

describe("the count of filters", () => {
  it.each([
    [{}, 0],
    [{ find: "a" }, 1],
    [{ find: "a", priority: "high", assignee: "x", proposal: "q", ready: true }, 5],
    [{ lanes: "agent", closed: true, task: "t" }, 0],
  ] as const)("of %o is %i", (search, count) => {
    expect(filterCount(search)).toBe(count)
  })
})
