import { createHash } from "node:crypto"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import {
  addMarketplace,
  applyWithdrawals,
  checkAtStart,
  checkUpdates,
  contentHash,
  installPlugin,
  loadPlugins,
  parseMarketplaceSource,
  readPins,
  updateMarketplace,
  updatePlugin,
  uninstallPlugin,
  type AskConsent,
} from "@chorus/plugins"
import { codeOf, market, no, plugin, skill, Workbench, yes } from "./workbench.ts"

let bench: Workbench
beforeEach(() => {
  bench = new Workbench()
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
})

const install = (id: string, ask: AskConsent = yes) =>
  installPlugin(bench.context(), { plugin: id, scope: "user", ask })
const fileUrl = (name: string) => `file://${join(bench.fixtures, name)}`

async function addLocal(
  name: string,
  plugins: readonly unknown[],
  tree: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Promise<void> {
  const root = bench.write(name, { ".claude-plugin/marketplace.json": market(name, plugins, more), ...tree })
  await addMarketplace(bench.context(), { source: "directory", path: root }, "user")
}

test("git sources: whole repository, ref, pinned commit and sub-folder, with the versions the real program computes", async () => {
  bench.commit(
    "gp",
    { ".claude-plugin/plugin.json": { name: "gp", description: "d", version: "2.1.0" }, "skills/s/SKILL.md": skill() },
    "gp--v2.1.0",
  )
  const old = bench.git(join(bench.fixtures, "gp"), "rev-parse", "HEAD").trim()
  const head = bench.commit(
    "gp",
    { ".claude-plugin/plugin.json": { name: "gp", description: "d", version: "3.0.0" } },
    "gp--v3.0.0",
  )
  const mono = bench.commit("mono", {
    "other/big.txt": "x",
    "tools/x/.claude-plugin/plugin.json": { name: "mx", description: "d" },
    "tools/x/skills/s/SKILL.md": skill(),
  })
  await addLocal("m4", [
    { name: "gp", source: { source: "url", url: fileUrl("gp") } },
    { name: "gpref", source: { source: "url", url: fileUrl("gp"), ref: "gp--v2.1.0" } },
    { name: "gpsha", source: { source: "url", url: fileUrl("gp"), sha: old } },
    { name: "mx", source: { source: "git-subdir", url: fileUrl("mono"), path: "tools/x" } },
    { name: "mxmiss", source: { source: "git-subdir", url: fileUrl("mono"), path: "tools/nope" } },
  ])
  for (const id of ["gp", "gpref", "gpsha", "mx"]) await install(`${id}@m4`)
  expect(await codeOf(install("mxmiss@m4"))).toBe("error_not_found")
  expect(bench.installed).toMatchObject({
    "gp@m4": [{ version: "3.0.0", gitCommitSha: head }],
    "gpref@m4": [{ version: "2.1.0", gitCommitSha: old }],
    "gpsha@m4": [{ version: "2.1.0", gitCommitSha: old }],
    "mx@m4": [{ version: `${mono.slice(0, 12)}-af1330de`, gitCommitSha: mono }],
  })
  expect(existsSync(bench.claude("plugins/cache/m4/mx", `${mono.slice(0, 12)}-af1330de`, "skills/s/SKILL.md"))).toBe(
    true,
  )
  expect(existsSync(bench.claude("plugins/cache/m4/gp/3.0.0/.git"))).toBe(false)
})

test("an update moves to the new commit, marks the old version and is shown by the check for updates", async () => {
  bench.commit("mono", { "tools/x/.claude-plugin/plugin.json": { name: "mx", description: "d" } })
  await addLocal(
    "m4",
    [
      { name: "mx", source: { source: "git-subdir", url: fileUrl("mono"), path: "tools/x" } },
      { name: "rel", source: "./rel" },
    ],
    { "rel/.claude-plugin/plugin.json": plugin("rel") },
  )
  const before = await install("mx@m4")
  await install("rel@m4")
  expect(await checkUpdates(bench.context())).toEqual([])
  const head = bench.commit("mono", { "tools/x/more.txt": "more" })
  expect(await checkUpdates(bench.context())).toMatchObject([
    { id: "mx@m4", installed: before.version, available: `${head.slice(0, 12)}-af1330de` },
  ])
  expect(await updatePlugin(bench.context(), "mx", { ask: no })).toMatchObject({
    outcome: "updated",
    oldVersion: before.version,
    newVersion: `${head.slice(0, 12)}-af1330de`,
  })
  expect(await updatePlugin(bench.context(), "rel@m4", { ask: no })).toMatchObject({ outcome: "up_to_date" })
  expect(existsSync(join(before.installPath, ".orphaned_at"))).toBe(true)
  expect(await codeOf(updatePlugin(bench.context(), "zzz", { ask: no }))).toBe("not_installed")
})

test("version ranges of dependencies are resolved by tags, and a conflict names every range", async () => {
  const tagged = bench.commit("gp", { ".claude-plugin/plugin.json": { name: "gp", version: "2.1.0" } }, "gp--v2.1.0")
  bench.commit("gp", { ".claude-plugin/plugin.json": { name: "gp", version: "3.0.0" } }, "gp--v3.0.0")
  await addLocal(
    "m4",
    [
      { name: "gp", source: { source: "url", url: fileUrl("gp") } },
      { name: "c21", source: "./c21" },
      { name: "c30", source: "./c30" },
      { name: "c9", source: "./c9" },
    ],
    {
      "c21/.claude-plugin/plugin.json": plugin("c21", { dependencies: [{ name: "gp", version: "~2.1.0" }] }),
      "c30/.claude-plugin/plugin.json": plugin("c30", { dependencies: [{ name: "gp", version: "^3.0" }] }),
      "c9/.claude-plugin/plugin.json": plugin("c9", { dependencies: [{ name: "gp", version: "^9.0" }] }),
    },
  )
  expect(await codeOf(install("c9@m4"))).toBe("dependency_version_conflict")
  await install("c21@m4")
  expect(bench.installed["gp@m4"]).toMatchObject([
    { version: `2.1.0-${tagged.slice(0, 12)}`, resolvedVersion: "2.1.0", gitCommitSha: tagged, auto: true },
  ])
  await expect(install("c30@m4")).rejects.toMatchObject({
    code: "dependency_version_conflict",
    message: expect.stringContaining("^3.0, ~2.1.0") as string,
  })
  expect(bench.installed["c30@m4"]).toBeUndefined()
  expect(await updatePlugin(bench.context(), "gp", { ask: yes })).toMatchObject({ outcome: "up_to_date" })
  expect((await loadPlugins(bench.context())).plugins.every((one) => one.loads)).toBe(true)
})

test("npm sources come from a registry by name, version and range, and their scripts never run", async () => {
  const mark = join(bench.root, "script-ran")
  await bench.npmRegistry({
    "@org/plug": {
      "1.0.0": { "skills/s/SKILL.md": skill() },
      "1.2.0": {
        "package.json": {
          name: "@org/plug",
          version: "1.2.0",
          scripts: { preinstall: `touch ${mark}`, install: `touch ${mark}`, postinstall: `touch ${mark}` },
        },
        ".claude-plugin/plugin.json": plugin("plug", { version: "1.2.0" }),
      },
      "2.0.0": {},
    },
    "is-number": { "7.0.0": { "index.js": "" } },
  })
  await addLocal("m4", [
    { name: "np", source: { source: "npm", package: "is-number", version: "7.0.0" } },
    { name: "plug", source: { source: "npm", package: "@org/plug", version: "^1.0" } },
    { name: "gone", source: { source: "npm", package: "@org/plug", version: "^8.0" } },
    { name: "ghx", source: { source: "npm", package: "github:o/r" } },
    { name: "filex", source: { source: "npm", package: "file:../x" } },
  ])
  expect(await install("np@m4")).toMatchObject({ version: "unknown" })
  expect(await install("plug@m4")).toMatchObject({ version: "1.2.0" })
  expect(existsSync(mark)).toBe(false)
  expect(await codeOf(install("gone@m4"))).toBe("error_not_found")
  expect(await codeOf(install("ghx@m4"))).toBe("error_policy")
  expect(await codeOf(install("filex@m4"))).toMatch(/error_(policy|validation)/)
})

test("archives are unpacked with their execute bits, from the top or one folder down, and checked by digest", async () => {
  const manifest = JSON.stringify(plugin("arc"))
  const zip = bench.zip({
    "arc-1/.claude-plugin/plugin.json": manifest,
    "arc-1/bin/tool": { content: "#!/bin/sh\n", mode: 0o100755 },
  })
  const tgz = await bench.tarball({ ".claude-plugin/plugin.json": plugin("tar") }, "tar-1")
  const url = await bench.serveFiles({ "/arc.zip": zip, "/arc.tgz": tgz })
  const sha256 = createHash("sha256").update(zip).digest("hex")
  await addLocal("m4", [
    { name: "arc", source: { source: "archive", url: `${url}/arc.zip`, sha256 } },
    { name: "tar", source: { source: "archive", url: `${url}/arc.tgz` } },
    { name: "bad", source: { source: "archive", url: `${url}/arc.zip`, sha256: "0".repeat(64) } },
  ])
  const { installPath } = await install("arc@m4")
  expect(statSync(join(installPath, "bin/tool")).mode & 0o111).not.toBe(0)
  expect(await install("tar@m4")).toMatchObject({ version: "1.0.0" })
  expect(await codeOf(install("bad@m4"))).toBe("digest_mismatch")
  expect(bench.installed["bad@m4"]).toBeUndefined()
})

test("a command source is shown, run only when accepted, and versioned by its content", async () => {
  const out = bench.write("ctool/out", {
    ".claude-plugin/plugin.json": { name: "ct", description: "d", version: "0.1.0" },
  })
  await addLocal("m4", [
    { name: "ct", source: { source: "command", command: `echo ${out}` } },
    { name: "sh", source: { source: "command", command: "echo $(id)" } },
  ])
  const manage = (settings: object) => bench.write("..", { "managed-settings.json": settings })
  manage({ disableCommandPluginSources: true })
  expect(await codeOf(install("ct@m4"))).toBe("error_policy")
  manage({})
  await expect(install("ct@m4", no)).rejects.toMatchObject({
    code: "command_source_refused",
    details: { command: `echo ${out}` },
  })
  expect((await install("ct@m4")).version).toMatch(/^0\.1\.0-[0-9a-f]{12}$/)
  expect(bench.installed["ct@m4"]).toMatchObject([{ sourceCommand: `echo ${out}`, sourceProducerPath: out }])
  expect(await codeOf(install("sh@m4"))).toBe("command_needs_shell")
})

test("marketplaces come from git, npm, a link, an archive, a file and settings", async () => {
  const tree = (name: string) => ({
    ".claude-plugin/marketplace.json": market(name, [{ name: "a", source: "./a" }]),
    "a/.claude-plugin/plugin.json": plugin("a"),
  })
  const commit = bench.commit("git-mkt", tree("git-mkt"))
  await bench.npmRegistry({ "mkt-pack": { "1.0.0": tree("npm-mkt") } })
  const url = await bench.serveFiles({
    "/marketplace.json": JSON.stringify(
      market("url-mkt", [{ name: "a", source: { source: "url", url: fileUrl("git-mkt") } }]),
    ),
    "/m.zip": bench.zip({
      "m/.claude-plugin/marketplace.json": JSON.stringify(market("zip-mkt", [{ name: "a", source: "./a" }])),
      "m/a/.claude-plugin/plugin.json": JSON.stringify(plugin("a")),
    }),
  })
  const file = join(bench.write("file-mkt", tree("file-mkt")), ".claude-plugin/marketplace.json")
  const typed = [fileUrl("git-mkt"), "npm:mkt-pack@1.0.0", `${url}/marketplace.json`, `${url}/m.zip`, file]
  const names: string[] = []
  for (const text of typed)
    names.push((await addMarketplace(bench.context(), parseMarketplaceSource(text), "user")).name)
  expect(names).toEqual(["git-mkt", "npm-mkt", "url-mkt", "zip-mkt", "file-mkt"])
  await addMarketplace(
    bench.context(),
    {
      source: "settings",
      name: "inline-mkt",
      plugins: [
        { name: "g", source: { source: "url", url: fileUrl("git-mkt") } },
        { name: "r", source: "./r" },
      ],
    },
    "user",
  )
  for (const name of names)
    expect((await install(`a@${name}`)).version).toBe(name === "url-mkt" ? commit.slice(0, 12) : "1.0.0")
  expect((await install("g@inline-mkt")).version).toBe(commit.slice(0, 12))
  expect(await codeOf(install("r@inline-mkt"))).toBe("error_validation")
  const next = bench.commit("git-mkt", { "a/.claude-plugin/plugin.json": plugin("a", { version: "2.0.0" }) })
  await updateMarketplace(bench.context(), "git-mkt")
  expect(await updatePlugin(bench.context(), "a@git-mkt", { ask: yes })).toMatchObject({ newVersion: "2.0.0" })
  expect(bench.installed["a@git-mkt"]).toMatchObject([{ gitCommitSha: next }])
})

test("marketplaces declared in the user's settings are fetched when needed, a project's only when the person adds them", async () => {
  bench.commit("git-mkt", {
    ".claude-plugin/marketplace.json": market("git-mkt", [{ name: "a", source: "./a" }]),
    "a/.claude-plugin/plugin.json": plugin("a"),
  })
  bench.write("../home/.claude", {
    "settings.json": { extraKnownMarketplaces: { "git-mkt": { source: { source: "git", url: fileUrl("git-mkt") } } } },
  })
  bench.write("../proj/.claude", {
    "settings.json": { extraKnownMarketplaces: { proj: { source: { source: "git", url: fileUrl("git-mkt") } } } },
  })
  expect((await install("a@git-mkt")).version).toBe("1.0.0")
  expect(await codeOf(install("a@proj"))).toBe("marketplace_untrusted")
})

test("renames carry settings and records along, and what a marketplace withdrew is removed", async () => {
  const tree = {
    "a/.claude-plugin/plugin.json": plugin("a"),
    "b/.claude-plugin/plugin.json": plugin("b"),
    "c/.claude-plugin/plugin.json": plugin("c"),
  }
  await addLocal(
    "m4",
    ["a", "b", "c"].map((name) => ({ name, source: `./${name}` })),
    tree,
  )
  for (const name of ["a", "b", "c"]) await install(`${name}@m4`)
  bench.write("m4", {
    ".claude-plugin/marketplace.json": market("m4", [{ name: "a2", source: "./a" }], {
      renames: { a: "a1", a1: "a2", b: null },
      forceRemoveDeletedPlugins: true,
    }),
  })
  expect(await applyWithdrawals(bench.context())).toEqual({
    renamed: [
      { from: "a@m4", to: "a2@m4" },
      { from: "b@m4", to: undefined },
    ],
    removed: ["c@m4"],
  })
  expect(bench.settings["enabledPlugins"]).toEqual({ "a2@m4": true })
  expect(Object.keys(bench.installed)).toEqual(["a2@m4"])
  expect((await loadPlugins(bench.context())).plugins).toMatchObject([{ id: "a2@m4", loads: true }])
})

test("without a network the cache stands in; what was never fetched is refused", async () => {
  const tgz = { "1.0.0": { ".claude-plugin/plugin.json": plugin("np") } }
  await bench.npmRegistry({ np: tgz, other: tgz })
  await addLocal("m4", [
    { name: "np", source: { source: "npm", package: "np" } },
    { name: "other", source: { source: "npm", package: "other" } },
  ])
  await install("np@m4")
  await uninstallPlugin(bench.context(), "np")
  const offline = bench.context({ network: { trusted: new Set(), offline: true } })
  const again = await installPlugin(offline, { plugin: "np@m4", scope: "user", ask: yes })
  expect(again.notes.join()).toContain("cache")
  expect(await codeOf(installPlugin(offline, { plugin: "other@m4", scope: "user", ask: yes }))).toBe("offline")
  await uninstallPlugin(bench.context(), "np")
  writeFileSync(join(again.installPath, "skills.md"), "tampered")
  expect(await codeOf(installPlugin(offline, { plugin: "np@m4", scope: "user", ask: yes }))).toBe("offline")
})

test("a download that broke off continues where it stopped", async () => {
  const zip = Buffer.from(
    bench.zip({
      ".claude-plugin/plugin.json": JSON.stringify(plugin("big")),
      "data.bin": Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 251)),
    }),
  )
  const half = Math.floor(zip.length / 2)
  const ranges: (string | undefined)[] = []
  const url = await bench.serve((request, response) => {
    ranges.push(request.headers.range)
    const from = request.headers.range === undefined ? 0 : Number(/bytes=(\d+)-/.exec(request.headers.range)?.[1])
    response.writeHead(from === 0 ? 200 : 206, { etag: '"v1"', "content-length": zip.length - from })
    if (from > 0) response.end(zip.subarray(from))
    else response.write(zip.subarray(0, half), () => response.destroy())
  })
  await addLocal("m4", [{ name: "big", source: { source: "archive", url: `${url}/big.zip` } }])
  expect(await codeOf(install("big@m4"))).toBe("error_network")
  const { installPath } = await install("big@m4")
  expect(ranges[0]).toBeUndefined()
  expect(ranges[1]).toMatch(/^bytes=\d+-$/)
  expect(readFileSync(join(installPath, "data.bin")).length).toBe(300_000)
})

test("packages of a plugin's own lockfile are installed, their scripts never run, and they are no part of the lock", async () => {
  const mark = join(bench.root, "script-ran")
  const registry = await bench.npmRegistry({
    "tiny-dep": {
      "1.0.0": {
        "index.js": "module.exports = 7",
        "package.json": { name: "tiny-dep", version: "1.0.0", scripts: { install: `touch ${mark}` } },
      },
    },
  })
  const packument = (await (await fetch(`${registry}/tiny-dep`)).json()) as {
    versions: Record<string, { dist: { tarball: string; integrity: string } }>
  }
  const dist = packument.versions["1.0.0"]?.dist
  const lock = {
    name: "p",
    version: "1.0.0",
    lockfileVersion: 3,
    packages: {
      "": { name: "p", version: "1.0.0", dependencies: { "tiny-dep": "1.0.0" } },
      "node_modules/tiny-dep": {
        version: "1.0.0",
        resolved: dist?.tarball,
        integrity: dist?.integrity,
        hasInstallScript: true,
      },
    },
  }
  bench.commit("g", {
    ".claude-plugin/plugin.json": plugin("p"),
    "package.json": { name: "p", version: "1.0.0", dependencies: { "tiny-dep": "1.0.0" } },
    "package-lock.json": lock,
    "node_modules/tiny-dep/index.js": "shipped and not to be trusted",
  })
  await addLocal("m4", [{ name: "p", source: { source: "url", url: fileUrl("g") } }])
  const shown: string[] = []
  const result = await install(
    "p@m4",
    (question) => (shown.push(...question.plugins.flatMap((one) => one.added.map((item) => item.does))), true),
  )
  expect(shown).toEqual([expect.stringMatching(/^installs 1 npm package of its lockfile from 127\.0\.0\.1:\d+, by/)])
  expect(result.notes).toEqual([])
  expect(readFileSync(join(result.installPath, "node_modules/tiny-dep/index.js"), "utf8")).toBe("module.exports = 7")
  expect(existsSync(mark)).toBe(false)
  expect(contentHash(result.installPath)).toBe(readPins(bench.context().home, "user").get("p@m4")?.contentHash)
})

test("at the start self-updating catalogues are fetched once a day, and newer versions are told but not installed", async () => {
  bench.commit("git-mkt", {
    ".claude-plugin/marketplace.json": market("git-mkt", [{ name: "a", source: "./a" }]),
    "a/.claude-plugin/plugin.json": plugin("a"),
  })
  await addMarketplace(bench.context(), { source: "git", url: fileUrl("git-mkt") }, "user")
  await install("a@git-mkt")
  bench.commit("git-mkt", { "a/.claude-plugin/plugin.json": plugin("a", { version: "2.0.0" }) })
  const later = (hours: number) => bench.context({ now: () => new Date(Date.now() + hours * 3_600_000) })
  expect((await checkAtStart(later(30))).updates).toEqual([])
  bench.write("../home/.claude", {
    "settings.json": {
      ...bench.settings,
      extraKnownMarketplaces: { "git-mkt": { source: { source: "git", url: fileUrl("git-mkt") }, autoUpdate: true } },
    },
  })
  expect((await checkAtStart(later(2))).updates).toEqual([])
  expect((await checkAtStart(later(30))).updates).toMatchObject([
    { id: "a@git-mkt", installed: "1.0.0", available: "2.0.0" },
  ])
  expect(bench.installed["a@git-mkt"]).toMatchObject([{ version: "1.0.0" }])
})
