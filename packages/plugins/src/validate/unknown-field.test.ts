import { describe, expect, it } from "vitest"
import { Report } from "./report.ts"
import { reportUnknown } from "./unknown-field.ts"

const KNOWN = ["name", "skills", "mcpServers", "outputStyles", "userConfig", "hooks"]

function told(key: string, place: "plugin" | "entry" | "marketplace" | "other" = "plugin") {
  const report = new Report()
  reportUnknown(report, { file: "f" }, ["x", key], KNOWN, place)
  const [message] = report.messages
  return `${message?.level} ${message?.code} ${message?.path}: ${message?.message}${message?.fix === undefined ? "" : ` ${message.fix}`}`
}

describe("a key nobody reads", () => {
  it.each([
    ["skill", "skills"],
    ["mcpservers", "mcpServers"],
    ["mcp_servers", "mcpServers"],
    ["output-styles", "outputStyles"],
    ["Hooks", "hooks"],
    ["userconfig", "userConfig"],
    ["names", "name"],
  ])("%s is a slip of the pen for %s", (key, meant) => {
    expect(told(key)).toBe(`warning field_misspelt x.${key}: "${key}" is not read. Did you mean "${meant}"?`)
  })

  it.each([
    ["scripts", "an npm package.json"],
    ["contributes", "a VS Code or Cursor extension manifest"],
    ["dxt_version", "an MCPB/DXT manifest"],
    ["tools", "an MCP server manifest"],
  ])("%s is known from %s", (key, home) => {
    expect(told(key)).toBe(`warning field_unknown x.${key}: Unknown field "${key}", known from ${home}; it is ignored.`)
  })

  it.each(["category", "tags", "source", "strict", "relevance", "id"])(
    "%s belongs into the entry, which is said in a plugin alone",
    (key) => {
      expect(told(key)).toMatch(/^warning field_belongs_in_entry/)
      expect(told(key, "marketplace")).toMatch(/^warning field_unknown/)
    },
  )

  it.each([
    ["capabilities", /field_retired .* Delete it\./],
    ["user_config", /field_misspelt .* Write "userConfig"\./],
    ["something", /field_unknown x\.something: Unknown field "something"; it is ignored\.$/],
    ["", /field_unknown/],
  ])("%s", (key, message) => {
    expect(told(key)).toMatch(message)
  })
})
