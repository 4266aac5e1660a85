import { describe, expect, it } from "vitest"
import { findings, useFolder } from "../../test/scratch.ts"
import { market, plugin } from "../../test/workbench.ts"
import { checkMarketplace } from "./marketplace-check.ts"

const scratch = useFolder()

const found = (catalogue: Record<string, unknown>) =>
  findings((report, file) => checkMarketplace(report, file, catalogue, scratch.path))
const remote = { name: "r", source: { source: "github", repo: "o/r" } }
const withFields = (more: Record<string, unknown>) => found(market("m", [remote], more))
const withEntry = (entry: unknown) => found(market("m", [entry]))

describe("a catalogue", () => {
  it("with everything it may say is right", () => {
    expect(
      withFields({
        $schema: "s",
        version: "1",
        metadata: { description: "d", version: "1", pluginRoot: "./p" },
        forceRemoveDeletedPlugins: true,
        allowCrossMarketplaceDependenciesOn: ["x"],
        renames: { old: "r", gone: null },
      }),
    ).toEqual([])
  })

  it.each([
    [{ owner: undefined }, "error marketplace_field owner"],
    [{ owner: "Ann" }, "error marketplace_field owner"],
    [{ owner: {} }, "error person_invalid owner.name"],
    [{ $schema: 7 }, "error marketplace_field $schema"],
    [{ version: 1 }, "error marketplace_field version"],
    [{ description: 7 }, "error marketplace_field description"],
    [{ forceRemoveDeletedPlugins: "yes" }, "error marketplace_field forceRemoveDeletedPlugins"],
    [{ allowCrossMarketplaceDependenciesOn: "x" }, "error marketplace_field allowCrossMarketplaceDependenciesOn"],
    [{ metadata: "x" }, "error marketplace_field metadata"],
    [{ metadata: { version: 1 } }, "error marketplace_field metadata.version"],
    [{ metadata: { pluginroot: "./x" } }, "warning field_misspelt metadata.pluginroot"],
    [{ plugin: [] }, "warning field_misspelt plugin"],
    [{ icon: "x" }, "warning field_unknown icon"],
    [{ renames: [] }, "error renames_invalid renames"],
    [{ renames: { a: "b" } }, "error renames_unresolved renames.a"],
    [{ renames: { a: "b", b: "a" } }, "error renames_unresolved renames.a"],
  ])("with %j gives: %s", (more, finding) => {
    expect(withFields(more)[0]).toBe(finding)
  })

  it("without a description anywhere is warned about; one in its metadata is enough", () => {
    const { description: _, ...silent } = market("m", [remote])
    expect(found(silent)).toEqual(["warning description_missing description"])
    expect(found({ ...silent, metadata: { description: "d" } })).toEqual([])
  })

  it("lists its plugins, and says so when there are none", () => {
    expect(found(market("m", []))).toEqual(["warning marketplace_empty plugins"])
    expect(found({ ...market("m", []), plugins: {} })).toEqual(["error marketplace_field plugins"])
    expect(found({ ...market("m", []), plugins: undefined })).toEqual(["error marketplace_field plugins"])
  })
})

describe("an entry", () => {
  it.each([
    [7, ["error entry_type plugins[0]"]],
    [{ source: remote.source }, ["error name_missing plugins[0].name"]],
    [{ ...remote, name: "" }, ["error name_missing plugins[0].name"]],
    [{ ...remote, name: "a/b" }, ["error name_not_an_id plugins[0].name"]],
    [{ ...remote, name: "x".repeat(129) }, ["warning name_long plugins[0].name"]],
    [{ ...remote, name: "claude-x" }, ["error name_reserved plugins[0].name"]],
    [{ name: "r" }, ["error source_invalid plugins[0].source"]],
    [
      { name: "r", source: { source: "github", repo: "o/r", sha: "x" } },
      ["error source_invalid plugins[0].source.sha"],
    ],
    [{ ...remote, category: 7 }, ["error entry_field plugins[0].category"]],
    [{ ...remote, tags: "a" }, ["error entry_field plugins[0].tags"]],
    [{ ...remote, strict: "no" }, ["error entry_field plugins[0].strict"]],
    [{ ...remote, relevance: {} }, ["error relevance_invalid plugins[0].relevance.signals"]],
    [{ ...remote, version: 7 }, ["error field_type plugins[0].version"]],
    [{ ...remote, hooks: { Stop: {} } }, ["error hook_gating_unloadable plugins[0].hooks.Stop"]],
    [{ ...remote, headers: { A: "b" } }, ["warning headers_without_effect plugins[0].headers"]],
    [{ ...remote, headers: "x" }, ["error entry_field plugins[0].headers"]],
    [{ ...remote, headersHelper: "x" }, ["warning headers_without_effect plugins[0].headersHelper"]],
  ])("%j: %j", (entry, expected) => {
    expect(withEntry(entry)).toEqual(expected)
  })

  it("may be called like Anthropic's own in Anthropic's own marketplaces", () => {
    expect(found(market("claude-plugins-official", [{ ...remote, name: "claude-x" }]))).toEqual([])
  })

  it("is there once: of two with one name both are told", () => {
    expect(found(market("m", [remote, { ...remote, name: "other" }, remote]))).toEqual([
      "error entry_duplicate plugins[0].name",
      "error entry_duplicate plugins[2].name",
    ])
  })
})

describe("headers of an entry's archive", () => {
  const archive = (more: Record<string, unknown>, source: Record<string, unknown> = { sha256: "a".repeat(64) }) =>
    withEntry({ name: "a", source: { source: "archive", url: "https://x.example/a.zip", ...source }, ...more })

  it.each([
    [{ headers: { Authorization: "x" } }, []],
    [{ headers: { A: 1 } }, ["error entry_field plugins[0].headers"]],
    [
      { headers: { Host: "x", "X-Forwarded-For": "y", cookie: "z", "X-Host": "fine" } },
      [
        "warning header_dropped plugins[0].headers.Host",
        "warning header_dropped plugins[0].headers.X-Forwarded-For",
        "warning header_dropped plugins[0].headers.cookie",
      ],
    ],
    [{ headersHelper: "x", strict: false }, []],
    [{ headersHelper: "x" }, ["error headers_helper_strict plugins[0].headersHelper"]],
  ])("%j: %j", (more, expected) => {
    expect(archive(more)).toEqual(expected)
  })

  it("that a helper makes are for an archive that is pinned", () => {
    expect(archive({ headersHelper: "x", strict: false }, {})).toEqual([
      "warning archive_unpinned plugins[0].source.sha256",
    ])
  })
})

describe("a plugin that lies beside its catalogue", () => {
  const beside = (manifest: unknown, entry: Record<string, unknown> = {}) => {
    scratch.write({ "a/.claude-plugin/plugin.json": manifest })
    return withEntry({ name: "a", source: "./a", ...entry })
  }

  it("is read too, and what is wrong is told with the entry it belongs to", () => {
    expect(beside(plugin("a"))).toEqual([])
    expect(beside(plugin("a", { author: "x", skills: "./gone" }))).toEqual([
      "error person_invalid plugins[0] → author",
      "error path_not_found plugins[0] → skills",
    ])
    expect(beside("{")).toEqual(["error json_invalid plugins[0] → json"])
    expect(beside([])).toEqual(["error manifest_not_object plugins[0] → root"])
  })

  it("may have no manifest of its own", () => {
    scratch.write({ "a/skills/s/SKILL.md": "" })
    expect(withEntry({ name: "a", source: "./a" })).toEqual([])
  })

  it("has one version: two that differ are told, and which one wins", () => {
    expect(beside(plugin("a"), { version: "2.0.0" })).toEqual(["warning version_mismatch plugins[0].version"])
    expect(beside(plugin("a"), { version: "1.0.0" })).toEqual([])
  })

  it("that is not there, is a file or leads out cannot be installed", () => {
    scratch.write({ f: "" })
    scratch.link("out", "/etc")
    for (const source of ["./gone", "./f", "./out"])
      expect([source, withEntry({ name: "a", source })]).toEqual([
        source,
        ["warning source_folder_missing plugins[0].source"],
      ])
  })

  it("is found below pluginRoot by its bare name", () => {
    scratch.write({ "plugins/a/.claude-plugin/plugin.json": plugin("a", { version: 7 }) })
    expect(found(market("m", [{ name: "a", source: "a" }], { metadata: { pluginRoot: "./plugins" } }))).toEqual([
      "error field_type plugins[0] → version",
    ])
  })
})
