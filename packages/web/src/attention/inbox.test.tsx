import { beforeEach, describe, expect, it } from "vitest"
import { page, userEvent } from "vitest/browser"
import type { Screen } from "../../test/cards.ts"
import { ask, makeIdea, question, submitPlan } from "../../test/planning.ts"
import { asking, cardOf, choose, emptyQueue, statusOfProposal, unique, waitingTask } from "../../test/queue.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { letStand } from "../../test/stand.ts"
import { hire, makeProject, makeTasks, statusOf } from "../../test/workplace.ts"

beforeEach(emptyQueue)

describe("an inbox of many", () => {
  it("begins with what lapses, then what blocks an agent, then decisions, then verifications", async () => {
    const work = await waitingTask()
    const { planner } = await submitPlan({ title: unique("Later") })
    const calm = await asking("permission")
    const pressing = await asking("permission", { expiresInMinutes: 5 })
    const { screen } = await openPage("/")
    const lapsing = cardOf(screen, pressing.title)
    await expect.element(lapsing.getByRole("timer")).toMatchTextContent(/Expires in \d/)
    const order = [pressing.title, calm.title, planner.name, work.title].map((each) => place(screen, each))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    await expect.element(screen.getByRole("region", { name: "An agent is waiting" })).toBeVisible()
    await screen.getByRole("radio", { name: "Project" }).click()
    await expect.element(screen.getByRole("region", { name: "An agent is waiting" })).not.toBeInTheDocument()
    await expect.element(screen.getByRole("region", { name: "No project" })).toBeVisible()
    await screen.getByRole("searchbox", { name: "Filter" }).fill(pressing.title)
    await expect.element(cardOf(screen, calm.title)).not.toBeInTheDocument()
    await expect.element(lapsing).toBeVisible()
  })

  it("has at its head what lapses first, though it was the last of sixty to ask", async () => {
    const agent = await hire("Asker")
    const permit = (title: string, expiresInMinutes?: number) =>
      agent.client.call("chorus_create_attention", { title, kind: "permission", expiresInMinutes })
    await Promise.all(Array.from({ length: 59 }, (_, at) => permit(`May I ${at}`)))
    await permit("May I at once", 5)
    const { screen } = await openPage("/")
    const cards = screen.getByRole("main").getByRole("listitem")
    await expect.element(cards.first()).toMatchTextContent("May I at once")
    expect(cards.elements()).toHaveLength(60)
  })

  it("says how many wait beyond those that it shows, and goes on to them as these are decided", async () => {
    const agent = await hire("Asker")
    const permit = (at: number) =>
      agent.client.call("chorus_create_attention", { title: `May I ${at}.`, kind: "permission" })
    await permit(0)
    await Promise.all(Array.from({ length: 200 }, (_, at) => permit(at + 1)))
    await permit(201)
    const { screen } = await openPage("/")
    await expect.element(screen.getByText("2 more wait: they follow as you decide these.")).toBeVisible()
    await expect.element(screen.getByText("202 things wait for you")).toBeInTheDocument()
    await expect.element(screen.getByRole("link", { name: /^Needs you/ })).toMatchTextContent(/202$/)
    await cardOf(screen, "May I 0.").getByRole("button", { name: "Allow" }).click()
    await expect.element(screen.getByText("1 more waits: it follows as you decide these.")).toBeVisible()
    await expect.poll(() => screen.getByRole("main").getByRole("listitem").elements().length).toBe(200)
  })

  it("shows all that is needed to decide beside the queue: evidence, a plan, questions to answer there", async () => {
    const { title } = await waitingTask()
    const { projectUuid, planner } = await submitPlan({ title: unique("Whole plan") })
    const ideaUuid = await makeIdea(projectUuid, unique("Warm floors"))
    await ask(planner, ideaUuid, question("cost", "What may it cost?"))
    const { screen } = await openPage("/")
    const preview = screen.getByRole("region", { name: "Preview" })
    const card = cardOf(screen, title)
    await expect.element(card.getByText(/ · [A-Z0-9]+-\d+$/)).toBeVisible()
    await choose(card)
    await expect.element(preview.getByRole("heading", { level: 2 })).toMatchTextContent(/^[A-Z0-9]+-\d+/)
    await expect.element(preview.getByText("Built.")).toBeVisible()
    await choose(cardOf(screen, planner.name).filter({ hasText: "Review a proposal" }))
    await expect.element(preview.getByText("What light is for").first()).toBeVisible()
    await expect.element(preview.getByText("after Lay the wire")).toBeVisible()
    await choose(cardOf(screen, planner.name).filter({ hasText: "Answer questions" }))
    await preview.getByRole("radio", { name: /Yes, cost/ }).click()
    await preview.getByRole("button", { name: "Send answers" }).click()
    await expect.element(cardOf(screen, planner.name).filter({ hasText: "Answer questions" })).not.toBeInTheDocument()
  })

  it("shows a report in the lines in which it was written", async () => {
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: unique("Lay the wire") })
    const { client } = await hire()
    await client.call("chorus_start_task", { taskUuid })
    await client.call("chorus_submit_for_verify", { taskUuid, summary: "DONE the wire.\n[x] 1 laid\n[x] 2 hidden" })
    const { screen } = await openPage("/")
    await choose(cardOf(screen, "Lay the wire"))
    const report = screen.getByRole("region", { name: "Preview" }).getByText(/^DONE the wire\./)
    await expect
      .poll(() => (report.element() as HTMLElement).innerText.split("\n"))
      .toEqual(["DONE the wire.", "[x] 1 laid", "[x] 2 hidden"])
  })

  it("covers nothing of the evidence with the buttons below it", async () => {
    const { title } = await waitingTask()
    await page.viewport(1280, 400)
    try {
      const { screen } = await openPage("/")
      await choose(cardOf(screen, title))
      const preview = screen.getByRole("region", { name: "Preview" })
      await expect.element(preview.getByRole("button", { name: "Pass all and verify" })).toBeVisible()
      for (const heading of preview.getByRole("heading").elements()) {
        heading.scrollIntoView({ block: "end" })
        const { left, bottom } = heading.getBoundingClientRect()
        expect(heading.contains(document.elementFromPoint(left + 5, bottom - 5)), heading.textContent).toBe(true)
      }
    } finally {
      await page.viewport(1280, 800)
    }
  })

  it("shows of a revised plan what changed, what each task builds upon and what it may rely on", async () => {
    const { proposalUuid, planner, draft } = await submitPlan({ title: unique("Second try") })
    await owner.call("chorus_submit_review", {
      targetType: "proposal",
      targetUuid: proposalUuid,
      verdict: "fail",
      summary: "Too dark.",
      findings: [{ severity: "blocker", text: "Nobody can read by it." }],
    })
    await owner.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "A brighter lamp." })
    await planner.client.call("chorus_pm_update_task_draft", {
      proposalUuid,
      draftUuid: draft("Hang the lamp"),
      title: "Hang a bright lamp",
      contracts: { [draft("Lay the wire")]: "Two bare ends." },
    })
    await planner.client.call("chorus_pm_submit_proposal", { proposalUuid })
    const { screen } = await openPage("/")
    await choose(cardOf(screen, planner.name))
    const preview = screen.getByRole("region", { name: "Preview" })
    await expect.element(preview.getByText("Revision 2", { exact: true })).toBeVisible()
    const changes = preview.getByRole("region", { name: "Changes since the last submission" })
    await expect.element(changes.getByText("Hang a bright lamp").first()).toBeVisible()
    await preview.getByRole("region", { name: "Tasks" }).getByText("Hang a bright lamp").click()
    await expect.element(preview.getByText("after Lay the wire: Two bare ends.")).toBeVisible()
    const asked = /Asked for in revision 1.*A brighter lamp\..*Nobody can read by it\./
    await expect.element(preview.getByRole("region", { name: "Asked for before" })).toMatchTextContent(asked)
    await userEvent.keyboard("a")
    const dialog = screen.getByRole("dialog", { name: "Approve this plan?" })
    await expect.element(dialog.getByRole("region", { name: "Asked for before" })).toMatchTextContent(asked)
  })

  it("begins with what a call from outside was about", async () => {
    const { title } = await asking("permission")
    const { items } = await owner.call("chorus_needs_you", {})
    const uuid = items.find((item) => item.title === title)?.uuid ?? ""
    const { router, screen } = await openPage(`/?item=${uuid}`)
    const preview = screen.getByRole("region", { name: "Preview" })
    await expect.element(preview.getByRole("heading", { name: title })).toBeVisible()
    await expect.element(cardOf(screen, title)).toHaveAttribute("aria-current", "true")
    expect(router.state.location.search).toEqual({})
  })

  it("begins with the questions of the idea that a call was about", async () => {
    const title = unique("Warm floors")
    const ideaUuid = await makeIdea(await makeProject(), title)
    await ask(await hire(), ideaUuid, question("cost", "What may it cost?"))
    const { screen } = await openPage(`/?item=${ideaUuid}`)
    await expect
      .element(screen.getByRole("region", { name: "Preview" }).getByText("What may it cost?").first())
      .toBeVisible()
    await expect.element(cardOf(screen, title)).toHaveAttribute("aria-current", "true")
  })

  it("is decided with a thumb on a phone: the title brings up everything, with what can be done below", async () => {
    const { taskUuid, title } = await waitingTask()
    await page.viewport(390, 800)
    try {
      const { screen } = await openPage("/")
      await cardOf(screen, title).getByRole("button", { name: title }).click()
      const sheet = screen.getByRole("dialog", { name: "Preview" })
      await expect.element(sheet.getByText("Built.")).toBeVisible()
      const verify = sheet.getByRole("button", { name: "Pass all and verify" })
      const place = verify.element().getBoundingClientRect()
      expect(place.height).toBeGreaterThanOrEqual(44)
      expect(place.top).toBeGreaterThan(600)
      await verify.click()
      await letStand(`Verifying: ${title}`)
      await expect.poll(() => statusOf(taskUuid)).toBe("done")
      await expect.element(sheet).not.toBeInTheDocument()
    } finally {
      await page.viewport(1280, 800)
    }
  })

  it("is answered on a phone at the question itself", async () => {
    const content = "It is cold in the morning.\n\n".repeat(60)
    const ideaUuid = await makeIdea(await makeProject(), unique("Warm floors"), { content })
    const planner = await hire()
    await ask(planner, ideaUuid, question("cost", "What may it cost?"))
    await page.viewport(390, 800)
    try {
      const { screen } = await openPage("/")
      await cardOf(screen, planner.name).getByRole("button", { name: "Answer", exact: true }).click()
      await expect.element(screen.getByRole("article", { name: "Round 1" })).toBeInViewport()
    } finally {
      await page.viewport(1280, 800)
    }
  })

  it("has one way to send the answers of a round on a phone", async () => {
    const ideaUuid = await makeIdea(await makeProject(), unique("Warm floors"))
    const planner = await hire()
    await ask(planner, ideaUuid, question("cost", "What may it cost?"))
    await page.viewport(390, 800)
    try {
      const { screen } = await openPage("/")
      const card = cardOf(screen, planner.name)
      const { items } = await owner.call("chorus_needs_you", {})
      const title = items.find(({ ideaUuid: of }) => of === ideaUuid)?.title ?? ""
      await card.getByRole("button", { name: title }).click()
      const sheet = screen.getByRole("dialog", { name: "Preview" })
      await sheet.getByRole("radio", { name: /Yes, cost/ }).click()
      await expect.element(sheet.getByRole("button", { name: "Answer", exact: true })).not.toBeInTheDocument()
      await sheet.getByRole("button", { name: "Send answers" }).click()
      await expect.element(card).not.toBeInTheDocument()
    } finally {
      await page.viewport(1280, 800)
    }
  })

  it("decides several at once after a summary of each", async () => {
    const [first, second] = [await waitingTask(), await waitingTask()]
    const { proposalUuid, planner } = await submitPlan({ title: unique("Together") })
    const { screen } = await openPage("/")
    for (const name of [first.title, second.title, planner.name]) {
      await choose(cardOf(screen, name))
      await userEvent.keyboard("x")
      await expect.element(cardOf(screen, name).getByRole("checkbox")).toBeChecked()
    }
    await expect.element(screen.getByText("3 selected")).toBeVisible()
    await userEvent.keyboard("a")
    const dialog = screen.getByRole("dialog", { name: "Decide 3 at once?" })
    for (const title of [first.title, second.title]) await expect.element(dialog.getByText(title)).toBeVisible()
    await dialog.getByRole("button", { name: "Confirm 3" }).click()
    await letStand("Deciding 3…")
    await expect.element(screen.getByText("3 decided")).toBeVisible()
    for (const { taskUuid } of [first, second]) await expect.poll(() => statusOf(taskUuid)).toBe("done")
    await expect.poll(() => statusOfProposal(proposalUuid)).toBe("approved")
  })

  it("puts off what can wait, by S, and brings it back", async () => {
    const { title } = await waitingTask()
    await waitingTask()
    const { screen } = await openPage("/")
    const badge = screen.getByRole("link", { name: /^Needs you/ })
    await choose(cardOf(screen, title))
    await expect.element(badge).toMatchTextContent(/^Needs you2$/)
    await userEvent.keyboard("s")
    await expect.element(cardOf(screen, title)).not.toBeInTheDocument()
    await expect.element(screen.getByText("1 snoozed")).toBeVisible()
    await expect.element(screen.getByText("1 thing waits for you")).toBeInTheDocument()
    await expect.element(badge).toMatchTextContent(/^Needs you1$/)
    expect(document.title).toBe("(1) Chorus")
    await screen.getByRole("button", { name: "Show them" }).click()
    await expect.element(cardOf(screen, title)).toBeVisible()
    await expect.element(badge).toMatchTextContent(/^Needs you2$/)
  })

  it.each([390, 1280])("keeps its buttons in sight whatever word is in it, %i pixels wide", async (width) => {
    const agent = await hire("Asker")
    const title = `${unique("may")}${"x".repeat(120)}`
    await agent.client.call("chorus_create_attention", { title, kind: "permission", detail: { path: "y".repeat(300) } })
    await page.viewport(width, 800)
    try {
      const { screen } = await openPage("/")
      const allow = cardOf(screen, title).getByRole("button", { name: "Allow" })
      await expect.element(allow).toBeVisible()
      expect(allow.element().getBoundingClientRect().right).toBeLessThanOrEqual(width)
      const main = screen.getByRole("main").element()
      for (const scroller of [main, ...main.querySelectorAll(".overflow-y-auto")])
        expect(scroller.scrollWidth).toBeLessThanOrEqual(scroller.clientWidth)
    } finally {
      await page.viewport(1280, 800)
    }
  })
})

function place(screen: Screen, words: string): number {
  return cardOf(screen, words).element().getBoundingClientRect().top
}
