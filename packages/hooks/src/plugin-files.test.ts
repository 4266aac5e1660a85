import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { madeFiles } from "./plugin-layout.ts"

const PLUGIN = join(import.meta.dirname, "..", "..", "..", "plugin")
// Claude Code 2.1.41 drops every hook of a plugin that names an event it does not know.
const EVENTS_OF_FEBRUARY = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Notification",
  "UserPromptSubmit",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PermissionRequest",
  "Setup",
  "TeammateIdle",
  "TaskCompleted",
]

interface HooksFile {
  readonly hooks: Record<
    string,
    { matcher?: string; hooks: { type: string; command?: string; server?: string; tool?: string }[] }[]
  >
}

const hooksOf = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, "hooks", "hooks.json"), "utf8")) as HooksFile).hooks

describe("the two plugins", () => {
  it("are as this room makes them; if not, run `npm run build`", () => {
    for (const { path, text, mode } of madeFiles()) {
      expect(existsSync(path), `${path} is missing`).toBe(true)
      expect(readFileSync(path, "utf8"), `${path} is stale`).toBe(text)
      expect(statSync(path).mode & 0o111, path).toBe(mode & 0o111)
    }
  })

  it("have nothing in those folders that this room does not make", () => {
    const made = new Set(madeFiles().map(({ path }) => path))
    const folders = ["bin", "hooks", "legacy/bin", "legacy/hooks", "legacy/agents", "legacy/commands", "legacy/skills"]
    const found = folders.flatMap((folder) =>
      readdirSync(join(PLUGIN, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    expect(found.filter((path) => !made.has(path))).toEqual([])
  })

  it("hear of the same events", () => {
    const later = ["StopFailure", "Elicitation", "ElicitationResult"]
    expect(Object.keys(hooksOf(join(PLUGIN, "legacy")))).toEqual(
      Object.keys(hooksOf(PLUGIN)).filter((event) => !later.includes(event)),
    )
  })

  it("keep the old one to what February knew", () => {
    for (const [event, groups] of Object.entries(hooksOf(join(PLUGIN, "legacy")))) {
      expect(EVENTS_OF_FEBRUARY).toContain(event)
      expect(groups.flatMap((group) => group.hooks).map((hook) => hook.type)).toEqual(
        groups.flatMap((group) => group.hooks).map(() => "command"),
      )
    }
  })

  it("have no hook for an ordinary tool call", () => {
    const theirs = /^(EnterPlanMode|ExitPlanMode|SendMessage|Agent|Task\|Agent|AskUserQuestion\|ExitPlanMode)$/
    for (const folder of [PLUGIN, join(PLUGIN, "legacy")])
      for (const event of ["PreToolUse", "PostToolUse", "PostToolUseFailure"])
        for (const { matcher = "" } of hooksOf(folder)[event] ?? []) expect(matcher).toMatch(theirs)
  })

  it("start no process where a spawn waits for it", () => {
    const spawns = ["PreToolUse", "PostToolUse", "SubagentStart"]
      .flatMap((event) => hooksOf(PLUGIN)[event] ?? [])
      .filter((group) => group.matcher === "Agent" || group.matcher === undefined)
    expect(spawns).toHaveLength(3)
    for (const { hooks } of spawns)
      expect(hooks).toMatchObject([{ type: "mcp_tool", server: "plugin:chorus:hooks", tool: "chorus_hook" }])
  })
})

describe("the hook program", () => {
  const program = readFileSync(join(PLUGIN, "bin", "chorus-hook"), "utf8")

  it("reads no JSON: what it is told it hands on, and what it does it is told in plain lines", () => {
    for (const line of program.split("\n").filter((text) => /\$(EVENT|RESPONSE)\b/.test(text)))
      expect(line).not.toMatch(/=~|\bjq\b|"\w+\\?":/)
  })

  it("is told every event by its name", () => {
    for (const folder of [PLUGIN, join(PLUGIN, "legacy")])
      for (const [event, groups] of Object.entries(hooksOf(folder)))
        for (const { matcher = "", hooks } of groups)
          for (const { command } of hooks)
            if (command !== undefined) expect([event, matcher]).toContain(command.split(" ").at(-1))
  })
})
