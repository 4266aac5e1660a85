import { beforeEach, describe, expect, it, vi } from "vitest"
import { type Locator, userEvent } from "vitest/browser"
import { ask, makeIdea, question, submitPlan } from "../../test/planning.ts"
import { asking, cardOf, choose, emptyQueue, statusOfProposal, unique, waitingTask } from "../../test/queue.ts"
import { leaveStage, openPage, owner } from "../../test/stage.tsx"
import { letStand, takeBack } from "../../test/stand.ts"
import { hire, judgeAll, makeProject, makeTasks, statusOf } from "../../test/workplace.ts"

beforeEach(emptyQueue)

it("says what is overdue and puts it before older work, also when the day is moved", async () => {
  const first = await waitingTask()
  const late = await waitingTask()
  const { screen } = await openPage("/")
  const titles = () => {
    const words = screen.getByRole("main").element().textContent
    return [first, late].map(({ title }) => title).toSorted((a, b) => words.indexOf(a) - words.indexOf(b))
  }
  await expect.element(cardOf(screen, late.title)).toBeVisible()
  expect(titles()).toEqual([first.title, late.title])
  await owner.call("chorus_update_task", { taskUuid: late.taskUuid, dueOn: "2020-02-01" })
  await expect.element(cardOf(screen, late.title)).toMatchTextContent("OverdueFeb 1, 2020")
  expect(titles()).toEqual([late.title, first.title])
  await owner.call("chorus_update_task", { taskUuid: late.taskUuid, dueOn: null })
  await expect.element(cardOf(screen, late.title)).not.toMatchTextContent("Overdue")
})

describe("the queue of what waits", () => {
  it("says of each what it is, where it belongs, who waits and what can be done", async () => {
    const { projectUuid, planner } = await submitPlan({ title: unique("Lamps") })
    const ideaUuid = await makeIdea(projectUuid, unique("Warm floors"))
    await ask(planner, ideaUuid, question("cost", "What may it cost?"))
    const permission = await asking("permission", { detail: { tool: "Bash", command: "npm install lamp", none: null } })
    const plan = await asking("plan")
    const far = await asking("permission", { answerable: false })
    const { screen } = await openPage("/")
    const proposal = cardOf(screen, planner.name).filter({ hasText: "Review a proposal" })
    await expect.element(proposal.getByRole("button", { name: "Approve" })).toBeEnabled()
    await expect.element(proposal.getByRole("button", { name: "Reject" })).toBeEnabled()
    const round = cardOf(screen, planner.name).filter({ hasText: "Answer questions" })
    await expect.element(round.getByRole("button", { name: "Answer" })).toBeVisible()
    const allow = cardOf(screen, permission.title)
    await expect.element(allow).toMatchTextContent("Asks for permission · No project")
    await expect.element(allow).toMatchTextContent(permission.agent.name)
    await expect.element(allow.getByText("npm install lamp")).toBeVisible()
    await expect.element(allow.getByText("none")).not.toBeInTheDocument()
    expect(buttonsIn(allow.element())).toEqual(["Deny", "Allow"])
    expect(buttonsIn(cardOf(screen, plan.title).element())).toEqual(["Reject", "Approve"])
    expect(buttonsIn(cardOf(screen, far.title).element())).toEqual([])
    await expect
      .element(cardOf(screen, far.title).getByText("This one can only be answered in its terminal."))
      .toBeVisible()
  })

  it("names the task that an agent asks about", async () => {
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Lay the floor" })
    const { client } = await hire("Asker")
    const title = unique("Oak or ash")
    await client.call("chorus_create_attention", { title, taskUuid })
    const { screen } = await openPage("/")
    await expect.element(cardOf(screen, title)).toMatchTextContent("Lay the floor")
  })

  it("grows by itself when something begins to wait, and shrinks when it is settled elsewhere", async () => {
    const { screen } = await openPage("/")
    await expect.element(screen.getByRole("heading", { level: 1, name: "Needs you" })).toBeVisible()
    const { title, withdraw } = await asking()
    await expect.element(cardOf(screen, title)).toBeVisible()
    await withdraw()
    await expect.element(cardOf(screen, title)).not.toBeInTheDocument()
  })

  it("can be read by those who may change nothing, and that is all", async () => {
    const { title, now } = await asking("permission")
    const input = await asking("input")
    const { screen } = await openPage("/", { role: "viewer" })
    const card = cardOf(screen, title)
    await expect.element(card).toBeVisible()
    expect(buttonsIn(card.element())).toEqual([])
    await expect.element(cardOf(screen, input.title).getByRole("textbox")).not.toBeInTheDocument()
    await expect.element(screen.getByText("You can read all of this; deciding is up to members.")).toBeVisible()
    await expect.element(screen.getByText("2 things wait for a decision")).toBeInTheDocument()
    const main = screen.getByRole("main")
    expect(main.element().textContent).not.toMatch(/for you|approve|reject|select/i)
    await choose(card)
    await userEvent.keyboard("ar")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    expect((await now()).state).toBe("open")
  })
})

describe("deciding by keys", () => {
  it("A approves a proposal, R sends it back with words", async () => {
    const first = await submitPlan({ title: unique("Good plan") })
    const second = await submitPlan({ title: unique("Odd plan") })
    const { screen } = await openPage("/")
    const good = cardOf(screen, first.planner.name)
    await choose(good)
    await expect.element(good).toHaveAttribute("aria-current", "true")
    await userEvent.keyboard("a")
    const shown = screen.getByRole("dialog", { name: "Approve this plan?" })
    await expect.element(shown.getByText("Lay the wire")).toBeVisible()
    await shown.getByRole("button", { name: "Approve" }).click()
    await expect.element(good).not.toBeInTheDocument()
    await letStand(/^Approving: /)
    await expect.poll(() => statusOfProposal(first.proposalUuid)).toBe("approved")

    await choose(cardOf(screen, second.planner.name))
    await userEvent.keyboard("r")
    const dialog = screen.getByRole("dialog", { name: "Why are you rejecting it?" })
    const note = dialog.getByRole("textbox", { name: "Note" })
    await expect.element(note).toHaveFocus()
    await expect.element(dialog.getByRole("button", { name: "Reject" })).toBeDisabled()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(dialog).toBeVisible()
    await note.fill("  Where is the switch?  ")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(cardOf(screen, second.planner.name)).not.toBeInTheDocument()
    await letStand(/^Rejecting: /)
    await expect
      .poll(
        async () => (await owner.call("chorus_get_proposal", { proposalUuid: second.proposalUuid })).review?.reviewNote,
      )
      .toBe("Where is the switch?")
    expect(await statusOfProposal(second.proposalUuid)).toBe("draft")
  })

  it("J and K, and the arrows, walk the queue without leaving it, and Enter opens", async () => {
    const [first, second] = [await waitingTask(), await waitingTask()]
    const { router, screen } = await openPage("/")
    const upper = cardOf(screen, first.title)
    await expect.element(cardOf(screen, second.title)).toBeVisible()
    const current = () => screen.getByRole("main").element().querySelector("li[aria-current]")
    await choose(upper)
    for (const [forth, back] of [
      ["j", "k"],
      ["{ArrowDown}", "{ArrowUp}"],
    ] as const) {
      await userEvent.keyboard(forth)
      await expect.poll(current).toBe(upper.element().nextElementSibling)
      await userEvent.keyboard(back)
      await expect.poll(current).toBe(upper.element())
    }
    await userEvent.keyboard("kk")
    await expect.poll(() => current()?.previousElementSibling).toBeNull()
    await userEvent.keyboard("j")
    await expect.poll(() => document.activeElement).toBe(current())
    await userEvent.keyboard("{Tab}")
    expect(current()?.contains(document.activeElement)).toBe(true)
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    await choose(cardOf(screen, second.title))
    await userEvent.keyboard("{Enter}")
    await expect
      .poll(() => router.state.location.pathname)
      .toBe(`/projects/${second.projectUuid}/tasks/${second.taskUuid}`)
  })

  it("A says what to do where a plain yes answers nothing", async () => {
    const words = await asking()
    const offered = await asking("input", { detail: { options: ["Oak", "Ash"] } })
    const agent = await hire()
    await ask(agent, await makeIdea(await makeProject(), unique("Warm floors")), question("cost", "What may it cost?"))
    const { screen } = await openPage("/")
    for (const [card, said] of [
      [cardOf(screen, words.title), "This needs an answer in words: type it in the field."],
      [cardOf(screen, offered.title), "Choose an answer with 1–9, then press Enter to send it."],
      [cardOf(screen, agent.name), "A question about an idea cannot simply be approved: press Enter to answer it."],
    ] as const) {
      await choose(card)
      await userEvent.keyboard("a")
      await expect.element(screen.getByText(said)).toBeVisible()
    }
  })

  it("decides nothing by a key that is held down, that goes to a place, or that belongs to what lies over the page", async () => {
    const { title, now } = await asking("permission")
    const { router, screen } = await openPage("/")
    const card = cardOf(screen, title)
    await choose(card)
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", repeat: true, bubbles: true }))
    await userEvent.keyboard("?")
    await expect.element(screen.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
    await userEvent.keyboard("ar")
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await expect.element(card).toBeVisible()
    await userEvent.keyboard("ga")
    await expect.poll(() => router.state.location.pathname).toBe("/agents")
    expect((await now()).state).toBe("open")
  })

  it("leaves Enter to the button that has the focus", async () => {
    const { title, now } = await asking("permission")
    const { router, screen } = await openPage("/")
    const allow = cardOf(screen, title).getByRole("button", { name: "Allow" })
    await expect.element(allow).toBeVisible()
    ;(allow.element() as HTMLElement).focus()
    await userEvent.keyboard("{Enter}")
    await expect.element(cardOf(screen, title)).not.toBeInTheDocument()
    await expect.poll(async () => (await now()).answer?.decision).toBe("approve")
    expect(router.state.location.pathname).toBe("/")
  })
})

describe("deciding by pointer", () => {
  it("denies a permission with words or without, and sends a plan back with words", async () => {
    const permission = await asking("permission")
    const other = await asking("permission")
    const plan = await asking("plan")
    const { screen } = await openPage("/")
    for (const [asked, words] of [
      [permission, ""],
      [other, "Use the copy"],
    ] as const) {
      await cardOf(screen, asked.title).getByRole("button", { name: "Deny" }).click()
      const dialog = screen.getByRole("dialog", { name: "Why are you denying it?" })
      await dialog.getByRole("textbox", { name: "Note" }).fill(words)
      await dialog.getByRole("button", { name: "Deny" }).click()
      const text = words === "" ? {} : { text: words }
      await expect.poll(async () => (await asked.now()).answer).toEqual({ decision: "deny", ...text })
    }
    await cardOf(screen, plan.title).getByRole("button", { name: "Reject" }).click()
    await screen.getByRole("textbox", { name: "Note" }).fill("Smaller steps")
    await screen.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
    await expect.poll(async () => (await plan.now()).answer).toEqual({ decision: "deny", text: "Smaller steps" })
  })

  it("sends work back with a reason, never without", async () => {
    const { taskUuid, title } = await waitingTask()
    const { screen } = await openPage("/")
    await cardOf(screen, title).getByRole("button", { name: "Send back" }).click()
    const dialog = screen.getByRole("dialog", { name: "Why are you sending it back?" })
    await expect.element(dialog.getByRole("checkbox", { name: "It works" })).toBeVisible()
    await expect.element(dialog.getByRole("button", { name: "Send back" })).toBeDisabled()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await dialog.getByRole("textbox", { name: "Reason" }).fill("The wire is loose.")
    await dialog.getByRole("button", { name: "Send back" }).click()
    await letStand(`Sending back: ${title}`)
    await expect.poll(() => statusOf(taskUuid)).toBe("in_progress")
    await expect.element(cardOf(screen, title)).not.toBeInTheDocument()
    const { handIns } = await owner.call("chorus_get_task", { taskUuid })
    expect(handIns).toMatchObject([{ outcome: "returned", reason: "The wire is loose." }])
  })

  it.each([
    ["button", (card: Locator) => card.getByRole("button", { name: "Verify" }).click()],
    ["key", (card: Locator) => choose(card).then(() => userEvent.keyboard("a"))],
  ] as const)(
    "verifies by %s what nobody has judged after showing the evidence and how much is open",
    async (_, press) => {
      const { taskUuid, title } = await waitingTask()
      const { screen } = await openPage("/")
      await press(cardOf(screen, title))
      const dialog = screen.getByRole("dialog", { name: "Verify this work?" })
      await expect.element(dialog.getByText(/^1 criterion has not been judged yet\./)).toBeVisible()
      await expect.element(dialog.getByText("Built.")).toBeVisible()
      await expect.element(dialog.getByText("It works")).toBeVisible()
      await userEvent.keyboard("{Enter}")
      await expect.element(dialog).toBeVisible()
      await dialog.getByRole("button", { name: "Pass all and verify" }).click()
      await expect.element(cardOf(screen, title)).not.toBeInTheDocument()
      const news = screen.getByRole("region", { name: "News" })
      await expect.element(news.getByText(`Verifying: ${title}`)).toBeVisible()
      await expect.element(news.getByText(`Verified: ${title}`)).not.toBeInTheDocument()
      await letStand(`Verifying: ${title}`)
      await expect.element(news.getByText(`Verified: ${title}`)).toBeVisible()
      expect(await statusOf(taskUuid)).toBe("done")
      await expect.element(screen.getByRole("alert")).not.toBeInTheDocument()
    },
  )

  it("leads to judging where a criterion has failed, and offers no way past it", async () => {
    const { projectUuid, taskUuid, title } = await waitingTask()
    await judgeAll(taskUuid, "failed")
    const { router, screen } = await openPage("/")
    await cardOf(screen, title).getByRole("button", { name: "Verify" }).click()
    const dialog = screen.getByRole("dialog", { name: "Verify this work?" })
    await expect.element(dialog.getByText(/^A required criterion has failed/)).toBeVisible()
    await expect.element(dialog.getByRole("button", { name: "Verify" })).toBeDisabled()
    await dialog.getByRole("link", { name: "Judge one by one" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/tasks/${taskUuid}`)
  })

  it("shows what waits by its title and opens it from there: a round at its idea, a question among the agents", async () => {
    const projectUuid = await makeProject()
    const ideaUuid = await makeIdea(projectUuid, unique("Warm floors"))
    const agent = await hire()
    await ask(agent, ideaUuid, question("cost", "What may it cost?"))
    const { router, screen } = await openPage("/")
    await cardOf(screen, agent.name).getByRole("button", { name: "Answer" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/ideas/${ideaUuid}`)
    const { title } = await asking()
    await router.navigate({ to: "/" })
    await cardOf(screen, title).getByRole("button", { name: title }).click()
    const preview = screen.getByRole("region", { name: "Preview" })
    await expect.element(preview.getByRole("heading", { name: title })).toBeVisible()
    expect(router.state.location.pathname).toBe("/")
    await preview.getByRole("button", { name: "Open" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/agents")
  })
})

describe("a change that an agent asks for", () => {
  it("is shown as old and new words before it is approved, and is rejected only with a reason", async () => {
    const projectUuid = await makeProject()
    const title = unique("Lay the wire")
    const [taskUuid = ""] = await makeTasks(projectUuid, { title })
    const agent = await hire()
    await agent.client.call("chorus_start_task", { taskUuid })
    const ask = (content: string, criteria: string[]) =>
      agent.client.call("chorus_request_change", {
        targetType: "task",
        targetUuid: taskUuid,
        reason: "The floor is stone.",
        content,
        criteria,
      })
    await ask("Along the wall.", ["It works", "It is hidden"])
    const { router, screen } = await openPage("/")
    const card = cardOf(screen, "A change to approve")
    await expect.element(card.getByText("The floor is stone.")).toBeVisible()
    await expect.element(card).not.toMatchTextContent("targetUuid")
    await card.getByRole("button", { name: new RegExp(title) }).click()
    const preview = screen.getByRole("region", { name: "Preview" })
    const criteria = preview.getByRole("group", { name: `${title}: Acceptance criteria` })
    await expect.element(criteria).toMatchTextContent("It works+It is hidden")
    await preview.getByRole("button", { name: "Open" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await router.navigate({ to: "/" })
    await card.getByRole("button", { name: "Approve" }).click()
    const dialog = screen.getByRole("dialog", { name: "Make this change?" })
    await expect.element(dialog.getByRole("group", { name: `${title}: Brief` })).toMatchTextContent("Along the wall.")
    await dialog.getByRole("button", { name: "Approve" }).click()
    await letStand(/^Approving: /)
    const now = () => owner.call("chorus_get_task", { taskUuid })
    await expect.poll(async () => (await now()).description).toBe("Along the wall.")
    const second = await ask("Through the roof.", ["It works"])
    await agent.client.call("chorus_submit_for_verify", { taskUuid, summary: "Built.", insist: true })
    await card.getByRole("button", { name: "Approve" }).click()
    await expect.element(dialog.getByRole("alert")).toMatchTextContent("It was handed in meanwhile")
    await expect.element(dialog.getByRole("button", { name: "Approve" })).toBeDisabled()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await card.getByRole("button", { name: "Reject" }).click()
    const refusing = screen.getByRole("dialog", { name: "Why are you rejecting it?" })
    await expect.element(refusing.getByRole("button", { name: "Reject" })).toBeDisabled()
    await refusing.getByRole("textbox", { name: "Note" }).fill("The roof leaks.")
    await refusing.getByRole("button", { name: "Reject" }).click()
    await expect.element(card).not.toBeInTheDocument()
    await letStand(/^Rejecting: /)
    await expect.element(screen.getByText("Answered")).toBeVisible()
    // The word may still be that of the first.
    const answer = async () => (await agent.client.call("chorus_get_attention", { attentionUuid: second.uuid })).answer
    await expect.poll(answer).toEqual({ decision: "deny", text: "The roof leaks." })
    expect((await now()).description).toBe("Along the wall.")
  })
})

describe("an answer in words", () => {
  it("goes straight to the agent, never empty", async () => {
    const { title, now } = await asking("input")
    const { screen } = await openPage("/")
    const card = cardOf(screen, title)
    await card.getByRole("textbox", { name: "Answer" }).fill("   ")
    await expect.element(card.getByRole("button", { name: "Send answer" })).toBeDisabled()
    await card.getByRole("textbox", { name: "Answer" }).fill(" Norway first ")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(card).not.toBeInTheDocument()
    await expect.poll(async () => (await now()).answer).toEqual({ text: "Norway first" })
  })

  it("is chosen where the agent offers some, by a number too, and sent on purpose; its question leads to the task it is about", async () => {
    const { projectUuid, taskUuid } = await waitingTask()
    const agent = await hire()
    const title = unique("May a code be reused?")
    const { uuid: attentionUuid } = await agent.client.call("chorus_create_attention", {
      title,
      options: ["Yes", "No, never"],
      taskUuid,
    })
    const { router, screen } = await openPage("/")
    await cardOf(screen, title).getByRole("button", { name: title }).click()
    await screen.getByRole("region", { name: "Preview" }).getByRole("button", { name: "Open" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await router.navigate({ to: "/" })
    await expect.element(cardOf(screen, title).getByText("options")).not.toBeInTheDocument()
    const card = cardOf(screen, title)
    await card.getByRole("button", { name: "Yes" }).click()
    await expect.element(card.getByRole("button", { name: "Yes" })).toHaveAttribute("aria-pressed", "true")
    const own = card.getByRole("textbox", { name: "Answer" })
    await own.fill("Only within a day")
    await expect.element(card.getByRole("button", { name: "Yes" })).toHaveAttribute("aria-pressed", "false")
    ;(own.element() as HTMLElement).blur()
    const asked = () => agent.client.call("chorus_get_attention", { attentionUuid })
    expect((await asked()).state).toBe("open")
    await userEvent.keyboard("2")
    await expect.element(card.getByRole("button", { name: "No, never" })).toHaveAttribute("aria-pressed", "true")
    await expect.element(own).toHaveValue("Only within a day")
    await expect.element(own).toHaveAccessibleDescription("Not sent while an option is chosen.")
    await userEvent.keyboard("{Enter}")
    await expect.element(card).not.toBeInTheDocument()
    expect((await asked()).answer).toEqual({ text: "No, never" })
  })

  it("is no shortcut while it is typed", async () => {
    const { title, now } = await asking("input")
    const { screen } = await openPage("/")
    const field = cardOf(screen, title).getByRole("textbox", { name: "Answer" })
    await field.click()
    await userEvent.keyboard("jar")
    await expect.element(field).toHaveValue("jar")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    expect((await now()).state).toBe("open")
  })

  it("comes back with its words when the server refuses, and says why", async () => {
    const { title, withdraw } = await asking("input")
    const { screen } = await openPage("/")
    const field = cardOf(screen, title).getByRole("textbox", { name: "Answer" })
    await field.fill("Norway first")
    const typed = { ...localStorage }
    await leaveStage()
    Object.assign(localStorage, typed)
    await withdraw()
    await cardOf(screen, title).getByRole("button", { name: "Send answer" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(field).toHaveValue("Norway first")
  })

  it("keeps the reason of a refusal that the server did not take", async () => {
    const { title, withdraw } = await asking("plan")
    const { screen } = await openPage("/")
    await expect.element(cardOf(screen, title)).toBeVisible()
    await leaveStage()
    await withdraw()
    await cardOf(screen, title).getByRole("button", { name: "Reject" }).click()
    await screen.getByRole("textbox", { name: "Note" }).fill("Too much at once")
    await screen.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(screen.getByRole("textbox", { name: "Note" })).toHaveValue("Too much at once")
  })
})

describe("second thoughts", () => {
  it("takes a no back, and keeps its words: of a plan with its findings, and of work", async () => {
    const { proposalUuid, planner } = await submitPlan({ title: unique("Hasty") })
    const { taskUuid, title } = await waitingTask()
    const { screen } = await openPage("/")
    const plan = cardOf(screen, planner.name)
    await plan.getByRole("button", { name: "Reject" }).click()
    await screen.getByRole("textbox", { name: "Note" }).fill("Where is the switch?")
    await screen.getByRole("button", { name: "Add a finding" }).click()
    await screen.getByRole("textbox", { name: "Finding 1" }).fill("No switch.")
    await screen.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
    await expect.element(plan).not.toBeInTheDocument()
    await takeBack(/^Rejecting: Hasty/)
    await expect.element(plan).toBeVisible()
    await plan.getByRole("button", { name: "Reject" }).click()
    await expect.element(screen.getByRole("textbox", { name: "Note" })).toHaveValue("Where is the switch?")
    await screen.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
    expect((await owner.call("chorus_get_proposal", { proposalUuid })).status).toBe("pending")
    const { reviews } = await owner.call("chorus_get_reviews", { targetType: "proposal", targetUuid: proposalUuid })
    expect(reviews).toEqual([])

    const work = cardOf(screen, title)
    await work.getByRole("button", { name: "Send back" }).click()
    await screen.getByRole("textbox", { name: "Reason" }).fill("The wire is loose.")
    await screen.getByRole("dialog").getByRole("button", { name: "Send back" }).click()
    await expect.element(work).not.toBeInTheDocument()
    await takeBack(`Sending back: ${title}`)
    await expect.element(work).toBeVisible()
    expect(await statusOf(taskUuid)).toBe("to_verify")
  })

  it("a yes can be taken back for ten seconds, as if nothing had been", async () => {
    const { proposalUuid, planner } = await submitPlan({ title: unique("Hasty") })
    const { screen } = await openPage("/")
    await cardOf(screen, planner.name).getByRole("button", { name: "Approve" }).click()
    await screen.getByRole("dialog").getByRole("button", { name: "Approve" }).click()
    await expect.element(cardOf(screen, planner.name)).not.toBeInTheDocument()
    await screen.getByRole("region", { name: "News" }).getByRole("button", { name: "Undo" }).click()
    await expect.element(cardOf(screen, planner.name)).toBeVisible()
    expect(await statusOfProposal(proposalUuid)).toBe("pending")
  })

  it("a yes stands by itself when they are over, and not before", async () => {
    const { screen, taskUuid, title } = await verified()
    const news = screen.getByRole("region", { name: "News" })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      await screen.getByRole("dialog").getByRole("button", { name: "Pass all and verify" }).click()
      await expect.element(news.getByText(`Verifying: ${title}`)).toBeVisible()
      vi.advanceTimersByTime(9999)
      expect(await statusOf(taskUuid)).toBe("to_verify")
      vi.advanceTimersByTime(1)
    } finally {
      vi.useRealTimers()
    }
    await expect.poll(() => statusOf(taskUuid)).toBe("done")
  })

  it.each([
    ["is left", () => dispatchEvent(new PageTransitionEvent("pagehide"))],
    ["is put out of sight on a phone", () => putOutOfSight("coarse")],
  ])("a yes stands when the page %s before they are over", async (_, leave) => {
    const { screen, taskUuid, title } = await verified()
    await screen.getByRole("dialog").getByRole("button", { name: "Pass all and verify" }).click()
    await expect.element(cardOf(screen, title)).not.toBeInTheDocument()
    expect(await statusOf(taskUuid)).toBe("to_verify")
    leave()
    await expect.poll(() => statusOf(taskUuid)).toBe("done")
    dispatchEvent(new PageTransitionEvent("pageshow"))
  })

  it("a yes can still be taken back after a look at another tab of a desktop", async () => {
    const { screen, taskUuid, title } = await verified()
    await screen.getByRole("dialog").getByRole("button", { name: "Pass all and verify" }).click()
    await expect.element(cardOf(screen, title)).not.toBeInTheDocument()
    putOutOfSight("fine")
    await takeBack(`Verifying: ${title}`)
    await expect.element(cardOf(screen, title)).toBeVisible()
    expect(await statusOf(taskUuid)).toBe("to_verify")
  })
})

/** Work that is about to be verified. */
async function verified() {
  const { taskUuid, title } = await waitingTask()
  const { screen } = await openPage("/")
  await cardOf(screen, title).getByRole("button", { name: "Verify" }).click()
  await expect.element(screen.getByRole("dialog").getByText("Built.")).toBeVisible()
  return { screen, taskUuid, title }
}

/** As a phone does with an app that makes room for another, or a desktop with a tab behind another one. */
function putOutOfSight(pointer: "coarse" | "fine"): void {
  const media = vi.spyOn(globalThis, "matchMedia")
  media.mockImplementation((query) =>
    Object.assign(new EventTarget() as MediaQueryList, { matches: query === `(pointer: ${pointer})` }),
  )
  const hidden = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden")
  document.dispatchEvent(new Event("visibilitychange"))
  hidden.mockRestore()
  media.mockRestore()
}

describe("somebody quicker", () => {
  it("is named, in words for people, and oneself in another window is not taken for somebody else", async () => {
    const { proposalUuid, planner } = await submitPlan({ title: unique("Contested") })
    const { screen } = await openPage("/")
    await cardOf(screen, planner.name).getByRole("button", { name: "Approve" }).click()
    await screen.getByRole("dialog").getByRole("button", { name: "Approve" }).click()
    await owner.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "No." })
    await letStand(/^Approving: /)
    await expect
      .element(screen.getByRole("alert"))
      .toMatchTextContent(/You already decided this in another window: you rejected “Contested/)
  })
})

describe("what has not been seen", () => {
  it("is never approved by a key: nothing is chosen to begin with, and A shows it first", async () => {
    const { proposalUuid, planner } = await submitPlan({ title: unique("Unseen") })
    const permission = await asking("permission")
    const { screen } = await openPage("/")
    await expect.element(cardOf(screen, planner.name)).toBeVisible()
    await userEvent.keyboard("a")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await choose(cardOf(screen, planner.name))
    await userEvent.keyboard("aaa")
    await expect.element(screen.getByRole("dialog", { name: "Approve this plan?" })).toBeVisible()
    await userEvent.keyboard("{Escape}")
    expect(await statusOfProposal(proposalUuid)).toBe("pending")
    expect((await permission.now()).state).toBe("open")
  })

  it("is not allowed by a key that was meant for the one before", async () => {
    const [first, second] = [await asking("permission"), await asking("permission")]
    const { screen } = await openPage("/")
    await choose(cardOf(screen, first.title))
    await userEvent.keyboard("aa")
    await expect.poll(async () => (await first.now()).state).not.toBe("open")
    expect((await second.now()).state).toBe("open")
  })
})

function buttonsIn(card: Element): string[] {
  return [...card.querySelectorAll("button")].map(({ textContent }) => textContent).slice(1)
}
