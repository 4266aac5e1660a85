import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { useWorkbench } from "../../test/scratch.ts"
import { codeOf, market, plugin } from "../../test/workbench.ts"
import {
  addMarketplace,
  findMarketplace,
  isInPlace,
  openAllMarketplaces,
  openMarketplace,
  sameSource,
  updateMarketplace,
} from "./registry.ts"
import { catalogueLocation } from "./materialise.ts"
import { checkAtStart, listMarketplaces, removeMarketplace } from "./withdrawal.ts"

const bench = useWorkbench()
const context = () => bench().context()
const known = () => bench().json(bench().claude("plugins/known_marketplaces.json"))
const declare = (scope: "home" | "proj", settings: unknown) =>
  bench().write(`../${scope}/.claude`, { "settings.json": settings })
const inline = (name: string) => ({
  source: "settings" as const,
  name,
  plugins: [
    { name: "r", source: "./r" },
    { name: "g", source: { source: "github", repo: "o/r" } },
  ],
})

describe("adding a marketplace", () => {
  it("declares it in the scope that was asked for and leaves what is there", async () => {
    declare("proj", { model: "x", extraKnownMarketplaces: { other: { source: { source: "github", repo: "o/r" } } } })
    const root = bench().write("m", { ".claude-plugin/marketplace.json": market("m", []) })
    expect(await addMarketplace(context(), { source: "directory", path: root }, "project")).toEqual({
      name: "m",
      already: false,
      plugins: 0,
    })
    expect(bench().json(join(bench().project, ".claude/settings.json"))).toEqual({
      model: "x",
      extraKnownMarketplaces: {
        other: { source: { source: "github", repo: "o/r" } },
        m: { source: { source: "directory", path: root } },
      },
    })
  })

  it("twice is adding it once, and refreshes what is known of it", async () => {
    const root = await bench().addLocal("m", [])
    const later = bench().context({ now: () => new Date("2030-01-01T00:00:00Z") })
    expect(await addMarketplace(later, { source: "directory", path: root }, "user")).toMatchObject({ already: true })
    expect(known()).toMatchObject({ m: { lastUpdated: "2030-01-01T00:00:00.000Z", installLocation: root } })
  })

  it("that cannot be read, or has a name that is not its to have, writes nothing", async () => {
    const bad = bench().write("bad", { ".claude-plugin/marketplace.json": "{" })
    const taken = bench().write("taken", { ".claude-plugin/marketplace.json": market("claude-plugins-official", []) })
    expect(await codeOf(addMarketplace(context(), { source: "directory", path: bad }, "user"))).toBe("manifest_invalid")
    expect(await codeOf(addMarketplace(context(), { source: "directory", path: taken }, "user"))).toBe("name_refused")
    expect(await codeOf(addMarketplace(context(), { source: "directory", path: join(bad, "none") }, "user"))).toBe(
      "manifest_missing",
    )
    expect(bench().written()).toEqual([])
    expect(readdirSync(bench().claude("plugins/marketplaces"))).toEqual([])
  })

  it("in a file that Claude Code does not read writes nothing, and says where to put it", async () => {
    const root = bench().write("loose", { "lists/team.json": market("team", []) })
    const refused = addMarketplace(bench().context(), { source: "file", path: join(root, "lists/team.json") }, "user")
    await expect(refused).rejects.toMatchObject({
      code: "invalid_source",
      next: expect.stringContaining(".claude-plugin/marketplace.json") as string,
    })
    expect(bench().written()).toEqual([])
  })

  it("with a name the documents reserve needs a word from whoever knows better", async () => {
    const root = bench().write("m", { ".claude-plugin/marketplace.json": market("npm", []) })
    expect(await codeOf(addMarketplace(context(), { source: "directory", path: root }, "user"))).toBe("name_refused")
    expect(
      (
        await addMarketplace(
          bench().context({ env: { ...bench().env, CHORUS_ALLOW_RESERVED_NAMES: "1" } }),
          { source: "directory", path: root },
          "user",
        )
      ).name,
    ).toBe("npm")
  })

  it("written out in settings takes no relative sources", async () => {
    await addMarketplace(context(), inline("set"), "user")
    expect(
      [...openMarketplace(context(), "set").entries.values()].map(({ name, problem }) => [name, problem === undefined]),
    ).toEqual([
      ["r", false],
      ["g", true],
    ])
  })
})

describe("finding a marketplace", () => {
  it("that is known opens it as it lies there now", async () => {
    await bench().addLocal("m", [])
    bench().write("m", { ".claude-plugin/marketplace.json": market("m", [{ name: "new", source: "./x" }]) })
    expect([...(await findMarketplace(context(), "m")).entries.keys()]).toEqual(["new"])
  })

  it("that the user's settings declare adds it first", async () => {
    const root = bench().write("m", { ".claude-plugin/marketplace.json": market("m", []) })
    declare("home", { extraKnownMarketplaces: { m: { source: { source: "directory", path: root } } } })
    expect((await findMarketplace(context(), "m")).name).toBe("m")
    expect(known()).toMatchObject({ m: { installLocation: root } })
  })

  it("that is written out in settings needs no name inside", async () => {
    const { name: _, ...unnamed } = inline("x")
    declare("home", { extraKnownMarketplaces: { set: { source: unnamed } } })
    expect((await findMarketplace(context(), "set")).name).toBe("set")
  })

  it("that only the project declares waits for the person, who is told how", async () => {
    declare("proj", {
      extraKnownMarketplaces: { m: { source: { source: "git", url: "https://x.example/r.git", ref: "v1" } } },
    })
    await expect(findMarketplace(context(), "m")).rejects.toMatchObject({
      code: "marketplace_untrusted",
      status: 403,
      next: "If you trust it: chorus plugin marketplace add https://x.example/r.git#v1.",
    })
  })

  it.each([[{}], [{ extraKnownMarketplaces: { m: { source: { source: "carrier-pigeon" } } } }]])(
    "that %j does not declare is not found",
    async (settings) => {
      declare("home", settings)
      expect(await codeOf(findMarketplace(context(), "m"))).toBe("not_found")
    },
  )
})

describe("opening all marketplaces", () => {
  it("gives those that can be read, and why the others cannot", async () => {
    await bench().addLocal("good", [])
    const gone = await bench().addLocal("gone", [])
    await bench().addLocal("broken", [])
    rmSync(gone, { recursive: true })
    bench().write("broken", { ".claude-plugin/marketplace.json": "{" })
    const { catalogues, problems } = openAllMarketplaces(context())
    expect([[...catalogues.keys()], [...problems.keys()]]).toEqual([["good"], ["gone", "broken"]])
    expect(
      listMarketplaces(context()).map(({ name, plugins, problem }) => [name, plugins, problem !== undefined]),
    ).toEqual([
      ["good", 0, false],
      ["gone", undefined, true],
      ["broken", undefined, true],
    ])
  })

  it("keeps the name it was added by, whatever the file calls itself by now", async () => {
    await bench().addLocal("m", [])
    bench().write("m", { ".claude-plugin/marketplace.json": market("other", []) })
    expect([...openAllMarketplaces(context()).catalogues].map(([key, { name }]) => [key, name])).toEqual([["m", "m"]])
    expect(await codeOf(updateMarketplace(context(), "m"))).toBe("marketplace_renamed")
  })

  it("puts back a copy whose replacement was interrupted", async () => {
    const location = bench().claude("plugins/marketplaces/m")
    bench().write("../home/.claude/plugins", {
      "known_marketplaces.json": {
        m: { source: { source: "git", url: "https://x.example/m.git" }, installLocation: location },
      },
    })
    bench().write("../home/.claude/plugins/marketplaces/m", {
      ".claude-plugin/marketplace.json": market("m", [{ name: "a", source: "./a" }]),
    })
    renameSync(location, `${location}.chorus-old`)
    expect([...openMarketplace(context(), "m").entries.keys()]).toEqual(["a"])
  })

  it("refuses what the administrator blocks, also when it was added before", async () => {
    const root = await bench().addLocal("m", [])
    bench().write("..", { "managed-settings.json": { blockedMarketplaces: [{ source: "directory", path: root }] } })
    expect(() => openMarketplace(context(), "m")).toThrow(expect.objectContaining({ code: "error_policy" }) as Error)
    expect([...openAllMarketplaces(context()).problems.keys()]).toEqual(["m"])
  })
})

describe("removing a marketplace", () => {
  it("from one of two scopes leaves it declared in the other, with its plugins", async () => {
    const root = await bench().addLocal("m", [])
    await addMarketplace(context(), { source: "directory", path: root }, "project")
    expect(await removeMarketplace(context(), "m", "project")).toEqual({
      name: "m",
      scopes: ["project"],
      uninstalled: [],
      stillDeclared: true,
      stillNamedBy: [],
    })
    expect(known()).toHaveProperty("m")
    expect(await removeMarketplace(context(), "m")).toEqual({
      name: "m",
      scopes: ["user"],
      uninstalled: [],
      stillDeclared: false,
      stillNamedBy: [],
    })
    expect(known()).toEqual({})
  })

  it("removes our own copy, and never a folder that is somebody's", async () => {
    const root = await bench().addLocal("m", [])
    await removeMarketplace(context(), "m")
    expect(existsSync(root)).toBe(true)
    const copy = bench().claude("plugins/marketplaces/n")
    mkdirSync(copy, { recursive: true })
    writeFileSync(
      bench().claude("plugins/known_marketplaces.json"),
      JSON.stringify({ n: { source: { source: "git", url: "https://x.example/n" }, installLocation: copy } }),
    )
    await removeMarketplace(context(), "n")
    expect(existsSync(copy)).toBe(false)
  })

  it("that was interrupted after its declaration went is finished by doing it again", async () => {
    await bench().addLocal("m", [])
    declare("home", {})
    expect(await removeMarketplace(context(), "m")).toEqual({
      name: "m",
      scopes: [],
      uninstalled: [],
      stillDeclared: false,
      stillNamedBy: [],
    })
    expect(await codeOf(removeMarketplace(context(), "m"))).toBe("not_configured")
  })
})

describe("a source", () => {
  it("is the same by what people see of it, and another by its ref", () => {
    const git = (ref?: string) => ({
      source: "git" as const,
      url: "https://x.example/r.git",
      ...(ref === undefined ? {} : { ref }),
    })
    expect([
      sameSource(git(), git()),
      sameSource(git("a"), git("b")),
      sameSource(git(), git("b")),
      sameSource(inline("a"), inline("b")),
    ]).toEqual([true, false, false, true])
  })

  it("is run from where it lies when it is a folder or file of this machine", () => {
    expect([
      isInPlace({ source: "directory", path: "/" }),
      isInPlace({ source: "file", path: "/x" }),
      isInPlace({ source: "github", repo: "o/r" }),
    ]).toEqual([true, true, false])
  })

  it("may keep its catalogue elsewhere in the repository, and nowhere else", () => {
    expect(catalogueLocation({ source: "github", repo: "o/r", path: "sub/market.json" }, "/base")).toBe(
      "/base/sub/market.json",
    )
    expect(catalogueLocation({ source: "npm", package: "p" }, "/base")).toBe("/base")
    expect(() => catalogueLocation({ source: "git", url: "u", path: "../../etc" }, "/base")).toThrow(
      expect.objectContaining({ code: "invalid_source" }) as Error,
    )
  })
})

describe("the start of a session", () => {
  it("on a machine without marketplaces finds nothing and writes nothing", async () => {
    expect(await checkAtStart(context())).toEqual({
      withdrawn: { renamed: [], removed: [] },
      updates: [],
      unreachable: [],
    })
  })

  it("tells which catalogues could not be fetched and goes on", async () => {
    await bench().addLocal("m", [{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
    const location = bench().claude("plugins/marketplaces/far")
    writeFileSync(
      bench().claude("plugins/known_marketplaces.json"),
      JSON.stringify({
        ...known(),
        far: { source: { source: "github", repo: "o/r" }, installLocation: location, autoUpdate: true },
      }),
    )
    const offline = bench().context({ network: { trusted: new Set(), offline: true } })
    expect((await checkAtStart(offline)).unreachable).toEqual([expect.stringMatching(/^far: .*offline/)])
    expect(await codeOf(updateMarketplace(offline, "far"))).toBe("offline")
  })
})
