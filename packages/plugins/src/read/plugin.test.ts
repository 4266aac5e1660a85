import { describe, expect, it } from "vitest"
import { plugin as manifest, type Tree } from "../../test/workbench.ts"
import { useFolder } from "../../test/scratch.ts"
import { readPlugin } from "./plugin.ts"

const scratch = useFolder()

function withManifest(content: unknown): string {
  return scratch.write({ ".claude-plugin/plugin.json": content })
}

describe("a plugin's folder", () => {
  it("with a manifest has its name, its version and the manifest as it stands", () => {
    const folder = withManifest(manifest("tools", { version: "2.0.0", homepage: "https://x.example" }))
    expect(readPlugin(folder)).toEqual({
      folder,
      name: "tools",
      version: "2.0.0",
      manifest: manifest("tools", { version: "2.0.0", homepage: "https://x.example" }),
      hasManifestFile: true,
    })
  })

  it("without a manifest is called like its folder and has no version", () => {
    scratch.write({ "my-folder/skills/s/SKILL.md": "x" })
    expect(readPlugin(scratch.at("my-folder"))).toMatchObject({
      name: "my-folder",
      version: undefined,
      manifest: {},
      hasManifestFile: false,
    })
  })

  it("has no version when it is empty", () => {
    expect(readPlugin(withManifest(manifest("p", { version: "" }))).version).toBeUndefined()
  })

  it.each([
    ["its manifest", { ".claude-plugin/plugin.json": manifest("p", { version: "1\n✔ safe" }) }, undefined],
    ["its marketplace", {}, { name: "p", version: "1\u001b[8m" }],
    ["a plugin.json beside its parts", { "plugin.json": { name: "p", version: "1\u202e" } }, undefined],
  ])("is read when %s gives it a version that could forge lines, as Claude Code does", (_what, tree, entry) => {
    const folder = scratch.write({ ...tree, "skills/s/SKILL.md": "x" })
    expect(readPlugin(folder, entry).version).toMatch(/^1[^\d.]/)
  })

  it("may start its manifest with a byte order mark", () => {
    expect(readPlugin(withManifest(`\uFEFF${JSON.stringify(manifest("p"))}`)).name).toBe("p")
  })

  it.each([
    ["half a file", '{"name": "p"', /corrupt manifest .*JSON/],
    ["a list", "[]", /it is not an object/],
    ["nothing", "", /corrupt manifest/],
  ])("with %s for a manifest is refused as corrupt, and told whom to tell", (_what, text, message) => {
    const folder = withManifest(text)
    expect(() => readPlugin(folder)).toThrow(
      expect.objectContaining({
        code: "error_validation",
        message: expect.stringMatching(message) as string,
        next: expect.stringContaining("author") as string,
      }) as Error,
    )
  })

  it("with a field of the wrong kind is refused with every fault and the command that shows them", () => {
    const folder = withManifest(manifest("p", { author: "Ann", keywords: "a" }))
    expect(() => readPlugin(folder)).toThrow(
      expect.objectContaining({
        code: "error_validation",
        message:
          'The plugin has an invalid manifest: author: "author" must be an object with a name; got string. keywords: "keywords" must be a list of texts.',
        next: `Run chorus plugin validate ${folder}.`,
      }) as Error,
    )
  })

  it("is read although its name is reserved, although files it names are gone, and although it has fields nobody knows", () => {
    const folder = withManifest(manifest("claude-tools", { commands: ["./gone.md"], novel: 1 }))
    expect(readPlugin(folder)).toMatchObject({ name: "claude-tools", manifest: { novel: 1 } })
  })
})

describe("an entry that stands in for a manifest", () => {
  it("gives everything but what only a marketplace says", () => {
    const entry = {
      name: "e",
      version: "3.1.0",
      source: "./x",
      category: "c",
      tags: ["t"],
      strict: true,
      relevance: {},
      headers: {},
      headersHelper: "h",
      description: "d",
      mcpServers: { s: { command: "x" } },
    }
    expect(readPlugin(scratch.path, entry)).toMatchObject({
      name: "e",
      version: "3.1.0",
      hasManifestFile: false,
      manifest: { name: "e", version: "3.1.0", description: "d", mcpServers: { s: { command: "x" } } },
    })
    expect(Object.keys(readPlugin(scratch.path, entry).manifest)).toEqual([
      "name",
      "version",
      "description",
      "mcpServers",
    ])
  })
})

describe("an entry beside a manifest", () => {
  const merged = (file: Tree, entry: Tree) =>
    readPlugin(withManifest(manifest("p", file)), { name: "entry-name", source: "./p", ...entry })

  it("does not change the plugin's own name and version", () => {
    expect(merged({}, { version: "9.9.9" })).toMatchObject({ name: "p", version: "1.0.0" })
  })

  it("gives the version where the manifest has none", () => {
    const folder = withManifest({ name: "p" })
    expect(readPlugin(folder, { name: "p", version: "0.0.9" })).toMatchObject({
      version: "0.0.9",
      manifest: { version: "0.0.9" },
    })
  })

  it.each(["displayName", "description", "author", "homepage", "repository", "license", "keywords", "defaultEnabled"])(
    "decides %s, which people see",
    (key) => {
      const [mine, theirs] =
        key === "author"
          ? [{ name: "A" }, { name: "B" }]
          : key === "keywords"
            ? [["a"], ["b"]]
            : key === "defaultEnabled"
              ? [true, false]
              : ["https://a.example", "https://b.example"]
      expect(merged({ [key]: mine }, { [key]: theirs }).manifest[key]).toEqual(theirs)
    },
  )

  it.each(["commands", "agents", "skills", "outputStyles", "themes"])("adds its %s to the manifest's", (key) => {
    expect(merged({ [key]: "./a.md" }, { [key]: ["./b.md", "./c.md"] }).manifest[key]).toEqual([
      "./a.md",
      "./b.md",
      "./c.md",
    ])
    expect(merged({}, { [key]: "./b.md" }).manifest[key]).toBe("./b.md")
  })

  it("adds commands given as maps key by key, and its own wins", () => {
    const both = merged(
      { commands: { a: { content: "mine" }, b: { content: "b" } } },
      { commands: { a: { content: "theirs" } } },
    )
    expect(both.manifest["commands"]).toEqual({ a: { content: "theirs" }, b: { content: "b" } })
  })

  it("replaces hooks event by event and leaves paths alone", () => {
    const group = (command: string) => [{ hooks: [{ type: "command", command }] }]
    const both = merged(
      { hooks: ["./hooks/more.json", { Stop: group("mine"), SessionEnd: group("end") }] },
      { hooks: { Stop: group("theirs") } },
    )
    expect(both.manifest["hooks"]).toEqual([
      "./hooks/more.json",
      { SessionEnd: group("end") },
      { Stop: group("theirs") },
    ])
    expect(merged({}, { hooks: { Stop: group("theirs") } }).manifest["hooks"]).toEqual({ Stop: group("theirs") })
  })

  it.each(["mcpServers", "lspServers", "userConfig", "channels", "dependencies", "engines"])(
    "does not bring %s along",
    (key) => {
      expect(merged({}, { [key]: { x: {} } }).manifest[key]).toBeUndefined()
    },
  )

  it.each(["commands", "agents", "skills", "hooks", "outputStyles", "themes"])(
    "that is not strict conflicts with the manifest once it declares %s",
    (key) => {
      expect(() => merged({}, { strict: false, [key]: key === "hooks" ? {} : "./x.md" })).toThrow(
        expect.objectContaining({
          code: "manifests_conflict",
          message: expect.stringContaining('"entry-name"') as string,
          next: expect.stringContaining('"strict": true') as string,
        }) as Error,
      )
    },
  )

  it("that is not strict and declares no parts is no conflict", () => {
    expect(merged({}, { strict: false, mcpServers: {} }).name).toBe("p")
  })
})
