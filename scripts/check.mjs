// The inner loop: types, lint, unit tests. `npm run check`
import { runChecks, runStep } from "./checks.mjs"
import { ensureInstalled } from "./install.mjs"
import { scratchInMemory } from "./scratch.mjs"

ensureInstalled()
const failed = await runChecks()
const unit = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit"]
if (!(await runStep("unit tests", unit, { env: scratchInMemory(), live: true }))) failed.push("unit tests")
if (failed.length > 0) {
  console.error(`check: ${failed.join(", ")} failed`)
  process.exitCode = 1
}
