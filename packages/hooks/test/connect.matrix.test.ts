import { existsSync } from "node:fs"
import { join } from "node:path"
import { runAgent, scratchHome, startModel } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { PLUGIN, REPOSITORY } from "./board.ts"

describe("the plugin as Claude Code sees it", () => {
  it("can be updated and disabled", async () => {
    await using model = await startModel(() => ({ text: "Hello." }))
    await using home = scratchHome({ model })
    const claude = async (...args: string[]) => (await runAgent({ agent: "claude-code", home, args })).code
    const id = "chorus@chorus-plugins"
    expect([
      await claude("plugin", "marketplace", "add", REPOSITORY),
      await claude("plugin", "install", id),
      await claude("plugin", "update", id),
      await claude("plugin", "disable", id),
    ]).toEqual([0, 0, 0, 0])
    await runAgent({ agent: "claude-code", home, args: ["-p", "Hello.", "--permission-mode", "bypassPermissions"] })
    expect(model.requests.some((request) => request.all.includes("Chorus"))).toBe(false)
    expect(existsSync(join(home.project, ".chorus"))).toBe(false)
    expect(existsSync(join(PLUGIN, ".chorus"))).toBe(false)
  })
})
