import { existsSync } from "node:fs"
import { join } from "node:path"
import { newestVersion } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { PLUGIN, VERSIONS } from "./board.ts"
import { leftovers, openDesk } from "./connected.ts"

const ALL = [...new Set([...VERSIONS, await newestVersion("claude-code")])]

describe.each(ALL)("Claude Code %s on the board", (version) => {
  it("is connected twice with the same end, doctored, updated, disabled, and taken off twice", async () => {
    await using desk = await openDesk(version)
    const plugin = version === "2.1.41" ? "chorus-legacy" : "chorus"
    const id = `${plugin}@chorus-plugins`
    expect(await desk.doctor()).toBeUndefined()
    await desk.connect()
    expect((await desk.connect()).done.slice(0, 4)).toEqual([
      "found the agent Claude Code, lead: it plans and builds",
      "made it a key",
      "found the marketplace chorus-plugins",
      `found the plugin ${plugin}`,
    ])
    const keys = await desk.server.store.db.selectFrom("apiKeys").select("revokedAt").execute()
    expect([keys.length, keys.filter(({ revokedAt }) => revokedAt === null).length]).toEqual([2, 1])
    expect(await desk.doctor()).toBe(`connected by the plugin ${plugin}`)
    expect((await desk.claude("plugin", "update", id)).code).toBe(0)
    expect(await desk.greets("Hello.")).toBe(true)
    expect((await desk.claude("plugin", "disable", id)).code).toBe(0)
    expect(await desk.doctor()).toBe(`the plugin ${plugin} is switched off`)
    expect(await desk.greets("Still there?")).toBe(false)
    expect((await desk.disconnect()).done).toContain("revoked its key")
    expect((await desk.disconnect()).done).toEqual(["found nothing to take away"])
    expect([leftovers(desk), await desk.doctor()]).toEqual([[], undefined])
    expect(await desk.greets("Again.")).toBe(false)
    expect(existsSync(join(desk.home.project, ".chorus")) || existsSync(join(PLUGIN, ".chorus"))).toBe(false)
  }, 300_000)
})
