import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import {
  addMarketplace,
  disablePlugin,
  enablePlugin,
  installedOptions,
  installPlugin,
  listMarketplaces,
  loadPlugins,
  prunePlugins,
  removeMarketplace,
  secretStore,
  uninstallPlugin,
  configure,
  readConfiguration,
} from "@chorus/plugins"
import { codeOf, market, plugin, skill, Workbench, yes } from "./workbench.ts"

let bench: Workbench
beforeEach(() => {
  bench = new Workbench()
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
})

const install = (id: string, more: { scope?: "user" | "project" | "local"; config?: Record<string, unknown> } = {}) =>
  installPlugin(bench.context(), { plugin: id, scope: "user", ask: yes, ...more })

async function addLocal(
  name: string,
  plugins: readonly unknown[],
  tree: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<string> {
  const root = bench.write(name, { ".claude-plugin/marketplace.json": market(name, plugins, more), ...tree })
  await addMarketplace(bench.context(), { source: "directory", path: root }, "user")
  return root
}

test("a local marketplace is declared in settings and known, and not copied", async () => {
  const root = await addLocal("mkt", [{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
  expect(bench.settings).toEqual({ extraKnownMarketplaces: { mkt: { source: { source: "directory", path: root } } } })
  expect(bench.json(bench.claude("plugins", "known_marketplaces.json"))).toMatchObject({
    mkt: { source: { source: "directory", path: root }, installLocation: root },
  })
  expect((await addMarketplace(bench.context(), { source: "directory", path: root }, "user")).already).toBe(true)
  expect(listMarketplaces(bench.context())).toMatchObject([{ name: "mkt", plugins: 1 }])
})

test("dependencies come along as auto, are kept while needed, and are pruned after", async () => {
  await addLocal(
    "mkt",
    [
      { name: "a", source: "./a" },
      { name: "b", source: "./b" },
    ],
    {
      "a/.claude-plugin/plugin.json": plugin("a"),
      "a/skills/s/SKILL.md": skill(),
      "b/.claude-plugin/plugin.json": plugin("b", { dependencies: ["a"] }),
    },
  )
  const result = await install("b@mkt")
  expect(result.dependencies).toEqual(["a@mkt"])
  expect(bench.settings["enabledPlugins"]).toEqual({ "b@mkt": true, "a@mkt": true })
  expect(bench.installed).toMatchObject({
    "a@mkt": [{ scope: "user", version: "1.0.0", auto: true, installPath: bench.claude("plugins/cache/mkt/a/1.0.0") }],
    "b@mkt": [{ scope: "user", version: "1.0.0", installPath: bench.claude("plugins/cache/mkt/b/1.0.0") }],
  })
  expect(existsSync(bench.claude("plugins/cache/mkt/a/1.0.0/skills/s/SKILL.md"))).toBe(true)
  expect(await codeOf(disablePlugin(bench.context(), "a"))).toBe("required_by_dependents")
  expect((await disablePlugin(bench.context(), "b")).scope).toBe("user")
  expect(await codeOf(disablePlugin(bench.context(), "b"))).toBe("already_in_goal_state")
  expect((await uninstallPlugin(bench.context(), "a@mkt")).requiredBy).toEqual(["b@mkt"])
  expect(await codeOf(enablePlugin(bench.context(), "b@mkt"))).toBe("dependency_missing")
  await uninstallPlugin(bench.context(), "b@mkt")
  expect(bench.installed).toEqual({})
  await install("b@mkt")
  expect(await prunePlugins(bench.context(), "user", { dryRun: true })).toEqual([])
  expect((await uninstallPlugin(bench.context(), "b", { prune: true })).pruned).toEqual(["a@mkt"])
  expect(bench.settings["enabledPlugins"]).toEqual({})
  expect(existsSync(bench.claude("plugins/cache/mkt/a/1.0.0/.orphaned_at"))).toBe(true)
})

test("plugin.json cycles install with a clear report; a missing dependency installs, says so, and does not load", async () => {
  await addLocal(
    "mkt",
    [
      { name: "c1", source: "./c1" },
      { name: "c2", source: "./c2" },
      { name: "md", source: "./md" },
      { name: "sd", source: "./sd" },
      { name: "x", source: "./x" },
    ],
    {
      "c1/.claude-plugin/plugin.json": plugin("c1", { dependencies: ["c2"] }),
      "c2/.claude-plugin/plugin.json": plugin("c2", { dependencies: ["c1"] }),
      "md/.claude-plugin/plugin.json": plugin("md", { dependencies: ["nope"] }),
      "sd/.claude-plugin/plugin.json": plugin("sd", { dependencies: ["sd"] }),
      "x/.claude-plugin/plugin.json": plugin("x", { dependencies: ["y@other"] }),
    },
  )
  const cycle = await install("c1@mkt")
  expect(cycle.warnings.join()).toContain("c1@mkt → c2@mkt → c1@mkt")
  expect((await install("md@mkt")).warnings.join()).toContain("nope@mkt")
  await install("sd@mkt")
  await install("x@mkt")
  const { plugins } = await loadPlugins(bench.context())
  const state = Object.fromEntries(
    plugins.map((one) => [one.id, [one.enabled, one.loads, one.errors.map((error) => error.type).join()]]),
  )
  expect(state).toEqual({
    "c1@mkt": [true, true, ""],
    "c2@mkt": [true, true, ""],
    "md@mkt": [true, false, "dependency-unsatisfied"],
    "sd@mkt": [true, true, ""],
    "x@mkt": [true, false, "dependency-unsatisfied"],
  })
})

test("one bad entry hides nothing; each odd plugin installs or is refused as by the real program", async () => {
  await addLocal(
    "mkt",
    [
      7,
      { name: "bad", source: { source: "zap" } },
      { name: "pip", source: { source: "pip", package: "x" } },
      { name: "conf", source: "./conf", strict: false, commands: ["./k.md"] },
      { name: "eng", source: "./eng" },
      { name: "nomani", source: "./nomani", description: "entry is manifest", skills: ["./sk"] },
      { name: "inv", source: "./inv" },
      { name: "nm", source: "./nm" },
      { name: "hk", source: "./hk" },
      { name: "dis", source: "./dis" },
    ],
    {
      "conf/.claude-plugin/plugin.json": plugin("conf"),
      "conf/k.md": "x",
      "eng/.claude-plugin/plugin.json": plugin("eng", { engines: { "claude-code": ">=99.0.0" } }),
      "nomani/sk/one/SKILL.md": skill("one"),
      "inv/.claude-plugin/plugin.json": "{bad",
      "nm/.claude-plugin/plugin.json": plugin("other-name"),
      "nm/skills/s/SKILL.md": skill(),
      "hk/.claude-plugin/plugin.json": plugin("hk"),
      "hk/hooks/hooks.json": "{bad",
      "hk/skills/s/SKILL.md": skill(),
      "dis/.claude-plugin/plugin.json": plugin("dis", { defaultEnabled: false }),
    },
  )
  expect(await codeOf(install("bad@mkt"))).toBe("error_validation")
  expect(await codeOf(install("pip@mkt"))).toBe("error_validation")
  expect(await codeOf(install("inv@mkt"))).toBe("error_validation")
  expect(await codeOf(install("zzz@mkt"))).toBe("not_found")
  expect((await install("eng@mkt")).notes.join()).toContain(">=99.0.0")
  expect((await install("nomani@mkt")).version).toBe("unknown")
  expect((await install("dis@mkt")).enabled).toBe(false)
  for (const id of ["conf@mkt", "nm@mkt", "hk@mkt"]) expect((await install(id)).already).toBe(false)
  const { plugins } = await loadPlugins(bench.context())
  const by = new Map(plugins.map((one) => [one.id, one]))
  expect(by.get("conf@mkt")?.errors[0]?.message).toContain("declare components")
  expect(by.get("hk@mkt")).toMatchObject({ loads: true, errors: [{ type: "hook-load-failed" }] })
  expect(by.get("nm@mkt")?.inventory?.skills.map((part) => part.name)).toEqual(["other-name:s"])
  expect(by.get("nomani@mkt")?.inventory?.skills.map((part) => part.name)).toEqual(["nomani:one"])
  expect(by.get("eng@mkt")).toMatchObject({ loads: true, notes: [{ type: "engine-range-exempt" }] })
  expect(by.get("dis@mkt")).toMatchObject({ enabled: false, loads: false })
})

test("entry dependencies are resolved first: cycles, missing ones and foreign marketplaces are refused", async () => {
  const entries = [
    { name: "e1", source: "./e1", dependencies: ["e2"] },
    { name: "e2", source: "./e1", dependencies: ["e1"] },
    { name: "self", source: "./e1", dependencies: ["self"] },
    { name: "miss", source: "./e1", dependencies: ["nothere"] },
    { name: "xd", source: "./e1", dependencies: [{ name: "y", marketplace: "m3" }] },
    { name: "A", source: "./e1" },
    { name: "a", source: "./e1" },
    { name: "q.r", source: "./e1" },
    { name: "q-r", source: "./e1" },
  ]
  const root = await addLocal("m2", entries, { "e1/.claude-plugin/plugin.json": plugin("e1") })
  await addLocal("m3", [{ name: "y", source: "./y" }], { "y/.claude-plugin/plugin.json": plugin("y") })
  await expect(install("e1@m2")).rejects.toMatchObject({
    code: "dependency_resolution_failed",
    message: expect.stringContaining("e1@m2 → e2@m2 → e1@m2") as string,
  })
  for (const name of ["self", "miss", "xd"])
    expect(await codeOf(install(`${name}@m2`))).toBe("dependency_resolution_failed")
  bench.write("m2", {
    ".claude-plugin/marketplace.json": market("m2", entries, { allowCrossMarketplaceDependenciesOn: ["m3"] }),
  })
  expect((await install("xd@m2")).dependencies).toEqual(["y@m3"])
  for (const name of ["A", "a", "q.r"]) await install(`${name}@m2`)
  expect(await codeOf(install("q-r@m2"))).toBe("plugin_folder_held")
  expect(await codeOf(removeMarketplace(bench.context(), "m3", "project"))).toBe("not_configured")
  expect((await removeMarketplace(bench.context(), "m3")).uninstalled).toEqual(["y@m3"])
  expect(Object.keys(bench.settings["enabledPlugins"] as object).sort()).toEqual(["A@m2", "a@m2", "q.r@m2", "xd@m2"])
  expect(existsSync(root)).toBe(true)
})

test("options are checked whole, kept by type, and secrets never reach settings", async () => {
  const userConfig = {
    url: { type: "string", title: "U", description: "d", required: true },
    tok: { type: "string", title: "T", description: "d", sensitive: true },
    n: { type: "number", title: "N", description: "d", min: 1, max: 5, default: 2 },
    b: { type: "boolean", title: "B", description: "d" },
    o: { type: "string", title: "O", description: "d", options: ["x", "y"], default: "x" },
    many: { type: "string", title: "M", description: "d", multiple: true },
  }
  await addLocal("m2", [{ name: "uc", source: "./uc" }], {
    "uc/.claude-plugin/plugin.json": plugin("uc", { userConfig }),
  })
  expect((await install("uc@m2")).unset.map((option) => option.key)).toEqual(["url", "tok", "n", "b", "o", "many"])
  expect((await install("uc@m2", { config: { zz: "1" } })).warnings.join()).toContain('"zz"')
  const home = bench.context().home
  const secrets = secretStore(home, bench.env)
  const { options } = installedOptions(bench.context(), "uc")
  for (const [values, message] of [
    [{ n: 9 }, "between 1 and 5"],
    [{ n: "abc" }, "between 1 and 5"],
    [{ b: "maybe" }, "true or false"],
    [{ o: "z" }, "one of: x, y"],
    [{ url: "" }, "required"],
  ] as const) {
    await expect(configure(home, secrets, "uc@m2", options, { url: "https://a", ...values })).rejects.toThrow(message)
  }
  expect(readConfiguration(home, secrets, "uc@m2", options).values.size).toBe(0)
  await configure(home, secrets, "uc@m2", options, {
    url: "https://a",
    tok: "SECRET",
    n: "3",
    b: "yes",
    o: "y",
    many: "p, q",
  })
  expect(bench.settings["pluginConfigs"]).toEqual({
    "uc@m2": { options: { url: "https://a", n: 3, b: true, o: "y", many: ["p", "q"] } },
  })
  expect(bench.json(bench.claude(".credentials.json"))).toEqual({ pluginSecrets: { "uc@m2": { tok: "SECRET" } } })
  expect(statSync(bench.claude(".credentials.json")).mode & 0o777).toBe(0o600)
  expect(readFileSync(bench.claude("settings.json"), "utf8")).not.toContain("SECRET")
  await uninstallPlugin(bench.context(), "uc")
  expect(bench.settings["pluginConfigs"]).toEqual({})
  expect(bench.json(bench.claude(".credentials.json"))).toEqual({})
})

test("scopes are separate records of one plugin, and of several one has to be named", async () => {
  await addLocal("m4", [{ name: "rel", source: "./rel", version: "0.0.9" }], {
    "rel/.claude-plugin/plugin.json": { name: "rel", description: "d" },
  })
  for (const scope of ["user", "project", "local"] as const)
    expect((await install("rel@m4", { scope })).version).toBe("0.0.9")
  expect(bench.installed["rel@m4"]?.map((record) => [record["scope"], record["projectPath"]])).toEqual([
    ["user", undefined],
    ["project", bench.project],
    ["local", bench.project],
  ])
  expect(bench.json(join(bench.project, ".claude/settings.json"))).toEqual({ enabledPlugins: { "rel@m4": true } })
  expect(await codeOf(disablePlugin(bench.context(), "rel"))).toBe("scope_ambiguous")
  expect((await disablePlugin(bench.context(), "rel", "local")).scope).toBe("local")
  expect(bench.json(join(bench.project, ".claude/settings.local.json"))).toEqual({
    enabledPlugins: { "rel@m4": false },
  })
  expect(await codeOf(enablePlugin(bench.context(), "rel", "user"))).toBe("already_in_goal_state")
  expect((await loadPlugins(bench.context())).plugins[0]).toMatchObject({ enabled: false, loads: false })
  expect(await codeOf(uninstallPlugin(bench.context(), "rel@m4"))).toBe("scope_ambiguous")
  expect((await uninstallPlugin(bench.context(), "rel@m4", { scope: "user" })).scope).toBe("user")
  expect((await uninstallPlugin(bench.context(), "rel@m4", { scope: "local" })).scope).toBe("local")
  expect(await codeOf(uninstallPlugin(bench.context(), "rel@m4", { scope: "local" }))).toBe("not_installed_at_scope")
})

test("unknown fields in every shared file survive what we write", async () => {
  bench.write("../home/.claude", {
    "settings.json": { model: "opus", hooks: { Stop: [] }, enabledPlugins: { "other@x": false } },
    "plugins/installed_plugins.json": {
      version: 2,
      future: { a: 1 },
      plugins: {
        "other@x": [
          { scope: "user", installPath: "/nowhere", version: "1", novel: true },
          { scope: "galactic", installPath: "/y", version: "2" },
        ],
      },
    },
    "plugins/known_marketplaces.json": {
      x: { source: { source: "directory", path: "/nowhere", novel: 1 }, installLocation: "/nowhere", extra: 2 },
    },
  })
  await addLocal("mkt", [{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
  await install("a@mkt")
  expect(bench.settings).toMatchObject({
    model: "opus",
    hooks: { Stop: [] },
    enabledPlugins: { "other@x": false, "a@mkt": true },
  })
  expect(bench.json(bench.claude("plugins/installed_plugins.json"))).toMatchObject({
    future: { a: 1 },
    plugins: { "other@x": [{ novel: true }, { scope: "galactic" }], "a@mkt": [{}] },
  })
  expect(bench.json(bench.claude("plugins/known_marketplaces.json"))).toMatchObject({
    x: { source: { novel: 1 }, extra: 2 },
    mkt: {},
  })
})

test("a plugin.json beside the components says the version, and nothing else", async () => {
  const root = bench.write("agents", {
    ".claude-plugin/marketplace.json": market("agents", [{ name: "ap", source: "./ap" }]),
    "ap/plugin.json": {
      $schema: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
      name: "x",
      version: "3.2.1",
    },
    "ap/skills/one/SKILL.md": skill("uno"),
  })
  await addMarketplace(bench.context(), { source: "directory", path: root }, "user")
  expect(await installPlugin(bench.context(), { plugin: "ap@agents", scope: "user", ask: yes })).toMatchObject({
    version: "3.2.1",
  })
  const { plugins } = await loadPlugins(bench.context())
  expect(plugins.find(({ id }) => id === "ap@agents")).toMatchObject({
    version: "3.2.1",
    loads: true,
    inventory: { skills: [{ name: "ap:one" }] },
  })
})

test("an archive at an address loads for a session, unless the organisation says no: then nothing is fetched", async () => {
  const files = { "/far.zip": bench.zip({ "far/.claude-plugin/plugin.json": JSON.stringify(plugin("far")) }) }
  let asked = 0
  const url = await bench.serve((request, response) => {
    asked += 1
    response.end(files[request.url as "/far.zip"])
  })
  const sessionUrls = [`${url}/far.zip`]
  expect((await loadPlugins(bench.context(), { sessionUrls })).plugins).toMatchObject([
    { id: "far@inline", loads: true },
  ])
  bench.write("..", { "managed-settings.json": { disableSideloadFlags: true } })
  expect(await codeOf(loadPlugins(bench.context(), { sessionUrls }))).toBe("error_policy")
  expect(asked).toBe(1)
})

test("a session's folder whose manifest has a name that is none does not load", async () => {
  const folder = bench.write("odd", { ".claude-plugin/plugin.json": plugin("a:b") })
  const { plugins } = await loadPlugins(bench.context(), { sessionFolders: [folder] })
  expect(plugins).toMatchObject([
    { id: "inline[0]", loads: false, errors: [{ message: 'Not loaded: "a:b" is not a valid plugin name.' }] },
  ])
})
