import { describe, expect, it } from "vitest"
import { page } from "vitest/browser"
import { answer, becomeGuest, hold, refuse } from "../../test/guest.ts"
import { PROSE, submitPlan } from "../../test/planning.ts"
import { openPage, owner, show } from "../../test/stage.tsx"
import { letStand } from "../../test/stand.ts"
import { setLanguage } from "../i18n/language.ts"
import { Checklist } from "./Checklist.tsx"
import { Revisions } from "./Revisions.tsx"

const REFUSED = { code: "store_busy", message: "The store is busy.", next: "Wait a moment, then try again." }

async function opened(plan: Parameters<typeof submitPlan>[0] = {}) {
  const planned = await submitPlan(plan)
  const { screen } = await openPage(`/projects/${planned.projectUuid}/proposals/${planned.proposalUuid}`)
  return { ...planned, screen, main: screen.getByRole("main") }
}

describe("what the rules find in a plan", () => {
  const UUID = "0199c0de-0000-7000-8000-000000000001"

  it("is told by how much it matters, once for each rule and without its code", async () => {
    answer("chorus_pm_validate_proposal", () => ({
      valid: false,
      issues: [
        { id: "E1", level: "error", message: "There is no task." },
        { id: "W2", level: "warning", message: "The document is short.", field: "content" },
        { id: "I1", level: "info", message: "Nobody estimated it." },
        { id: "I1", level: "info", message: "Nobody estimated that." },
      ],
    }))
    const screen = await show(<Checklist proposalUuid={UUID} />)
    const found = screen.getByRole("listitem")
    await expect.element(found.first()).toBeVisible()
    expect(
      found.elements().map((row) => [row.querySelector("svg")?.getAttribute("aria-label"), row.textContent]),
    ).toEqual([
      ["Error", "There is no task."],
      ["Warning", "The document is short."],
      ["Note", "Nobody estimated it.1 more like thisNobody estimated that."],
    ])
  })

  it("is good where it is nothing", async () => {
    answer("chorus_pm_validate_proposal", () => ({ valid: true, issues: [] }))
    const screen = await show(<Checklist proposalUuid={UUID} />)
    await expect.element(screen.getByText("Everything checks out.")).toBeVisible()
  })
})

describe("the submissions of a plan", () => {
  const row = (revision: number, outcome: string, changes = {}) => ({
    revision,
    outcome,
    note: null,
    submittedBy: null,
    submittedAt: `2026-01-0${revision}T00:00:00Z`,
    decidedBy: null,
    decidedAt: null,
    ...changes,
  })

  it("stand newest first, each with how it ended and why", async () => {
    answer("chorus_get_proposal_revisions", () => ({
      revisions: [
        row(1, "rejected", { note: "No switch" }),
        row(2, "rejected", { note: "Touched up by the reviewer." }),
        row(3, "revoked", { submittedAt: "2026-01-02T00:00:00Z" }),
        row(4, "approved"),
        row(5, "closed"),
        row(6, "pending"),
      ],
    }))
    const screen = await show(<Revisions proposalUuid="0199c0de-0000-7000-8000-000000000001" />)
    await expect.element(screen.getByText("Revision 6")).toBeVisible()
    const ends = ["Waits for review", "Closed", "Approved", "Approval revoked", "Corrected in review", "Rejected"]
    expect(
      screen
        .getByRole("listitem")
        .elements()
        .map(({ textContent }, at) => textContent?.startsWith(`Revision ${6 - at}${ends[at]}`)),
    ).toEqual([true, true, true, true, true, true])
    await expect.element(screen.getByText("No switch")).toBeVisible()
    await expect.element(screen.getByText("Touched up by the reviewer.")).not.toBeInTheDocument()
    await setLanguage("zh")
    await expect.element(screen.getByText("评审时已修正")).toBeVisible()
  })

  it("are none before the first", async () => {
    answer("chorus_get_proposal_revisions", () => ({ revisions: [] }))
    const screen = await show(<Revisions proposalUuid="0199c0de-0000-7000-8000-000000000001" />)
    await expect.element(screen.getByText("It has not been submitted yet.")).toBeVisible()
  })
})

describe("a decision on its way", () => {
  it("cannot be taken twice, and leaves the plan as it was when it is refused", async () => {
    const { proposalUuid, screen, main } = await opened()
    refuse("chorus_admin_approve_proposal", REFUSED)
    const release = hold("chorus_admin_approve_proposal")
    await main.getByRole("button", { name: "Approve" }).click()
    const approve = screen.getByRole("dialog").getByRole("button", { name: "Approve" })
    await approve.click()
    await letStand(/^Approving: /)
    await expect.element(main.getByRole("button", { name: "Approve" })).toBeDisabled()
    release()
    await expect
      .element(screen.getByRole("alert"))
      .toMatchTextContent("The store is busy.Wait a moment, then try again.")
    await expect.element(approve).toBeEnabled()
    expect((await owner.call("chorus_get_proposal", { proposalUuid })).status).toBe("pending")
  })

  it("submits a draft again, or says what is wrong with it", async () => {
    const { proposalUuid, planner, draft, screen, main } = await opened()
    await owner.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "Say more" })
    await planner.client.call("chorus_pm_update_document_draft", {
      proposalUuid,
      draftUuid: draft("What light is for"),
      content: "short",
    })
    await main.getByRole("button", { name: "Submit for review" }).click()
    await expect
      .element(screen.getByRole("region", { name: "News" }).getByRole("alert"))
      .toMatchTextContent(/cannot be submitted: [A-Z][a-z]/)
    await planner.client.call("chorus_pm_update_document_draft", {
      proposalUuid,
      draftUuid: draft("What light is for"),
      content: PROSE.repeat(3),
    })
    await main.getByRole("button", { name: "Submit for review" }).click()
    await expect.element(main.getByRole("button", { name: "Approve" })).toBeVisible()
    expect(await owner.call("chorus_get_proposal", { proposalUuid })).toMatchObject({ status: "pending", revision: 2 })
  })
})

describe("a plan for others", () => {
  it("can be read by a viewer, who is asked for nothing", async () => {
    const { projectUuid, proposalUuid } = await submitPlan()
    await becomeGuest("viewer")
    const { screen } = await openPage(`/projects/${projectUuid}/proposals/${proposalUuid}`)
    await expect.element(screen.getByRole("heading", { level: 2, name: "What light is for" })).toBeVisible()
    for (const name of ["Approve", "Reject", "More", "Edit", "Add a reference"])
      await expect.element(screen.getByRole("main").getByRole("button", { name })).not.toBeInTheDocument()
  })

  it("that cannot be shown says why, and is shown when that is over", async () => {
    const { projectUuid, proposalUuid } = await submitPlan()
    const allow = refuse("chorus_get_proposal", REFUSED)
    const { screen } = await openPage(`/projects/${projectUuid}/proposals/${proposalUuid}`)
    await expect
      .element(screen.getByRole("alert"))
      .toMatchTextContent("The store is busy.Wait a moment, then try again.")
    allow()
    await screen.getByRole("button", { name: "Try again" }).click()
    await expect.element(screen.getByText("Wire first, lamps second.")).toBeVisible()
  })

  it("fits a narrow window, whatever was written into it", async () => {
    await page.viewport(390, 800)
    try {
      const wide = "Averylongwordthatnobodycanbreak".repeat(6)
      const { main } = await opened({
        description: wide,
        documents: [{ type: "prd", title: wide, content: `${PROSE.repeat(2)}\n\n${wide}` }],
        tasks: [
          { key: "a", title: wide, description: wide, criteria: [{ description: wide, command: `echo ${wide}` }] },
        ],
      })
      await main.getByRole("button", { name: new RegExp(`^${wide}`) }).click()
      await expect.element(main.getByLabelText("Tasks", { exact: true }).getByText(`echo ${wide}`)).toBeVisible()
      const element = main.element()
      expect(element.scrollWidth).toBeLessThanOrEqual(element.clientWidth)
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
    } finally {
      await page.viewport(1280, 800)
    }
  })
})
