import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { holdDirectory } from "@chorus/server"
import { beforeEach, describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolders } from "../../test/command-line.ts"
import { removeIfEmpty } from "./empty-folder.ts"

const folder = scratchFolders()
let home: string
let env: Record<string, string>

beforeEach(() => {
  home = folder()
  env = {
    HOME: home,
    CHORUS_DATA: join(home, "data"),
    CHORUS_CACHE: join(home, "cache"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CONFIG_HOME: join(home, "config"),
    CODEX_HOME: join(home, "codex"),
    CLAUDE_CONFIG_DIR: join(home, "claude"),
  }
  mkdirSync(home, { recursive: true })
})

interface Outcome {
  readonly done: string[]
  readonly failed: string[]
  readonly left: string[]
  readonly next: string
}

const UNINSTALL = ["uninstall", "--claude", "/nowhere/claude"]
const uninstall = (...more: string[]) => chorusHereJson<Outcome>([...UNINSTALL, ...more], { env })

function file(...path: string[]): string {
  mkdirSync(join(home, ...path.slice(0, -1)), { recursive: true })
  writeFileSync(join(home, ...path), "")
  return join(home, ...path)
}

describe("chorus uninstall", () => {
  it("finds nothing to fail at on a machine that never had Chorus, and says what comes next", async () => {
    expect(await uninstall()).toMatchObject({
      failed: [],
      left: [],
      next: "npm uninstall chorus (with --global if it was installed so)",
    })
    expect(readdirSync(home)).toEqual([])
  })

  it("leaves the line that a person wrote into a start-up file of their shell, and says so", async () => {
    writeFileSync(join(home, ".bashrc"), `[ -r '/x/shims-1/init.bash' ] && . '/x/shims-1/init.bash'\n`)
    const line = `the line with "shell-init" or "/shims-" in ${join(home, ".bashrc")}, which does nothing now`
    expect((await uninstall()).left).toEqual([line])
  })

  it("leaves the data unless told to delete it", async () => {
    await chorusHereJson(["project", "add", "Shop"], { env })
    expect((await uninstall()).left).toEqual([`the data in ${env["CHORUS_DATA"]}; --delete-data deletes it`])
    expect(existsSync(join(home, "data", "chorus.sqlite"))).toBe(true)
    expect((await uninstall("--delete-data")).done).toContain(`deleted the data in ${env["CHORUS_DATA"]}`)
    expect(existsSync(join(home, "data"))).toBe(false)
  })

  it.each([
    ["a companion alone ran", ["companion", "start"]],
    ["plugins were only carried over to Codex", ["codex-plugins", "marketplace.json"]],
  ])("deletes the data where %s", async (_, path) => {
    file("data", ...path)
    await uninstall("--delete-data")
    expect(existsSync(join(home, "data"))).toBe(false)
  })

  it.each([
    ["that nobody knows any more", undefined],
    ["that was at work when its server was ended", { over: false }],
  ])("keeps what the worktree of a run holds %s on its branch, and says so", async (_, kept) => {
    const runUuid = "11111111-2222-4333-8444-555555555555"
    const repository = join(home, "shop")
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", "-C", repository, ...args], {
        encoding: "utf8",
      })
    mkdirSync(repository, { recursive: true })
    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "Begin")
    const tree = join(home, "data", "runner", "worktrees", "shop", runUuid)
    git("worktree", "add", "-q", "-b", "chorus/door", tree)
    writeFileSync(join(tree, "door.txt"), "red\n")
    const worktree = { path: tree, repository, branch: "chorus/door", baseCommit: git("rev-parse", "HEAD").trim() }
    if (kept !== undefined) {
      git("worktree", "lock", tree)
      const run = { run: { uuid: runUuid }, worktree: { ...worktree, inPlace: false }, ...kept }
      writeFileSync(file("data", "runner", "runs", runUuid, "run.json"), JSON.stringify(run))
    }
    const shown = await chorusHereJson<object[]>(["runner", "clean", "--dry-run"], { env })
    expect(shown).toMatchObject([{ runUuid, branch: "chorus/door", goes: [] }])
    const { left } = await uninstall("--delete-data")
    expect(left).toEqual([`the branch chorus/door in ${repository}, whose work is not merged`])
    expect(existsSync(join(home, "data"))).toBe(false)
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1)
    expect(git("show", "chorus/door:door.txt")).toBe("red\n")
  })

  it("does not delete the checkouts of a team's members with the data", async () => {
    const work = file("data", "team-worktrees", "shop-1", "9f7a1c1e", "bed.txt")
    const { code, stdout } = await chorusHere([...UNINSTALL, "--delete-data", "--json"], { env })
    expect(code).toBe(1)
    expect((JSON.parse(stdout) as Outcome).failed).toEqual([
      expect.stringContaining(join(home, "data", "team-worktrees")),
    ])
    expect(existsSync(work)).toBe(true)
    rmSync(join(work, ".."), { recursive: true })
    expect((await uninstall("--delete-data")).failed).toEqual([])
    expect(existsSync(join(home, "data"))).toBe(false)
  })

  it("deletes no folder that Chorus did not make, whoever names it", async () => {
    file("documents", "thesis.txt")
    for (const _ of [1, 2]) {
      const { code, stdout } = await chorusHere(
        [...UNINSTALL, "--delete-data", "--data", join(home, "documents"), "--json"],
        { env },
      )
      expect(code).toBe(1)
      expect((JSON.parse(stdout) as Outcome).failed).toEqual([
        `${join(home, "documents")} is not a data directory of Chorus, so it was not deleted`,
      ])
    }
    expect(readdirSync(join(home, "documents"))).toEqual(["thesis.txt"])
  })

  it("removes what the command compiled and fetched, and nothing that others keep there", async () => {
    file("cache", "compiled", "x.bin")
    file("cache", "node-24.1.0", "bin", "node")
    file("cache", "node-modules-of-others")
    const { done } = await uninstall()
    expect(done).toEqual(
      expect.arrayContaining([
        `removed ${join(home, "cache", "compiled")}`,
        `removed ${join(home, "cache", "node-24.1.0")}`,
      ]),
    )
    expect(readdirSync(join(home, "cache"))).toEqual(["node-modules-of-others"])
  })

  it("changes nothing while a server or a companion runs", async () => {
    file("cache", "compiled", "x.bin")
    for (const directory of ["data", join("data", "companion")]) {
      const held = holdDirectory(join(home, directory))
      expect(await refusalOf(UNINSTALL, { env })).toMatchObject({
        code: "data_in_use",
        next: "Stop it, then uninstall. Nothing was changed.",
      })
      held.release()
    }
    expect(existsSync(join(home, "cache", "compiled", "x.bin"))).toBe(true)
  })

  it("takes agent programs off the board, each line by its name", async () => {
    file("config", "opencode", "opencode.json")
    writeFileSync(
      join(home, "config", "opencode", "opencode.json"),
      JSON.stringify({ theme: "dark", mcp: { chorus: { type: "remote", url: "http://x" } } }),
    )
    const { stdout } = await chorusHere(UNINSTALL, { env })
    expect(stdout).toContain(`✔ opencode: cleaned ${join(home, "config", "opencode", "opencode.json")}\n`)
    expect(stdout).toMatch(/\nnext: npm uninstall chorus/)
  })

  it("goes on after a step that fails, and fails at the end", async () => {
    file("config", "opencode", "opencode.json")
    writeFileSync(join(home, "config", "opencode", "opencode.json"), '{ // "chorus"\n')
    file("cache", "compiled", "x.bin")
    const { code, stdout } = await chorusHere(UNINSTALL, { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^✗ opencode: /m)
    expect(stdout).toContain(`✔ removed ${join(home, "cache", "compiled")}\n`)
  })

  it("leaves nothing of plugins that were removed, and names those that Claude Code goes on using", async () => {
    const market = (name: string) => {
      file(name, ".claude-plugin", "marketplace.json")
      const [owner, plugins] = [{ name: "O" }, [{ name: "p", source: "./p" }]]
      writeFileSync(join(home, name, ".claude-plugin", "marketplace.json"), JSON.stringify({ name, owner, plugins }))
      writeFileSync(file(name, "p", ".claude-plugin", "plugin.json"), JSON.stringify({ name: "p", version: "1.0.0" }))
      return join(home, name)
    }
    const plugin = (...argv: string[]) => chorusHereJson(["plugin", ...argv], { env: { ...env, CHORUS_OFFLINE: "1" } })
    for (const name of ["one", "two"]) {
      await plugin("marketplace", "add", market(name))
      await plugin("install", `p@${name}`)
    }
    await plugin("marketplace", "remove", "one")
    const out = join(home, "opencode")
    await plugin("translate", "opencode", "p@two", "--out", out)
    const plugins = join(home, "claude", "plugins")
    // Claude Code takes its marks away when it looks at its plugins.
    rmSync(join(plugins, "cache", "one", "p", "1.0.0", ".orphaned_at"))
    expect((await uninstall()).left).toEqual([
      expect.stringMatching(
        /^p@two, with what you agreed to and locked in .*; chorus plugin uninstall removes a plugin$/,
      ),
      expect.stringMatching(
        /^what was translated of p@two for opencode in .*; chorus plugin uninstall p@two takes it along$/,
      ),
      "the marketplaces two; chorus plugin marketplace remove removes one",
    ])
    expect(readdirSync(join(plugins, "cache"))).toEqual(["two"])
    await plugin("uninstall", "p@two")
    await plugin("marketplace", "remove", "two")
    expect(await uninstall()).toMatchObject({ left: [], failed: [] })
    expect(readdirSync(plugins).sort()).toEqual(["installed_plugins.json", "known_marketplaces.json"])
    expect(readdirSync(join(home, "claude")).sort()).toEqual(["plugins", "settings.json"])
  })

  it("leaves a database to its own tools", async () => {
    expect((await uninstall("--database", "postgres://127.0.0.1:9/x")).left).toEqual(["the PostgreSQL database"])
  })
})

describe("an empty folder", () => {
  it("goes, one that holds something stays, and one that is not there is no fault", () => {
    file("full", "x")
    mkdirSync(join(home, "empty"))
    for (const name of ["full", "empty", "missing"]) removeIfEmpty(join(home, name))
    expect(readdirSync(home)).toEqual(["full"])
  })
})
