import { execFile } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { startServer } from "@chorus/server"
import {
  CHORUS_MAIN,
  agentProgram,
  runAgent,
  type ScratchHome,
  scratchHome,
  startModel,
  temporaryDirectory,
} from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { REPOSITORY, type Version, VERSIONS } from "./board.ts"

interface Outcome {
  readonly version: string
  readonly plugin?: string
  readonly done: string[]
}

/** Runs `chorus …` as a person at this home would. */
async function chorus(home: ScratchHome, data: string, ...args: string[]): Promise<Outcome> {
  const env = {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home.path,
    CHORUS_DATA: data,
    DISABLE_AUTOUPDATER: "1",
  }
  const { stdout } = await promisify(execFile)(process.execPath, [CHORUS_MAIN, ...args, "--json"], {
    env,
    cwd: home.project,
  })
  return JSON.parse(stdout) as Outcome
}

describe.each(VERSIONS)("chorus connect claude with %s", (version: Version) => {
  it("sets everything up, twice with the same end, and disconnect leaves no trace", { timeout: 300_000 }, async () => {
    await using data = temporaryDirectory("data-")
    const server = await startServer({ dataDirectory: data.path, port: 0 })
    await using model = await startModel(() => ({ text: "Hello." }))
    await using home = scratchHome({ model })
    const settings = () =>
      JSON.parse(readFileSync(join(home.path, ".claude", "settings.json"), "utf8")) as Record<string, unknown>
    const untouched = settings()
    const claude = await agentProgram("claude-code", version)
    const plugin = version === "2.1.41" ? "chorus-legacy" : "chorus"
    try {
      const first = await chorus(home, data.path, "connect", "claude", "--claude", claude)
      expect(first).toMatchObject({ version, plugin })
      expect(first.done).toEqual([
        "added the agent Claude Code, lead: it plans and builds",
        "made it a key",
        "added the marketplace chorus-plugins",
        `installed the plugin ${plugin}`,
        `set the address ${server.url} and the key`,
        "checked the connection: the server knows it as Claude Code",
      ])
      const second = await chorus(home, data.path, "connect", "claude", "--claude", claude)
      expect(second.done.slice(0, 4)).toEqual([
        "found the agent Claude Code, lead: it plans and builds",
        "made it a key",
        "found the marketplace chorus-plugins",
        `found the plugin ${plugin}`,
      ])
      const keys = await server.store.db.selectFrom("apiKeys").select(["name", "revokedAt"]).execute()
      expect(keys.filter((key) => key.revokedAt === null)).toHaveLength(1)
      expect(keys).toHaveLength(2)

      await runAgent({
        agent: "claude-code",
        version,
        home,
        args: ["-p", "Hello.", "--permission-mode", "bypassPermissions"],
      })
      expect(model.requests.find((request) => request.all.includes("You are Claude Code (lead)"))).toBeDefined()
      expect(await server.store.db.selectFrom("sessions").select("status").execute()).toEqual([{ status: "closed" }])

      const gone = await chorus(home, data.path, "disconnect", "claude", "--claude", claude)
      expect(gone.done).toEqual([`uninstalled ${plugin}`, "removed the marketplace chorus-plugins", "revoked its key"])
      expect((await chorus(home, data.path, "disconnect", "claude", "--claude", claude)).done).toEqual([
        "found nothing to take away",
      ])
      expect(leftovers(join(home.path, ".claude"))).toEqual([])
      expect(settings()).toMatchObject(untouched)
      const heard = model.requests.length
      await runAgent({
        agent: "claude-code",
        version,
        home,
        args: ["-p", "Again.", "--permission-mode", "bypassPermissions"],
      })
      expect(model.requests.slice(heard).some((request) => request.all.includes("Chorus"))).toBe(false)
    } finally {
      await server.close()
    }
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

/** Whatever still speaks of us in Claude Code's own files, transcripts of conversations left out. */
function leftovers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      (file) => !/^(projects|sessions|debug|statsig|telemetry|session-env|shell-snapshots|todos|history)/.test(file),
    )
    .filter(
      (file) =>
        /chorus-(plugins|legacy)/.test(file) ||
        (statSync(join(folder, file)).isFile() &&
          /chorus-plugins|chorus@|CHORUS_|cho_/.test(readFileSync(join(folder, file), "utf8"))),
    )
}
