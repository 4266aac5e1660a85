// Writes down what the product is made of, as CycloneDX: `node scripts/sbom.mjs [FILE]`, else dist/sbom.json. npm states the packages;
// asked to omit what only building needs it also omits what both need (react, hono, zod), so here is walked what the product does need.
// The same lock file gives the same bytes; a time is in it only where SOURCE_DATE_EPOCH gives one.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./install.mjs"
import { NODE_PACKAGES, NODE_VERSION } from "./node24.mjs"

/** The two things that are built, and the room each starts from. */
const PARTS = { command: "@chorus/cli", page: "@chorus/web" }

/** The bill of materials as text. */
export function billOfMaterials() {
  const lockText = readFileSync(join(root, "package-lock.json"), "utf8")
  const rooms = roomsOf(JSON.parse(lockText).packages)
  const stated = statedByNpm()
  const needs = new Map(stated.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const partsOf = new Map()
  const direct = new Set()
  for (const [part, name] of Object.entries(PARTS)) walk(rooms.get(name), part)
  const { version, licenses } = stated.metadata.component
  const own = { type: "application", "bom-ref": `chorus@${version}`, name: "chorus", version }
  const runtimes = nodeComponents()
  const bill = {
    ...stated,
    serialNumber: `urn:uuid:${uuidFrom(lockText)}`,
    metadata: { ...buildTime(), component: { ...own, purl: `pkg:npm/chorus@${version}`, licenses } },
    components: stated.components
      .filter((one) => partsOf.has(one["bom-ref"]))
      .map((one) => ({ ...one, externalReferences: undefined, properties: partsOf.get(one["bom-ref"]) }))
      .concat(runtimes)
      .toSorted((one, other) => (one["bom-ref"] < other["bom-ref"] ? -1 : 1)),
    dependencies: [
      { ref: own["bom-ref"], dependsOn: [...direct, ...runtimes.map((one) => one["bom-ref"])].toSorted() },
      ...[...partsOf.keys()].toSorted().map((ref) => ({
        ref,
        dependsOn: needs
          .get(ref)
          .filter((need) => partsOf.has(need))
          .toSorted(),
      })),
    ],
  }
  return `${JSON.stringify(bill, null, 2)}\n`

  /** Rooms of ours are walked through and are not listed; what only their tests need is not followed. */
  function walk({ ref, asked }, part) {
    for (const need of needs.get(ref)) {
      const name = need.slice(0, need.lastIndexOf("@"))
      if ((asked !== undefined && !asked.has(name)) || name.startsWith("@types/")) continue
      const room = rooms.get(name)
      if (room === undefined && asked !== undefined) direct.add(need)
      const known = partsOf.get(need) ?? []
      if (known.some(({ value }) => value === part)) continue
      if (room === undefined) partsOf.set(need, [...known, { name: "chorus:part", value: part }])
      walk(room ?? { ref: need }, part)
    }
  }
}

export function writeSbom(path = join(root, "dist", "sbom.json")) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.tmp`, billOfMaterials())
  renameSync(`${path}.tmp`, path)
}

/** The Node that `npm start` and the package bring where there is none: no lock file of npm's names it. */
function nodeComponents() {
  return Object.entries(NODE_PACKAGES).map(([name, integrity]) => ({
    "bom-ref": `${name}@${NODE_VERSION}`,
    type: "platform",
    name,
    version: NODE_VERSION,
    purl: `pkg:npm/${name}@${NODE_VERSION}`,
    hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex") }],
    licenses: [{ license: { id: "MIT" } }],
    properties: [{ name: "chorus:part", value: "runtime" }],
  }))
}

function statedByNpm() {
  const rooms = Object.values(PARTS).flatMap((name) => ["--workspace", name])
  const options = ["--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application"]
  const text = execFileSync("npm", ["sbom", ...options, ...rooms], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  })
  return JSON.parse(text)
}

/** Our rooms by name: how npm refers to each, and what it asks for to run. */
function roomsOf(packages) {
  const rooms = Object.entries(packages).filter(
    ([path]) => path.startsWith("packages/") && !path.includes("node_modules"),
  )
  return new Map(
    rooms.map(([, { name, version, dependencies = {} }]) => [
      name,
      { ref: `${name}@${version}`, asked: new Set(Object.keys(dependencies)) },
    ]),
  )
}

/** A name-based id: the same text has the same one. */
function uuidFrom(text) {
  const hex = createHash("sha256").update(text).digest("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  )
}

function buildTime() {
  const seconds = process.env["SOURCE_DATE_EPOCH"]
  return seconds === undefined ? {} : { timestamp: new Date(Number(seconds) * 1000).toISOString() }
}

if (process.argv[1] && fileURLToPath(import.meta.url) === resolve(process.argv[1])) {
  writeSbom(process.argv[2] === undefined ? undefined : resolve(process.argv[2]))
}
