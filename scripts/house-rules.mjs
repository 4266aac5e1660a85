// Holds what no general linter knows: the one direction of imports, file sizes and names.
import { readFileSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { basename, join } from "node:path"
import { root } from "./install.mjs"

/** Which rooms each room may import from. */
const MAY_IMPORT = {
  contracts: [],
  core: ["contracts"],
  disk: ["contracts", "core"],
  client: ["contracts"],
  store: ["contracts", "core", "disk"],
  server: ["contracts", "core", "disk", "store", "trackers"],
  web: ["contracts", "core", "client"],
  hooks: ["contracts", "core", "disk"],
  status: ["contracts", "core", "disk"],
  teams: ["contracts", "core", "disk"],
  plugins: ["contracts", "core", "disk"],
  changes: ["contracts", "core"],
  runs: ["contracts", "core", "disk", "changes"],
  trackers: ["contracts"],
  testing: ["contracts"],
  cli: [
    "contracts",
    "core",
    "disk",
    "store",
    "server",
    "client",
    "hooks",
    "status",
    "teams",
    "plugins",
    "changes",
    "trackers",
    "runs",
  ],
}
const MAX_LINES = 400
const WIDEST = 120
const WIDE_SHARE = 0.005
const OWN_IMPORT = /^(?:import|export)\b[^"]*? from "(?:\.|@chorus\/)/gm
const IS_TEST = /\.test\.tsx?$|^(test|e2e)\/|\/test\//
const BANNED_NAMES = /^(utils?|helpers?|.*manager|misc|common)\.tsx?$/

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts", "*.tsx"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter(Boolean)
const texts = files.flatMap((file) => {
  const text = readTextIfThere(join(root, file))
  return text === undefined ? [] : [{ file, text }]
})
const faults = [...texts.flatMap(faultsOf), ...shapeFaults()]
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

function faultsOf({ file, text }) {
  const found = []
  const lines = text.split("\n").length - 1
  if (lines > MAX_LINES && !IS_TEST.test(file) && !text.startsWith("// table:"))
    found.push(`${file}: ${lines} lines; over ${MAX_LINES} it is two files`)
  if (BANNED_NAMES.test(basename(file))) found.push(`${file}: name a file by the noun it owns`)
  if (/^export \* from/m.test(text)) found.push(`${file}: "export *" hides what is public; name it`)
  if (/\/operations\/[^.]*\.ts$/.test(file) && /\.run\(context\b/.test(text))
    found.push(`${file}: only the registry runs operations; call the noun's function on the record`)
  if (/"in",\s*\[\.\.\.[^\]]*, ""\]/.test(text))
    found.push(`${file}: an empty list after "in" needs no guard; the store reads it`)
  return [...found, ...directionFaults(file, text)]
}

/** What a stranger feels first: lines that run off the screen. The rest is printed, to be compared with last time. */
function shapeFaults() {
  const code = texts.filter(({ file }) => !IS_TEST.test(file))
  const lines = code.flatMap(({ text }) => text.split("\n"))
  const wide = texts.flatMap(({ text }) => text.split("\n")).filter((line) => line.length > WIDEST)
  const all = texts.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0)
  const share = wide.length / all
  const own = code.reduce((sum, { text }) => sum + (text.match(OWN_IMPORT) ?? []).length, 0) / code.length
  console.log(
    `${lines.length} lines of code in ${code.length} files, ${own.toFixed(2)} own imports each; ` +
      `${(share * 100).toFixed(2)} % of all lines wider than ${WIDEST} columns`,
  )
  return share > WIDE_SHARE ? [`${wide.length} lines are wider than ${WIDEST} columns`] : []
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
