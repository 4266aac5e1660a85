import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Terminal, waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { BOUNDARY, everyVersion, isLegacy, PLUGIN, REPOSITORY } from "./board.ts"
import { type Desk, leftovers, openDesk } from "./connected.ts"

describe.each([...(await everyVersion()), ...BOUNDARY])("Claude Code %s on the board", (version) => {
  it("is connected twice with the same end, doctored, updated, disabled, and taken off twice", async () => {
    await using desk = await openDesk(version)
    const plugin = isLegacy(version) ? "chorus-legacy" : "chorus"
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
    const newer = aMarketplaceOf(desk, "0.99.0")
    // February's forgets a plugin together with the folder that it came in.
    expect((await desk.connect("--marketplace", newer)).done.slice(2, 4)).toEqual([
      `moved the marketplace chorus-plugins to ${newer}`,
      version === "2.1.41" ? `installed the plugin ${plugin}` : `updated the plugin ${plugin} to 0.99.0`,
    ])
    expect(await desk.greets("Newer?")).toBe(true)
    expect(existsSync(join(desk.home.path, ".claude", "plugins", "cache", "chorus-plugins", plugin, "0.99.0"))).toBe(
      true,
    )
    expect((await desk.claude("plugin", "disable", id)).code).toBe(0)
    expect(await desk.doctor()).toBe(`the plugin ${plugin} is switched off`)
    expect(await desk.greets("Still there?")).toBe(false)
    expect((await desk.connect()).done).toContain(`switched on the plugin ${plugin}, which was off`)
    expect([await desk.doctor(), await desk.greets("And now?")]).toEqual([`connected by the plugin ${plugin}`, true])
    expect((await desk.disconnect()).done).toContain("revoked its key")
    expect((await desk.disconnect()).done).toEqual(["found nothing to take away"])
    expect([leftovers(desk), await desk.doctor()]).toEqual([[], undefined])
    expect(await desk.greets("Again.")).toBe(false)
    expect(existsSync(join(desk.home.project, ".chorus")) || existsSync(join(PLUGIN, ".chorus"))).toBe(false)
  }, 300_000)

  it("is left as it was by a connect that fails half-way, the first and a later one", async () => {
    await using desk = await openDesk(version)
    const { db } = desk.server.store
    const working = async () =>
      (await db.selectFrom("apiKeys").where("revokedAt", "is", null).select("uuid").execute()).length
    const broken = aMarketplaceOf(desk, "0.99.0")
    rmSync(join(broken, "plugin"), { recursive: true })
    await expect(desk.connect("--marketplace", broken)).rejects.toThrow()
    // What it had begun to copy is Claude Code's own to tidy.
    const ours = () => leftovers(desk).filter((file) => !file.startsWith(join("plugins", "cache", "temp_")))
    expect([ours(), await working(), await desk.greets("Hello?")]).toEqual([[], 0, false])
    await desk.connect()
    await expect(desk.connect("--marketplace", broken)).rejects.toThrow()
    expect([await working(), await desk.greets("Still there?")]).toEqual([1, true])
    await desk.connect()
    await desk.disconnect()
    expect([ours(), await working()]).toEqual([[], 0])
  }, 300_000)

  it("hears an open session through a second connect, and through a disconnect when connected again", async () => {
    await using desk = await openDesk(version)
    const { db } = desk.server.store
    const open = async () =>
      (await db.selectFrom("sessions").select("status").execute()).filter(({ status }) => status === "active").length
    const working = () => db.selectFrom("apiKeys").select("lastUsedAt").where("revokedAt", "is", null).execute()
    const nothingKept = () => !existsSync(join(desk.home.project, ".chorus"))
    await desk.connect()
    const first = await desk.stays()
    await waitFor(async () => (await working()).every(({ lastUsedAt }) => lastUsedAt !== null))
    expect((await desk.connect()).done).toContain("kept its key")
    await first.end()
    expect([await open(), nothingKept()]).toEqual([0, true])
    expect(await working()).toHaveLength(1)

    const second = await desk.stays()
    expect((await desk.disconnect()).todo).toEqual([expect.stringContaining(`still runs in ${desk.home.project}:`)])
    await second.end()
    expect([await open(), nothingKept()]).toEqual([1, false])
    expect((await desk.disconnect()).todo).toEqual([expect.stringContaining(`waits in ${desk.home.project} until`)])
    await desk.connect()
    await waitFor(async () => (await open()) === 0 && nothingKept(), 60_000, "what was kept to be told")
    expect((await desk.disconnect()).todo).toEqual([])
  }, 300_000)

  it("tells an open session once that its key was taken away, and reads it no old line of state", async () => {
    await using desk = await openDesk(version)
    await desk.connect()
    const hears = async (terminal: Terminal, prompt: string) => {
      await terminal.submit(prompt)
      const told = await desk.model.waitFor(
        (request) => request.tools.length > 0 && request.purpose === "turn" && request.prompt.includes(prompt),
      )
      await waitFor(async () => !/esc to interrupt/.test(await terminal.screen()))
      return told.all.slice(Math.max(0, told.all.lastIndexOf("Hello.")))
    }
    {
      await using terminal = await desk.atTerminal({ CHORUS_BEAT_SECONDS: "1" })
      expect(await hears(terminal, "One.")).toContain("Chorus: Claude Code for")
      await desk.disconnect()
      const news = join(desk.home.project, ".chorus", "claude", "news")
      await waitFor(() => existsSync(news), 60_000, "the watcher to be refused")
      const told = await hears(terminal, "Two.")
      expect(told).toMatch(/Chorus no longer accepts the key of this session.*chorus connect claude/)
      expect(told).not.toContain("Chorus: Claude Code for")
      expect(await hears(terminal, "Three.")).not.toContain("Chorus")
    }
    await waitFor(() => !existsSync(join(desk.home.project, ".chorus", "claude", "sessions")))
    await desk.disconnect()
    expect(leftovers(desk)).toEqual([])
  }, 120_000)
})

/** Both plugins of this repository as a later version of Chorus brings them, in another folder. */
function aMarketplaceOf({ home }: Desk, version: string): string {
  const folder = join(home.path, "newer")
  for (const part of [".claude-plugin", "plugin"])
    cpSync(join(REPOSITORY, part), join(folder, part), { recursive: true })
  for (const plugin of ["plugin", "plugin/legacy"]) {
    const file = join(folder, plugin, ".claude-plugin", "plugin.json")
    const manifest = JSON.parse(readFileSync(file, "utf8")) as object
    writeFileSync(file, JSON.stringify({ ...manifest, version }))
  }
  return folder
}
