// What is checked without running the product.
import { spawnSync } from "node:child_process"
import { root } from "./install.mjs"
import { environmentFor, node24 } from "./node24.mjs"

const CHECKS = [
  ["types", ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.json"]],
  ["types of the page", ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "packages/web/tsconfig.json"]],
  ["format", ["node_modules/oxfmt/bin/oxfmt", "--check", "."]],
  ["lint", ["node_modules/oxlint/bin/oxlint", "--deny-warnings"]],
  ["house rules", ["scripts/house-rules.mjs"]],
  ["reference", ["scripts/docs.mjs", "--check"]],
]

/** What may ask the network stays out of the inner loop. */
const SLOWER_CHECKS = [["dependency audit", ["scripts/audit.mjs"]]]

export const ALL_CHECKS = [...CHECKS, ...SLOWER_CHECKS]

/** Runs every check, also after one has failed; returns the names of those that did. */
export function runChecks(checks = CHECKS) {
  return checks.filter(([name, args]) => !runStep(name, args)).map(([name]) => name)
}

export function runStep(name, args, env = {}) {
  const node = node24()
  const began = Date.now()
  const step = spawnSync(node, args, { cwd: root, stdio: "inherit", env: { ...environmentFor(node), ...env } })
  const passed = step.status === 0
  console.log(`${name}: ${passed ? "ok" : "failed"} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
  return passed
}
