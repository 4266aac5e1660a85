import { describe, expect, it } from "vitest"
import { submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { makeProject } from "../../test/workplace.ts"

async function openProposals(projectUuid: string) {
  const { router, screen } = await openPage(`/projects/${projectUuid}/proposals`)
  const main = screen.getByRole("main")
  return {
    router,
    main,
    groups: () =>
      main
        .getByRole("heading", { level: 2 })
        .elements()
        .map(({ textContent }) => textContent),
  }
}

describe("the proposals of a project", () => {
  it("say where they come from where there are none", async () => {
    const projectUuid = await makeProject()
    const { router, main } = await openProposals(projectUuid)
    await expect.element(main.getByRole("heading", { name: "No proposals yet" })).toBeVisible()
    await main.getByRole("link", { name: "Go to the ideas" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/ideas`)
  })

  it("stand by what is to be done with them, and move when that changes", async () => {
    const { projectUuid, proposalUuid, planner } = await submitPlan()
    await submitPlan({ projectUuid, title: "Warm floors", documents: [] }).catch(() => undefined)
    const { main, groups } = await openProposals(projectUuid)
    const row = main.getByRole("link", { name: /Lamps on every floor/ })
    await expect.element(row).toMatchTextContent("1 document, 2 tasks")
    await expect.element(row).toMatchTextContent(planner.name)
    await expect
      .element(main.getByRole("region", { name: "Waits for review" }).getByText("Lamps on every floor"))
      .toBeVisible()
    await owner.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "No switch" })
    await expect.element(main.getByRole("region", { name: "Draft" }).getByText("Lamps on every floor")).toBeVisible()
    await planner.client.call("chorus_pm_submit_proposal", { proposalUuid })
    await expect.element(main.getByRole("region", { name: "Waits for review" })).toMatchTextContent("Revision 2")
    await owner.call("chorus_admin_approve_proposal", { proposalUuid })
    await expect.element(main.getByRole("region", { name: "Approved" }).getByText("Lamps on every floor")).toBeVisible()
    expect(groups().at(-1)).toBe("Approved")
  })

  it("list what waits for a person first, and a new one as it comes", async () => {
    const { projectUuid, proposalUuid } = await submitPlan()
    await owner.call("chorus_admin_close_proposal", { proposalUuid, reviewNote: "Not needed" })
    const { main, groups } = await openProposals(projectUuid)
    await expect.poll(groups).toEqual(["Closed"])
    await submitPlan({ projectUuid, title: "Second thoughts" })
    await expect.element(main.getByText("Second thoughts")).toBeVisible()
    await expect.poll(groups).toEqual(["Waits for review", "Closed"])
  })
})
