import { describe, expect, it } from "vitest"
import { findings } from "../../test/scratch.ts"
import { checkMarkdown, type MarkdownKind } from "./markdown-check.ts"

const KINDS: readonly MarkdownKind[] = ["skill", "agent", "command"]
const found = (text: string, kind: MarkdownKind = "skill") =>
  findings((report, file) => checkMarkdown(report, file, text, kind))
const withFields = (fields: string, kind?: MarkdownKind) => found(`---\n${fields}\n---\nbody`, kind)

describe("the front matter of a skill, agent or command", () => {
  it.each(KINDS)("of a %s with a name and a description is right", (kind) => {
    expect(withFields("name: x\ndescription: d", kind)).toEqual([])
  })

  it.each(KINDS)("of a %s is missed when it is not there, not closed or not at the top", (kind) => {
    for (const text of ["", "words", "---\ndescription: d\n", "\n---\ndescription: d\n---\n"])
      expect([text, found(text, kind)]).toEqual([text, ["warning frontmatter_missing frontmatter"]])
  })

  it.each(KINDS)("of a %s that is no YAML or no map is an error", (kind) => {
    expect(withFields('description: "open', kind)).toEqual(["error frontmatter_invalid frontmatter"])
    expect(withFields("- a\n- b", kind)).toEqual(["error frontmatter_not_mapping frontmatter"])
  })

  it.each([
    ["name: x", ["warning description_missing description"]],
    ["description:", []],
    ['description: ""', []],
    ["description: 7", []],
    ["description: [a, b]", ["error description_type description"]],
    ["description: {a: b}", ["error description_type description"]],
    ["description: d\nname: 7", ["error name_type name"]],
    ["description: d\nname: [x, y]", ["error name_type name"]],
    ["description: d\nname:", []],
    ["description: d\nallowed-tools: Bash(git *), Read", []],
    ["description: d\nallowed-tools: [Bash, Read]", []],
    ["description: d\nallowed-tools:", []],
    ["description: d\nallowed-tools: 7", ["error allowed_tools_type allowed-tools"]],
    ["description: d\nallowed-tools: [Bash, 7]", ["error allowed_tools_type allowed-tools"]],
    ["description: d\nallowed-tools: {a: b}", ["error allowed_tools_type allowed-tools"]],
    ["description: d\nshell: BASH", []],
    ["description: d\nshell: PowerShell", []],
    ["description: d\nshell: fish", ["error shell_unknown shell"]],
    ["description: d\nmetadata: x", ["warning metadata_type metadata"]],
    ["description: d\nmetadata: {a: b}", []],
    ["description: d\nmodel: 7\neffort: endless\nnovel: true", []],
    ["description: [oops", ["warning description_unclosed description"]],
    ['description: "[oops"', []],
    ["description: d\nargument-hint: [file", []],
  ])("%j: %j", (fields, expected) => {
    expect(withFields(fields)).toEqual(expected)
    expect(withFields(fields, "command")).toEqual(expected)
  })

  it("of an agent has neither shell nor metadata to judge", () => {
    expect(withFields("description: d\nshell: fish\nmetadata: x", "agent")).toEqual([])
  })

  it("says what becomes of a file whose front matter cannot be read, which differs for agents", () => {
    const messages: string[] = []
    for (const kind of KINDS) {
      findings((report, file) => {
        checkMarkdown(report, file, '---\nname: "x\n---\n', kind)
        messages.push(report.messages[0]?.message ?? "")
      })
    }
    expect(messages).toEqual([
      expect.stringContaining("the skill loads without any of its fields"),
      expect.stringContaining("the agent takes its name from the file"),
      expect.stringContaining("the command loads without any of its fields"),
    ])
  })
})
