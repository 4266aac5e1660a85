import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

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
  it("share every file but the manifest, the hooks and the connection", () => {
    for (const folder of ["bin", "skills", "agents", "commands"]) {
      const files = readdirSync(join(PLUGIN, folder), { recursive: true, encoding: "utf8" }).filter((file) =>
        statSync(join(PLUGIN, folder, file)).isFile(),
      )
      expect(files.length).toBeGreaterThan(0)
      for (const file of files) {
        const copy = join(PLUGIN, "legacy", folder, file)
        expect(existsSync(copy), `${copy} is missing`).toBe(true)
        expect(readFileSync(copy, "utf8"), `${copy} is not a copy`).toBe(
          readFileSync(join(PLUGIN, folder, file), "utf8"),
        )
        expect(statSync(copy).mode).toBe(statSync(join(PLUGIN, folder, file)).mode)
      }
    }
  })

  it("hear of the same events", () => {
    expect(Object.keys(hooksOf(join(PLUGIN, "legacy")))).toEqual(Object.keys(hooksOf(PLUGIN)))
  })

  it("keep the old one to what February knew", () => {
    for (const [event, groups] of Object.entries(hooksOf(join(PLUGIN, "legacy")))) {
      expect(EVENTS_OF_FEBRUARY).toContain(event)
      expect(groups.flatMap((group) => group.hooks).map((hook) => hook.type)).toEqual(
        groups.flatMap((group) => group.hooks).map(() => "command"),
      )
    }
  })

  it("start no process where a spawn waits for it", () => {
    const spawns = ["PreToolUse", "PostToolUse", "SubagentStart"]
      .flatMap((event) => hooksOf(PLUGIN)[event] ?? [])
      .filter((group) => group.matcher === "Agent" || group.matcher === undefined)
    expect(spawns).toHaveLength(3)
    for (const { hooks } of spawns)
      expect(hooks).toMatchObject([{ type: "mcp_tool", server: "plugin:chorus:chorus", tool: "chorus_hook" }])
  })
})
