// Builds what is stale into dist/: the command in one bundle, the page in one folder, and the list of what is in them.
// `npm run build [-- --force]`
import { createHash } from "node:crypto"
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./install.mjs"
import { cacheDirectory } from "./node24.mjs"
import { furnish, packageSources, writeNotices } from "./package-parts.mjs"
import { writeSbom } from "./sbom.mjs"

const dist = join(root, "dist")
const DAY_MS = 86_400_000
const LONGEST_BUILD_MS = 600_000

/** What is built, from which files, and how. */
const parts = [
  { name: "command", inputs: commandSources, make: bundleCommand },
  { name: "page", inputs: () => (hasPage() ? pageSources() : undefined), make: buildPage },
  { name: "plugin", inputs: pluginSources, make: writePlugin },
  // A server in a clone offers its own command as a package; this is what that has besides dist/.
  {
    name: "package",
    inputs: () => packageSources().flatMap((path) => (statSync(path).isFile() ? [path] : filesBelow(path))),
    make: () => furnish(join(dist, "package"), workspaceVersion()),
  },
  { name: "bill", inputs: () => [join(root, "scripts", "sbom.mjs")], make: () => writeSbom(join(dist, "sbom.json")) },
]

/** Whether anything was changed since it was built; reads only the folders, in a few milliseconds. */
export function isStale() {
  return parts.some((part) => staleFingerprint(part) !== undefined)
}

/** Commands that are started side by side in a fresh clone build once: the others wait and find it done. */
async function main(force) {
  const { withLock } = await import("../packages/disk/src/index.ts")
  mkdirSync(dist, { recursive: true })
  const lock = { notes: join(dist, ".locks"), timeoutMs: LONGEST_BUILD_MS, abandonedAfterMs: LONGEST_BUILD_MS }
  await withLock(join(dist, "build"), lock, async () => {
    // One by one: what one part writes may be read by the next.
    for (const part of parts) {
      const fingerprint = staleFingerprint(part, force)
      if (fingerprint === undefined) continue
      const began = Date.now()
      await part.make()
      writeWhole(stampOf(part), fingerprint)
      process.stderr.write(`chorus: built the ${part.name} in ${((Date.now() - began) / 1000).toFixed(1)} s\n`)
    }
  })
}

/** What the part would be built from, unless it is built from just that already. */
function staleFingerprint(part, force = false) {
  const fingerprint = fingerprintOf(part.inputs())
  return force || readIfThere(stampOf(part)) !== fingerprint ? fingerprint : undefined
}

function stampOf(part) {
  return join(dist, `.built-${part.name}`)
}

function fingerprintOf(files) {
  if (files === undefined) return undefined
  const hash = createHash("sha256")
  for (const file of [
    ...files,
    join(root, "package.json"),
    join(root, "package-lock.json"),
    fileURLToPath(import.meta.url),
  ].sort()) {
    const { size, mtimeMs } = statSync(file)
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest("hex")
}

/** With the small programs that agents start, which are copied as they are. */
function commandSources() {
  const programs = filesBelow(join(root, "packages", "status", "programs"))
  return [...sources((room) => room !== "web" && room !== "testing"), ...programs]
}

function sources(wanted) {
  return readdirSync(join(root, "packages"))
    .filter(wanted)
    .flatMap((room) => filesBelow(join(root, "packages", room, "src")))
}

function hasPage() {
  return ["ts", "js", "mjs"].some((ending) => existsSync(join(root, "packages", "web", `vite.config.${ending}`)))
}

function pageSources() {
  const own = readdirSync(join(root, "packages", "web"), { withFileTypes: true })
  const files = own.filter((entry) => entry.isFile()).map((entry) => join(root, "packages", "web", entry.name))
  return [
    ...files,
    ...filesBelow(join(root, "packages", "web", "public")),
    ...sources((room) => ["web", "contracts", "core", "client"].includes(room)),
  ]
}

function pluginSources() {
  const byHand = ["agents", "commands", "skills"].map((folder) => join(root, "plugin", folder))
  return [join(root, "packages", "hooks", "src"), join(root, "packages", "hooks", "program"), ...byHand].flatMap(
    filesBelow,
  )
}

function filesBelow(directory) {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

/** The repository is a marketplace as it is cloned, so what is made for the plugins is kept in it. */
async function writePlugin() {
  const { writeMadeFiles } = await import("../packages/hooks/src/plugin-layout.ts")
  writeMadeFiles()
}

/** Programs of ours that agents and panes start by their path; `programPlaces` finds them. */
const startedByPath = Object.fromEntries(
  [
    ["team-member", "teams/src/runtime/member-main.ts"],
    ["team-tools", "teams/src/mcp/main.ts"],
    ["opencode-plugin", "status/src/opencode/plugin.ts"],
    ["opencode-board", "status/src/opencode/board-plugin.ts"],
  ].map(([name, source]) => [`programs/${name}`, join(root, "packages", source)]),
)

async function bundleCommand() {
  const { outputFiles, metafile } = await commandBundle(dist)
  // Chunks carry their hash in their name; the entry comes last, so that whoever starts meanwhile finds all it needs.
  const entryLast = outputFiles.toSorted(
    (a, b) => Number(basename(a.path) === "chorus.js") - Number(basename(b.path) === "chorus.js"),
  )
  for (const { path, contents } of entryLast) {
    mkdirSync(dirname(path), { recursive: true })
    writeWhole(path, contents)
  }
  copyScripts(dist)
  writeNotices(join(dist, "package"), metafile)
  prune(filesBelow(join(dist, "chunks")).filter((file) => !outputFiles.some(({ path }) => path === file)))
  prune(filesBelow(join(cacheDirectory(), "compiled")))
}

/** The command and the programs beside it, with everything they import, as files below `outdir` that are not written yet. */
export async function commandBundle(outdir, { sourcemap = "linked", version = workspaceVersion() } = {}) {
  const { build } = await import("esbuild")
  const listener = await listenerBundle(outdir)
  const command = await build({
    entryPoints: { chorus: join(root, "packages", "cli", "src", "main.ts"), ...startedByPath },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // The other form of some packages finds its parts only when it runs, where there are none.
    mainFields: ["module", "main"],
    chunkNames: "chunks/[name]-[hash]",
    sourcemap,
    sourcesContent: false,
    minifySyntax: true,
    legalComments: "none",
    // Packages that ask for the first two try and go on without; the last is a program of its own.
    external: ["pg-native", "fsevents", "esbuild"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    plugins: [englishOnly, onlyVersion(version), fromTheirFiles],
    logLevel: "warning",
    metafile: true,
    write: false,
  })
  return { ...command, outputFiles: [...command.outputFiles, ...listener.outputFiles] }
}

/** The one program that stays for days is a file by itself with nothing in it that it does not use, and without modules: half the memory of the rest goes with them. */
async function listenerBundle(outdir) {
  const { build } = await import("esbuild")
  const lean = {
    name: "lean",
    setup(setup) {
      setup.onResolve({ filter: /^(@chorus\/|\.)/ }, async ({ path, pluginData, ...from }) => {
        if (pluginData === "again") return undefined
        const { path: found } = await setup.resolve(path, {
          resolveDir: from.resolveDir,
          kind: from.kind,
          importer: from.importer,
          pluginData: "again",
        })
        return { path: found, sideEffects: false }
      })
    },
  }
  return build({
    entryPoints: { "programs/status-listener": join(root, "packages", "status", "src", "listener", "main.ts") },
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    minifySyntax: true,
    legalComments: "none",
    define: { "import.meta.url": "__url" },
    banner: { js: 'const __url = require("node:url").pathToFileURL(__filename).href;' },
    plugins: [lean],
    logLevel: "warning",
    write: false,
  })
}

/** Scripts in other languages go along as they are. */
export function copyScripts(outdir) {
  const scripts = join(root, "packages", "status", "programs")
  for (const name of readdirSync(scripts)) cpSync(join(scripts, name), join(outdir, "programs", name))
}

/** The schema library brings its messages in forty languages; ours are in one, and the others cost memory. */
const englishOnly = {
  name: "english-only",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer, path }) => {
      if (importer.includes(join("node_modules", "zod")))
        return { path: relative(root, resolve(dirname(importer), path)), namespace: "english-only" }
    })
    onLoad({ filter: /.*/, namespace: "english-only" }, ({ path }) => ({
      contents: 'export { default as en } from "./en.js"',
      resolveDir: join(root, dirname(path)),
    }))
  },
}

/**
 * Chunks are cut along files, so one name taken from a room's index would bring the whole room along, and with contracts
 * that is a third of what a command loads. Names are taken from where they are stated.
 */
const fromTheirFiles = {
  name: "from-their-files",
  setup({ onLoad }) {
    const rooms = Object.fromEntries(["contracts", "core"].map((room) => [room, statedIn(room)]))
    const imports = /^import \{([^}]*)\} from "@chorus\/(contracts|core)"/gm
    onLoad({ filter: /packages[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replaceAll(imports, (whole, words, room) => {
        const each = valuesIn(words).map(([name, as]) => {
          const { file, inside } = rooms[room].get(name)
          return `import ${inside === undefined ? `* as ${as}` : `{ ${inside} as ${as} }`} from ${JSON.stringify(file)}`
        })
        // Every line stays where it was, for those who read a trace.
        return each.join(";") + "\n".repeat(whole.split("\n").length - 1)
      }),
    }))
  },
}

/** Where each value of a room's index is stated, and under which name; none where it is that whole file. */
function statedIn(room) {
  const index = join(root, "packages", room, "src", "index.ts")
  const stated = new Map()
  for (const [, words, from] of readFileSync(index, "utf8").matchAll(/^export \{([^}]*)\} from "([^"]+)"/gm)) {
    const file = resolve(dirname(index), from)
    const wholes = new Map(
      Array.from(readFileSync(file, "utf8").matchAll(/^import \* as (\w+) from "([^"]+)"/gm), ([, name, path]) => [
        name,
        { file: resolve(dirname(file), path) },
      ]),
    )
    for (const [inside, name] of valuesIn(words)) stated.set(name, wholes.get(inside) ?? { file, inside })
  }
  return stated
}

/** The names in the braces of an import or export that are not of types, each with the name that it gets. */
function valuesIn(words) {
  const all = words.split(",").map((word) => word.trim())
  return all
    .filter((word) => word !== "" && !word.startsWith("type "))
    .map((word) => {
      const [name, as = name] = word.split(" as ")
      return [name, as]
    })
}

/** Of the workspace's manifest the product knows its version and nothing else. */
function onlyVersion(version) {
  const manifest = join(root, "package.json")
  return {
    name: "only-version",
    setup({ onLoad }) {
      onLoad({ filter: /package\.json$/ }, ({ path }) =>
        path === manifest ? { contents: JSON.stringify({ version }), loader: "json" } : undefined,
      )
    },
  }
}

export function workspaceVersion() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version
}

/** A server that runs may still load what belongs to the build before, so that goes after a day. */
function prune(files) {
  for (const file of files) {
    if (Date.now() - statSync(file, { throwIfNoEntry: false })?.mtimeMs > DAY_MS) rmSync(file, { force: true })
  }
}

async function buildPage() {
  const building = join(dist, `web.${process.pid}.tmp`)
  const vite = spawnSync(
    process.execPath,
    [
      join(root, "node_modules", "vite", "bin", "vite.js"),
      "build",
      "--outDir",
      building,
      "--emptyOutDir",
      "--logLevel",
      "error",
    ],
    {
      cwd: join(root, "packages", "web"),
      stdio: ["ignore", "inherit", "inherit"],
    },
  )
  if (vite.status !== 0) {
    rmSync(building, { recursive: true, force: true })
    throw new Error("the page could not be built; see above")
  }
  const old = join(dist, `web.${process.pid}.old`)
  if (existsSync(join(dist, "web"))) renameSync(join(dist, "web"), old)
  renameSync(building, join(dist, "web"))
  rmSync(old, { recursive: true, force: true })
}

function writeWhole(path, contents) {
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, contents)
  renameSync(temporary, path)
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

if (process.argv[1] && fileURLToPath(import.meta.url) === resolve(process.argv[1])) {
  await main(process.argv.includes("--force"))
}
