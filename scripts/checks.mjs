// What is checked without running the product.
import { spawn, spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
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

/** Runs every check, one on each core, also after one has failed; returns the names of those that did. */
export async function runChecks(checks = CHECKS) {
  const waiting = [...checks]
  const failed = []
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (!(await runCheck(...next))) failed.push(next[0])
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return failed
}

/** What it says is shown when it has ended, so that no two speak at once. */
function runCheck(name, args) {
  const node = node24()
  const began = Date.now()
  const check = spawn(node, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: environmentFor(node) })
  let said = ""
  for (const stream of [check.stdout, check.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text))
  return new Promise((done) =>
    check.on("close", (code) => {
      process.stdout.write(said)
      done(tellStep(name, code === 0, began))
    }),
  )
}

export function runStep(name, args, env = {}) {
  const node = node24()
  const began = Date.now()
  const step = spawnSync(node, args, { cwd: root, stdio: "inherit", env: { ...environmentFor(node), ...env } })
  return tellStep(name, step.status === 0, began)
}

function tellStep(name, passed, began) {
  console.log(`${name}: ${passed ? "ok" : "failed"} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
  return passed
}
