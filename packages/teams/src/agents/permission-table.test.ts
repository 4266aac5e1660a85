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
  it("of a type that edits but does not run stays in its folder, whatever its mode", () => {
    expect(codexFlags("bypassPermissions", "edit")).toEqual(["-c", 'sandbox_mode="workspace-write"'])
  })
})

describe("OpenCode", () => {
  it("of a type that edits but does not run is denied commands, whatever its mode", () => {
    const { flags, permission } = opencodeTerms("bypassPermissions", "edit")
    expect([flags, permission]).toEqual([["--agent", "build", "--auto"], { bash: "deny", task: "deny" }])
  })

  it("of a person who allows or denies everything may do so, or nothing, in each mode that is not without checks", () => {
    for (const mode of ["default", "acceptEdits", "dontAsk"] as const)
      for (const own of ["allow", "deny"] as const)
        for (const permission of [own, { "*": own }, { bash: own, edit: own }])
          expect(opencodeTerms(mode, "all", permission).permission).toEqual({ edit: own, bash: own })
    expect(opencodeTerms("default", "look", "allow").permission).toMatchObject({ edit: "deny", bash: "deny" })
  })

  it.each(TeamPermissionMode.options)("gives the agent that it names the same terms in mode %s", (mode) => {
    expect(opencodeTerms(mode, "look").agent).toBe(mode === "plan" ? "plan" : "build")
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
