import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { VERSION } from "@chorus/server/version"
import { describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, scratchFolder, withStreams } from "../test/command-line.ts"
import { NOUNS } from "./nouns.ts"
import { programCache } from "./program-cache.ts"

const home = scratchFolder()

describe("chorus", () => {
  it("shows its help when nothing is asked of it, and that is no failure", async () => {
    const { code, stdout } = await chorusHere([])
    expect(code).toBe(0)
    for (const [name, { does }] of Object.entries(NOUNS).filter(([, noun]) => noun.does.length < 60))
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b.* ${does.slice(0, 30)}`, "m"))
  })

  it("says its version", async () => {
    expect(await chorusHere(["--version"])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" })
    // Hook scripts that people come from call no command before 0.17.
    const [major = 0, minor = 0] = VERSION.split(".").map(Number)
    expect(major > 0 || minor >= 17).toBe(true)
  })

  it.each([[["help", "project"]], [["project", "--help"]]])("shows the help of a noun by %j", async (argv) => {
    const { code, stdout } = await chorusHere(argv)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: chorus project /)
    expect(stdout).toContain("Add a project.")
  })

  it("shows the help of `run`, and says which of the two words has Chorus start an agent", async () => {
    const { code, stdout } = await chorusHere(["run", "--help"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: chorus run /)
    expect(stdout).toContain("chorus runs start TASK")
  })

  it("suggests the noun that was meant, and fails", async () => {
    const { code, stderr } = await chorusHere(["projct"])
    expect(code).toBe(1)
    expect(stderr).toContain("(Did you mean project?)")
  })

  it("fails when only a noun is given that needs more, and shows what there is", async () => {
    const { code, stderr } = await chorusHere(["agent"])
    expect(code).toBe(1)
    expect(stderr).toContain("Usage: chorus agent")
  })

  it.each([
    ["an argument that is missing", ["project", "add"], "missing required argument 'name'"],
    ["an option that nobody knows", ["project", "list", "--colour"], "unknown option '--colour'"],
    ["an option without its value", ["project", "list", "--data"], "argument missing"],
    [
      "a choice that is none",
      ["user", "add", "Eve", "--role", "queen"],
      "Allowed choices are owner, admin, member, viewer",
    ],
    ["more words than it takes", ["project", "list", "all"], "too many arguments"],
    ["a word that is no command", ["plugin", "frobnicate", "--json"], "unknown command 'frobnicate'"],
    ["a word that is nearly one", ["plugin", "instal"], "(Did you mean install?)"],
    ["a word after a noun that does something alone", ["status", "frobnicate"], "unknown command 'frobnicate'"],
  ])("refuses %s by name and shows the usage", async (_, argv, says) => {
    const { code, stdout, stderr } = await chorusHere(argv)
    expect(code).toBe(1)
    expect(stdout).toBe("")
    expect(stderr).toContain(says)
    expect(stderr).toContain("Usage: chorus ")
  })

  it("knows a noun by its other word too", async () => {
    const { code, stdout } = await chorusHere(["plugins", "--help"])
    expect(code).toBe(0)
    expect(stdout).toContain("Usage: chorus plugin|plugins")
  })
})

describe("a variable of the environment", () => {
  it("stands for its option", async () => {
    await chorusHereJson(["project", "add", "Here"], { env: { CHORUS_DATA: join(home, "named") } })
    expect(existsSync(join(home, "named", "chorus.sqlite"))).toBe(true)
  })

  it("yields to the option itself", async () => {
    await chorusHereJson(["project", "list", "--data", join(home, "typed")], {
      env: { CHORUS_DATA: join(home, "ignored") },
    })
    expect(existsSync(join(home, "typed"))).toBe(true)
    expect(existsSync(join(home, "ignored"))).toBe(false)
  })

  it("says nothing when it is empty: the data is not made in the folder one is in", async () => {
    const empty = { CHORUS_DATA: "", CHORUS_URL: "", CHORUS_KEY: "", CHORUS_DATABASE: "" }
    await chorusHereJson(["project", "add", "At home"], { env: { ...empty, HOME: join(home, "me") } })
    expect(existsSync(join(home, "me", ".chorus", "chorus.sqlite"))).toBe(true)
    expect(existsSync("chorus.sqlite")).toBe(false)
  })
})

describe("the program's cache", () => {
  it.each([
    ["is where it is told to be", { CHORUS_CACHE: "/somewhere", XDG_CACHE_HOME: "/cache" }, "/somewhere"],
    ["is in the cache of the person otherwise", { XDG_CACHE_HOME: "/cache" }, "/cache/chorus"],
    [
      "is never in the folder one happens to be in",
      { CHORUS_CACHE: "", XDG_CACHE_HOME: "" },
      join(homedir(), ".cache", "chorus"),
    ],
  ])("%s", (_, env, path) => {
    expect(programCache(env)).toBe(path)
  })

  it("follows the home folder", async () => {
    await withStreams({ env: { HOME: "/home/eve" } }, async () =>
      expect(programCache({})).toBe("/home/eve/.cache/chorus"),
    )
  })
})
