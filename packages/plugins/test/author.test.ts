import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import {
  auditPlugins,
  contributionOf,
  executableSurface,
  initPlugin,
  installPlugin,
  addMarketplace,
  loadPlugins,
  PARTS,
  tagRelease,
  trustPlugin,
  validatePath,
} from "@chorus/plugins"
import { codeOf, market, plugin, skill, Workbench, yes } from "./workbench.ts"

let bench: Workbench
beforeEach(() => {
  bench = new Workbench()
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
})

test("a plugin started with every part validates as it stands, and is loaded from the skills folder", async () => {
  const { folder, files } = initPlugin(bench.context(), {
    name: "my-tools",
    description: "Does things",
    author: "Ada",
    parts: PARTS,
  })
  expect(files).toContain(".claude-plugin/plugin.json")
  expect(validatePath(folder)).toEqual({ verdict: "valid", messages: [] })
  const loaded = (await loadPlugins(bench.context())).plugins.find((one) => one.id === "my-tools@skills-dir")
  expect(loaded?.errors).toEqual([])
  expect(loaded?.loads).toBe(true)
  expect(loaded && contributionOf(loaded)).toMatchObject({
    mcpServers: ["plugin:my-tools:my-tools"],
    lspServers: ["my-tools"],
    channels: ["my-tools"],
  })
})

test("a start overwrites nothing unless told to, and takes no name that would be refused", async () => {
  const { folder } = initPlugin(bench.context(), { name: "mine", parts: [] })
  writeFileSync(join(folder, "kept.txt"), "x")
  expect(await codeOf((async () => initPlugin(bench.context(), { name: "mine", parts: [] }))())).toBe("already_there")
  expect(existsSync(join(folder, "kept.txt"))).toBe(true)
  initPlugin(bench.context(), { name: "mine", parts: ["hooks"], force: true })
  expect(existsSync(join(folder, "kept.txt"))).toBe(false)
  for (const name of ["../out", "claude-official", "a b", ".."])
    expect(await codeOf((async () => initPlugin(bench.context(), { name, parts: [] }))())).toBe("name_refused")
})

test("a release is tagged once, only when it is committed and valid, and pushed when asked", async () => {
  bench.git(bench.fixtures, "init", "-q", "--bare", "remote.git")
  const root = bench.write("p", { ".claude-plugin/plugin.json": plugin("p", { version: "1.2.0" }) })
  bench.commit("p", {})
  bench.git(root, "config", "user.name", "T")
  bench.git(root, "config", "user.email", "t@example.invalid")
  bench.git(root, "remote", "add", "origin", `file://${bench.fixtures}/remote.git`)
  expect(await tagRelease(bench.context(), { path: root, dryRun: true })).toEqual({
    tag: "p--v1.2.0",
    pushedTo: undefined,
  })
  expect(await codeOf(tagRelease(bench.context(), { path: `${root}/nowhere` }))).toBe("manifest_missing")
  expect(bench.git(root, "tag").trim()).toBe("")
  bench.write("p", { "new.txt": "x" })
  expect(await codeOf(tagRelease(bench.context(), { path: root }))).toBe("not_committed")
  bench.commit("p", {})
  expect(await tagRelease(bench.context(), { path: root, push: true, message: "Second" })).toEqual({
    tag: "p--v1.2.0",
    pushedTo: "origin",
  })
  expect(bench.git(join(bench.fixtures, "remote.git"), "tag").trim()).toBe("p--v1.2.0")
  expect(await codeOf(tagRelease(bench.context(), { path: root }))).toBe("already_tagged")
  bench.commit("p", { ".claude-plugin/plugin.json": plugin("p", { version: "1.3.0", author: "x" }) })
  expect(await codeOf(tagRelease(bench.context(), { path: root }))).toBe("error_validation")
})

test("for a public directory a plugin needs a README and a licence; without the profile nobody asks", () => {
  const bare = bench.write("bare", {
    ".claude-plugin/plugin.json": plugin("bare", { homepage: "http://x.example", icon: "./gone.png" }),
  })
  expect(validatePath(bare).verdict).toBe("valid")
  const report = validatePath(bare, { profile: "directory" })
  expect(report.messages.map(({ level, code }) => `${level} ${code}`).sort()).toEqual([
    "error LICENSE_MISSING",
    "error README_MISSING",
    "warning ICON_INVALID",
    "warning LISTING_URL_SCHEME",
    "warning PRIVACY_URL_MISSING",
  ])
  const good = bench.write("good", {
    ".claude-plugin/plugin.json": plugin("good", { icon: "./i.png", privacyPolicyUrl: "https://x.example/p" }),
    "README.md": "What it does and how it is used. ".repeat(10),
    LICENSE: "MIT",
    "i.png": "x",
  })
  expect(validatePath(good, { profile: "directory" }).verdict).toBe("valid")
  rmSync(join(good, "LICENSE"))
  expect(validatePath(good, { profile: "directory" }).verdict).toBe("errors")
  const named = { icon: "./i.png", privacyPolicyUrl: "https://x.example/p", license: "MIT" }
  bench.write("good", { ".claude-plugin/plugin.json": plugin("good", named) })
  expect(validatePath(good, { profile: "directory" }).verdict).toBe("valid")
  bench.write("good", { "README.md": "# good" })
  expect(validatePath(good, { profile: "directory" }).messages.map(({ code }) => code)).toEqual(["README_TRIVIAL"])
})

test("a plugin is loaded from an archive for a session, also one that holds it in a folder", async () => {
  const zip = join(bench.fixtures, "packed.zip")
  writeFileSync(
    zip,
    bench.zip({ "top/.claude-plugin/plugin.json": JSON.stringify(plugin("packed")), "top/skills/s/SKILL.md": skill() }),
  )
  const { plugins } = await loadPlugins(bench.context(), { sessionFolders: [zip] })
  expect(plugins).toMatchObject([{ id: "packed@inline", loads: true, errors: [] }])
  writeFileSync(zip, bench.zip({ "../out.txt": "x" }))
  expect(await codeOf(loadPlugins(bench.context(), { sessionFolders: [zip] }))).toBe("content_refused")
  expect(existsSync(join(bench.root, "out.txt"))).toBe(false)
})

test("an MCP bundle shows the command it starts and every change of its bytes; a broken one leaves the rest of the plugin alone", async () => {
  const bundle = (code: string) =>
    bench.zip({
      "manifest.json": JSON.stringify({
        manifest_version: "0.2",
        name: "notes",
        version: "1.0.0",
        server: { type: "node", entry_point: "s.js", mcp_config: { command: "node", args: ["${__dirname}/s.js"] } },
      }),
      "s.js": code,
    })
  const root = bench.write("p", {
    ".claude-plugin/plugin.json": plugin("p", {
      mcpServers: ["./notes.mcpb", "./broken.mcpb", "https://bundles.example/far.mcpb"],
    }),
    "notes.mcpb": bundle("one"),
    "broken.mcpb": bench.zip({ "other.json": "{}" }),
    "skills/s/SKILL.md": skill(),
  })
  const load = async () => {
    const loaded = (await loadPlugins(bench.context(), { sessionFolders: [root] })).plugins[0]
    if (loaded?.plugin === undefined || loaded.inventory === undefined) throw new Error("it was not read")
    return { loaded, surface: executableSurface(loaded.plugin, loaded.inventory) }
  }
  const { loaded, surface } = await load()
  expect(loaded).toMatchObject({
    loads: true,
    errors: [{ message: "The MCP bundle ./broken.mcpb cannot be started: it holds no manifest.json." }],
  })
  expect(contributionOf(loaded)).toMatchObject({
    mcpServers: ["plugin:p:notes", "plugin:p:https://bundles.example/far.mcpb"],
    skills: ["p:s"],
  })
  expect(surface.items.map(({ kind, where, does }) => [kind, where, does])).toEqual([
    ["download", "MCP bundle", "downloads https://bundles.example/far.mcpb"],
    ["mcp", "notes (bundle ./notes.mcpb)", "node ${__dirname}/s.js"],
  ])
  writeFileSync(join(root, "notes.mcpb"), bundle("two"))
  expect((await load()).surface.sha256).not.toBe(surface.sha256)
})

test("packages of a lockfile that change on disk after the install are found by the audit", async () => {
  const url = await bench.npmRegistry({ "tiny-dep": { "1.0.0": { "index.js": "module.exports = 7" } } })
  const { dist } =
    (
      (await (await fetch(`${url}/tiny-dep`)).json()) as {
        versions: Record<string, { dist: { tarball: string; integrity: string } }>
      }
    ).versions["1.0.0"] ?? {}
  const lock = {
    name: "p",
    version: "1.0.0",
    lockfileVersion: 3,
    packages: {
      "": { name: "p", version: "1.0.0", dependencies: { "tiny-dep": "1.0.0" } },
      "node_modules/tiny-dep": { version: "1.0.0", resolved: dist?.tarball, integrity: dist?.integrity },
    },
  }
  bench.commit("g", {
    ".claude-plugin/plugin.json": plugin("p"),
    "package.json": { name: "p", version: "1.0.0", dependencies: { "tiny-dep": "1.0.0" } },
    "package-lock.json": lock,
  })
  const root = bench.write("m", {
    ".claude-plugin/marketplace.json": market("m", [
      { name: "p", source: { source: "url", url: `file://${bench.fixtures}/g` } },
    ]),
  })
  await addMarketplace(bench.context(), { source: "directory", path: root }, "user")
  const { installPath } = await installPlugin(bench.context(), { plugin: "p@m", scope: "user", ask: yes })
  const codes = async () =>
    auditPlugins(bench.context(), (await loadPlugins(bench.context())).plugins).map(({ code }) => code)
  expect(await codes()).not.toContain("packages_changed")
  const file = join(installPath, "node_modules/tiny-dep/index.js")
  writeFileSync(file, `${readFileSync(file, "utf8")}; steal()`)
  expect(await codes()).toContain("packages_changed")
  await trustPlugin(bench.context(), "p@m", yes)
  expect(await codes()).not.toContain("packages_changed")
})
