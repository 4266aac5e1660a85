import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { ask, makeIdea, question } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject } from "../../test/workplace.ts"

const elaborationOf = (ideaUuid: string) => owner.call("chorus_get_elaboration", { ideaUuid })
const answersOf = async (ideaUuid: string) =>
  (await elaborationOf(ideaUuid)).rounds.flatMap(({ questions }) =>
    questions.map(({ questionId, answer }) => [
      questionId,
      answer?.selectedOptionId ?? null,
      answer?.customText ?? null,
    ]),
  )

/** An idea about which an agent has asked these, open on the page. */
async function asked(...questions: readonly ReturnType<typeof question>[]) {
  const projectUuid = await makeProject()
  const ideaUuid = await makeIdea(projectUuid)
  const agent = await hire("Asker")
  if (questions.length > 0) await ask(agent, ideaUuid, ...questions)
  const { screen } = await openPage(`/projects/${projectUuid}/ideas/${ideaUuid}`)
  const main = screen.getByRole("main")
  const group = (text: string) => main.getByRole("group").filter({ hasText: text })
  return {
    ideaUuid,
    projectUuid,
    agent,
    screen,
    main,
    round: (number: number) => main.getByRole("article", { name: `Round ${number}` }),
    group,
    send: main.getByRole("button", { name: "Send answers" }),
  }
}

const COST = question("cost", "What may it cost?", { category: "business_context" })
const COLOUR = question("colour", "Which colour?", { required: false })

describe("questions about an idea", () => {
  it("are answered by choosing, by words, or by both, once all that is required is", async () => {
    const { ideaUuid, main, round, group, send } = await asked(COST, question("when", "By when?"), COLOUR)
    await expect.element(round(1)).toMatchTextContent("Waits for answers")
    await expect.element(main.getByText("2 required questions are left")).toBeVisible()
    await expect.element(group("What may it cost?").getByText("Business context")).toBeVisible()
    await expect.element(group("Which colour?").getByText("optional")).toBeVisible()
    await expect.element(send).toBeDisabled()
    await group("What may it cost?")
      .getByRole("radio", { name: /^Yes, cost/ })
      .click()
    await group("What may it cost?").getByRole("textbox").fill("  up to 100 ")
    await expect.element(main.getByText("1 required question is left")).toBeVisible()
    await group("By when?").getByRole("textbox").fill("Spring")
    await expect.element(send).toBeEnabled()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(round(1)).toMatchTextContent("Answered")
    await expect.element(main.getByText("Yes, cost — up to 100")).toBeVisible()
    await expect.element(main.getByText("Not answered")).toBeVisible()
    expect(await answersOf(ideaUuid)).toEqual([
      ["cost", "yes", "up to 100"],
      ["when", null, "Spring"],
      ["colour", null, null],
    ])
  })

  it("keep an option that is pressed again, by pointer and by the space bar, until it is taken back", async () => {
    const { group, send } = await asked(COST)
    const cost = group("What may it cost?")
    const yes = cost.getByRole("radio", { name: /^Yes/ })
    await userEvent.dblClick(yes)
    await expect.element(yes).toBeChecked()
    await yes.click()
    await userEvent.keyboard(" ")
    await expect.element(yes).toBeChecked()
    await expect.element(send).toBeEnabled()
    await userEvent.keyboard("{ArrowDown}")
    await expect.element(cost.getByRole("radio", { name: "No cost" })).toBeChecked()
    await expect.element(yes).not.toBeChecked()
    await cost.getByRole("button", { name: "None of these" }).click()
    await expect.element(cost.getByRole("radio", { name: "No cost" })).not.toBeChecked()
    await expect.element(send).toBeDisabled()
  })

  it("can be answered anew; what was said before stays to be seen", async () => {
    const { ideaUuid, main, group, send } = await asked(COST)
    await group("What may it cost?").getByRole("radio", { name: /^Yes/ }).click()
    await send.click()
    await main.getByRole("button", { name: "Change answers" }).click()
    await expect.element(group("What may it cost?").getByRole("radio", { name: /^Yes/ })).toBeChecked()
    await expect.element(send).toBeDisabled()
    await main.getByRole("article", { name: "Round 1" }).getByRole("button", { name: "Cancel" }).click()
    await expect.element(main.getByRole("radio")).not.toBeInTheDocument()
    await main.getByRole("button", { name: "Change answers" }).click()
    await group("What may it cost?").getByRole("radio", { name: "No cost" }).click()
    await send.click()
    await expect
      .element(main.getByRole("listitem").filter({ hasText: "What may it cost?" }).getByText("No cost"))
      .toBeVisible()
    const before = main.getByText("Yes, cost", { exact: true })
    await expect.poll(() => getComputedStyle(before.element()).textDecorationLine).toBe("line-through")
    expect(await answersOf(ideaUuid)).toEqual([["cost", "no", null]])
  })

  it("are accepted by sending them", async () => {
    const { ideaUuid, main, group, send, round } = await asked(COST)
    await group("What may it cost?").getByRole("radio", { name: /^Yes/ }).click()
    await send.click()
    await expect.element(round(1)).toMatchTextContent("Answered")
    await expect.element(main.getByRole("button", { name: "Accept the answers" })).not.toBeInTheDocument()
    expect((await elaborationOf(ideaUuid)).status).toBe("resolved")
    await main.getByRole("tab", { name: "Decisions" }).click()
    await expect
      .element(main.getByRole("tabpanel", { name: "Decisions" }))
      .toMatchTextContent("What may it cost?Yes, cost")
  })

  it("ask for another round where that is wished, and can still be accepted as they are", async () => {
    const { ideaUuid, main, group } = await asked(COST)
    await group("What may it cost?").getByRole("radio", { name: /^Yes/ }).click()
    await main.getByRole("button", { name: "Send, and ask me again" }).click()
    await expect.element(main.getByText(/you asked for more questions/)).toBeVisible()
    expect(await elaborationOf(ideaUuid)).toMatchObject({ status: "validating", rounds: [{ askAgain: true }] })
    await main.getByRole("button", { name: "Accept the answers" }).click()
    await expect.element(main.getByText(/you asked for more questions/)).not.toBeInTheDocument()
    expect((await elaborationOf(ideaUuid)).status).toBe("resolved")
  })

  it("of a second round appear by themselves, above the first", async () => {
    const { ideaUuid, agent, main, group, send, round } = await asked(COST)
    await group("What may it cost?").getByRole("radio", { name: /^Yes/ }).click()
    await send.click()
    await expect.element(round(1)).toMatchTextContent("Answered")
    await agent.client.call("chorus_pm_start_elaboration", {
      ideaUuid,
      depth: "minimal",
      questions: [question("again", "And the cellar?")],
    })
    await expect.element(round(2)).toMatchTextContent("Waits for answers")
    const names = main
      .getByRole("article")
      .elements()
      .map((article) => article.getAttribute("aria-label"))
    expect(names.filter((name) => name?.startsWith("Round"))).toEqual(["Round 2", "Round 1"])
  })

  it("answered by somebody else meanwhile are shown as answered", async () => {
    const { ideaUuid, main, round } = await asked(COST)
    await expect.element(main.getByRole("radio").first()).toBeVisible()
    await owner.call("chorus_answer_elaboration", {
      ideaUuid,
      answers: [{ questionId: "cost", customText: "Nothing" }],
    })
    await expect.element(round(1)).toMatchTextContent("What may it cost?Nothing")
    await expect.element(main.getByRole("radio")).not.toBeInTheDocument()
  })
})

describe("answers begun on this device", () => {
  const elsewhere = (ideaUuid: string, ...answers: readonly { questionId: string; customText: string }[]) =>
    owner.call("chorus_answer_elaboration", { ideaUuid, answers: [...answers] })

  it("never hide those that were sent elsewhere, and stay to be used or discarded", async () => {
    const { ideaUuid, main, group, round, send } = await asked(COST, COLOUR)
    await group("What may it cost?").getByRole("textbox").fill("At most ten")
    await group("Which colour?").getByRole("textbox").fill("Green")
    await elsewhere(
      ideaUuid,
      { questionId: "cost", customText: "Nothing" },
      { questionId: "colour", customText: "Red" },
    )
    await expect.element(round(1)).toMatchTextContent("What may it cost?Nothing")
    const cost = main.getByRole("listitem").filter({ hasText: "What may it cost?" })
    const colour = main.getByRole("listitem").filter({ hasText: "Which colour?" })
    await expect.element(cost.getByRole("status")).toMatchTextContent("At most ten")
    await colour.getByRole("button", { name: "Discard" }).click()
    await expect.element(colour.getByRole("status")).not.toBeInTheDocument()
    await main.getByRole("button", { name: "Change answers" }).click()
    await expect.element(group("Which colour?").getByRole("textbox")).toHaveValue("Red")
    await expect.element(group("What may it cost?").getByRole("textbox")).toHaveValue("Nothing")
    await cost.getByRole("button", { name: "Use this instead" }).click()
    await expect.element(group("What may it cost?").getByRole("textbox")).toHaveValue("At most ten")
    await send.click()
    await expect.element(main.getByRole("textbox", { name: /own words/ })).not.toBeInTheDocument()
    await expect.element(cost.getByRole("status")).not.toBeInTheDocument()
    expect(await answersOf(ideaUuid)).toEqual([
      ["cost", null, "At most ten"],
      ["colour", null, "Red"],
    ])
  })

  it("of one question leave room for the answer that another one gets elsewhere", async () => {
    const { ideaUuid, group, send } = await asked(COST, question("when", "By when?"))
    await group("What may it cost?").getByRole("textbox").fill("At most ten")
    await elsewhere(ideaUuid, { questionId: "when", customText: "Spring" })
    await expect.element(group("By when?").getByRole("textbox")).toHaveValue("Spring")
    await send.click()
    await expect
      .poll(() => answersOf(ideaUuid))
      .toEqual([
        ["cost", null, "At most ten"],
        ["when", null, "Spring"],
      ])
  })
})

describe("an idea nobody has asked about", () => {
  it("can be counted as clear, with the reason", async () => {
    const { ideaUuid, screen, main } = await asked()
    await expect
      .element(main.getByText("Nobody has asked anything yet. An agent that takes up the idea will."))
      .toBeVisible()
    await owner.call("chorus_claim_idea", { ideaUuid })
    await main.getByRole("button", { name: "Skip questions" }).click()
    const dialog = screen.getByRole("dialog", { name: "Skip the questions" })
    await expect.element(dialog.getByRole("button", { name: "Skip questions" })).toBeDisabled()
    await dialog.getByRole("textbox", { name: "Note" }).fill("It is one line.")
    await dialog.getByRole("button", { name: "Skip questions" }).click()
    await expect.element(main.getByText("Skipped: It is one line.")).toBeVisible()
    await expect.element(main.getByRole("button", { name: "Skip questions" })).not.toBeInTheDocument()
    expect(await elaborationOf(ideaUuid)).toMatchObject({ status: "resolved", reason: "It is one line." })
  })
})
