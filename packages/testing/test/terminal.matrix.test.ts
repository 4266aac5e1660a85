import { agentProgram, drive, openTerminal, scratchHome, startModel } from "@chorus/testing"
import { onTestFinished, test } from "vitest"

const FETCHING = { timeout: 600_000 }
// It sets up its database first, which takes a busy machine a while.
const STARTING = 60_000

test("OpenCode opens without a dialog and answers", FETCHING, async () => {
  await using model = await startModel(drive)
  await using home = scratchHome({ model })
  const terminal = await openTerminal({
    command: await agentProgram("opencode"),
    env: home.environment,
    cwd: home.project,
  })
  onTestFinished(terminal.stop)
  await terminal.waitForText(/Ask anything/, STARTING)
  await terminal.submit("hello there")
  await terminal.waitForText(/Noted\./, STARTING)
  await terminal.stop()
})
