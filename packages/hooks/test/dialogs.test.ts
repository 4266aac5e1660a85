import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { openAsking } from "./asking.ts"
import { everyVersion, type Version } from "./board.ts"

const question = (words: string, multiSelect = false, ...labels: string[]) => ({
  question: words,
  header: "Shop",
  options: labels.map((label) => ({ label, description: `it is ${label}` })),
  multiSelect,
})
const ask = (...questions: object[]) => ({ tools: [{ name: "AskUserQuestion", input: { questions } }] })
const COLOUR = question("Which colour?", false, "Red", "Blue")
const bash = (command: string) => ({ tools: [{ name: "Bash", input: { command, description: "do it" } }] })
const THANKS = { text: "Thanks." }

const ASKED: readonly Version[] = process.env["CHORUS_STRESS"] === "1" ? await everyVersion() : ["2.1.325"]

describe.each(ASKED)("a dialog of Claude Code %s", (version) => {
  const late = "that is open when the page can no longer answer stays there until the terminal has, and no longer"
  it(late, { timeout: 180_000 }, async () => {
    await using at = await openAsking(version, "default", 2)
    await at.submit("Ask me.", [ask(COLOUR), THANKS])
    const first = await at.asked()
    await waitFor(async () => (await at.open())[0]?.answerable === false, 30_000, "the end of answering")
    await expect(at.answer(first, { text: "Blue" })).rejects.toMatchObject({ code: "not_answerable" })
    await at.press("Enter", () => at.heard('"Which colour?"="Red"'))
    await at.becomes(first, "withdrawn")

    const made = (name: string) => join(at.board.home.project, name)
    await at.submit("Make it.", [bash("touch begun; until [ -e end ]; do sleep 0.1; done"), THANKS])
    const second = await at.asked()
    expect(second).toMatchObject({ kind: "permission" })
    await waitFor(async () => (await at.open())[0]?.answerable === false, 30_000, "the end of answering")
    await at.press("Enter", () => existsSync(made("begun")))
    // What was allowed still runs.
    await at.becomes(second, "withdrawn")
    writeFileSync(made("end"), "")
    await at.terminal.waitForText(/Thanks\./)
  })

  it("is only shown where answering was switched off, for as long as it is open", { tags: ["stress"] }, async () => {
    await using at = await openAsking(version, "default", 0)
    await at.submit("Ask me.", [ask(COLOUR), THANKS])
    const asked = await at.asked()
    expect(asked).toMatchObject({ title: "Which colour?", answerable: false })
    await at.press("Enter", () => at.heard('"Which colour?"="Red"'))
    await at.becomes(asked, "withdrawn")
  })

  it.each([
    ["a question", "default", ask(COLOUR), /Enter to select/],
    ["a permission", "default", bash("touch made-by-tool"), /Do you want to proceed/],
    ["a plan", "plan", { tools: [{ name: "ExitPlanMode", input: { plan: "# Paint" } }] }, /❯ 1\. Yes/],
  ])("for %s is over with Esc", { timeout: 180_000 }, async (_, mode, turn, shows) => {
    await using at = await openAsking(version, mode)
    await at.submit("Go on.", [turn, THANKS])
    const asked = await at.asked()
    await at.terminal.waitForText(shows)
    await at.press("Escape", async () => !shows.test(await at.terminal.screen()))
    // February's tells nobody, but for that its terminal has been idle for a minute.
    await at.becomes(asked, "withdrawn")
  })

  it("for a plan that is approved in the terminal is taken back", { timeout: 120_000 }, async () => {
    await using at = await openAsking(version, "plan")
    await at.submit("Plan it.", [{ tools: [{ name: "ExitPlanMode", input: { plan: "# Paint" } }] }, THANKS])
    const asked = await at.asked()
    expect(asked).toMatchObject({ kind: "plan", answerable: true })
    await at.press("Enter", () => at.heard(/User has approved/))
    await at.becomes(asked, "withdrawn")
  })

  it("that the terminal answers before the page's answer arrived keeps to the terminal, and says so", async () => {
    await using at = await openAsking(version, "default")
    await at.submit("Ask me.", [ask(COLOUR), THANKS])
    const asked = await at.asked()
    const hook = await at.holdHook()
    await at.answer(asked, { text: "Blue", data: { answers: { "Which colour?": "Blue" } } })
    await at.press("Enter", () => at.heard('"Which colour?"="Red"'))
    hook.letGo()
    await at.becomes(asked, "withdrawn")
  }, 120_000)

  it("with several questions and several answers tells the model each", { timeout: 120_000 }, async () => {
    await using at = await openAsking(version, "default")
    const sizes = question("Which sizes?", true, "Small", "Middle", "Large")
    await at.submit("Ask me.", [ask(COLOUR, sizes), THANKS])
    const asked = await at.asked()
    expect(asked).toMatchObject({ title: "Which colour? (+1)", answerable: true })
    const answers = { "Which colour?": "Blue", "Which sizes?": "Small, Large, and one in between" }
    await at.answer(asked, { text: "as chosen", data: { answers } })
    await waitFor(
      () => at.heard('"Which colour?"="Blue"') && at.heard('"Which sizes?"="Small, Large, and one in between"'),
      60_000,
      "both answers",
    )
    await at.becomes(asked, "delivered")
  })

  it.each(["acceptEdits", "bypassPermissions"])(
    "is answered in mode %s as in any",
    { tags: ["stress"] },
    async (mode) => {
      await using at = await openAsking(version, mode)
      await at.submit("Ask me.", [ask(COLOUR), THANKS])
      const asked = await at.asked()
      await at.answer(asked, { text: "Blue", data: { answers: { "Which colour?": "Blue" } } })
      await waitFor(() => at.heard('"Which colour?"="Blue"'), 60_000, "the answer")
      await at.becomes(asked, "delivered")
    },
  )
})
