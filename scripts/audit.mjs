// Looks at what we depend on: `node scripts/audit.mjs`. Without a network it reads the lock file alone; with one it also asks the
// registry which versions are known to be harmful. Where the registry has no such list that is said and is no fault.
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./install.mjs"

const PATIENCE_MS = 30_000

/** Licences under which we may pass a package on; the last is for fonts. */
const ALLOWED = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "Unlicense",
  "CC0-1.0",
  "Python-2.0",
  "OFL-1.1",
])

/** Those that we only build and test with, and do not pass on. */
const ALLOWED_FOR_BUILDING = new Set(["MPL-2.0"])

/** Packages whose manifest names no licence; what their licence file says, by the version that was read. */
const READ_BY_HAND = { "khroma@2.1.0": "MIT" }

/** What is wrong with a lock file, one line each. */
export function lockFaults({ packages }) {
  return Object.entries(packages)
    .filter(([path, entry]) => path.includes("node_modules/") && entry.link !== true)
    .flatMap(([path, entry]) => entryFaults({ ...entry, name: nameOf(path) }))
}

/** How the registry's answer to `npm audit --json` is to be taken. */
export function advisoryVerdict(text) {
  const answer = parsed(text)
  const counts = answer?.metadata?.vulnerabilities
  if (counts === undefined)
    return { reached: false, why: answer?.message ?? answer?.error?.summary ?? "no answer", faults: [] }
  const bad = Object.values(answer.vulnerabilities ?? {}).filter(
    ({ severity }) => severity === "high" || severity === "critical",
  )
  return {
    reached: true,
    lesser: counts.total - bad.length,
    faults: bad.map(
      ({ name, severity, range }) => `${name} ${range}: known to be harmful (${severity}); see npm audit`,
    ),
  }
}

function entryFaults({ name, version, integrity, resolved, license, dev, devOptional, hasInstallScript }) {
  const shipped = dev !== true && devOptional !== true
  const terms = license ?? READ_BY_HAND[`${name}@${version}`]
  return [
    ...(/^sha(256|384|512)-/.test(integrity ?? "")
      ? []
      : [`${name}@${version}: no strong integrity hash in the lock file`]),
    ...(resolved === undefined || resolved.startsWith("https://")
      ? []
      : [`${name}@${version}: does not come from a registry`]),
    ...(shipped && hasInstallScript === true ? [`${name}@${version}: runs a script when it is installed`] : []),
    ...(isAllowed(terms, shipped) ? [] : [`${name}@${version}: licence ${terms ?? "unknown"} is not on our list`]),
  ]
}

/** Of licences to choose from one is enough; of licences that all hold each has to do. */
function isAllowed(terms = "", shipped) {
  const known = (one) => ALLOWED.has(one) || (!shipped && ALLOWED_FOR_BUILDING.has(one))
  return terms
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((choice) => choice !== "" && choice.split(" AND ").every(known))
}

function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
}

function askRegistry() {
  const args = ["audit", "--omit=dev", "--json", "--fetch-retries=0", `--fetch-timeout=${PATIENCE_MS / 2}`]
  return new Promise((answered) => {
    execFile("npm", args, { cwd: root, timeout: PATIENCE_MS, maxBuffer: 32 * 1024 * 1024 }, (_error, stdout) =>
      answered(stdout),
    )
  })
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

if (process.argv[1] && fileURLToPath(import.meta.url) === resolve(process.argv[1])) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
  const { reached, why, lesser, faults } = advisoryVerdict(await askRegistry())
  const found = [...lockFaults(lock), ...faults]
  for (const fault of found) console.error(fault)
  console.log(
    reached
      ? `advisories: ${lesser} of lesser weight`
      : `advisories: not looked up, the registry's list cannot be reached (${String(why)
          .split("\n")[0]
          .replace(/https?:\S+/g, "")
          .trim()})`,
  )
  if (found.length > 0) process.exitCode = 1
}
