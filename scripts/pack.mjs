// Makes the installable package: one tarball with everything inside, so that installing it fetches nothing else and runs nothing.
// `npm run pack [-- --out DIR] [-- --version V] [-- --as-built]`; --as-built takes the page as it lies in dist/.
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { commandBundle, copyScripts, workspaceVersion } from "./build.mjs"
import { root } from "./install.mjs"
import { prepare } from "./launch.mjs"
import { furnish, writeNotices } from "./package-parts.mjs"
import { writeSbom } from "./sbom.mjs"

const MEGABYTE = 1_000_000

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "." },
    version: { type: "string", default: workspaceVersion() },
    "as-built": { type: "boolean", default: false },
  },
})

if (!values["as-built"]) prepare()
const stage = mkdtempSync(join(tmpdir(), "chorus-pack-"))
try {
  await fill(stage, values.version)
  const tarball = packed(stage, resolve(values.out))
  process.stderr.write(
    `chorus: ${basename(tarball)} is ${megabytes(statSync(tarball).size)}, installed ${megabytes(sizeBelow(stage))}, and needs no other package\n`,
  )
  process.stdout.write(`${tarball}\n`)
} finally {
  rmSync(stage, { recursive: true, force: true })
}

async function fill(folder, version) {
  const { metafile } = await writeBundle(join(folder, "dist"), version)
  const page = join(root, "dist", "web")
  if (!existsSync(join(page, "index.html"))) throw new Error("the page is not built; leave out --as-built")
  cpSync(page, join(folder, "dist", "web"), { recursive: true })
  writeSbom(join(folder, "dist", "sbom.json"))
  furnish(folder, version)
  writeNotices(folder, metafile)
}

async function writeBundle(outdir, version) {
  const bundle = await commandBundle(outdir, { sourcemap: false, version })
  for (const { path, contents } of bundle.outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
  copyScripts(outdir)
  return bundle
}

/** npm itself packs, so that what is inside, in which order and with which dates is as npm wants it. */
function packed(folder, out) {
  mkdirSync(out, { recursive: true })
  const npm = spawnSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", out], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
    maxBuffer: 64 * MEGABYTE,
  })
  if (npm.status !== 0) throw new Error(`npm could not pack: ${npm.stderr}`)
  return join(out, JSON.parse(npm.stdout)[0].filename)
}

function sizeBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

function megabytes(bytes) {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}
