// Names everybody whose work is inside the package, with their licences, as those licences ask.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"

/** The packages that a bundle took files from, by the list the bundler keeps. */
export function bundledPackages({ inputs }) {
  return Object.keys(inputs).flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
}

/** The packages that a room may bring into the page: what it names, and what those name in turn. */
export function packagesOf(room) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages
  const found = new Set()
  const waiting = [`packages/${room}`]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const name of Object.keys(lock[at]?.dependencies ?? {})) {
      const place = placeOf(lock, at, name)
      if (place === undefined || found.has(place) || lock[place].link) continue
      found.add(place)
      waiting.push(place)
    }
  }
  return [...found]
}

/** Node looks for a package beside the one that asks, then further up. */
function placeOf(lock, from, name) {
  const outwards = [from]
  for (let at = from; at.includes("/node_modules/"); outwards.push(at))
    at = at.slice(0, at.lastIndexOf("/node_modules/"))
  return [...outwards.map((at) => `${at}/node_modules/${name}`), `node_modules/${name}`].find(
    (place) => lock[place] !== undefined,
  )
}

/** One text with each package once, in order of name. */
export function notices(places) {
  const entries = [...new Set(places)].map(entryOf).filter((entry) => entry !== undefined)
  const unique = new Map(entries.map((entry) => [entry.title, entry]))
  const sorted = [...unique.values()].sort((a, b) => (a.title < b.title ? -1 : 1))
  return `# Third-party notices\n\nThis package contains the work of others, under these licences.\n\n${sorted.map(({ title, text }) => `## ${title}\n\n${text}\n`).join("\n")}`
}

function entryOf(place) {
  const folder = join(root, place)
  if (!existsSync(join(folder, "package.json"))) return undefined
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim()
  return { title: `${name} ${version} (${typeof license === "string" ? license : "see below"})`, text }
}
