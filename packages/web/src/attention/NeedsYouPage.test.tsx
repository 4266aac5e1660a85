import { describe, expect, it } from "vitest"
import { type Locator, userEvent } from "vitest/browser"
import { ask, makeIdea, question, submitPlan } from "../../test/planning.ts"
import { leaveStage, openPage, owner } from "../../test/stage.tsx"
import { handIn, hire, makeProject, makeTasks, statusOf } from "../../test/workplace.ts"

type Screen = Awaited<ReturnType<typeof openPage>>["screen"]

const unique = (title: string) => `${title} ${crypto.randomUUID().slice(0, 8)}`
const cardOf = (screen: Screen, title: string) =>
  screen.getByRole("main").getByRole("listitem").filter({ hasText: title })

async function asking(
  kind: "permission" | "input" | "plan" | "shutdown" = "input",
  more: { readonly answerable?: boolean; readonly detail?: Record<string, unknown> } = {},
) {
  const agent = await hire("Asker")
  const title = unique("May I")
  const { uuid } = await agent.client.call("chorus_create_attention", { title, kind, ...more })
  return {
    agent,
    title,
    now: () => agent.client.call("chorus_get_attention", { attentionUuid: uuid }),
    withdraw: () => agent.client.call("chorus_withdraw_attention", { attentionUuid: uuid }),
  }
}

async function waitingTask() {
  const projectUuid = await makeProject()
  const title = unique("Lay the wire")
  const [taskUuid = ""] = await makeTasks(projectUuid, { title })
  await handIn(await hire(), taskUuid)
  return { projectUuid, taskUuid, title }
}

async function statusOfProposal(proposalUuid: string) {
  return (await owner.call("chorus_get_proposal", { proposalUuid })).status
}

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
    await expect.element(allow).toMatchTextContent("Permission asked · No project")
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
    await expect.element(card.getByRole("button", { name: "Allow" })).toBeDisabled()
    await expect.element(card.getByRole("button", { name: "Deny" })).toBeDisabled()
    await expect.element(cardOf(screen, input.title).getByRole("textbox")).not.toBeInTheDocument()
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
    await expect.element(good).not.toBeInTheDocument()
    await expect.element(screen.getByRole("region", { name: "News" }).getByText("Approved")).toBeVisible()
    await expect.poll(() => statusOfProposal(first.proposalUuid)).toBe("approved")

    await choose(cardOf(screen, second.planner.name))
    await userEvent.keyboard("r")
    const dialog = screen.getByRole("dialog", { name: "Why do you reject it?" })
    const note = dialog.getByRole("textbox", { name: "Note" })
    await expect.element(note).toHaveFocus()
    await expect.element(dialog.getByRole("button", { name: "Reject" })).toBeDisabled()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(dialog).toBeVisible()
    await note.fill("  Where is the switch?  ")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(cardOf(screen, second.planner.name)).not.toBeInTheDocument()
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
    await userEvent.keyboard("k".repeat(40))
    await expect.poll(() => current()?.previousElementSibling).toBeNull()
    await choose(cardOf(screen, second.title))
    await userEvent.keyboard("{Enter}")
    await expect
      .poll(() => router.state.location.pathname)
      .toBe(`/projects/${second.projectUuid}/tasks/${second.taskUuid}`)
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
  it("denies a permission at once and sends a plan back with words", async () => {
    const permission = await asking("permission")
    const plan = await asking("plan")
    const { screen } = await openPage("/")
    await cardOf(screen, permission.title).getByRole("button", { name: "Deny" }).click()
    await expect.poll(async () => (await permission.now()).answer).toEqual({ decision: "deny" })
    await cardOf(screen, plan.title).getByRole("button", { name: "Reject" }).click()
    await screen.getByRole("textbox", { name: "Note" }).fill("Smaller steps")
    await screen.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
    await expect.poll(async () => (await plan.now()).answer).toEqual({ decision: "deny", text: "Smaller steps" })
  })

  it("sends work back, with or without a reason", async () => {
    const { taskUuid, title } = await waitingTask()
    const { screen } = await openPage("/")
    await cardOf(screen, title).getByRole("button", { name: "Send back" }).click()
    await screen
      .getByRole("dialog", { name: "Why do you send it back?" })
      .getByRole("button", { name: "Send back" })
      .click()
    await expect.poll(() => statusOf(taskUuid)).toBe("in_progress")
    await expect.element(cardOf(screen, title)).not.toBeInTheDocument()
  })

  it("leads to the task whose criteria nobody has judged, instead of verifying it", async () => {
    const { projectUuid, taskUuid, title } = await waitingTask()
    const { router, screen } = await openPage("/")
    await cardOf(screen, title).getByRole("button", { name: "Verify" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await expect.element(screen.getByRole("alert")).toBeVisible()
    expect(await statusOf(taskUuid)).toBe("to_verify")
  })

  it("opens what waits by its title: a round at its idea, an agent that asks among the agents", async () => {
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
    await expect.poll(() => router.state.location.pathname).toBe("/agents")
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
    await leaveStage()
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

/** Chosen as a pointer does it, without opening anything. */
async function choose(card: Locator): Promise<void> {
  await expect.element(card).toBeVisible()
  card.element().dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }))
  await expect.element(card).toHaveAttribute("aria-current", "true")
}

function buttonsIn(card: Element): string[] {
  return [...card.querySelectorAll("button")].map(({ textContent }) => textContent).slice(1)
}
