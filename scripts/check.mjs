// The inner loop: types, lint, unit tests. `npm run check`
import { spawnSync } from "node:child_process"
import { ensureInstalled, root } from "./install.mjs"
import { environmentFor, node24 } from "./node24.mjs"

ensureInstalled()
const node = node24()
const steps = [
  ["types", ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.json"]],
  ["lint", ["node_modules/oxlint/bin/oxlint", "--deny-warnings"]],
  ["house rules", ["scripts/house-rules.mjs"]],
  ["unit tests", ["node_modules/vitest/vitest.mjs", "run", "--project", "unit"]],
]
for (const [name, args] of steps) {
  const began = Date.now()
  const step = spawnSync(node, args, { cwd: root, stdio: "inherit", env: environmentFor(node) })
  if (step.status !== 0) {
    console.error(`check: ${name} failed`)
    process.exit(step.status ?? 1)
  }
  console.log(`check: ${name} ok (${((Date.now() - began) / 1000).toFixed(1)} s)`)
}
