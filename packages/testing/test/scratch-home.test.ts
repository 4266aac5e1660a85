import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type ScratchHome, scratchHome } from "@chorus/testing"

const MODEL = { url: "http://127.0.0.1:4711" }

let home: ScratchHome
beforeAll(() => {
  home = scratchHome({ model: MODEL, opencodePermission: { bash: "ask" }, codexModel: "gpt-scripted" })
})
afterAll(() => home.remove())

const textOf = (...path: string[]) => readFileSync(join(home.path, ...path), "utf8")
const jsonOf = (...path: string[]) => JSON.parse(textOf(...path)) as Record<string, never>

describe("a scratch home", () => {
  test("gives agents nothing of this process's environment but where compiled code is kept", () => {
    const passed = Object.entries(home.environment)
      .filter(([name, value]) => process.env[name] === value)
      .map(([name]) => name)
    const shared = ["LANG", "TERM", "SHELL", "IS_SANDBOX", "NODE_COMPILE_CACHE"]
    expect(passed.filter((name) => !shared.includes(name))).toEqual([])
    expect(home.environment).toMatchObject({
      HOME: home.path,
      TMPDIR: join(home.path, "tmp"),
      ANTHROPIC_BASE_URL: MODEL.url,
    })
  })

  test("has a folder for temporary files", () =>
    expect(statSync(home.environment["TMPDIR"] ?? "").isDirectory()).toBe(true))

  test("knows no key but a made-up one, which Claude Code was told to use", () => {
    const key = home.environment["ANTHROPIC_API_KEY"] ?? ""
    expect(key).toContain("made-up")
    expect(home.environment["SCRIPTED_API_KEY"]).toBe(key)
    expect(jsonOf(".claude.json")).toMatchObject({ customApiKeyResponses: { approved: [key.slice(-20)] } })
  })

  test("asks no registry and no host", () => {
    expect(home.environment).toMatchObject({
      npm_config_registry: "http://127.0.0.1:9",
      DISABLE_AUTOUPDATER: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    })
  })

  test("has a project that is a git repository on main, in which somebody may commit", () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", home.project, ...args], { env: { ...home.environment }, encoding: "utf8" }).trim()
    expect(git("symbolic-ref", "--short", "HEAD")).toBe("main")
    writeFileSync(join(home.project, "file"), "x")
    git("add", "file")
    git("commit", "-qm", "first")
    expect(git("log", "--format=%an %ae %s")).toBe("Test test@example.invalid first")
  })

  test("makes every agent trust its projects, also those that are added later", () => {
    const further = home.addProject("further")
    for (const project of [home.project, further]) {
      expect(jsonOf(".claude.json")["projects"]).toHaveProperty([project, "hasTrustDialogAccepted"], true)
      expect(textOf(".codex", "config.toml")).toContain(
        `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`,
      )
    }
  })

  test("keeps what an agent wrote about itself when a project is added", () => {
    const state = jsonOf(".claude.json")
    writeFileSync(join(home.path, ".claude.json"), JSON.stringify({ ...state, numStartups: 42 }))
    home.addProject("third")
    expect(jsonOf(".claude.json")["numStartups"]).toBe(42)
  })

  test("leads Codex and OpenCode to the scripted model", () => {
    expect(textOf(".codex", "config.toml")).toMatch(
      /^model = "gpt-scripted"\nmodel_provider = "scripted"\n[\s\S]*base_url = "http:\/\/127\.0\.0\.1:4711\/v1"/,
    )
    expect(jsonOf(".config", "opencode", "opencode.json")).toMatchObject({
      model: "scripted/scripted",
      permission: { bash: "ask" },
      provider: { scripted: { options: { baseURL: "http://127.0.0.1:4711/v1" } } },
    })
  })

  test("without a model leads nowhere, rather than outside", async () => {
    await using lonely = scratchHome()
    expect(lonely.environment["ANTHROPIC_BASE_URL"]).toBe("http://127.0.0.1:9")
  })

  test("is gone with everything in it", async () => {
    const other = scratchHome()
    await other.remove()
    expect(existsSync(other.path)).toBe(false)
  })
})
