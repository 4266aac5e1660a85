import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolders } from "../../test/command-line.ts"
import { scriptedServer } from "../../test/scripted-server.ts"

const folder = scratchFolders()
let home: string

const URL = ["--url", "http://chorus.test", "--key", "cho_k"]
const config = () => join(home, ".config", "opencode", "opencode.json")
const text = () => readFileSync(config(), "utf8")
const around = (more: Record<string, string> = {}) => ({ env: { HOME: home, ...more } })

/** Every file below the home folder with what is in it. */
function files(): Record<string, string> {
  const entries = existsSync(home) ? readdirSync(home, { recursive: true, withFileTypes: true }) : []
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name).slice(home.length + 1),
        readFileSync(join(entry.parentPath, entry.name), "utf8"),
      ]),
  )
}

function given(path: string, content: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), content)
}

beforeEach(() => {
  home = folder()
})

afterEach(() => void vi.unstubAllGlobals())

/** The server knows the given key as an agent's, or as the owner's and then makes keys. */
function server(knows: "agent" | "user") {
  const scripted = scriptedServer({
    chorus_whoami: () => ({ type: knows, name: knows === "agent" ? "mine" : "Owner", uuid: "u" }),
    chorus_list_agents: () => ({ agents: [], total: 0 }),
    chorus_create_agent: (input: { name: string }) => ({
      uuid: "00000000-0000-4000-8000-000000000001",
      permissions: ["task:write", "idea:write"],
      ...input,
    }),
    chorus_create_key: () => ({ uuid: "k", key: "cho_made" }),
  })
  vi.stubGlobal("fetch", scripted.fetch)
  return scripted
}

describe("connecting OpenCode", () => {
  it("writes the address but not the key, and shows that once", async () => {
    server("agent")
    const { code, stdout } = await chorusHere(["connect", "opencode", ...URL], around())
    expect(code).toBe(0)
    expect(stdout).toContain(`✔ wrote ${config()}\n`)
    expect(stdout).toContain("export CHORUS_OPENCODE_KEY=cho_k\n")
    expect(text()).toContain("http://chorus.test/api/mcp?tools=lean")
    for (const content of Object.values(files())) expect(content).not.toContain("cho_k")
  })

  it("connects the agent whose key was given and makes no other", async () => {
    const { calls } = server("agent")
    expect(await chorusHereJson(["connect", "opencode", ...URL], around())).toMatchObject({
      program: "opencode",
      connected: true,
      keyVariable: "CHORUS_OPENCODE_KEY",
      key: "cho_k",
    })
    expect(calls.map(({ name }) => name)).toEqual(["chorus_whoami"])
  })

  it("makes an agent and a key of its own when a person's key is given", async () => {
    const { inputsOf } = server("user")
    expect(await chorusHereJson(["connect", "opencode", ...URL], around())).toMatchObject({ key: "cho_made" })
    expect(inputsOf("chorus_create_agent")).toEqual([
      { name: expect.stringMatching(/^opencode on /), presets: ["lead"] },
    ])
  })

  it("leaves no trace when it is undone, and what was there before is there again", async () => {
    server("agent")
    given(".config/opencode/opencode.json", '{\n  "theme": "dark"\n}\n')
    given(".config/opencode/AGENTS.md", "# Mine\n")
    const before = files()
    await chorusHere(["connect", "opencode", ...URL], around())
    await chorusHere(["connect", "opencode", ...URL], around())
    expect(Object.keys(files()).length).toBeGreaterThan(2)
    const { stdout } = await chorusHere(["disconnect", "opencode", ...URL], around())
    expect(stdout).toContain("✔ cleaned ")
    expect(files()).toEqual(before)
  })

  it("takes its folders along where nothing else was in them", async () => {
    server("agent")
    await chorusHere(["connect", "opencode", ...URL], around())
    await chorusHere(["connect", "opencode", "--remove", ...URL], around())
    expect(files()).toEqual({})
    expect(existsSync(join(home, ".config", "opencode"))).toBe(false)
  })

  it("does not touch a configuration that it cannot read", async () => {
    server("agent")
    given(".config/opencode/opencode.json", "{ // mine\n}")
    const refused = await refusalOf(["connect", "opencode", ...URL], around())
    expect(refused.message).toContain("not plain JSON")
    expect(text()).toBe("{ // mine\n}")
  })

  it("needs a server that runs", async () => {
    expect(await refusalOf(["connect", "opencode", "--data", join(home, "data")], around())).toMatchObject({
      code: "server_not_running",
      next: expect.stringContaining("chorus start"),
    })
    expect(existsSync(config())).toBe(false)
  })
})

describe("connecting Codex", () => {
  const without = () => around({ PATH: "/nowhere" })

  it("says what to do where Codex is not installed, and has made nothing that would have to be taken back", async () => {
    const { calls } = server("user")
    expect(await refusalOf(["connect", "codex", ...URL], without())).toMatchObject({
      code: "connect_failed",
      next: expect.stringContaining("Install codex"),
    })
    expect(calls).toEqual([])
    expect(files()).toEqual({})
  })

  it("is undone also where Codex has gone meanwhile", async () => {
    server("agent")
    given(".codex/AGENTS.md", "# Mine\n\n<!-- chorus: begin -->\nold\n<!-- chorus: end -->\n")
    const { code, stdout } = await chorusHere(["disconnect", "codex", ...URL], without())
    expect(code).toBe(0)
    expect(stdout).toContain("codex is no longer here to be told")
    expect(files()).toEqual({ ".codex/AGENTS.md": "# Mine\n" })
  })
})
