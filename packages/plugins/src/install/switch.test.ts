import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { useWorkbench } from "../../test/scratch.ts"
import { codeOf, plugin, yes, type Tree } from "../../test/workbench.ts"
import { dataFolder } from "../state/claude-home.ts"
import { secretStore } from "../config/configure.ts"
import { readPins } from "../govern/lock-file.ts"
import { loadPlugins } from "../load/load.ts"
import { dependencyEdges, dependentsOf, findInstalled } from "./installed.ts"
import { installPlugin } from "./install.ts"
import { disableAll, disablePlugin, enablePlugin } from "./switch.ts"
import { setPinned } from "../govern/trust.ts"
import { prunePlugins, uninstallPlugin, updatePlugin } from "./change.ts"

const bench = useWorkbench()
const context = () => bench().context()
const elsewhere = () => ({ ...context(), home: { ...context().home, project: join(bench().root, "other") } })
const enabled = () => bench().settings["enabledPlugins"]

async function have(plugins: Record<string, Tree>, market = "m"): Promise<void> {
  await bench().addLocal(
    market,
    Object.keys(plugins).map((name) => ({ name, source: `./${name}` })),
    Object.fromEntries(
      Object.entries(plugins).map(([name, more]) => [`${name}/.claude-plugin/plugin.json`, plugin(name, more)]),
    ),
  )
  for (const name of Object.keys(plugins))
    await installPlugin(context(), { plugin: `${name}@${market}`, scope: "user", ask: yes })
}

describe("finding what is installed", () => {
  it("takes the id, or the name when only one is called so", async () => {
    await have({ a: {}, b: {} })
    await have({ b: {} }, "n")
    expect(findInstalled(context(), "a@m").id).toBe("a@m")
    expect(findInstalled(context(), "a").id).toBe("a@m")
    expect(() => findInstalled(context(), "b")).toThrow(
      expect.objectContaining({ code: "ambiguous_name", message: '"b" is installed as b@m and b@n.' }) as Error,
    )
    expect(() => findInstalled(context(), "c")).toThrow(
      expect.objectContaining({ code: "not_installed", status: 404 }) as Error,
    )
  })

  it("is not confused by one of the same name in another project", async () => {
    await have({ a: {} })
    await bench().addLocal("n", [{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
    await installPlugin(elsewhere(), { plugin: "a@n", scope: "project", ask: yes })
    expect(findInstalled(context(), "a").id).toBe("a@m")
    expect(findInstalled(context(), "a@n").records).toEqual([])
  })

  it("knows who needs whom, and takes what cannot be read for needing nobody", async () => {
    await have({ a: {}, b: { dependencies: ["a"] }, c: { dependencies: ["b", { name: "a", version: "^1" }] } })
    writeFileSync(bench().claude("plugins/cache/m/b/1.0.0/.claude-plugin/plugin.json"), "{")
    expect([...dependencyEdges(context())]).toEqual([
      ["a@m", []],
      ["b@m", []],
      ["c@m", ["b@m", "a@m"]],
    ])
    expect(dependentsOf(context(), "a@m")).toEqual(["c@m"])
  })
})

describe("switching a plugin", () => {
  it("off and on is told when it is so already, with the scope if one was named", async () => {
    await have({ a: {} })
    await expect(enablePlugin(context(), "a")).rejects.toMatchObject({
      code: "already_in_goal_state",
      message: 'The plugin "a" is already enabled.',
    })
    expect(await disablePlugin(context(), "a")).toEqual({ id: "a@m", scope: "user", note: undefined })
    await expect(disablePlugin(context(), "a", "user")).rejects.toMatchObject({
      message: 'The plugin "a" is already disabled in user scope.',
    })
    expect(await enablePlugin(context(), "a")).toMatchObject({ scope: "user" })
    expect(enabled()).toEqual({ "a@m": true })
  })

  // Observed with Claude Code 2.1.325.
  it("off is told when no settings mention it, and on writes that it is", async () => {
    await have({ a: {}, b: { dependencies: ["a"] } })
    writeFileSync(bench().claude("settings.json"), JSON.stringify({ ...bench().settings, enabledPlugins: {} }))
    expect(await codeOf(disablePlugin(context(), "a"))).toBe("already_in_goal_state")
    expect(await disableAll(context())).toEqual({ off: [], stillOn: [] })
    await enablePlugin(context(), "a")
    expect(enabled()).toEqual({ "a@m": true })
    expect((await disablePlugin(context(), "a")).id).toBe("a@m")
  })

  it("and removing it happen where it is installed, and in several scopes only where somebody says", async () => {
    await bench().addLocal("m", [{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
    const add = (scope: "user" | "project") => installPlugin(context(), { plugin: "a@m", scope, ask: yes })
    await add("project")
    bench().write("../proj/.claude", { "settings.json": {} })
    expect(await enablePlugin(context(), "a", undefined, yes)).toMatchObject({ scope: "project" })
    expect(await disablePlugin(context(), "a")).toMatchObject({ scope: "project" })
    expect(await enablePlugin(context(), "a", undefined, yes)).toMatchObject({ scope: "project" })
    await add("user")
    const works = [
      () => disablePlugin(context(), "a"),
      () => enablePlugin(context(), "a"),
      () => uninstallPlugin(context(), "a"),
      () => updatePlugin(context(), "a", { ask: yes }),
      () => setPinned(context(), "a", true),
    ]
    for (const work of works)
      await expect(work()).rejects.toMatchObject({
        code: "scope_ambiguous",
        message: 'The plugin "a" is installed here in project and user scope.',
        next: "Say which is meant: --scope project or --scope user.",
      })
    expect(await disablePlugin(context(), "a", "user")).toMatchObject({ scope: "user" })
    await uninstallPlugin(context(), "a", { scope: "project" })
    expect(await uninstallPlugin(context(), "a")).toMatchObject({ scope: "user" })
    expect(await codeOf(uninstallPlugin(context(), "a"))).toBe("not_installed")
  })

  it("on again for oneself leaves no word of one's own behind where the project's is enough", async () => {
    await bench().addLocal("m", [{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
    await installPlugin(context(), { plugin: "a@m", scope: "project", ask: yes })
    const local = () => bench().json(join(bench().project, ".claude/settings.local.json"))["enabledPlugins"]
    await disablePlugin(context(), "a", "local")
    expect(local()).toEqual({ "a@m": false })
    expect(await enablePlugin(context(), "a", undefined, yes)).toMatchObject({ scope: "local", note: undefined })
    expect(local() ?? {}).toEqual({})
    await disablePlugin(context(), "a", "local")
    await enablePlugin(context(), "a", "local", yes)
    expect(local()).toEqual({ "a@m": true })
  })

  it("says when a stronger scope has the last word", async () => {
    await have({ a: {} })
    bench().write("../proj/.claude", { "settings.local.json": { enabledPlugins: { "a@m": true } } })
    expect(await disablePlugin(context(), "a", "user")).toEqual({
      id: "a@m",
      scope: "user",
      note: "It stays on here: local settings say so.",
    })
  })

  it("on takes what it needs with it, down the chain, and nothing else", async () => {
    await have({ a: {}, b: { dependencies: ["a"] }, c: { dependencies: ["b"] }, d: {} })
    await disableAll(context(), "user")
    expect(enabled()).toEqual({ "a@m": false, "b@m": false, "c@m": false, "d@m": false })
    expect((await enablePlugin(context(), "c")).also?.toSorted()).toEqual(["a@m", "b@m"])
    expect(enabled()).toEqual({ "a@m": true, "b@m": true, "c@m": true, "d@m": false })
  })

  it("off is refused while one that is on needs it, with the order to use", async () => {
    await have({ a: {}, b: { dependencies: ["a"] } })
    await expect(disablePlugin(context(), "a")).rejects.toMatchObject({
      code: "required_by_dependents",
      next: "Disable those first: chorus plugin disable b@m && chorus plugin disable a@m.",
      details: { disableFirst: ["b@m"] },
    })
    await disablePlugin(context(), "b")
    expect((await disablePlugin(context(), "a")).id).toBe("a@m")
  })

  it("on reaches what it needs where that was turned off, and says what stays off all the same", async () => {
    await have({ a: {}, b: { dependencies: ["a"] } })
    await installPlugin(context(), { plugin: "a@m", scope: "local", ask: yes })
    const running = async () => (await loadPlugins(context())).plugins.filter(({ loads }) => loads).map(({ id }) => id)
    await disableAll(context())
    expect(await enablePlugin(context(), "b")).toMatchObject({ id: "b@m", scope: "user", note: undefined })
    expect(await running()).toEqual(["a@m", "b@m"])
    await disableAll(context())
    expect((await enablePlugin(context(), "b", "user")).note).toBe("a@m stays off here: local settings say so.")
    expect(await running()).toEqual([])
  })

  it("on is refused by the administrator", async () => {
    await have({ a: {} })
    await disablePlugin(context(), "a")
    bench().write("..", { "managed-settings.json": { deniedPlugins: ["a"] } })
    expect(await codeOf(enablePlugin(context(), "a"))).toBe("error_policy")
  })

  it("all off switches those that are on here, and says which", async () => {
    await have({ a: {}, b: {} })
    await disablePlugin(context(), "a")
    expect(await disableAll(context(), "user")).toEqual({ off: ["b@m"], stillOn: [] })
    expect(await disableAll(context(), "user")).toEqual({ off: [], stillOn: [] })
  })

  it("all off reaches each in the scope whose word counts, and does not say so of what stays on", async () => {
    await have({ a: {}, b: {} })
    await installPlugin(context(), { plugin: "b@m", scope: "local", ask: yes })
    expect(await disableAll(context(), "user")).toEqual({ off: ["a@m"], stillOn: ["b@m"] })
    expect(await disableAll(context())).toEqual({ off: ["b@m"], stillOn: [] })
  })
})

describe("an uninstall", () => {
  it("from the last scope takes options, secrets, data and consent along", async () => {
    await have({ a: { userConfig: { k: { type: "string", title: "K", description: "d", sensitive: true } } } })
    await installPlugin(context(), { plugin: "a@m", scope: "user", ask: yes, config: { k: "S3" } })
    const data = dataFolder(context().home, "a@m")
    mkdirSync(data, { recursive: true })
    expect(await uninstallPlugin(context(), "a")).toEqual({
      id: "a@m",
      scope: "user",
      requiredBy: [],
      pruned: [],
      keptData: false,
    })
    expect([
      existsSync(data),
      secretStore(context().home, bench().env).read("a@m"),
      readPins(context().home, "user").size,
      enabled(),
    ]).toEqual([false, {}, 0, {}])
  })

  it("may leave a person's data, options and secrets for the next time", async () => {
    await have({ a: { userConfig: { k: { type: "string", title: "K", description: "d" } } } })
    await installPlugin(context(), { plugin: "a@m", scope: "user", ask: yes, config: { k: "v" } })
    const data = dataFolder(context().home, "a@m")
    mkdirSync(data, { recursive: true })
    expect(await uninstallPlugin(context(), "a", { keepData: true })).toMatchObject({ keptData: true })
    expect([existsSync(data), bench().settings["pluginConfigs"]]).toEqual([true, { "a@m": { options: { k: "v" } } }])
  })

  it("from one of two scopes leaves the other whole", async () => {
    await have({ a: {} })
    await installPlugin(context(), { plugin: "a@m", scope: "project", ask: yes })
    const data = dataFolder(context().home, "a@m")
    mkdirSync(data, { recursive: true })
    await uninstallPlugin(context(), "a", { scope: "project" })
    expect([
      existsSync(data),
      bench().installed["a@m"]?.map((record) => record["scope"]),
      existsSync(bench().claude("plugins/cache/m/a/1.0.0/.orphaned_at")),
    ]).toEqual([true, ["user"], false])
  })

  it("makes no folder anew for a project that is gone", async () => {
    await bench().addLocal("m", [{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
    await have({ a: {} })
    bench().write("../home/.claude/plugins", {
      "installed_plugins.json": {
        version: 2,
        plugins: {
          "a@m": [{ scope: "local", projectPath: join(bench().root, "other"), installPath: "/x", version: "1" }],
        },
      },
    })
    await uninstallPlugin(elsewhere(), "a@m", { scope: "local" })
    expect([existsSync(join(bench().root, "other")), bench().installed]).toEqual([false, {}])
  })

  it("takes along what nobody needs any more only when asked, never what somebody chose", async () => {
    await bench().addLocal(
      "m",
      ["a", "b", "c"].map((name) => ({ name, source: `./${name}` })),
      {
        "a/.claude-plugin/plugin.json": plugin("a"),
        "b/.claude-plugin/plugin.json": plugin("b", { dependencies: ["a", "c"] }),
        "c/.claude-plugin/plugin.json": plugin("c"),
      },
    )
    await installPlugin(context(), { plugin: "b@m", scope: "user", ask: yes })
    await installPlugin(context(), { plugin: "c@m", scope: "user", ask: yes })
    expect(await prunePlugins(context(), "user")).toEqual([])
    await uninstallPlugin(context(), "b")
    expect(await prunePlugins(context(), "user", { dryRun: true })).toEqual(["a@m"])
    expect(Object.keys(bench().installed).toSorted()).toEqual(["a@m", "c@m"])
    expect(await prunePlugins(context(), "user")).toEqual(["a@m"])
    expect(Object.keys(bench().installed)).toEqual(["c@m"])
  })

  it("leaves a ring of plugins that only need each other to be pruned together", async () => {
    await bench().addLocal(
      "m",
      ["root", "x", "y"].map((name) => ({ name, source: `./${name}` })),
      {
        "root/.claude-plugin/plugin.json": plugin("root", { dependencies: ["x"] }),
        "x/.claude-plugin/plugin.json": plugin("x", { dependencies: ["y"] }),
        "y/.claude-plugin/plugin.json": plugin("y", { dependencies: ["x"] }),
      },
    )
    await installPlugin(context(), { plugin: "root@m", scope: "user", ask: yes })
    expect((await uninstallPlugin(context(), "root", { prune: true })).pruned.toSorted()).toEqual(["x@m", "y@m"])
    expect(bench().installed).toEqual({})
  })
})
