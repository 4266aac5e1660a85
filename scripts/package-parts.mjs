// What is in the installable package besides the bundle and the page: the way in, the plugins, the books and the licences.
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"
import { bundledPackages, notices, packagesOf } from "./pack-notices.mjs"

const WHOLE = [".claude-plugin", "plugin", "deploy", "LICENSE", "README.md"]
const BIN = { "pack-entry.mjs": "chorus.mjs", "run-command.mjs": "run-command.mjs", "node24.mjs": "node24.mjs" }

/** Files and folders that `furnish` copies. */
export function packageSources() {
  const books = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
  return [
    ...WHOLE.map((name) => join(root, name)),
    ...books.map((name) => join(root, "docs", name)),
    ...Object.keys(BIN).map((name) => join(root, "scripts", name)),
  ]
}

export function furnish(folder, version) {
  for (const source of packageSources()) {
    const path = source.slice(root.length + 1).replace(/^scripts\/(.+)$/, (_, name) => join("bin", BIN[name]))
    cpSync(source, join(folder, path), { recursive: true })
  }
  chmodSync(join(folder, "bin", "chorus.mjs"), 0o755)
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(version), null, 2)}\n`)
}

/** `metafile` is the bundler's list of what it took into the command. */
export function writeNotices(folder, metafile) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.md"), notices([...bundledPackages(metafile), ...packagesOf("web")]))
}

function manifest(version) {
  return {
    name: "chorus",
    version,
    description: "The shared workplace of people and coding agents.",
    license: "MIT",
    type: "module",
    engines: { node: ">=20" },
    bin: { chorus: "bin/chorus.mjs" },
  }
}
