import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { useWorkbench } from "../../test/scratch.ts"
import { codeOf, no, plugin, skill, yes, type Tree } from "../../test/workbench.ts"
import { contentHash } from "../fetch/tree.ts"
import { acceptedBefore } from "../govern/consent.ts"
import { readPins } from "../govern/lock-file.ts"
import { loadPlugins } from "../load/load.ts"
import { installPlugin, type InstallRequest } from "./install.ts"
import { uninstallPlugin, updatePlugin } from "./change.ts"

const bench = useWorkbench()
const HOOKS = { hooks: { Stop: [{ hooks: [{ type: "command", command: "echo" }] }] } }

const install = (id: string, more: Partial<InstallRequest> = {}) =>
  installPlugin(bench().context(), { plugin: id, scope: "user", ask: yes, ...more })
const cached = (path: string) => bench().claude("plugins/cache", path)

/** A marketplace "m" of folders, each with a manifest. */
function offer(plugins: Record<string, Tree>, tree: Tree = {}): Promise<string> {
  const files = Object.fromEntries(
    Object.entries(plugins).map(([name, more]) => [`${name}/.claude-plugin/plugin.json`, plugin(name, more)]),
  )
  return bench().addLocal(
    "m",
    Object.keys(plugins).map((name) => ({ name, source: `./${name}` })),
    { ...files, ...tree },
  )
}

describe("an install", () => {
  it("writes files, pin, consent, record and switch, and leaves no stage", async () => {
    await offer({ a: {} }, { "a/hooks/hooks.json": HOOKS, "a/skills/s/SKILL.md": skill() })
    const result = await install("a@m")
    expect(result).toMatchObject({
      id: "a@m",
      scope: "user",
      version: "1.0.0",
      already: false,
      enabled: true,
      installPath: cached("m/a/1.0.0"),
      dependencies: [],
      warnings: [],
      notes: [],
      unset: [],
      configApplied: [],
    })
    expect(readFileSync(join(result.installPath, "skills/s/SKILL.md"), "utf8")).toBe(skill())
    expect(readPins(bench().context().home, "user").get("a@m")).toMatchObject({ version: "1.0.0", source: "./a" })
    expect(acceptedBefore(bench().context().home, "a@m")?.surface.items).toMatchObject([{ kind: "hook", does: "echo" }])
    expect(bench().settings["enabledPlugins"]).toEqual({ "a@m": true })
    expect(readdirSync(cached("")).filter((name) => name.startsWith("temp_"))).toEqual([])
  })

  it("by name alone finds the one marketplace that offers it, and asks which of several", async () => {
    await offer({ a: {}, b: {} })
    expect((await install("a")).id).toBe("a@m")
    await bench().addLocal("n", [{ name: "b", source: "./b" }])
    await expect(install("b")).rejects.toMatchObject({
      code: "ambiguous_name",
      message: '"b" is offered by m, n.',
      next: "Say which: chorus plugin install b@m.",
    })
    expect(await codeOf(install("zzz"))).toBe("not_found")
    expect(await codeOf(install("a@nowhere"))).toBe("not_found")
    expect(await codeOf(install("../a@m"))).toBe("invalid_id")
  })

  it("again says that it is there and changes nothing, but sets the options that come with it", async () => {
    await offer({ a: { userConfig: { k: { type: "string", title: "K", description: "d" } } } })
    await install("a@m")
    const before = bench().installed
    expect(await install("a@m", { config: { k: "v" }, ask: no })).toMatchObject({
      already: true,
      configApplied: ["k"],
      unset: [],
    })
    expect(bench().installed).toEqual(before)
  })

  it("again brings back files that are gone", async () => {
    await offer({ a: {} })
    const { installPath } = await install("a@m")
    rmSync(installPath, { recursive: true })
    expect(await install("a@m")).toMatchObject({ already: false })
    expect(existsSync(join(installPath, ".claude-plugin/plugin.json"))).toBe(true)
    expect(bench().installed["a@m"]).toHaveLength(1)
  })

  it("in a stronger scope stands before another version of a weaker one, and beside the same one where it comes", async () => {
    await offer({ a: {} })
    const scopes = () => (bench().installed["a@m"] ?? []).map(({ scope, version }) => [scope, version])
    await install("a@m")
    await install("a@m", { scope: "local" })
    expect(scopes()).toEqual([
      ["user", "1.0.0"],
      ["local", "1.0.0"],
    ])
    await offer({ a: { version: "2.0.0" } })
    await install("a@m", { scope: "project" })
    expect(scopes()).toEqual([
      ["local", "1.0.0"],
      ["project", "2.0.0"],
      ["user", "1.0.0"],
    ])
  })

  it("of what came along for another makes it the person's own", async () => {
    await offer({ a: {}, b: { dependencies: ["a"] } })
    await install("b@m")
    expect(bench().installed["a@m"]).toMatchObject([{ auto: true }])
    await install("a@m")
    expect(bench().installed["a@m"]?.[0]).not.toHaveProperty("auto")
  })

  it("keeps a dependency that the person switched off switched off", async () => {
    await offer({ a: {}, b: { dependencies: ["a"] } })
    bench().write("../home/.claude", { "settings.json": { ...bench().settings, enabledPlugins: { "a@m": false } } })
    await install("b@m")
    expect(bench().settings["enabledPlugins"]).toEqual({ "a@m": false, "b@m": true })
  })

  it("with options that do not fit installs, and says so", async () => {
    await offer({ a: { userConfig: { n: { type: "number", title: "N", description: "How many." } } } })
    expect(await install("a@m", { config: { n: "many" } })).toMatchObject({
      already: false,
      warnings: ["Installed, but the options were not set: N: it takes a number. How many."],
      unset: [{ key: "n" }],
    })
  })

  it("of a plugin with broken parts says which, and that a broken guard keeps it from loading", async () => {
    await offer({ a: {}, b: {} }, { "a/.mcp.json": { s: {} }, "b/hooks/hooks.json": { hooks: { PreToolUse: {} } } })
    expect((await install("a@m")).warnings).toEqual(['.mcp.json: server "s" was left out: needs a command to start'])
    expect((await install("b@m")).warnings).toEqual([
      "hooks/hooks.json: PreToolUse: not a list of groups: a hook that may guard permissions, so the plugin will not load.",
    ])
    expect((await loadPlugins(bench().context())).plugins.map(({ id, loads }) => [id, loads])).toEqual([
      ["a@m", true],
      ["b@m", false],
    ])
  })

  it("that is answered with no leaves the home as it was", async () => {
    await offer({ a: { dependencies: ["b"] }, b: {} }, { "b/hooks/hooks.json": HOOKS })
    const before = bench().written()
    await expect(install("a@m", { ask: no })).rejects.toMatchObject({
      code: "consent_required",
      details: { plugins: [{ id: "b@m" }] },
    })
    expect(bench().written()).toEqual(before)
  })

  it("of a version that lies in the cache with other bytes replaces them whole", async () => {
    await offer({ a: {} }, { "a/old.txt": "x" })
    const { installPath } = await install("a@m")
    await uninstallPlugin(bench().context(), "a")
    rmSync(join(bench().fixtures, "m/a/old.txt"))
    await install("a@m")
    expect([readdirSync(installPath), existsSync(`${installPath}.chorus-old`)]).toEqual([[".claude-plugin"], false])
  })

  it("of expected bytes takes these or none", async () => {
    await offer({ a: {} })
    expect(await codeOf(install("a@m", { expect: { version: "1.0.0", contentHash: "sha256-0" } }))).toBe("pin_mismatch")
    expect(
      await install("a@m", { expect: { version: "1.0.0", contentHash: contentHash(join(bench().fixtures, "m/a")) } }),
    ).toMatchObject({ already: false })
  })

  it("of the same bytes takes the mark of the unused away", async () => {
    await offer({ a: {} })
    const { installPath } = await install("a@m")
    await uninstallPlugin(bench().context(), "a")
    expect(existsSync(join(installPath, ".orphaned_at"))).toBe(true)
    await install("a@m")
    expect(existsSync(join(installPath, ".orphaned_at"))).toBe(false)
  })
})

describe("an install that breaks off", () => {
  /** A clock that stops the work at its nth reading. */
  const stopsAt = (reading: number) => {
    let count = 0
    return bench().context({
      now: () => {
        if ((count += 1) === reading) throw new Error("the power went out")
        return new Date(0)
      },
    })
  }

  it("before its record is written has installed nothing, and doing it again finishes it", async () => {
    await offer({ a: { dependencies: ["b"] }, b: {} }, { "a/hooks/hooks.json": HOOKS })
    for (const reading of [1, 2, 3, 1, 2]) {
      await expect(installPlugin(stopsAt(reading), { plugin: "a@m", scope: "user", ask: yes })).rejects.toThrow("power")
      const ids = Object.keys(existsSync(bench().claude("plugins/installed_plugins.json")) ? bench().installed : {})
      expect([reading, ids.includes("a@m")]).toEqual([reading, false])
      expect(readdirSync(cached("")).filter((name) => name.startsWith("temp_"))).toEqual([])
    }
    expect(await install("a@m")).toMatchObject({ already: false })
    expect((await loadPlugins(bench().context())).plugins.map(({ id, loads }) => [id, loads])).toEqual([
      ["b@m", true],
      ["a@m", true],
    ])
  })

  it("does not bind the next one to the bytes it had seen, unless a project's lock names them", async () => {
    await offer({ a: {} })
    await expect(installPlugin(stopsAt(2), { plugin: "a@m", scope: "user", ask: yes })).rejects.toThrow("power")
    await expect(installPlugin(stopsAt(2), { plugin: "a@m", scope: "project", ask: yes })).rejects.toThrow("power")
    bench().write("m/a", { "new.txt": "x" })
    expect(await install("a@m")).toMatchObject({ already: false })
    expect(await codeOf(install("a@m", { scope: "project" }))).toBe("pin_mismatch")
  })

  it("before its switch is written is switched by doing it again, off if it starts off", async () => {
    await offer({ a: {}, quiet: { defaultEnabled: false } })
    for (const id of ["a@m", "quiet@m"]) await install(id)
    const { enabledPlugins: _, ...rest } = bench().settings
    writeFileSync(bench().claude("settings.json"), JSON.stringify(rest))
    expect(await install("a@m")).toMatchObject({ already: true, enabled: true })
    expect(await install("quiet@m")).toMatchObject({ already: true, enabled: false })
    expect(bench().settings["enabledPlugins"]).toEqual({ "a@m": true, "quiet@m": false })
  })

  it("in the middle of replacing files leaves the old ones, and doing it again brings the new", async () => {
    await offer({ a: {} })
    const { installPath } = await install("a@m")
    await uninstallPlugin(bench().context(), "a")
    bench().write(`../home/.claude/plugins/cache/m/a/1.0.0.chorus-old`, { "half.txt": "x" })
    rmSync(installPath, { recursive: true })
    await install("a@m")
    expect([readdirSync(installPath), existsSync(`${installPath}.chorus-old`)]).toEqual([[".claude-plugin"], false])
  })
})

describe("an update", () => {
  const offerNext = (name: string, version: string, more: Tree = {}) =>
    bench().write(`m/${name}`, { ".claude-plugin/plugin.json": plugin(name, { version }), ...more })

  it("moves to the new version, keeps when it was installed and whether it is on", async () => {
    await offer({ a: {} })
    const { installPath } = await install("a@m")
    const installedAt = bench().installed["a@m"]?.[0]?.["installedAt"]
    bench().write("../home/.claude", { "settings.json": { ...bench().settings, enabledPlugins: { "a@m": false } } })
    offerNext("a", "1.1.0")
    expect(
      await updatePlugin(bench().context({ now: () => new Date("2031-01-01T00:00:00Z") }), "a", { ask: no }),
    ).toMatchObject({ id: "a@m", outcome: "updated", oldVersion: "1.0.0", newVersion: "1.1.0" })
    expect(bench().installed["a@m"]).toMatchObject([
      { version: "1.1.0", installedAt, lastUpdated: "2031-01-01T00:00:00.000Z", installPath: cached("m/a/1.1.0") },
    ])
    expect(bench().settings["enabledPlugins"]).toEqual({ "a@m": false })
    expect(existsSync(join(installPath, ".orphaned_at"))).toBe(true)
  })

  it("takes other bytes of the same version for new, and brings back files that are gone", async () => {
    await offer({ a: {} })
    const { installPath } = await install("a@m")
    expect((await updatePlugin(bench().context(), "a", { ask: no })).outcome).toBe("up_to_date")
    offerNext("a", "1.0.0", { "new.txt": "x" })
    expect((await updatePlugin(bench().context(), "a", { ask: no })).outcome).toBe("updated")
    rmSync(installPath, { recursive: true })
    expect((await updatePlugin(bench().context(), "a", { ask: no })).outcome).toBe("updated")
    expect(existsSync(join(installPath, "new.txt"))).toBe(true)
  })

  it("brings what the new version needs along, and does not mark as unused what another scope uses", async () => {
    await offer({ a: {}, b: {} })
    const { installPath } = await install("a@m")
    await install("a@m", { scope: "project" })
    bench().write("m/a", { ".claude-plugin/plugin.json": plugin("a", { version: "2.0.0", dependencies: ["b"] }) })
    expect(await updatePlugin(bench().context(), "a", { ask: no, scope: "user" })).toMatchObject({
      outcome: "updated",
      dependencies: ["b@m"],
    })
    expect(bench().installed["b@m"]).toMatchObject([{ auto: true, scope: "user" }])
    expect(existsSync(join(installPath, ".orphaned_at"))).toBe(false)
    expect(await codeOf(updatePlugin(bench().context(), "a", { ask: no, scope: "local" }))).toBe(
      "not_installed_at_scope",
    )
  })

  it("of a plugin its marketplace no longer offers says so and leaves it", async () => {
    await offer({ a: {} })
    await install("a@m")
    await bench().addLocal("m", [])
    expect(await codeOf(updatePlugin(bench().context(), "a", { ask: yes }))).toBe("not_found")
    expect(bench().installed).toHaveProperty("a@m")
  })
})
