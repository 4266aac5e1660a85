import { createClient } from "@chorus/client"
import type { AgentId } from "@chorus/contracts"
import { agentProgram, openTerminal, scratchHome, startModel, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { everyVersion, installPlugin, isLegacy, loadPlugin, type Version } from "../../packages/hooks/test/board.ts"
import { openStage } from "./stage.ts"
import { signIn, visit } from "./visitor.ts"

const ASKING: readonly Version[] = process.env["CHORUS_STRESS"] === "1" ? await everyVersion() : ["2.1.325"]
const COLOUR = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
  multiSelect: false,
}

it.each(ASKING)("a question of Claude Code %s is answered by a click, and its dialog is gone", async (version) => {
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
    const at = { home, url: stage.url, key }
    if (!isLegacy(version)) await installPlugin(at, version)
    const plugin = loadPlugin(at, version)
    const { page, faults } = await visit(stage)
    await signIn(page, stage.signIn)
    await page.goto(stage.url)

    await using terminal = await openTerminal({
      command: await agentProgram("claude-code", version),
      args: ["--permission-mode", "default", ...plugin.args],
      env: { ...home.environment, ...plugin.env },
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
