import { assert, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { findings } from "../../test/scratch.ts"
import {
  checkImpersonation,
  checkMarketplaceName,
  checkPluginName,
  imitatesOfficial,
  impersonation,
  isIdPart,
  kebab,
  OFFICIAL_MARKETPLACES,
  RESERVED_ORIGINS,
} from "./name-check.ts"

describe("half of a plugin's id", () => {
  it.each(["a", "A1", "my-plugin", "a.b_c-d", "9lives", "x".repeat(200)])("may be %s", (name) => {
    expect(isIdPart(name)).toBe(true)
  })

  it.each(["", "-a", ".a", "_a", "a b", "a/b", "a\\b", "a@b", "..", "a..b", "ä", "a\n", "a\u0000", "…"])(
    "may not be %j",
    (name) => {
      expect(isIdPart(name)).toBe(false)
    },
  )

  it("never is a path out of a folder, whatever the text", () => {
    assert(property(string(), (text) => !isIdPart(text) || !/[/\\]|\.\./.test(text)))
  })
})

describe("the name of a plugin", () => {
  const found = (name: unknown, official = false) =>
    findings((report, file) => checkPluginName(report, file, name, { official }))

  it.each(["p", "my-plugin", "a1-b2", "0"])("%s is right", (name) => {
    expect(found(name)).toEqual([])
  })

  it.each([
    [undefined, "error name_missing name"],
    [7, "error name_missing name"],
    [null, "error name_missing name"],
    ["", "error name_empty name"],
    ["my plugin", "error name_space name"],
    ["a\u202Eb", "error name_invisible name"],
    ["a\u0007", "error name_invisible name"],
    ["nl\n✔ nl@odd is safe", "error name_invisible name"],
    ["claude", "error name_reserved name"],
    ["claude-tools", "error name_reserved name"],
    ["anthropic-x", "error name_reserved name"],
    ["official-claude", "error name_reserved name"],
    ["my-claude", "warning name_close_to_reserved name"],
    ["MyPlugin", "warning name_not_kebab name"],
    ["my_plugin", "warning name_not_kebab name"],
    ["-x", "warning name_not_kebab name"],
    ["a--b", "warning name_not_kebab name"],
    ["überwald", "warning name_not_kebab name"],
  ])("%j gives: %s", (name, finding) => {
    expect(found(name)).toEqual([finding])
  })

  it("of Anthropic's may be used in Anthropic's own marketplaces", () => {
    expect(found("claude-tools", true)).toEqual([])
  })
})

describe("passing as one of Anthropic's", () => {
  it.each([
    ["claude", "reserved"],
    ["Claude_Code", "reserved"],
    ["CLAUDE.MODS", "reserved"],
    ["anthropics", "reserved"],
    ["claude-anything", "reserved"],
    ["cc-plugin-x", "reserved"],
    ["claude-official", "reserved"],
    ["my-official-anthropic-x", "reserved"],
    ["for-claude", "close"],
    ["x-anthropic-y", "close"],
    ["official-tools", undefined],
    ["claudette", undefined],
    ["anthropology", undefined],
    ["cc-plugins", undefined],
    ["", undefined],
  ])("%s: %s", (name, expected) => {
    expect(impersonation(name)).toBe(expected)
  })

  it("is an error or a warning at the place that is named, and neither where the names are right", () => {
    const at = (name: string, official: boolean) =>
      findings((report, file) => checkImpersonation(report, file, ["plugins", 3, "name"], name, official))
    expect([at("claude-x", false), at("x-claude", false), at("claude-x", true), at("x", false)]).toEqual([
      ["error name_reserved plugins[3].name"],
      ["warning name_close_to_reserved plugins[3].name"],
      [],
      [],
    ])
  })
})

describe("the name of a marketplace", () => {
  const found = (name: unknown) => findings((report, file) => checkMarketplaceName(report, file, name))

  it.each(["tools", "My.Tools_2", "foo-claude-plugins", ...OFFICIAL_MARKETPLACES])("%s is right", (name) => {
    expect(found(name)).toEqual([])
  })

  it.each([
    [undefined, ["error name_missing name"]],
    ["", ["error name_empty name"]],
    ["a b", ["error name_space name", "error name_not_an_id name"]],
    ["a\u200Eb", ["error name_invisible name", "error name_impersonates name", "error name_not_an_id name"]],
    ["Inline", ["error name_reserved name"]],
    ["claude-plugins", ["error name_impersonates name"]],
    ["my-claude-official", ["error name_impersonates name"]],
    ["сlaude", ["error name_impersonates name", "error name_not_an_id name"]],
    ["../x", ["error name_not_an_id name"]],
    ["org", ["warning name_desktop_reserved name"]],
    ["npm", ["note name_documented_reserved name"]],
    ["x".repeat(129), ["warning name_long name"]],
    ["x".repeat(128), []],
  ])("%j gives: %j", (name, expected) => {
    expect(found(name)).toEqual(expected)
  })

  it("is reserved where it stands for plugins that come from no marketplace, in any case of letters", () => {
    for (const name of RESERVED_ORIGINS)
      expect([name, found(name.toUpperCase())]).toEqual([name, ["error name_reserved name"]])
  })
})

describe("imitating an official marketplace", () => {
  it.each([
    ["claude-plugins-official", false],
    ["CLAUDE-PLUGINS-OFFICIAL", false],
    ["claude.plugins", true],
    ["anthropic marketplace", true],
    ["claudeplugins", true],
    ["official-anthropic", true],
    ["officialclaude", true],
    ["cläude", true],
    ["my-claude-plugins", false],
    ["claude-tools", false],
  ])("%s: %s", (name, expected) => {
    expect(imitatesOfficial(name)).toBe(expected)
  })
})

describe("kebab-case", () => {
  it.each([
    ["MyPlugin", "my-plugin"],
    ["my_plugin v2", "my-plugin-v2"],
    ["--A--", "a"],
    ["éé", "my-plugin"],
    ["", "my-plugin"],
    ["HTTPServer2Go", "httpserver2-go"],
  ])("of %j is %s", (name, expected) => {
    expect(kebab(name)).toBe(expected)
  })

  it("is always a name that is right", () => {
    assert(
      property(string(), (text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(kebab(text)) && kebab(kebab(text)) === kebab(text)),
    )
  })
})
