import { expect, it } from "vitest"
import { pluginFor } from "./claude-plugin.ts"

it("gives each version of Claude Code the plugin it can load", () => {
  const chosen = ["2.1.41", "2.1.117", "1.9.200", "2.0.999", "nonsense"].map((version) => pluginFor(version, true))
  expect(new Set(chosen)).toEqual(new Set(["chorus-legacy"]))
  for (const version of ["2.1.118", "2.1.325 (Claude Code)", "2.2.0", "3.0.0"])
    expect([pluginFor(version, true), pluginFor(version, false)]).toEqual(["chorus", "chorus-legacy"])
})
