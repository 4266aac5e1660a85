import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { withBoardHooks, withTrust } from "../connect/codex-hooks.ts"
import { claudeBoardChecks, claudeHookChecks, codexBoardChecks } from "./board-check.ts"

let folder: ReturnType<typeof temporaryDirectory>
let home: string
let program: string
beforeEach(() => {
  folder = temporaryDirectory("codex-board-")
  home = join(folder.path, ".codex")
  mkdirSync(home)
  program = join(folder.path, "chorus's hook")
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 })
})
afterEach(() => folder[Symbol.asyncDispose]())

const hooksPath = () => join(home, "hooks.json")
const configPath = () => join(home, "config.toml")
const check = () => codexBoardChecks({ CODEX_HOME: home })

/** Connects as `chorus connect codex` does, beside what the person has. */
function connect(theirs?: object): void {
  const hooks = withBoardHooks(
    hooksPath(),
    theirs === undefined ? undefined : JSON.stringify(theirs),
    "http://127.0.0.1:8637",
    program,
  )
  writeFileSync(hooksPath(), hooks)
  writeFileSync(configPath(), withTrust(configPath(), 'model = "x"\n', hooksPath(), hooks))
}

const edit = (path: string, change: (text: string) => string) => writeFileSync(path, change(readFileSync(path, "utf8")))

describe("the board's hooks in Codex", () => {
  it("are not spoken of where Codex is not connected", () => {
    expect(check()).toEqual([])
    writeFileSync(hooksPath(), JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "mine" }] }] } }))
    expect(check()).toEqual([])
    expect(codexBoardChecks({ HOME: join(folder.path, "nobody") })).toEqual([])
  })

  it("are trusted once connected, also behind the person's own", () => {
    connect()
    expect(check()).toEqual([{ name: "codex board", ok: true, found: "connected; Codex trusts the board's 8 hooks" }])
    connect({ hooks: { Stop: [{ hooks: [{ type: "command", command: "mine" }] }] } })
    expect(check()).toMatchObject([{ ok: true }])
    expect(codexBoardChecks({ HOME: folder.path })).toMatchObject([{ ok: true }])
  })

  it("are not trusted without Codex's configuration, and it is said what to do", () => {
    connect()
    writeFileSync(configPath(), "")
    expect(check()).toEqual([
      {
        name: "codex board",
        ok: false,
        found:
          "Codex does not trust 8 of the board's 8 hooks and passes over them: SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, SubagentStart, SubagentStop, Stop, SessionEnd",
        fix: 'Run `chorus connect codex` again, or choose "Trust all" when Codex asks about its hooks.',
      },
    ])
  })

  it("lose the trust of one that somebody changed, or moved behind another", () => {
    connect()
    edit(hooksPath(), (text) => text.replace('"timeout": 3', '"timeout": 30'))
    expect(check()).toMatchObject([
      { ok: false, found: expect.stringMatching(/1 of the board's 8 hooks.*: SessionEnd$/) as unknown },
    ])
    connect()
    edit(hooksPath(), (text) => {
      const file = JSON.parse(text) as { hooks: Record<string, unknown[]> }
      file.hooks["Stop"]?.unshift({ hooks: [{ type: "command", command: "theirs" }] })
      return JSON.stringify(file)
    })
    expect(check()).toMatchObject([{ ok: false, found: expect.stringMatching(/: Stop$/) as unknown }])
  })

  it.each([
    [
      "on one line",
      (text: string) =>
        `[hooks.state]\n${text
          .replaceAll(/\[hooks\.state\.("[^\n]+")\]\ntrusted_hash = ("[^"]+")\n?/g, "$1 = { trusted_hash = $2 }\n")
          .split("\n")
          .filter((line) => line.startsWith('"'))
          .join("\n")}\n`,
    ],
    ["with the other quotes", (text: string) => text.replaceAll(/state\."([^"]+)"/g, "state.'$1'")],
    ["with more in the table", (text: string) => text.replaceAll("trusted_hash", "enabled = true\ntrusted_hash")],
  ])("are trusted where Codex wrote the same %s", (_, rewrite) => {
    connect()
    edit(configPath(), rewrite)
    expect(check()).toMatchObject([{ ok: true }])
  })

  it("are named when they are switched off", () => {
    connect()
    edit(configPath(), (text) => text.replace(/(session_start:0:0"\]\n)/, "$1enabled = false\n"))
    expect(check()).toMatchObject([
      { ok: false, found: "switched off in Codex: SessionStart", fix: expect.stringContaining("/hooks") as unknown },
    ])
  })

  it("need their program", () => {
    connect()
    chmodSync(program, 0o644)
    expect(check()).toMatchObject([
      {
        ok: false,
        found: `the hook program ${program} is not there any more`,
        fix: "Run `chorus connect codex` again.",
      },
    ])
  })

  it.each(["", "[]", "{broken", '{"hooks":{"Stop":7}}'])(
    "in a file that says %j are nobody's, or the file is named",
    (text) => {
      writeFileSync(hooksPath(), text)
      expect(check()).toEqual(
        text === ""
          ? []
          : [
              {
                name: "codex board",
                ok: false,
                found: `${hooksPath()} cannot be read as a file of hooks`,
                fix: "Mend it or move it away. Run `chorus connect codex` again.",
              },
            ],
      )
    },
  )
})

describe("Claude Code's hooks", () => {
  const places = [
    "managed.json",
    "here/.claude/settings.local.json",
    "here/.claude/settings.json",
    "home/settings.json",
  ]
  const found = (...settings: [at: number, off: boolean][]) => {
    for (const path of places) mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    for (const [at, off] of settings)
      writeFileSync(join(folder.path, places[at] ?? ""), JSON.stringify({ disableAllHooks: off }))
    const where = { folder: join(folder.path, "here"), managed: join(folder.path, "managed.json") }
    return claudeHookChecks({ CLAUDE_CONFIG_DIR: join(folder.path, "home") }, where)
  }

  it.each([0, 1, 2, 3])("are said to be switched off, and where: %i", (at) => {
    const path = join(folder.path, places[at] ?? "")
    expect(found([at, true])).toMatchObject([{ name: "claude hooks", ok: false }])
    expect(found()[0]?.found).toContain(`in ${path}:`)
    expect(found()[0]?.fix).toContain('Remove "disableAllHooks"')
  })

  it("are not spoken of while they run, or where a stronger setting switches them on again", () => {
    expect(found()).toEqual([])
    expect(found([2, false], [3, true])).toEqual([])
  })
})

describe("Claude Code on the board", () => {
  const found = (settings: string, credentials = "") => {
    const claude = join(folder.path, "claude")
    mkdirSync(claude, { recursive: true })
    writeFileSync(join(claude, "settings.json"), settings)
    writeFileSync(join(claude, ".credentials.json"), credentials)
    return claudeBoardChecks({ CLAUDE_CONFIG_DIR: claude }).map(({ ok, found: text }) => `${ok} ${text}`)
  }
  const on = (plugin: string, more = "") => `{"enabledPlugins": {"${plugin}@chorus-plugins": true}${more}}`
  const key = `"cho_${"k".repeat(43)}"`

  it("is not spoken of where it is not connected", () => {
    expect([found("{}"), claudeBoardChecks({ HOME: join(folder.path, "nobody") })]).toEqual([[], []])
  })

  it("is connected by either plugin with its key, wherever that version keeps it", () => {
    expect(found(on("chorus"), `{"pluginSecrets": {"x": ${key}}}`)).toEqual(["true connected by the plugin chorus"])
    expect(found(on("chorus-legacy", `, "env": {"CHORUS_API_KEY": ${key}}`))).toEqual([
      "true connected by the plugin chorus-legacy",
    ])
  })

  it("is told of where its key is missing or it is switched off", () => {
    expect(found(on("chorus"))).toEqual(["false the plugin chorus has no key"])
    expect(found(on("chorus").replace("true", "false"))).toEqual(["false the plugin chorus is switched off"])
  })
})
