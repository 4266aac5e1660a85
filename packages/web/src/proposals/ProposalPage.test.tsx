import { describe, expect, it, onTestFinished, vi } from "vitest"
import { page } from "vitest/browser"
import { PROSE, submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { letStand, takeBack } from "../../test/stand.ts"

type Plan = Parameters<typeof submitPlan>[0]

async function opened(plan: Plan = {}, options = {}) {
  const planned = await submitPlan(plan)
  const { router, screen } = await openPage(
    `/projects/${planned.projectUuid}/proposals/${planned.proposalUuid}`,
    options,
  )
  const main = screen.getByRole("main")
  await expect.element(main.getByRole("heading", { level: 1 })).toMatchTextContent("Lamps on every floor")
  const more = async (item: string) => {
    await main.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: item }).click()
    return screen.getByRole("dialog")
  }
  const proposal = () => owner.call("chorus_get_proposal", { proposalUuid: planned.proposalUuid, section: "full" })
  return {
    ...planned,
    router,
    screen,
    main,
    more,
    proposal,
    tasks: main.getByRole("region", { name: "Tasks" }),
    documents: main.getByRole("region", { name: "Documents" }),
  }
}

describe("a plan to be judged", () => {
  it("says what it wants, for which idea, by whom, and what will be built", async () => {
    const { projectUuid, ideaUuid, planner, router, main, tasks, documents } = await opened()
    await expect.element(main.getByText("Wire first, lamps second.")).toBeVisible()
    await expect.element(main.getByText("Waits for review").first()).toBeVisible()
    await expect.element(main).toMatchTextContent(planner.name)
    await expect.element(documents.getByRole("heading", { level: 2, name: "What light is for" })).toBeVisible()
    await expect.element(documents).toMatchTextContent("RequirementsVersion 1")
    await expect.element(tasks).toMatchTextContent("2.5 agent hours")
    const lamp = tasks.getByRole("button", { name: /^Hang the lamp/ })
    await expect.element(lamp).toMatchTextContent("1 criterion")
    await expect.element(lamp).toMatchTextContent("after Lay the wire")
    await main.getByRole("link", { name: "Open the idea" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/ideas/${ideaUuid}`)
  })

  it("is taken to somebody else: its link is copied by one click, and another prints it", async () => {
    const { main, screen } = await opened()
    const [copied, printed] = [vi.spyOn(navigator.clipboard, "writeText"), vi.spyOn(window, "print")]
    onTestFinished(() => [copied, printed].forEach((spy) => spy.mockRestore()))
    copied.mockResolvedValue()
    printed.mockReturnValue()
    await main.getByRole("button", { name: "Share" }).click()
    await expect.element(screen.getByText("Link copied")).toBeVisible()
    expect(copied.mock.calls).toEqual([[location.href]])
    await main.getByRole("button", { name: "Print" }).click()
    await expect.poll(() => printed.mock.calls.length).toBe(1)
    // While the page still hears it: else the next one would be on its way to paper.
    dispatchEvent(new Event("afterprint"))
  })

  it("is whole on paper: every document and every task open, without tabs to turn", async () => {
    const { main, tasks, documents } = await opened({
      documents: [
        { type: "prd", title: "What light is for", content: PROSE.repeat(2) },
        { type: "tech_design", title: "Where the wires run", content: `${PROSE.repeat(2)}\n\nBehind the wall.` },
      ],
    })
    await expect.element(main.getByRole("tab", { name: "Where the wires run" })).toBeVisible()
    await expect.element(documents.getByText("Behind the wall.")).not.toBeInTheDocument()
    onTestFinished(() => void dispatchEvent(new Event("afterprint")))
    dispatchEvent(new Event("beforeprint"))
    expect(documents.element().textContent).toMatch(/What light is for.*Where the wires run.*Behind the wall\./s)
    expect(tasks.element().textContent).toMatch(/It carries current.*npm test/s)
    dispatchEvent(new Event("afterprint"))
    await expect.element(tasks.getByText("It carries current")).not.toBeInTheDocument()
  })

  it("is called by its whole name on a phone", async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const title = `Lamps on every floor ${"and in every room ".repeat(5)}`.trim()
    const { main } = await opened({ title })
    const heading = main.getByRole("heading", { level: 1 })
    await expect.element(heading).toMatchTextContent(title)
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = heading.element()
    expect([scrollWidth, scrollHeight]).toEqual([clientWidth, clientHeight])
  })

  it("opens and closes each of its tasks: the brief, the criteria, and what proves them", async () => {
    const { main, tasks } = await opened()
    const wire = tasks.getByRole("button", { name: /^Lay the wire/ })
    await expect.element(wire).toHaveAttribute("aria-expanded", "false")
    // What a machine will run is named before anything is opened.
    const commands = main.getByRole("region", { name: "Commands that run once this is approved" })
    await expect.element(commands.getByRole("listitem")).toMatchTextContent("npm testHang the lamp")
    await wire.click()
    await expect.element(wire).toHaveAttribute("aria-expanded", "true")
    await expect.element(tasks.getByText("floor", { exact: true })).toBeVisible()
    await expect.element(tasks).toMatchTextContent("It is hiddenoptional")
    await tasks.getByRole("button", { name: /^Hang the lamp/ }).click()
    await expect.element(tasks.getByText("npm test")).toBeVisible()
    await wire.click()
    await expect.element(tasks.getByText("It carries current")).not.toBeInTheDocument()
    await expect.element(tasks.getByText("npm test")).toBeVisible()
  })

  it("draws how its tasks hang together, and a node leads to its task", async () => {
    const { main, tasks } = await opened()
    const graph = main.getByRole("group", { name: "How the tasks fit together" })
    await graph.getByRole("group", { name: /Hang the lamp/ }).click()
    await expect.element(tasks.getByText("It shines", { exact: false }).first()).toBeInViewport()
  })

  it("draws nothing where no task waits for another", async () => {
    const { main, tasks } = await opened({ tasks: [{ key: "a", title: "Alone", criteria: ["It works"] }] })
    await expect.element(tasks.getByRole("button", { name: /^Alone/ })).toBeVisible()
    await expect.element(main.getByRole("region", { name: "How the tasks fit together" })).not.toBeInTheDocument()
  })

  it("can be read, and not decided, by those who may only look", async () => {
    const { main, tasks, documents } = await opened({}, { role: "viewer" })
    await tasks.getByRole("button", { name: /^Lay the wire/ }).click()
    await expect.element(documents).toBeVisible()
    for (const name of ["Approve", "Reject", "More", "Edit"])
      await expect.element(main.getByRole("button", { name })).not.toBeInTheDocument()
  })

  it("is checked while it may still be changed, and says what the rules find", async () => {
    const { proposalUuid, main, planner } = await opened({
      tasks: [{ key: "a", title: "Alone", criteria: ["It works"] }],
    })
    const checks = main.getByRole("region", { name: "Checks" })
    await expect.element(checks).toBeVisible()
    await owner.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "Add the lamp" })
    await expect.element(main.getByText("Draft").first()).toBeVisible()
    const { documentDrafts } = await owner.call("chorus_get_proposal", { proposalUuid, section: "full" })
    await planner.client.call("chorus_pm_update_document_draft", {
      proposalUuid,
      draftUuid: documentDrafts?.[0]?.uuid ?? "",
      content: "short",
    })
    await expect.element(checks.getByLabelText("Error").first()).toBeVisible()
    const { issues } = await planner.client.call("chorus_pm_validate_proposal", { proposalUuid })
    for (const { message } of issues) await expect.element(checks.getByText(message)).toBeVisible()
  })
})

describe("what is decided about a plan", () => {
  it("approves it, saying first how much that creates, and links what was made of it", async () => {
    const { main, screen, proposal, tasks, documents } = await opened()
    await main.getByRole("button", { name: "Approve" }).click()
    const dialog = screen.getByRole("dialog", { name: "Approve this proposal" })
    await expect
      .element(dialog)
      .toHaveAccessibleDescription("1 document and 2 tasks are created, and agents can begin. A note is optional.")
    await dialog.getByRole("textbox", { name: "Note" }).fill("Mind the **pipes**.")
    await dialog.getByRole("button", { name: "Approve" }).click()
    await takeBack(/^Approving: /)
    await main.getByRole("button", { name: "Approve" }).click()
    await expect.element(dialog.getByRole("textbox", { name: "Note" })).toHaveValue("Mind the **pipes**.")
    expect((await proposal()).status).toBe("pending")
    await dialog.getByRole("button", { name: "Approve" }).click()
    await letStand(/^Approving: /)
    await expect.element(main.getByText("Approved").first()).toBeVisible()
    await expect.element(main.getByText("pipes", { exact: true })).toBeVisible()
    await expect.element(documents.getByRole("link", { name: "Open the document" })).toBeVisible()
    await tasks.getByRole("button", { name: /^Lay the wire/ }).click()
    await expect.element(tasks.getByRole("link", { name: "Open the task" })).toBeVisible()
    await expect.element(main.getByRole("region", { name: "Checks" })).not.toBeInTheDocument()
    await expect.element(main.getByRole("button", { name: "Edit" })).not.toBeInTheDocument()
    expect(await proposal()).toMatchObject({ status: "approved", review: { reviewNote: "Mind the **pipes**." } })
  })

  it("takes an approval back, and closes for good only with a reason", async () => {
    const { proposalUuid, main, more, proposal } = await opened()
    await owner.call("chorus_admin_approve_proposal", { proposalUuid })
    await expect.element(main.getByText("Approved").first()).toBeVisible()
    // Nothing of it is verified yet.
    await expect.element(main.getByRole("button", { name: "Merge all" })).not.toBeInTheDocument()
    const revoke = await more("Revoke the approval")
    await revoke.getByRole("button", { name: "Revoke the approval" }).click()
    await letStand(/^Revoking the approval: /)
    await expect.poll(async () => (await proposal()).status).toBe("draft")
    await expect.element(main.getByRole("button", { name: "Submit for review" })).toBeVisible()
    const close = await more("Close for good")
    await expect.element(close.getByRole("button", { name: "Close for good" })).toBeDisabled()
    await close.getByRole("textbox", { name: "Note" }).fill("We move out.")
    await close.getByRole("button", { name: "Close for good" }).click()
    await letStand(/^Closing for good: /)
    await expect.element(main.getByText("Closed").first()).toBeVisible()
    await expect.element(main.getByRole("button", { name: "More" })).not.toBeInTheDocument()
    expect(await proposal()).toMatchObject({ status: "closed", review: { reviewNote: "We move out." } })
  })

  it("rejects it with findings, which are a failed review and name at least one blocker", async () => {
    const { proposalUuid, main, screen, proposal } = await opened()
    await main.getByRole("button", { name: "Reject" }).click()
    const dialog = screen.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Note" }).fill("It stays dark.")
    await dialog.getByRole("button", { name: "Add a finding" }).click()
    await dialog.getByRole("textbox", { name: "Finding 1" }).fill("There is no switch.")
    await dialog.getByRole("combobox", { name: "Severity of finding 1" }).selectOptions("Note")
    await expect.element(dialog.getByRole("button", { name: "Reject" })).toBeDisabled()
    await dialog.getByRole("combobox", { name: "Severity of finding 1" }).selectOptions("Blocker")
    await dialog.getByRole("button", { name: "Reject" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    await letStand(/^Rejecting: /)
    await expect
      .element(main.getByRole("region", { name: "Rejected" }).getByText(/^Revision 1 was rejected/))
      .toBeVisible()
    expect(await proposal()).toMatchObject({ status: "draft", review: { reviewNote: "It stays dark." } })
    const { reviews } = await owner.call("chorus_get_reviews", { targetType: "proposal", targetUuid: proposalUuid })
    expect(reviews).toMatchObject([
      { verdict: "fail", summary: "It stays dark.", findings: [{ severity: "blocker", text: "There is no switch." }] },
    ])
  })

  it("says that it was decided in another window, and keeps the words that came too late", async () => {
    const { proposalUuid, main, screen, proposal } = await opened()
    await main.getByRole("button", { name: "Reject" }).click()
    const dialog = screen.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Note" }).fill("No switch")
    await owner.call("chorus_admin_approve_proposal", { proposalUuid })
    await dialog.getByRole("button", { name: "Reject" }).click()
    await letStand(/^Rejecting: /)
    await expect
      .element(screen.getByRole("region", { name: "News" }).getByRole("alert"))
      .toMatchTextContent("You already decided this in another window: you approved “Lamps on every floor”.")
    await expect.element(dialog.getByRole("textbox", { name: "Note" })).toHaveValue("No switch")
    expect((await proposal()).status).toBe("approved")
  })

  it("shows the decision while it can be taken back, here and wherever its tasks will be", async () => {
    const { projectUuid, main, screen, router, proposal } = await opened()
    const waits = () => owner.call("chorus_needs_you", {}).then(({ total }) => total)
    const link = screen.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Needs you/ })
    await expect.element(link).toMatchTextContent(String(await waits()))
    await main.getByRole("button", { name: "Reject" }).click()
    await screen.getByRole("dialog").getByRole("textbox", { name: "Note" }).fill("No switch")
    await screen.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
    const note = main.getByRole("status").filter({ hasText: "Rejecting: Lamps on every floor" })
    await expect.element(note).toBeVisible()
    await expect.element(main.getByText("Waits for review", { exact: true })).not.toBeInTheDocument()
    const left = (await waits()) - 1
    if (left > 0) await expect.element(link).toMatchTextContent(String(left))
    else await expect.element(link).not.toMatchTextContent(/\d/)
    await note.getByRole("button", { name: "Undo" }).click()
    await expect.element(note).not.toBeInTheDocument()
    await expect.element(main.getByText("Waits for review", { exact: true }).first()).toBeVisible()
    expect((await proposal()).status).toBe("pending")
    await main.getByRole("button", { name: "Approve" }).click()
    await screen.getByRole("dialog").getByRole("button", { name: "Approve" }).click()
    await router.navigate({ to: `/projects/${projectUuid}/board` })
    await expect.element(main.getByRole("heading", { name: "A plan is being approved" })).toBeVisible()
    await expect.element(main.getByText("No tasks yet")).not.toBeInTheDocument()
    await letStand(/^Approving: /)
    await expect.element(main.getByText("Hang the lamp")).toBeVisible()
    await expect.element(main.getByText("A plan is being approved")).not.toBeInTheDocument()
  })

  it("is written down submission by submission", async () => {
    const { proposalUuid, planner, main } = await opened()
    await main.getByRole("tab", { name: "Revisions" }).click()
    const revisions = main.getByRole("tabpanel", { name: "Revisions" }).getByRole("listitem")
    await expect.element(revisions).toMatchTextContent("Revision 1Waits for review")
    await owner.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "No switch" })
    await expect.element(revisions).toMatchTextContent("Revision 1Rejected")
    await expect.element(revisions).toMatchTextContent("No switch")
    await planner.client.call("chorus_pm_submit_proposal", { proposalUuid })
    await expect
      .poll(() => revisions.elements().map(({ textContent }) => textContent?.slice(0, 10)))
      .toEqual(["Revision 2", "Revision 1"])
  })
})

describe("what changed since it was last seen", () => {
  it("is shown line by line, against any earlier submission", async () => {
    const { projectUuid, proposalUuid, planner, main } = await opened()
    const revise = async (description: string, criteria: string[]) => {
      await owner.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "Again" })
      await planner.client.call("chorus_submit_plan", {
        projectUuid,
        proposalUuid,
        title: "Lamps on every floor",
        description,
        documents: [
          {
            type: "prd",
            title: "What light is for",
            content:
              "# What light is for\n\n" +
              "It shows where the stairs begin and where they end, to whoever comes home late. ".repeat(3),
          },
        ],
        tasks: [{ key: "wire", title: "Lay the wire", criteria }],
      })
    }
    await revise("Wire first.", ["It carries current"])
    const changes = main.getByRole("region", { name: "Changes since the last submission" })
    await expect.element(changes).toMatchTextContent("RemovedHang the lamp")
    await expect
      .element(changes.getByRole("group", { name: "Lay the wire: Acceptance criteria" }))
      .toMatchTextContent("−It is hidden (optional)")
    await expect.element(changes).toMatchTextContent("The proposal itself")
    await expect.element(changes.getByRole("combobox")).not.toBeInTheDocument()
    await revise("Wire first.", ["It carries current", "It is grounded"])
    await expect
      .element(changes.getByRole("group", { name: "Lay the wire: Acceptance criteria" }))
      .toMatchTextContent("+It is grounded")
    await expect.element(changes).not.toMatchTextContent("Hang the lamp")
    await changes.getByRole("combobox", { name: "Compared with" }).selectOptions("Revision 1")
    await expect.element(changes).toMatchTextContent("Hang the lamp")
  })
})
