import { expect, it } from "vitest"
import { type ClaudePlugin, pluginFor } from "./claude-plugin.ts"
import { hooksFile } from "./hook-table.ts"

it("gives each version of Claude Code the plugin it can load", () => {
  const chosen = ["2.1.41", "2.1.117", "1.9.200", "2.0.999", "nonsense"].map((version) => pluginFor(version, true))
  expect(new Set(chosen)).toEqual(new Set(["chorus-legacy"]))
  for (const version of ["2.1.118", "2.1.325 (Claude Code)", "2.2.0", "3.0.0"])
    expect([pluginFor(version, true), pluginFor(version, false)]).toEqual(["chorus", "chorus-legacy"])
})

it("starts a program once for a sub-agent, and for February's at each of its four events", () => {
  const started = (plugin: ClaudePlugin) =>
    Object.entries(hooksFile(plugin).hooks)
      .filter(([event]) => ["PreToolUse", "SubagentStart", "PostToolUse", "SubagentStop"].includes(event))
      .flatMap(([event, all]) =>
        all.filter(({ matcher = "Agent" }) => matcher.includes("Agent")).map((one) => ({ event, one })),
      )
      .filter(({ one }) => one.hooks.some(({ type }) => type === "command"))
      .map(({ event }) => event)
  expect(started("chorus")).toEqual(["SubagentStop"])
  expect(started("chorus-legacy")).toHaveLength(4)
})
