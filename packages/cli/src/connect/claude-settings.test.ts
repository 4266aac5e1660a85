import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../../test/command-line.ts"
import { claudeFolder, removeCopies, setEnvironment } from "./claude-settings.ts"

const scratch = scratchFolder()
let folder: string
let count = 0

beforeEach(() => {
  folder = join(scratch, String(count++))
})

const file = () => join(folder, "settings.json")
const read = () => JSON.parse(readFileSync(file(), "utf8")) as unknown

function given(text: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(file(), text)
}

describe("Claude Code's settings", () => {
  it("are made where there are none, readable for their owner alone", async () => {
    await setEnvironment(folder, { CHORUS_URL: "http://x", CHORUS_API_KEY: "cho_x" })
    expect(read()).toEqual({ env: { CHORUS_URL: "http://x", CHORUS_API_KEY: "cho_x" } })
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it("keep everything else as it was, and lose what was set without a trace", async () => {
    const theirs = { model: "opus", env: { EDITOR: "vi" }, hooks: { Stop: [] } }
    given(JSON.stringify(theirs))
    await setEnvironment(folder, { CHORUS_URL: "http://x", EDITOR: undefined })
    expect(read()).toEqual({ ...theirs, env: { CHORUS_URL: "http://x" } })
    await setEnvironment(folder, { CHORUS_URL: undefined, EDITOR: "vi" })
    expect(read()).toEqual(theirs)
    await setEnvironment(folder, { EDITOR: undefined })
    expect(read()).toEqual({ model: "opus", hooks: { Stop: [] } })
  })

  it.each([
    ["nothing of ours is in it", '{\n    "env": {"EDITOR":"vi"}, "model":"opus"}', { CHORUS_URL: undefined }],
    ["it says so already", '{"env":{"CHORUS_URL":"http://x"}}', { CHORUS_URL: "http://x" }],
    ["there is nothing to take away", '{"env":{}}', { CHORUS_URL: undefined }],
  ])("are not written again, not even in another layout, when %s", async (_, text, variables) => {
    given(text)
    await setEnvironment(folder, variables)
    expect(readFileSync(file(), "utf8")).toBe(text)
  })

  it("are not made only to say nothing", async () => {
    await setEnvironment(folder, { CHORUS_URL: undefined })
    expect(existsSync(folder)).toBe(false)
  })

  it.each([
    ["is cut off", '{"model":"opus"'],
    ["is empty", ""],
    ["is a list", "[]"],
    ["is nothing", "null"],
    ["is a word", '"settings"'],
    ["has variables that are a list", '{"env":["A=1"]}'],
    ["has variables that are a text", '{"env":"A=1"}'],
  ])("are left as they are when the file %s, and the person is told to mend it", async (_, text) => {
    given(text)
    await expect(setEnvironment(folder, { CHORUS_URL: "http://x" })).rejects.toThrow(
      expect.objectContaining({ code: "bad_settings", next: "Mend the file and run this again." }),
    )
    expect(readFileSync(file(), "utf8")).toBe(text)
  })

  it("that cannot be read are not taken for empty ones", async () => {
    mkdirSync(file(), { recursive: true })
    await expect(setEnvironment(folder, { CHORUS_URL: "http://x" })).rejects.toThrow(
      expect.objectContaining({ code: "bad_settings", message: expect.stringContaining("EISDIR") }),
    )
  })

  it("stay where a link leads", async () => {
    const own = join(scratch, `dotfiles-${count}`)
    mkdirSync(own)
    mkdirSync(folder)
    writeFileSync(join(own, "claude.json"), '{"model":"opus"}')
    symlinkSync(join(own, "claude.json"), file())
    await setEnvironment(folder, { CHORUS_URL: "http://x" })
    expect(lstatSync(file()).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(join(own, "claude.json"), "utf8"))).toEqual({
      model: "opus",
      env: { CHORUS_URL: "http://x" },
    })
  })
})

describe("Claude Code's folder", () => {
  it.each([
    ["is where Claude Code was told", { CLAUDE_CONFIG_DIR: "/elsewhere" }, "/elsewhere"],
    ["is in the home folder otherwise", { HOME: "/home/eve" }, "/home/eve/.claude"],
    ["is not the folder one is in, when the variable is empty", { CLAUDE_CONFIG_DIR: "" }, join(homedir(), ".claude")],
  ])("%s", (_, env, path) => {
    expect(claudeFolder(env)).toBe(path)
  })

  it("loses the copies of our marketplace's plugins and no others", () => {
    for (const name of ["ours", "theirs"]) {
      mkdirSync(join(folder, "plugins", "cache", name, "p"), { recursive: true })
      mkdirSync(join(folder, "plugins", "data", `p-${name}`), { recursive: true })
    }
    expect([removeCopies(folder, "ours", ["p"]), removeCopies(folder, "ours", ["p"])]).toEqual([true, false])
    expect(readdirSync(join(folder, "plugins", "cache"))).toEqual(["theirs"])
    expect(readdirSync(join(folder, "plugins", "data"))).toEqual(["p-theirs"])
  })
})
