import { createClient } from "@chorus/client"
import type { AgentId } from "@chorus/contracts"
import { agentProgram, openTerminal, scratchHome, startModel, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { installPlugin } from "../../packages/hooks/test/board.ts"
import { openStage } from "./stage.ts"
import { signIn, visit } from "./visitor.ts"

const VERSION = "2.1.325"
const COLOUR = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
  multiSelect: false,
}

it("a question of Claude Code is answered by a click: the model reads what was chosen, and the dialog is gone", async () => {
  const stage = await openStage()
  try {
    await using model = await startModel(({ tools, sincePrompt }) =>
      tools.length === 0 || sincePrompt > 0
        ? { text: "Thanks." }
        : { tools: [{ name: "AskUserQuestion", input: { questions: [COLOUR] } }] },
    )
    await using home = scratchHome({ model })
    const owner = createClient({ url: stage.url, key: stage.ownerKey() })
    const { uuid } = await owner.call("chorus_create_agent", { name: "Painter", presets: ["developer"] })
    const { key } = await owner.call("chorus_create_key", { agentUuid: uuid as AgentId })
    await installPlugin({ home, url: stage.url, key }, VERSION)
    const { page, faults } = await visit(stage)
    await signIn(page, stage.signIn)
    await page.goto(stage.url)

    await using terminal = await openTerminal({
      command: await agentProgram("claude-code", VERSION),
      args: ["--permission-mode", "default"],
      env: { ...home.environment, ENABLE_TOOL_SEARCH: "false" },
      cwd: home.project,
    })
    await terminal.waitForText(/^\s*❯/m)
    await terminal.submit("Paint it.")
    await terminal.waitForText(/2\. Blue/)

    const question = page.locator("main li", { hasText: COLOUR.question })
    await question.getByRole("button", { name: /^Blue/ }).click()
    await question.locator('button[type="submit"]').click()
    await model.waitFor(({ newest }) => newest.includes('"Which colour?"="Blue"'))
    await terminal.waitForText(/Thanks\./)
    await waitFor(async () => !/2\. Blue/.test(await terminal.screen()), 30_000, "the dialog to close")
    await question.waitFor({ state: "detached" })
    expect(faults).toEqual([])
  } finally {
    await stage.close()
  }
})
