import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import { market } from "../../test/workbench.ts"
import { catalogueOf, readCatalogue, withoutFolders } from "./catalogue.ts"

const scratch = useFolder()
const FILE = ".claude-plugin/marketplace.json"
const read = (content: unknown, name = FILE) =>
  readCatalogue(
    name === FILE ? scratch.write({ [FILE]: content }) : (scratch.write({ [name]: content }), scratch.at(name)),
  )
const local = { name: "a", source: "./a" }

describe("a catalogue", () => {
  it("is read from its folder with everything it says", () => {
    const data = market("m", [local, { name: "g", source: { source: "github", repo: "o/r" } }], {
      metadata: { pluginRoot: "./p" },
      renames: { old: "a" },
      allowCrossMarketplaceDependenciesOn: ["n"],
      forceRemoveDeletedPlugins: true,
    })
    expect(read(data)).toEqual({
      name: "m",
      root: scratch.path,
      data,
      pluginRoot: "./p",
      entries: new Map([
        ["a", { name: "a", source: "./a", data: local, problem: undefined }],
        [
          "g",
          {
            name: "g",
            source: { source: "github", repo: "o/r" },
            data: { name: "g", source: { source: "github", repo: "o/r" } },
            problem: undefined,
          },
        ],
      ]),
      renames: { old: "a" },
      allowsDependenciesOn: ["n"],
      removesDeleted: true,
    })
  })

  it.each([
    [FILE, ""],
    ["team.json", ""],
    ["deep/.claude-plugin/other.json", "deep"],
    ["deep/catalogue", "deep"],
  ])("may be the file %s; its folders start from %j", (name, root) => {
    expect(read(market("m", []), name).root).toBe(root === "" ? scratch.path : scratch.at(root))
  })

  it("may lie in a folder that is called like a file", () => {
    scratch.write({ [`market.json/${FILE}`]: market("m", []) })
    expect(readCatalogue(scratch.at("market.json")).name).toBe("m")
  })

  it("may start with a byte order mark", () => {
    expect(read(`\uFEFF${JSON.stringify(market("m", []))}`).name).toBe("m")
  })

  it("that says little is strict about nothing it does not say", () => {
    expect(read({ name: "m", owner: {}, plugins: [] })).toMatchObject({
      renames: {},
      allowsDependenciesOn: [],
      removesDeleted: false,
      pluginRoot: undefined,
    })
    expect(
      read(
        market("m", [], {
          renames: [],
          allowCrossMarketplaceDependenciesOn: "n",
          forceRemoveDeletedPlugins: "yes",
          metadata: "x",
        }),
      ),
    ).toMatchObject({ renames: {}, allowsDependenciesOn: [], removesDeleted: false })
  })

  it("that is not there is told with where it was looked for", () => {
    expect(() => readCatalogue(scratch.path)).toThrow(
      expect.objectContaining({
        code: "manifest_missing",
        status: 404,
        message: expect.stringContaining(scratch.at(FILE)) as string,
      }) as Error,
    )
    scratch.write({ "crew.git/HEAD": "ref: refs/heads/main\n", "crew.git/objects/x": "", "crew.git/refs/x": "" })
    expect(() => readCatalogue(scratch.at("crew.git"))).toThrow(
      expect.objectContaining({
        next: expect.stringContaining(`add file://${scratch.at("crew.git")}`) as string,
      }) as Error,
    )
    expect(() => readCatalogue(scratch.at("none.json"))).toThrow(
      expect.objectContaining({ code: "manifest_missing" }) as Error,
    )
  })

  it.each([
    ["{", /JSON/],
    ["[]", /it is not an object/],
    [{ owner: {}, plugins: [] }, /it has no name/],
    [market("", []), /it has no name/],
    [{ name: "m", plugins: [] }, /it names no owner/],
    [{ name: "m", owner: "A", plugins: [] }, /it names no owner/],
    [{ name: "m", owner: {} }, /"plugins" is not a list/],
    [{ name: "m", owner: {}, plugins: {} }, /"plugins" is not a list/],
  ])("that is %j is refused, and told how to see why", (content, message) => {
    expect(() => read(content)).toThrow(
      expect.objectContaining({
        code: "manifest_invalid",
        message: expect.stringMatching(message) as string,
        next: `Run chorus plugin validate ${scratch.path}.`,
      }) as Error,
    )
  })
})

describe("the entries of a catalogue", () => {
  const entries = (plugins: readonly unknown[], trusted?: ReadonlySet<string>) =>
    catalogueOf(market("m", plugins), "/", "f", trusted).entries

  it.each([
    [7],
    [null],
    ["a"],
    [{}],
    [{ source: "./a" }],
    [{ name: 7, source: "./a" }],
    [{ name: "", source: "./a" }],
    [{ name: "../a", source: "./a" }],
    [{ name: "a b", source: "./a" }],
  ])("without a usable name are dropped: %j", (entry) => {
    expect([...entries([entry, local]).keys()]).toEqual(["a"])
  })

  it.each([
    [{}, "it has no source"],
    [{ source: { source: "svn" } }, 'it uses a kind of source that is not supported ("svn")'],
    [{ source: { source: "pip", package: "x" } }, /^source: pip is not a source/],
    [{ source: "../x" }, /^source: "\.\.\/x" contains "\.\."/],
    [{ source: "x" }, /^source: "x" must start with "\.\/"\. Write "\.\/x"/],
    [{ source: { source: "github", repo: "o/r", sha: "x" } }, /^source\.sha: sha must be/],
    [{ source: { source: "archive", url: "http://127.0.0.1:1/a" } }, /^source\.url: An archive comes over https/],
  ])("with %j stay visible with their problem", (more, problem) => {
    const entry = entries([{ name: "a", ...more }]).get("a")
    if (typeof problem === "string") expect(entry?.problem).toBe(problem)
    else expect(entry?.problem).toMatch(problem)
  })

  it("on a host the person trusts are no problem", () => {
    expect(
      entries(
        [{ name: "a", source: { source: "archive", url: "http://127.0.0.1:1/a" } }],
        new Set(["127.0.0.1:1"]),
      ).get("a")?.problem,
    ).toBeUndefined()
  })

  it("of one name are one: the last", () => {
    expect(entries([local, { name: "a", source: "./b" }]).get("a")?.source).toBe("./b")
  })

  it("called like what every object has are entries like any other", () => {
    expect(entries([{ name: "constructor", source: "./a" }]).get("constructor")?.source).toBe("./a")
    expect(entries([]).get("constructor")).toBeUndefined()
  })

  it("of a catalogue without folders cannot be relative; the others can", () => {
    const catalogue = withoutFolders(
      catalogueOf(market("m", [local, { name: "g", source: { source: "github", repo: "o/r" } }]), "/", "f"),
      "it is a file",
    )
    expect([...catalogue.entries.values()].map(({ name, problem }) => [name, problem])).toEqual([
      ["a", "it is a file, so it takes no relative source"],
      ["g", undefined],
    ])
  })
})
