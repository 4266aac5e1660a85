// Installs, builds, checks, tests. `npm test [-- --only check,unit,page,integration,e2e] [-- --stress] [-- FILTER…]`
// What failed is said again at the end, where a log that was cut still has it. The last line is for programs:
// "N passed, N failed", counted over all that ran.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { ALL_CHECKS, runChecks, runStep } from "./checks.mjs"
import { bringPrograms } from "./debian.mjs"
import { root } from "./install.mjs"
import { prepare } from "./launch.mjs"
import { cacheDirectory } from "./node24.mjs"
import { scratchInMemory } from "./scratch.mjs"

/** Each with the configuration that knows it; only what is shown in a browser needs one to be read. */
const PROJECTS = {
  unit: "vitest.config.ts",
  page: "packages/web/vitest.config.ts",
  integration: "vitest.config.ts",
  e2e: "vitest.config.ts",
}
/** One after the other; beside each other where one part computes while the other waits for programs. */
const LANES = [[["unit"]], [["integration"], ["page", "e2e"]]]
const results = join(root, "test-results")

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    stress: { type: "boolean", default: false },
    only: { type: "string", default: ["check", ...Object.keys(PROJECTS)].join() },
  },
})
const wanted = new Set(values.only.split(","))
const env = {
  CHORUS_COMMAND: join(root, "dist", "chorus.js"),
  // Programs that tests start from the source read what the first of them has compiled.
  NODE_COMPILE_CACHE: join(cacheDirectory(), "compiled", "tests"),
  ...(values.stress ? { CHORUS_STRESS: "1" } : {}),
  ...scratchInMemory(),
}

prepare()
if (values.stress) tellWhatIsOnlyHere()
if (["page", "integration", "e2e"].some((name) => wanted.has(name))) bringPrograms()
mkdirSync(results, { recursive: true })
const total = { passed: 0, failed: 0 }
const failures = []
const slow = []
const parts = []
if (wanted.has("check")) {
  const began = Date.now()
  const failed = await runChecks(ALL_CHECKS)
  total.passed += ALL_CHECKS.length - failed.length
  total.failed += failed.length
  failures.push(...failed)
  parts.push(`checks ${seconds(Date.now() - began)}`)
}
for (const stage of LANES) {
  const lanes = stage.map((lane) => lane.filter((name) => wanted.has(name))).filter((lane) => lane.length > 0)
  await Promise.all(
    lanes.map(async (lane, at) => {
      for (const project of lane) await runProject(project, at === 0)
    }),
  )
}
console.log(`${parts.join(", ")}; the slowest files:`)
for (const { file, took } of slow.toSorted((one, other) => other.took - one.took).slice(0, 10))
  console.log(`  ${seconds(took)} ${file}`)
for (const failure of failures) console.log(`FAILED ${failure}`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

async function runProject(project, live) {
  const report = join(results, `${project}.json`)
  rmSync(report, { force: true })
  const args = [
    "run",
    "--config",
    PROJECTS[project],
    "--project",
    project,
    "--passWithNoTests",
    "--reporter=default",
    "--reporter=./scripts/test-report.mjs",
    ...(values.stress ? [] : ["--tagsFilter=!stress"]),
    ...positionals,
  ]
  const began = Date.now()
  const ok = await runStep(`${project} tests`, ["node_modules/vitest/vitest.mjs", ...args], {
    env: { ...env, CHORUS_TEST_REPORT: report },
    live,
  })
  parts.push(`${project} ${seconds(Date.now() - began)}`)
  const told = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : { passed: 0, files: [], failures: [] }
  if (!ok && told.failures.length === 0)
    told.failures.push(`${project}: the run broke down; its output above says where`)
  total.passed += told.passed
  total.failed += told.failures.length
  failures.push(...told.failures)
  slow.push(...told.files)
}

/** What the everyday run leaves out, by file. */
function tellWhatIsOnlyHere() {
  const files = ["packages", "test", "e2e"]
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file)))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules"))
  const reads = (file) =>
    /CHORUS_STRESS|\bSTRESS\b|@module-tag stress|"stress"/.test(readFileSync(join(root, file), "utf8"))
  const [whole, more] = [files.filter((file) => file.endsWith(".matrix.test.ts")), files.filter(reads)]
  console.log(`only under stress:\n  ${whole.toSorted().join("\n  ")}`)
  console.log(`with more cases or rounds under stress:\n  ${more.toSorted().join("\n  ")}`)
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
