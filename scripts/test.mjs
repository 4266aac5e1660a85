// Installs, builds, checks, tests. `npm test [-- --only check,unit,integration,e2e] [-- --stress] [-- FILTER…]`
// The last line is for programs: "N passed, N failed", counted over all that ran.
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { CHECK_COUNT, runChecks, runStep } from "./checks.mjs"
import { root } from "./install.mjs"
import { prepare } from "./launch.mjs"

const PROJECTS = ["unit", "integration", "e2e"]
const results = join(root, "test-results")

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { stress: { type: "boolean", default: false }, only: { type: "string", default: ["check", ...PROJECTS].join() } },
})
const wanted = new Set(values.only.split(","))
const env = { CHORUS_COMMAND: join(root, "dist", "chorus.js"), ...(values.stress ? { CHORUS_STRESS: "1" } : {}) }

prepare()
mkdirSync(results, { recursive: true })
const total = { passed: 0, failed: 0 }
if (wanted.has("check")) {
  const failed = runChecks()
  total.passed += CHECK_COUNT - failed.length
  total.failed += failed.length
}
for (const project of PROJECTS.filter((name) => wanted.has(name))) {
  const { passed, failed } = runProject(project)
  total.passed += passed
  total.failed += failed
}
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

function runProject(project) {
  const report = join(results, `${project}.json`)
  rmSync(report, { force: true })
  const args = ["run", "--project", project, "--passWithNoTests", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...positionals]
  const ok = runStep(`${project} tests`, ["node_modules/vitest/vitest.mjs", ...args], env)
  const { passed, failed } = counts(report)
  // A run that broke down without a failed test is a failure all the same.
  return { passed, failed: !ok && failed === 0 ? 1 : failed }
}

function counts(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"))
    const broken = testResults.filter(({ status, assertionResults }) => status === "failed" && assertionResults.length === 0).length
    return { passed: numPassedTests, failed: numFailedTests + broken }
  } catch {
    return { passed: 0, failed: 0 }
  }
}
