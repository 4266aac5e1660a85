import { readFileSync } from "node:fs"
import { TeamPermissionMode } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { agentType } from "./agent-type.ts"
import {
  claudeFlags,
  claudePaneFlags,
  codexFlags,
  type OpencodeTerms,
  opencodeTerms,
  type Reach,
  reachOf,
  toolsBeyond,
} from "./permission-table.ts"

const READING = 'sandbox_mode="read-only"'
const WRITING = 'sandbox_mode="workspace-write"'

describe("what a type lets a member do", () => {
  it.each<[string, Reach]>([
    ["general-purpose", "all"],
    ["Explore", "look"],
    ["Plan", "look"],
    ["Bash", "run"],
  ])("%s: %s", (name, reach) => {
    const { tools, disallowedTools } = agentType(name, { root: "/nowhere", project: "/nowhere" })
    expect(reachOf({ onlyTools: tools, disallowedTools })).toBe(reach)
  })

  it.each<[string, Parameters<typeof reachOf>[0], Reach]>([
    ["an agent file with one editing tool", { onlyTools: ["Read", "Edit"] }, "edit"],
    ["one with narrowed commands", { onlyTools: ["Read", "Bash(git:*)"] }, "run"],
    ["one without commands", { disallowedTools: ["Bash"] }, "edit"],
    ["one that forbids all that changes anything", { disallowedTools: [...toolsBeyond("look")] }, "look"],
    ["one with no tools", { onlyTools: [] }, "look"],
  ])("%s", (_, type, reach) => {
    expect(reachOf(type)).toBe(reach)
  })
})

describe("Codex", () => {
  it.each(TeamPermissionMode.options)("of a type that only looks is read-only in mode %s", (mode) => {
    expect(codexFlags(mode, "look")).toEqual(["-c", READING])
  })

  it.each<[TeamPermissionMode, Reach, string[]]>([
    ["plan", "all", ["-c", READING]],
    ["default", "all", ["-c", WRITING]],
    ["acceptEdits", "all", ["-c", WRITING]],
    ["bypassPermissions", "all", ["--dangerously-bypass-approvals-and-sandbox"]],
    ["bypassPermissions", "run", ["-c", WRITING]],
    ["bypassPermissions", "edit", ["-c", WRITING]],
  ])("in mode %s, type %s: %j", (mode, reach, flags) => {
    expect(codexFlags(mode, reach)).toEqual(flags)
  })
})

describe("OpenCode", () => {
  const DENIED = { edit: "deny", bash: "deny", task: "deny" }

  it.each(TeamPermissionMode.options)("of a type that only looks neither edits nor runs in mode %s", (mode) => {
    expect(opencodeTerms(mode, "look")).toMatchObject({ permission: DENIED, agent: mode === "plan" ? "plan" : "build" })
  })

  it.each<[TeamPermissionMode, Reach, readonly string[], object]>([
    ["default", "all", [], {}],
    ["plan", "all", ["--agent", "plan"], DENIED],
    ["acceptEdits", "all", [], { edit: "allow" }],
    ["acceptEdits", "run", ["--agent", "build"], { edit: "deny", task: "deny" }],
    ["dontAsk", "all", [], {}],
    ["bypassPermissions", "all", ["--auto"], {}],
    ["bypassPermissions", "edit", ["--agent", "build", "--auto"], { bash: "deny", task: "deny" }],
  ])("in mode %s, type %s: %j %j", (mode, reach, flags, permission) => {
    expect(opencodeTerms(mode, reach)).toMatchObject({ flags, permission })
    expect(Object.keys(opencodeTerms(mode, reach).permission)).toHaveLength(Object.keys(permission).length)
  })
})

describe("Claude Code", () => {
  it("in a pane plans first, and has its lead's freedom beside that", () => {
    expect(claudePaneFlags("plan", true)).toEqual(["--plan-mode-required", "--dangerously-skip-permissions"])
    expect(claudePaneFlags(undefined, true)).toEqual(["--dangerously-skip-permissions"])
    expect(claudePaneFlags(undefined)).toEqual([])
  })

  it("in a pane lacks what its type does not let it do", () => {
    expect(toolsBeyond("all")).toEqual([])
    expect(toolsBeyond("edit")).toEqual(["Bash"])
    expect(toolsBeyond("look")).toContain("Write")
  })
})

describe.each(["docs/teams.md", "docs/zh/teams.md"])("the table in %s", (page) => {
  const text = readFileSync(new URL(`../../../../${page}`, import.meta.url), "utf8")
  const code = (words: readonly string[]) => `\`${words.join(" ")}\``
  const terms = ({ flags, permission }: OpencodeTerms) =>
    [
      ...(flags.length === 0 ? [] : [code(flags)]),
      ...Object.entries(permission).map((rule) => code([rule.join(": ")])),
    ].join(" ") || "–"

  it.each(TeamPermissionMode.options)("says what mode %s means to each program", (mode) => {
    const cells = [code(claudeFlags(mode)), code(codexFlags(mode, "all")), terms(opencodeTerms(mode, "all"))]
    expect(text).toContain(`| \`${mode}\` | ${cells.join(" | ")} |`)
  })

  it.each(["Explore", "Plan", "Bash"])("says what type %s means to each program", (name) => {
    const { tools = [] } = agentType(name, { root: "/nowhere", project: "/nowhere" })
    const reach = reachOf({ onlyTools: tools })
    const cells = [
      code(["--tools", tools.join(",")]),
      code(codexFlags("default", reach)),
      terms(opencodeTerms("default", reach)),
    ]
    expect(text).toContain(`| \`${name}\` | ${cells.join(" | ")} |`)
  })
})
