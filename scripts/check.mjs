// The inner loop: types, lint, unit tests. `npm run check`
import { runChecks, runStep } from "./checks.mjs"
import { ensureInstalled } from "./install.mjs"

ensureInstalled()
const failed = await runChecks()
if (!runStep("unit tests", ["node_modules/vitest/vitest.mjs", "run", "--project", "unit"])) failed.push("unit tests")
if (failed.length > 0) {
  console.error(`check: ${failed.join(", ")} failed`)
  process.exitCode = 1
}
