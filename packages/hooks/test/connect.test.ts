import { join } from "node:path"
import { runAgent, scratchHome } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { REPOSITORY, VERSIONS } from "./board.ts"
import { leftovers, openDesk } from "./connected.ts"

describe.each(VERSIONS)("chorus connect claude with %s", (version) => {
  // The one that installs in another way than its neighbours is enough for every day.
  const tags = version === "2.1.197" ? [] : ["stress" as const]

  it("sets everything up, and disconnect leaves no trace", { timeout: 300_000, tags }, async () => {
    await using desk = await openDesk(version)
    const untouched = desk.settings()
    const plugin = version === "2.1.41" ? "chorus-legacy" : "chorus"
    const { done, ...first } = await desk.connect()
    expect(first).toMatchObject({ version, plugin })
    expect(done).toEqual([
      "added the agent Claude Code, lead: it plans and builds",
      "made it a key",
      "added the marketplace chorus-plugins",
      `installed the plugin ${plugin}`,
      `set the address ${desk.server.url} and the key`,
      "what it asks can also be answered on the page, for an hour (--answer-seconds 0: not at all)",
      "checked the connection: the server knows it as Claude Code",
    ])
    expect(await desk.greets("Hello.")).toBe(true)
    expect(await desk.server.store.db.selectFrom("sessions").select("status").execute()).toEqual([{ status: "closed" }])
    const gone = await desk.disconnect()
    expect(gone.done).toEqual([`uninstalled ${plugin}`, "removed the marketplace chorus-plugins", "revoked its key"])
    expect(leftovers(desk)).toEqual([])
    expect(desk.settings()).toMatchObject(untouched)
  })
})

describe("the plugin as Claude Code sees it", () => {
  it.each(["plugin", "plugin/legacy", "."])("passes the strictest check: %s", async (folder) => {
    await using home = scratchHome()
    const { code, stdout } = await runAgent({
      agent: "claude-code",
      home,
      args: ["plugin", "validate", "--strict", join(REPOSITORY, folder)],
    })
    expect(stdout).toContain("Validation passed")
    expect(stdout).not.toContain("with warnings")
    expect(code).toBe(0)
  })
})
