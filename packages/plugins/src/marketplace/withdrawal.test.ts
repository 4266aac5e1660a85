import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { secretStore } from "../config/configure.ts"
import { acceptedBefore } from "../govern/consent.ts"
import { readPins } from "../govern/lock-file.ts"
import { auditPlugins } from "../govern/audit.ts"
import { installPlugin } from "../install/install.ts"
import { checkLock } from "../install/lock-check.ts"
import { loadPlugins } from "../load/load.ts"
import { dataFolder } from "../state/claude-home.ts"
import { useWorkbench } from "../../test/scratch.ts"
import { market, plugin, yes, type Tree } from "../../test/workbench.ts"
import { addMarketplace } from "./registry.ts"
import { applyWithdrawals, lookForUpdates } from "./withdrawal.ts"

const bench = useWorkbench()
const home = () => bench().context().home
const secrets = () => secretStore(home(), bench().env)
const HOOKS = { hooks: { Stop: [{ hooks: [{ type: "command", command: "echo" }] }] } }
const MANIFEST = {
  userConfig: {
    url: { type: "string", title: "U", description: "d" },
    key: { type: "string", title: "K", description: "d", sensitive: true },
  },
}

async function have(name: string, scope: "user" | "project" = "user"): Promise<void> {
  await bench().addLocal("m", [{ name, source: "./p" }], {
    "p/.claude-plugin/plugin.json": plugin("p", MANIFEST),
    "p/hooks/hooks.json": HOOKS,
  })
  await installPlugin(bench().context(), {
    plugin: `${name}@m`,
    scope,
    ask: yes,
    config: { url: "https://x.example", key: "S3" },
  })
}

/** The marketplace as it is from now on. */
const now = (names: readonly string[], more: Tree = {}) =>
  bench().write("m", {
    ".claude-plugin/marketplace.json": market(
      "m",
      names.map((name) => ({ name, source: "./p" })),
      more,
    ),
  })
const apply = () => applyWithdrawals(bench().context())
const mentioned = () => Object.keys((bench().settings["enabledPlugins"] ?? {}) as object)

describe("a plugin that was renamed", () => {
  it("takes everything kept under its old name along: switch, options, secrets, pin, consent and data", async () => {
    await have("old")
    const pin = readPins(home(), "user").get("old@m")
    const surface = acceptedBefore(home(), "old@m")
    mkdirSync(dataFolder(home(), "old@m"), { recursive: true })
    writeFileSync(join(dataFolder(home(), "old@m"), "notes.txt"), "mine")
    now(["new"], { renames: { old: "new" } })
    expect(await apply()).toEqual({ renamed: [{ from: "old@m", to: "new@m" }], removed: [] })
    expect(bench().settings).toMatchObject({
      enabledPlugins: { "new@m": true },
      pluginConfigs: { "new@m": { options: { url: "https://x.example" } } },
    })
    expect([secrets().read("new@m"), secrets().read("old@m")]).toEqual([{ key: "S3" }, {}])
    expect([readPins(home(), "user").get("new@m"), readPins(home(), "user").has("old@m")]).toEqual([pin, false])
    expect([acceptedBefore(home(), "new@m"), acceptedBefore(home(), "old@m")]).toEqual([surface, undefined])
    expect([
      existsSync(join(dataFolder(home(), "new@m"), "notes.txt")),
      existsSync(dataFolder(home(), "old@m")),
    ]).toEqual([true, false])
    expect(Object.keys(bench().installed)).toEqual(["new@m"])
  })

  it("is followed once: the second time there is nothing to do", async () => {
    await have("old")
    now(["new"], { renames: { old: "new" } })
    await apply()
    const before = bench().settings
    expect(await apply()).toEqual({ renamed: [], removed: [] })
    expect(bench().settings).toEqual(before)
  })

  it("does not overwrite what its new name has already", async () => {
    await have("old")
    now(["old", "new"])
    await installPlugin(bench().context(), {
      plugin: "new@m",
      scope: "user",
      ask: yes,
      config: { url: "https://new.example", key: "NEW" },
    })
    const pin = readPins(home(), "user").get("new@m")
    now(["new"], { renames: { old: "new" } })
    await apply()
    expect(bench().settings).toMatchObject({ pluginConfigs: { "new@m": { options: { url: "https://new.example" } } } })
    expect([secrets().read("new@m"), readPins(home(), "user").get("new@m"), Object.keys(bench().installed)]).toEqual([
      { key: "NEW" },
      pin,
      ["new@m"],
    ])
  })

  it("is followed in the settings of the project, with its pin in the project's lock", async () => {
    await have("old", "project")
    now(["new"], { renames: { old: "new" } })
    await apply()
    expect(bench().json(join(bench().project, ".claude/settings.json"))).toEqual({ enabledPlugins: { "new@m": true } })
    expect([...readPins(home(), "project").keys()]).toEqual(["new@m"])
  })

  it("and is only mentioned in settings is renamed there", async () => {
    await bench().addLocal("m", [])
    const enabledPlugins = { "old@m": true, "other@x": true }
    bench().write("../home/.claude", { "settings.json": { ...bench().settings, enabledPlugins } })
    now(["new"], { renames: { old: "new" } })
    expect((await apply()).renamed).toEqual([{ from: "old@m", to: "new@m" }])
    expect(bench().settings["enabledPlugins"]).toEqual({ "other@x": true, "new@m": true })
  })

  it("makes no folder in a project that has nothing to do with it", async () => {
    await have("old")
    now(["new"], { renames: { old: "new" } })
    await apply()
    expect(existsSync(join(bench().project, ".claude"))).toBe(false)
  })

  it("to nothing is dropped, and a person's secrets and data stay theirs", async () => {
    await have("old")
    mkdirSync(dataFolder(home(), "old@m"), { recursive: true })
    now([], { renames: { old: null } })
    expect(await apply()).toEqual({ renamed: [{ from: "old@m", to: undefined }], removed: [] })
    expect([
      Object.keys(bench().installed),
      mentioned(),
      readPins(home(), "user").size,
      acceptedBefore(home(), "old@m"),
    ]).toEqual([[], [], 0, undefined])
    expect([existsSync(dataFolder(home(), "old@m")), secrets().read("old@m")]).toEqual([true, { key: "S3" }])
  })

  it.each([{ old: "old" }, { old: "gone" }, { old: 7 }])(
    "by %j, which leads nowhere, stays as it is",
    async (renames) => {
      await have("old")
      now([], { renames })
      expect(await apply()).toEqual({ renamed: [], removed: [] })
      expect(Object.keys(bench().installed)).toEqual(["old@m"])
    },
  )

  it("is not renamed while its old name is still on offer", async () => {
    await have("old")
    now(["old", "new"], { renames: { old: "new" } })
    expect((await apply()).renamed).toEqual([])
  })
})

describe("a plugin that its marketplace took back", () => {
  it("is removed with everything, and shown as taken back, where the marketplace says so", async () => {
    await have("old")
    now([], { forceRemoveDeletedPlugins: true })
    expect(await apply()).toEqual({ renamed: [], removed: ["old@m"] })
    expect([bench().installed, secrets().read("old@m"), mentioned()]).toEqual([{}, {}, []])
    expect(bench().json(bench().claude("plugins/flagged-plugins.json"))).toEqual({
      plugins: { "old@m": { flaggedAt: expect.any(String) as string } },
    })
  })

  it("stays where the marketplace does not say so", async () => {
    await have("old")
    now([])
    expect(await apply()).toEqual({ renamed: [], removed: [] })
  })

  it("and only stands in settings any more is taken out of them, and told once", async () => {
    await bench().addLocal("m", [])
    bench().write("../home/.claude", {
      "settings.json": { ...bench().settings, enabledPlugins: { "never@m": true, "../odd@m": true, "other@x": true } },
    })
    bench().write("../proj/.claude", { "settings.local.json": { enabledPlugins: { "never@m": false } } })
    now([], { forceRemoveDeletedPlugins: true })
    expect((await apply()).removed).toEqual(["never@m", "../odd@m"])
    expect(mentioned()).toEqual(["other@x"])
    expect((await apply()).removed).toEqual([])
  })

  it("is removed from every project, and from one that is gone without making it anew", async () => {
    await have("old")
    const gone = join(bench().root, "gone-project")
    const records = bench().installed
    bench().write("../home/.claude/plugins", {
      "installed_plugins.json": {
        version: 2,
        plugins: {
          "old@m": [
            ...(records["old@m"] ?? []),
            { scope: "project", projectPath: gone, installPath: "/x", version: "1" },
          ],
        },
      },
    })
    now([], { forceRemoveDeletedPlugins: true })
    await apply()
    expect([bench().installed, existsSync(gone)]).toEqual([{}, false])
  })
})

it("what a marketplace no longer lists is not called fine: Claude Code does not load it", async () => {
  await have("p", "project")
  expect(await checkLock(bench().context())).toEqual([])
  now([])
  const { plugins } = await loadPlugins(bench().context())
  const message = 'Not loaded: the marketplace "m" no longer offers it.'
  expect(plugins).toMatchObject([{ id: "p@m", enabled: true, loads: false, errors: [{ message }] }])
  expect(await checkLock(bench().context())).toContainEqual({
    id: "p@m",
    kind: "withdrawn",
    message: `${message} Remove it (chorus plugin uninstall p@m), or ask the owner of the marketplace to bring it back.`,
  })
  expect(auditPlugins(bench().context(), plugins)).toContainEqual(
    expect.objectContaining({ id: "p@m", code: "withdrawn", severity: "medium", message }),
  )
})

it("newer versions are looked for at the marketplace without moving the copy, and an old one says how old it is", async () => {
  const offer = (version: string) =>
    bench().commit("far", {
      ".claude-plugin/marketplace.json": market("far", [{ name: "a", source: "./a" }]),
      "a/.claude-plugin/plugin.json": plugin("a", { version }),
    })
  offer("1.0.0")
  await addMarketplace(bench().context(), { source: "git", url: `file://${bench().fixtures}/far` }, "user")
  await installPlugin(bench().context(), { plugin: "a@far", scope: "user", ask: yes })
  offer("2.0.0")
  const updates = [{ id: "a@far", installed: "1.0.0", available: "2.0.0" }]
  expect(await lookForUpdates(bench().context())).toMatchObject({ updates, unreachable: [] })
  rmSync(join(bench().fixtures, "far"), { recursive: true })
  expect(await lookForUpdates(bench().context())).toMatchObject({
    updates: [],
    unreachable: [expect.stringMatching(/^far: [\s\S]* Its copy here is of \d{4}-/)],
  })
})
