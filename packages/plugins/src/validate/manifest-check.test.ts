import { describe, expect, it } from "vitest"
import { findings, useFolder } from "../../test/scratch.ts"
import { plugin } from "../../test/workbench.ts"
import { checkManifest, checkPerson, checkSurroundings } from "./manifest-check.ts"

const asPlugin = (more: Record<string, unknown>) =>
  findings((report, file) =>
    checkManifest(report, file, plugin("p", more), { as: "plugin", root: undefined, official: false }),
  )
const asEntry = (entry: Record<string, unknown>) =>
  findings((report, file) =>
    checkManifest(report, file, entry, { as: "entry", root: undefined, official: false }, ["plugins", 2]),
  )

describe("the fields of a manifest", () => {
  it("that say everything they may are right", () => {
    const all = {
      $schema: "https://x.example/s.json",
      displayName: "P",
      homepage: "https://x.example",
      repository: "https://x.example/r",
      license: "MIT",
      keywords: ["a"],
      metadata: { any: 1 },
      defaultEnabled: false,
      engines: { "claude-code": ">=2.1.0", other: 7 },
      dependencies: ["a", "a.b@m", "a@^1.0", "a@m@~2", { name: "c", marketplace: "m", version: "1.x" }],
      settings: {},
      userConfig: {},
      channels: [],
      icon: "./i.png",
      documentationUrl: "https://x.example",
      bugs: {},
    }
    expect(asPlugin(all)).toEqual([])
  })

  it.each([
    ["$schema", 7, "error field_type $schema"],
    ["displayName", null, "error field_type displayName"],
    ["version", 1, "error field_type version"],
    ["description", "", "warning description_missing description"],
    ["description", ["x"], "error field_type description"],
    ["license", {}, "error field_type license"],
    ["repository", { url: "x" }, "error field_type repository"],
    ["homepage", "x.example", "error field_type homepage"],
    ["homepage", 7, "error field_type homepage"],
    ["keywords", "a, b", "error field_type keywords"],
    ["keywords", [1], "error field_type keywords"],
    ["metadata", "x", "warning field_ignored metadata"],
    ["defaultEnabled", "yes", "error field_type defaultEnabled"],
    ["engines", ">=2", "warning field_ignored engines"],
    ["engines", { "claude-code": "newest" }, "error field_type engines.claude-code"],
    ["engines", { "claude-code": 2 }, "error field_type engines.claude-code"],
    ["dependencies", { a: "1" }, "error dependencies_type dependencies"],
    ["dependencies", ["../a"], "error dependency_invalid dependencies[0]"],
    ["dependencies", ["a b"], "error dependency_invalid dependencies[0]"],
    ["dependencies", ["a@b@c@d"], "error dependency_invalid dependencies[0]"],
    ["dependencies", ["ok", 7], "error dependency_invalid dependencies[1]"],
    ["dependencies", [{ version: "1" }], "error dependency_invalid dependencies[0]"],
    ["dependencies", [{ name: "a", marketplace: "../m" }], "error dependency_invalid dependencies[0]"],
    ["settings", [], "error settings_type settings"],
    ["settings", { agent: "x" }, "note settings_agent_deprecated settings.agent"],
    ["settings", { agent: {} }, "note settings_agent_object settings.agent"],
    ["settings", { model: "x" }, "note settings_without_effect settings.model"],
    ["settings", { subagentStatusLine: {} }, undefined],
    ["userConfig", [], "error user_config_type userConfig"],
    ["channels", {}, "error channels_type channels"],
    ["author", "Ann", "error person_invalid author"],
  ])("%s %j gives: %s", (key, value, finding) => {
    expect(asPlugin({ [key]: value })).toEqual(finding === undefined ? [] : [finding])
  })

  it("that people miss are warned about, in a plugin alone", () => {
    const bare = findings((report, file) =>
      checkManifest(report, file, { name: "p", version: "" }, { as: "plugin", root: undefined, official: false }),
    )
    expect(bare).toEqual([
      "warning version_missing version",
      "warning description_missing description",
      "warning author_missing author",
    ])
    expect(asEntry({ name: "p" })).toEqual([])
  })

  it("of an entry are named by where it stands, and it may have keys a plugin may not", () => {
    expect(asEntry({ name: "p", version: 1, category: "c", tags: [], strict: true })).toEqual([
      "error field_type plugins[2].version",
    ])
    expect(asEntry({ name: "p", icon: "./i.png" })).toEqual(["warning field_unknown plugins[2].icon"])
    expect(asPlugin({ category: "c" })).toEqual(["warning field_belongs_in_entry category"])
  })
})

describe("a person", () => {
  const found = (person: unknown) => findings((report, file) => checkPerson(report, file, ["owner"], person))

  it.each([
    [{ name: "A" }, []],
    [{ name: "A", email: "a@x.example", url: "https://x.example", novel: 1 }, []],
    [{}, ["error person_invalid owner.name"]],
    [{ name: "" }, ["error person_invalid owner.name"]],
    [{ name: 7 }, ["error person_invalid owner.name"]],
    [{ name: "A", email: 7, url: [] }, ["error person_invalid owner.email", "error person_invalid owner.url"]],
    [null, ["error person_invalid owner"]],
  ])("%j: %j", (person, expected) => {
    expect(found(person)).toEqual(expected)
  })
})

describe("what lies beside a manifest", () => {
  const scratch = useFolder()
  const found = (tree: Record<string, unknown>, manifest: Record<string, unknown> = {}) =>
    findings((report, file) => {
      const root = scratch.write(tree)
      checkManifest(report, file, plugin("p", manifest), { as: "plugin", root, official: false })
      checkSurroundings(report, root)
    })

  it("is nothing to speak of in a plain plugin", () => {
    expect(found({ "skills/s/SKILL.md": "" })).toEqual([])
  })

  it("is told when people expect it to be read and nobody does", () => {
    expect(
      found({ "CLAUDE.md": "x", ".claude-plugin/skills/s/SKILL.md": "", ".claude-plugin/hooks/h.json": "" }),
    ).toEqual(["warning claude_md_not_loaded", "note component_misplaced", "note component_misplaced"])
  })

  it.each([
    "",
    "export type A = string\nexport interface B {}\n",
    "// export const x\nexport type A = 'export const x'\n",
    "declare module 'claude-code' {\n  interface X { a: string }\n}\n",
    "export interface A { class: string; function: number; import: string; const: 1; from: string }\n",
    "export type A = {\n  a: 1\n}\nexport type B = A\n  | { b: 2 }\n",
    "export type A = (a: string) => void\nexport type F = new () => `x${string}`\n",
  ])("types others may build on: %j", (text) => {
    expect(found({ "t.d.ts": text }, { types: "./t.d.ts" })).toEqual([])
  })

  it.each([
    "export const x: number\n",
    "export function f(): void\n",
    "  export declare abstract class C {}\n",
    "export default 1\n",
    "export enum A { B }\n",
    "export namespace N { type A = 1 }\n",
    "import type { A } from 'x'\nexport type B = A\n",
    "export type A = import('x').A\n",
    "export type { A } from './a'\n",
    "export * from './a'\n",
    '/// <reference path="x"/>\n',
    "interface A {}\n",
    "type A = 1\n",
    "declare const x: number\n",
    "declare module 'x' { interface A {} }\n",
    "declare module 'claude-code' { const x: 1 }\n",
    "declare global { interface A {} }\n",
    "export type A = { a: 1\n",
  ])("no types others may build on: %j", (text) => {
    expect(found({ "t.d.ts": text }, { types: "./t.d.ts" })).toContain("error types_invalid")
  })

  it.each([
    [7, "error types_invalid types"],
    ["./t.ts", "error path_extension types"],
    ["./gone.d.ts", "error path_not_found types"],
    ["t.d.ts", "error path_invalid types"],
  ])("names its types as %j: %s", (types, finding) => {
    expect(found({}, { types })).toEqual([finding])
  })
})
