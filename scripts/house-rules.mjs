// Holds what no general linter knows: the one direction of imports, file sizes and names, and as much test as code.
import { readFileSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { basename, join } from "node:path"
import { root } from "./install.mjs"

/** Which rooms each room may import from. */
const MAY_IMPORT = {
  contracts: [],
  core: ["contracts"],
  client: ["contracts"],
  store: ["contracts", "core"],
  server: ["contracts", "core", "store"],
  web: ["contracts", "core", "client"],
  hooks: ["contracts", "core"],
  status: ["contracts", "core"],
  teams: ["contracts", "core"],
  plugins: ["contracts", "core"],
  testing: ["contracts"],
  cli: ["contracts", "core", "store", "server", "client", "hooks", "status", "teams", "plugins"],
}
const MAX_LINES = 400
const MEDIAN_LINES = 120
const IS_TEST = /\.test\.tsx?$|^(test|e2e)\/|\/test\//
const BANNED_NAMES = /^(utils?|helpers?|.*manager|misc|common)\.tsx?$/

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts", "*.tsx"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter(Boolean)
const faults = [...files.flatMap(faultsOf), ...sizeFaults()]
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

function faultsOf(file) {
  const text = readTextIfThere(join(root, file))
  if (text === undefined) return []
  const found = []
  const lines = text.split("\n").length - 1
  if (lines > MAX_LINES && !text.startsWith("// table:")) found.push(`${file}: ${lines} lines; over ${MAX_LINES} it is two files`)
  if (BANNED_NAMES.test(basename(file))) found.push(`${file}: name a file by the noun it owns`)
  if (/^export \* from/m.test(text)) found.push(`${file}: "export *" hides what is public; name it`)
  return [...found, ...directionFaults(file, text)]
}

function sizeFaults() {
  const sizes = files.map((file) => ({ file, lines: (readTextIfThere(join(root, file)) ?? "").split("\n").length - 1 }))
  const test = sum(sizes.filter(({ file }) => IS_TEST.test(file)))
  const code = sum(sizes) - test
  const median = sizes.map(({ lines }) => lines).toSorted((one, other) => one - other)[Math.floor(sizes.length / 2)]
  console.log(`${sizes.length} files, median ${median} lines; ${code} lines of code, ${test} of tests`)
  return [
    ...(median > MEDIAN_LINES ? [`the median file has ${median} lines; ${MEDIAN_LINES} are the most`] : []),
    ...(test < code ? [`${test} lines of tests for ${code} lines of code; there are as many at least`] : []),
  ]
}

function sum(sizes) {
  return sizes.reduce((total, { lines }) => total + lines, 0)
}

function directionFaults(file, text) {
  const room = /^packages\/([^/]+)\/src\//.exec(file)?.[1]
  if (!room || /\.test\.tsx?$/.test(file)) return []
  const allowed = MAY_IMPORT[room] ?? []
  return [...text.matchAll(/from "@chorus\/([a-z]+)/g)]
    .map((match) => match[1])
    .filter((other) => other !== room && !allowed.includes(other))
    .map((other) => `${file}: ${room} may not import ${other}`)
}

function readTextIfThere(path) {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
