// What is checked without running the product.
import { spawn } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import { root } from "./install.mjs"
import { cacheDirectory, environmentFor, node24 } from "./node24.mjs"

const TSC = ["node_modules/typescript/bin/tsc", "--noEmit", "-p"]
/** Each with what the compiler notes of files that it goes by their content; `tsconfig.json` says where. */
const CHECKS = [
  ["types", [...TSC, "tsconfig.json"], "chorus.tsbuildinfo"],
  ["types of the page", [...TSC, "packages/web/tsconfig.json"], "chorus-web.tsbuildinfo"],
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
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, args, notes] = next
      if (notes !== undefined) lendNotes(notes)
      if (!(await runStep(name, args))) failed.push(name)
      else if (notes !== undefined) keepNotes(notes)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return failed
}

/** Runs to its end and tells how that was; what it says is shown then, so that no two speak at once, or as it comes. */
export function runStep(name, args, { env = {}, live = false } = {}) {
  const node = node24()
  const began = Date.now()
  const stdio = live ? "inherit" : ["ignore", "pipe", "pipe"]
  const step = spawn(node, args, { cwd: root, stdio, env: { ...environmentFor(node), ...env } })
  const said = []
  for (const stream of [step.stdout, step.stderr]) stream?.on("data", (bytes) => said.push(bytes))
  return new Promise((done) =>
    step.on("close", (code) => {
      process.stdout.write(Buffer.concat(said))
      console.log(`${name}: ${code === 0 ? "ok" : "failed"} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
      done(code === 0)
    }),
  )
}

/** A fresh clone goes on from what was found in the one before: the notes name files from where they lie. */
function lendNotes(name) {
  const { here, kept } = placesOf(name)
  if (existsSync(here) || !existsSync(kept)) return
  mkdirSync(dirname(here), { recursive: true })
  copyFileSync(kept, here)
}

function keepNotes(name) {
  const { here, kept } = placesOf(name)
  const begun = `${kept}.${process.pid}`
  mkdirSync(dirname(kept), { recursive: true })
  copyFileSync(here, begun)
  renameSync(begun, kept)
}

function placesOf(name) {
  return { here: join(root, "node_modules", ".cache", name), kept: join(cacheDirectory(), "types", name) }
}
