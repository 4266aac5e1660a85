import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { CuratedPlugin, CuratedSet } from "@chorus/contracts"
import { useWorkbench } from "../test/scratch.ts"
import { no, plugin, yes, type Tree } from "../test/workbench.ts"
import { contentHash } from "./fetch/tree.ts"
import { readPins } from "./govern/lock-file.ts"
import { installPlugin } from "./install/install.ts"
import { machineInventory, marketplaceOffers } from "./load/machine-inventory.ts"
import { syncPlugins } from "./sync.ts"

const bench = useWorkbench()
const root = () => join(bench().fixtures, "team")
const source = () => ({ source: "directory" as const, path: root() })
const SURFACE = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"

function offer(plugins: Record<string, Tree>): void {
  bench().write("team", {
    ".claude-plugin/marketplace.json": {
      name: "team",
      owner: { name: "O" },
      plugins: Object.keys(plugins).map((name) => ({ name, source: `./${name}` })),
    },
  })
  for (const [name, more] of Object.entries(plugins))
    bench().write(`team/${name}`, { ".claude-plugin/plugin.json": plugin(name, more) })
}

/** What an admin who saw the plugin as it is now would approve. */
const approved = (name: string, more: Partial<CuratedPlugin> = {}): CuratedPlugin => ({
  id: `${name}@team`,
  version: "1.0.0",
  contentHash: contentHash(join(root(), name)),
  surfaceHash: SURFACE,
  enabled: true,
  required: true,
  ...more,
})
const setOf = (plugins: CuratedPlugin[], more: Partial<CuratedSet> = {}): CuratedSet => ({
  revision: 1,
  marketplaces: { team: { source: source() } },
  plugins,
  exclusive: false,
  ...more,
})
const sync = (set: CuratedSet, ask = yes) => syncPlugins(bench().context(), set, { ask })

describe("a machine that is brought in line", () => {
  it("gets the marketplace and every plugin, held at the approved bytes, and a second time nothing is left to do", async () => {
    offer({ a: {}, b: {} })
    const set = setOf([approved("a"), approved("b", { enabled: false })])
    expect(await sync(set)).toEqual({
      done: [
        { id: "a@team", action: "installed" },
        { id: "b@team", action: "installed" },
        { id: "b@team", action: "disabled" },
      ],
      failed: [],
      deviations: [],
    })
    expect([...readPins(bench().context().home, "user").values()].map(({ pinned }) => pinned)).toEqual([true, true])
    expect(await sync(set)).toEqual({ done: [], failed: [], deviations: [] })
  })

  it("has its options set when they differ, and only then", async () => {
    offer({
      a: {
        userConfig: {
          url: { type: "string", title: "U", description: "d" },
          key: { type: "string", title: "K", description: "d", sensitive: true },
        },
      },
    })
    const set = setOf([approved("a", { options: { url: "https://x.example", key: "S3" } })])
    expect((await sync(set)).done.map(({ action }) => action)).toEqual(["installed", "configured"])
    expect((await sync(set)).done).toEqual([])
    const next = setOf([approved("a", { options: { url: "https://y.example", key: "S3" } })])
    expect((await sync(next)).done).toEqual([{ id: "a@team", action: "configured" }])
    expect(JSON.stringify(bench().settings)).not.toContain("S3")
  })

  it("loses what the set does not name from its marketplaces when the set is all there is, and keeps what is others'", async () => {
    offer({ a: {}, extra: {} })
    await bench().addLocal("mine", [{ name: "own", source: "./own" }], {
      "own/.claude-plugin/plugin.json": plugin("own"),
    })
    await sync(setOf([]))
    for (const id of ["extra@team", "own@mine"])
      await installPlugin(bench().context(), { plugin: id, scope: "user", ask: yes })
    expect(await sync(setOf([approved("a")]))).toMatchObject({
      done: [{ id: "a@team", action: "installed" }],
      deviations: [{ id: "extra@team", kind: "extra" }],
    })
    expect(await sync(setOf([approved("a")], { exclusive: true }))).toMatchObject({
      done: [{ id: "extra@team", action: "removed" }],
      deviations: [],
    })
    expect(Object.keys(bench().installed).toSorted()).toEqual(["a@team", "own@mine"])
  })

  it("is switched back to what the set says", async () => {
    offer({ a: {} })
    await sync(setOf([approved("a")]))
    expect((await sync(setOf([approved("a", { enabled: false })]))).done).toEqual([
      { id: "a@team", action: "disabled" },
    ])
    expect((await sync(setOf([approved("a")]))).done).toEqual([{ id: "a@team", action: "enabled" }])
  })

  it("takes a marketplace that moved from its new place", async () => {
    offer({ a: {} })
    await sync(setOf([approved("a")]))
    bench().write("moved", {
      ".claude-plugin/marketplace.json": {
        name: "team",
        owner: { name: "O" },
        plugins: [{ name: "a", source: "./a" }],
      },
      "a/.claude-plugin/plugin.json": plugin("a"),
    })
    const moved = setOf([approved("a")], {
      marketplaces: { team: { source: { source: "directory", path: join(bench().fixtures, "moved") } } },
    })
    expect(await sync(moved)).toMatchObject({ failed: [], deviations: [] })
    expect(bench().json(bench().claude("plugins/known_marketplaces.json"))).toMatchObject({
      team: { source: { path: join(bench().fixtures, "moved") } },
    })
  })
})

describe("a machine that cannot be brought in line", () => {
  it("tells one by one what failed and what to do, and does the rest", async () => {
    offer({ a: {} })
    const result = await sync(
      setOf([{ ...approved("a"), id: "gone@team" }, { ...approved("a"), id: "no id" }, approved("a")]),
    )
    expect(result.done).toEqual([{ id: "a@team", action: "installed" }])
    expect(result.failed.map(({ id, error }) => [id, error.code, error.next !== undefined])).toEqual([
      ["gone@team", "not_found", true],
      ["no id", "not_found", true],
    ])
  })

  it("does not install bytes other than the approved ones", async () => {
    offer({ a: {}, b: {} })
    const set = setOf([approved("a", { contentHash: "sha256-0" }), approved("b")])
    expect(await sync(set)).toMatchObject({
      done: [{ id: "b@team", action: "installed" }],
      failed: [{ id: "a@team", error: { code: "pin_mismatch" } }],
      deviations: [{ id: "a@team", kind: "missing" }],
    })
    expect(existsSync(bench().claude("plugins/cache/team/a"))).toBe(false)
  })

  it("does not say that it updated what its marketplace does not have, and keeps holding what is there", async () => {
    offer({ a: {} })
    await sync(setOf([approved("a")]))
    const wanted = setOf([approved("a", { version: "2.0.0", contentHash: "sha256-0" })])
    expect(await sync(wanted)).toMatchObject({ done: [], failed: [{ id: "a@team", error: { code: "pin_mismatch" } }] })
    expect(readPins(bench().context().home, "user").get("a@team")).toMatchObject({ version: "1.0.0", pinned: true })
  })

  it("updates to the approved bytes once they are there", async () => {
    offer({ a: {} })
    await sync(setOf([approved("a")]))
    offer({ a: { version: "2.0.0" } })
    expect(await sync(setOf([approved("a", { version: "2.0.0" })]))).toMatchObject({
      done: [{ id: "a@team", action: "updated" }],
      failed: [],
      deviations: [],
    })
    expect(readPins(bench().context().home, "user").get("a@team")).toMatchObject({ version: "2.0.0", pinned: true })
  })

  it("says when the person does not agree", async () => {
    offer({ a: {} })
    bench().write("team/a", {
      "hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }] } },
    })
    expect(await sync(setOf([approved("a")]), no)).toMatchObject({
      done: [],
      failed: [
        { id: "a@team", error: { code: "consent_required", next: expect.stringContaining("--accept") as string } },
      ],
    })
  })

  it("says when its marketplace cannot be had", async () => {
    const set = setOf([], {
      marketplaces: { team: { source: { source: "directory", path: join(bench().root, "nowhere") } } },
    })
    expect(await sync(set)).toMatchObject({ failed: [{ id: "team", error: { code: "manifest_missing" } }] })
  })
})

describe("what a machine reports", () => {
  it("is what it has, with hashes, surface and faults", async () => {
    offer({ a: {} })
    bench().write("team/a", { ".mcp.json": { s: {} }, "bin/tool": "x" })
    await sync(setOf([]))
    await installPlugin(bench().context(), { plugin: "a@team", scope: "user", ask: yes })
    const report = await machineInventory(bench().context({ now: () => new Date(0) }))
    expect(report).toMatchObject({
      takenAt: "1970-01-01T00:00:00.000Z",
      claudeVersion: "2.1.325",
      marketplaces: [{ name: "team", source: source() }],
      plugins: [
        {
          id: "a@team",
          version: "1.0.0",
          scope: "user",
          enabled: true,
          contentHash: contentHash(join(root(), "a")),
          surface: [{ kind: "binary" }],
          errors: [expect.stringContaining('server "s" was left out')],
        },
      ],
    })
    expect(report.plugins[0]?.surfaceHash).toBe(readPins(bench().context().home, "user").get("a@team")?.surfaceHash)
  })

  it("counts the command that makes a plugin among what it does, as the one who approved it saw", async () => {
    const folder = bench().write("made", { ".claude-plugin/plugin.json": plugin("made") })
    await bench().addLocal("m", [{ name: "made", source: { source: "command", command: "make it" } }])
    bench().write("../home/.claude/plugins", {
      "installed_plugins.json": {
        version: 2,
        plugins: { "made@m": [{ scope: "user", installPath: folder, version: "1" }] },
      },
    })
    expect((await machineInventory(bench().context())).plugins[0]?.surface).toEqual([
      { kind: "install-command", where: "to install it", does: "make it" },
    ])
  })

  it("has no hash of what is gone", async () => {
    offer({ a: {} })
    await sync(setOf([approved("a")]))
    offer({})
    await bench().addLocal("empty", [])
    bench().write("../home/.claude/plugins", {
      "installed_plugins.json": {
        version: 2,
        plugins: { "a@empty": [{ scope: "user", installPath: join(bench().root, "gone"), version: "1" }] },
      },
    })
    expect((await machineInventory(bench().context())).plugins).toEqual([
      {
        id: "a@empty",
        version: "1",
        scope: "user",
        enabled: false,
        errors: [expect.stringContaining("is gone"), expect.stringContaining("no longer offers it")],
      },
    ])
  })

  it("may offer what its marketplaces have: with bytes where they lie here, with the problem where there is one", async () => {
    const entries = [
      { name: "a", source: "./a", description: "x".repeat(600) },
      { name: "far", source: { source: "github", repo: "o/r" }, version: "3.0.0" },
      { name: "bad", source: "../x" },
      { name: "gone", source: "./gone" },
      { name: "broken", source: "./broken" },
    ]
    await bench().addLocal("m", entries, {
      "a/.claude-plugin/plugin.json": plugin("a"),
      "a/bin/t": "",
      "broken/.claude-plugin/plugin.json": "{",
    })
    expect(await marketplaceOffers(bench().context())).toEqual([
      {
        id: "a@m",
        version: "1.0.0",
        description: "x".repeat(500),
        contentHash: contentHash(join(bench().fixtures, "m/a")),
        surfaceHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        surface: [expect.objectContaining({ kind: "binary" })],
      },
      { id: "far@m", version: "3.0.0" },
      { id: "bad@m", problem: expect.stringContaining("..") as string },
      { id: "gone@m", problem: "The folder ./gone is not in the marketplace." },
      { id: "broken@m", problem: expect.stringContaining("corrupt manifest") as string },
    ])
  })

  it("shortens what is long and counts what it leaves out", async () => {
    const bins = Object.fromEntries(Array.from({ length: 103 }, (_, index) => [`a/bin/t${index}`, ""]))
    await bench().addLocal("m", [{ name: "a", source: "./a" }], {
      "a/.claude-plugin/plugin.json": plugin("a", { mcpServers: { s: { command: "x".repeat(600) } } }),
      ...bins,
    })
    const [offered] = await marketplaceOffers(bench().context())
    expect([offered?.surface?.length, offered?.unseen]).toEqual([100, 4])
    await bench().addLocal("n", [{ name: "a", source: "./a" }], {
      "a/.claude-plugin/plugin.json": plugin("a", { mcpServers: { s: { command: "x".repeat(600) } } }),
    })
    expect((await marketplaceOffers(bench().context()))[1]?.surface?.[0]?.does).toBe(`${"x".repeat(500)}…`)
  })
})
