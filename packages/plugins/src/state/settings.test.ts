import { existsSync } from "node:fs"
import { join } from "node:path"
import { array, assert, constantFrom, property, tuple, boolean } from "fast-check"
import { describe, expect, it } from "vitest"
import { useWorkbench } from "../../test/scratch.ts"
import { claudeHome, cacheFolder, dataFolder, foldedId, folderVersion, settingsPath } from "./claude-home.ts"
import { declaredMarketplaces, enabledIn, readEnablement, setEnabled } from "./settings.ts"

const bench = useWorkbench()
const home = () => bench().context().home
const say = (scope: "user" | "project" | "local", settings: unknown) =>
  bench().write(scope === "user" ? "../home/.claude" : "../proj/.claude", {
    [scope === "local" ? "settings.local.json" : "settings.json"]: settings,
  })
const manage = (settings: unknown) => bench().write("..", { "managed-settings.json": settings })

describe("where Claude Code keeps things", () => {
  it("is below the home, or where its variables say", () => {
    expect(claudeHome({ env: { HOME: "/h" }, project: "/p" })).toMatchObject({
      home: "/h",
      config: "/h/.claude",
      plugins: "/h/.claude/plugins",
      project: "/p",
      chorus: "/h/.claude/plugins/chorus",
    })
    expect(claudeHome({ env: { HOME: "/h", CLAUDE_CONFIG_DIR: "/c" } })).toMatchObject({
      config: "/c",
      plugins: "/c/plugins",
    })
    expect(
      claudeHome({ env: { HOME: "/h", CLAUDE_CODE_PLUGIN_CACHE_DIR: "/x", CHORUS_MANAGED_SETTINGS: "/m.json" } }),
    ).toMatchObject({ plugins: "/x", managedSettings: "/m.json", chorus: "/x/chorus" })
  })

  it("differs by scope", () => {
    const at = claudeHome({ env: { HOME: "/h", CHORUS_MANAGED_SETTINGS: "/m.json" }, project: "/p" })
    expect((["user", "project", "local", "managed"] as const).map((scope) => settingsPath(at, scope))).toEqual([
      "/h/.claude/settings.json",
      "/p/.claude/settings.json",
      "/p/.claude/settings.local.json",
      "/m.json",
    ])
  })

  it("names folders by ids and versions without letting them become a path", () => {
    const at = claudeHome({ env: { HOME: "/h" } })
    expect([foldedId("a.b@m_1"), dataFolder(at, "a.b@m"), cacheFolder(at, "m", "a", "1.0.0+x")]).toEqual([
      "a-b-m_1",
      "/h/.claude/plugins/data/a-b-m",
      "/h/.claude/plugins/cache/m/a/1.0.0+x",
    ])
    expect(["1/2", "..", ".", "", "../../x", "v 1", "x".repeat(200)].map(folderVersion)).toEqual([
      "1-2",
      "unknown",
      "unknown",
      "unknown",
      "..-..-x",
      "v-1",
      "x".repeat(128),
    ])
  })
})

describe("what a scope says about plugins", () => {
  it.each([
    [
      { "a@m": true, "b@m": false },
      [
        ["a@m", true],
        ["b@m", false],
      ],
    ],
    [["a@m", 7, "b@m"], []],
    [{ "a@m": ["1.0.0"], "b@m": "yes", "c@m": null, "d@m": false }, [["d@m", false]]],
    [undefined, []],
    ["a@m", []],
  ])("%j is read as %j", (enabledPlugins, expected) => {
    expect([...enabledIn({ enabledPlugins })]).toEqual(expected)
  })

  it("is weighed from the user to the administrator: the last that speaks decides", () => {
    say("user", { enabledPlugins: { "a@m": true, "b@m": true, "c@m": false } })
    say("project", { enabledPlugins: { "a@m": false, "b@m": false } })
    say("local", { enabledPlugins: { "b@m": true } })
    manage({ enabledPlugins: { "c@m": true } })
    const said = [...readEnablement(home())].map(([id, { enabled, decidedBy, saidBy }]) => [
      id,
      enabled,
      decidedBy,
      [...saidBy.keys()].join(),
    ])
    expect(said).toEqual([
      ["a@m", false, "project", "user,project"],
      ["b@m", true, "local", "user,project,local"],
      ["c@m", true, "managed", "user,managed"],
    ])
  })

  it("never depends on what weaker scopes say once a stronger one spoke", () => {
    const order = ["user", "project", "local", "managed"] as const
    assert(
      property(array(tuple(constantFrom(...order), boolean()), { minLength: 1, maxLength: 4 }), (words) => {
        const said = new Map(words)
        for (const scope of ["user", "project", "local"] as const)
          say(scope, { enabledPlugins: said.has(scope) ? { "a@m": said.get(scope) } : {} })
        manage({ enabledPlugins: said.has("managed") ? { "a@m": said.get("managed") } : {} })
        const strongest = order.findLast((scope) => said.has(scope)) ?? "user"
        expect(readEnablement(home()).get("a@m")).toMatchObject({ enabled: said.get(strongest), decidedBy: strongest })
      }),
      { numRuns: 25 },
    )
  })
})

describe("switching plugins in a scope", () => {
  it("sets, unsets and leaves everything else in the file", async () => {
    say("user", { model: "opus", enabledPlugins: { "a@m": true, "x@m": false } })
    await setEnabled(
      home(),
      "user",
      new Map([
        ["a@m", undefined],
        ["b@m", true],
        ["c@m", false],
      ]),
    )
    expect(bench().settings).toEqual({ model: "opus", enabledPlugins: { "x@m": false, "b@m": true, "c@m": false } })
  })

  it("turns on nothing of a list, which Claude Code does not read", async () => {
    say("user", { enabledPlugins: ["a@m", "b@m"] })
    await setEnabled(home(), "user", new Map([["b@m", true]]))
    expect(bench().settings).toEqual({ enabledPlugins: { "b@m": true } })
  })

  it("off in a project that never spoke of them writes no file, and makes no folder anew that is gone", async () => {
    await setEnabled(home(), "project", new Map([["a@m", undefined]]))
    expect(existsSync(join(bench().project, ".claude"))).toBe(false)
    await setEnabled({ ...home(), project: join(bench().root, "deleted") }, "local", new Map([["a@m", undefined]]))
    expect(existsSync(join(bench().root, "deleted"))).toBe(false)
  })

  it("refuses to touch settings that cannot be read", async () => {
    say("user", "{ half")
    await expect(setEnabled(home(), "user", new Map([["a@m", true]]))).rejects.toMatchObject({
      code: "state_unreadable",
    })
  })
})

describe("marketplaces that settings declare", () => {
  const source = { source: "github", repo: "o/r" }

  it.each([
    [{ extraKnownMarketplaces: { m: { source, autoUpdate: true } } }, [["m", { source, autoUpdate: true }]]],
    [{ additionalMarketplaces: { m: { source } } }, [["m", { source }]]],
    [{ extraKnownMarketplaces: { m: { source: "x" }, n: 7, o: {} } }, []],
    [{ extraKnownMarketplaces: "x" }, []],
    [{}, []],
  ])("%j are %j", (settings, expected) => {
    expect([...declaredMarketplaces(settings)]).toEqual(expected)
  })

  it.each([
    [{ type: "github", repo: "o/my-tools" }, "my-tools"],
    [{ type: "url", url: "https://x.example/team.json" }, "team"],
    [{ type: "npm", package: "@o/p" }, "p"],
    [{ type: "directory", path: "/a/b/" }, "b"],
    [{ type: "github", repo: "o/r", name: "own" }, "own"],
    [{ type: "github" }, "marketplace-0"],
  ])("as an older list, %j is called %s", (item, name) => {
    expect([...declaredMarketplaces({ extraKnownMarketplaces: [item] })]).toEqual([
      [name, { source: { ...item, source: item.type } }],
    ])
  })

  it("as an older list, what is no marketplace is passed over", () => {
    expect([...declaredMarketplaces({ extraKnownMarketplaces: ["x", { repo: "o/r" }] })]).toEqual([])
  })
})
