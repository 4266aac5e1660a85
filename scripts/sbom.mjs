// Writes down what the product is made of, as CycloneDX 1.6: `node scripts/sbom.mjs [FILE]`, else dist/sbom.json. The same lock
// file gives the same bytes; a time is in it only where SOURCE_DATE_EPOCH gives one.
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./install.mjs"

/** The two things that are built, and the room each starts from. */
const PARTS = { command: "packages/cli", page: "packages/web" }

/** The bill of materials as text. */
export function billOfMaterials() {
  const lockText = readFileSync(join(root, "package-lock.json"), "utf8")
  const { packages } = JSON.parse(lockText)
  const found = new Map()
  const direct = new Set()
  for (const [part, room] of Object.entries(PARTS)) collect({ packages, part, path: room, found, direct })
  const own = { name: "chorus", version: packages[""].version }
  const ownRef = purl(own)
  const entries = [...found.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidFrom(lockText)}`,
    version: 1,
    metadata: {
      ...buildTime(),
      component: {
        type: "application",
        "bom-ref": ownRef,
        ...own,
        purl: ownRef,
        licenses: [{ license: { id: "MIT" } }],
      },
    },
    components: entries.map(([ref, { entry, name, parts }]) => component({ ref, entry, name, parts })),
    dependencies: [
      { ref: ownRef, dependsOn: [...direct].toSorted() },
      ...entries.map(([ref, { needs }]) => ({ ref, dependsOn: [...needs].toSorted() })),
    ],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

export function writeSbom(path = join(root, "dist", "sbom.json")) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.tmp`, billOfMaterials())
  renameSync(`${path}.tmp`, path)
}

/** Walks what a room or package needs as Node would find it; rooms of ours are walked through and are not listed. */
function collect({ packages, part, path, found, direct, seen = new Set(), from }) {
  if (seen.has(path)) return
  seen.add(path)
  const entry = packages[path]
  for (const name of needsOf(entry)) {
    const place = placeOf(packages, path, name)
    if (place === undefined) continue
    if (packages[place].link === true) {
      collect({ packages, part, path: packages[place].resolved, found, direct, seen })
      continue
    }
    const ref = purl({ name, version: packages[place].version })
    const known = found.get(ref) ?? { entry: packages[place], name, parts: new Set(), needs: new Set() }
    known.parts.add(part)
    found.set(ref, known)
    if (from === undefined) direct.add(ref)
    else found.get(from).needs.add(ref)
    collect({ packages, part, path: place, found, direct, seen, from: ref })
  }
}

function needsOf({ dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
  return [...new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers])].toSorted()
}

function placeOf(packages, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`
    if (packages[place] !== undefined) return place
    if (folder === "") return undefined
  }
}

function component({ ref, entry, name, parts }) {
  const [group, short] = name.startsWith("@") ? name.split("/") : [undefined, name]
  return {
    type: "library",
    "bom-ref": ref,
    ...(group === undefined ? {} : { group }),
    name: short,
    version: entry.version,
    scope: entry.optional === true ? "optional" : "required",
    hashes: [
      { alg: "SHA-512", content: Buffer.from(entry.integrity.slice("sha512-".length), "base64").toString("hex") },
    ],
    ...licences(entry.license),
    purl: ref,
    properties: [...parts].toSorted().map((part) => ({ name: "chorus:part", value: part })),
  }
}

function licences(terms) {
  if (terms === undefined) return {}
  return { licenses: [/ (OR|AND) /.test(terms) ? { expression: terms } : { license: { id: terms } }] }
}

function purl({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`
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
