import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolder, scratchTeam } from "../../test/scratch-team.ts"
import { driverFor, memberArgv } from "../runtime/member-program.ts"
import { agentType, agentTypes, parseAgentFile } from "./agent-type.ts"
import { memberEnvironment, shellSnapshot, writeShellSnapshot } from "./environment.ts"
import { ownProgram } from "./own-program.ts"
import { jsonLine } from "./program.ts"
import { teamBriefing, teamTools } from "./team-tools.ts"

let root: string
let project: string
beforeEach(() => {
  root = scratchFolder()
  project = scratchFolder()
})
const put = (folder: string, file: string, text: string) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), text)
}
const ofUser = (file: string, text: string) => put(join(root, "agents"), file, text)
const ofProject = (file: string, text: string) => put(join(project, ".claude", "agents"), file, text)
const head = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\n`

describe("the types of members", () => {
  it("are the built-in ones where there are no files", () => {
    expect(agentTypes({ root, project }).map(({ name }) => name)).toEqual([
      "general-purpose",
      "Explore",
      "Plan",
      "Bash",
    ])
    expect(agentType("Explore", { root, project }).tools).not.toContain("Write")
    expect(agentType("general-purpose", { root, project }).tools).toBeUndefined()
  })

  it("come from the project before the user, and from the user before the built-in", () => {
    ofUser("a.md", head("reviewer", "the user's"))
    ofUser("b.md", head("Explore", "the user's own explorer"))
    ofProject("z.md", head("reviewer", "the project's"))
    expect(agentType("reviewer", { root, project }).description).toBe("the project's")
    expect(agentType("Explore", { root, project })).toMatchObject({
      description: "the user's own explorer",
      tools: undefined,
    })
    expect(agentTypes({ root, project }).map(({ name }) => name)).toEqual([
      "reviewer",
      "Explore",
      "general-purpose",
      "Plan",
      "Bash",
    ])
  })

  it("are read although a folder is called like a file of theirs, and other files lie beside", () => {
    mkdirSync(join(root, "agents", "folder.md"), { recursive: true })
    ofUser("notes.txt", head("notes", "no agent"))
    ofUser("good.md", head("good", "one"))
    expect(agentType("good", { root, project }).description).toBe("one")
    expect(agentTypes({ root, project }).map(({ name }) => name)).not.toContain("notes")
  })

  it("that nobody knows are answered with those that are there", () => {
    expect(() => agentType("Wizard", { root, project })).toThrowError(
      expect.objectContaining({
        code: "no_such_agent_type",
        status: 404,
        next: "Known types: general-purpose, Explore, Plan, Bash.",
      }),
    )
  })
})

describe("an agent's file", () => {
  it.each<[string, string, unknown]>([
    [
      "lines of Windows",
      "---\r\nname: a\r\ndescription: d\r\n---\r\nWords.\r\n",
      { name: "a", description: "d", prompt: "Words." },
    ],
    ["a mark before the first line", "\ufeff---\nname: a\n---\nWords.", { name: "a", prompt: "Words." }],
    [
      "tools as a list",
      "---\nname: a\ntools:\n  - Read\n  - Bash(git:*)\n---\n",
      { tools: ["Read", "Bash(git:*)"], prompt: undefined },
    ],
    [
      "tools as words",
      "---\nname: a\ntools: Read, , Grep,\ndisallowedTools: Write\n---\n",
      { tools: ["Read", "Grep"], disallowedTools: ["Write"] },
    ],
    ["a mode nobody knows", "---\nname: a\npermissionMode: godmode\n---\n", { mode: undefined }],
    ["a model", "---\nname: a\nmodel: opus\n---\n", { model: "opus" }],
    ["a line of dashes in its words", "---\nname: a\n---\nabove\n---\nbelow", { prompt: "above\n---\nbelow" }],
  ])("is read with %s", (_, text, type) => {
    expect(parseAgentFile(text)).toMatchObject(type as object)
  })

  it.each([
    "",
    "---\n---\n",
    "---\nname: 7\n---\n",
    "---\nname: [a\n---\n",
    "---\n- name: a\n---\n",
    "name: a",
    "---\nname: a\n",
  ])("is none when it says %j", (text) => {
    expect(parseAgentFile(text)).toBeUndefined()
  })
})

describe("a member's environment", () => {
  it("is the lead's without what belongs to one session", () => {
    const own = [
      "TMUX",
      "TMUX_PANE",
      "PWD",
      "OLDPWD",
      "SHLVL",
      "_",
      "TERM_SESSION_ID",
      "CLAUDE_PID",
      "CLAUDE_ENV_FILE",
      "CLAUDE_CODE_SESSION_ID",
      "CLAUDE_CODE_MESSAGING_SOCKET",
      "CLAUDE_CODE_TEAMMATE_COMMAND",
      "CLAUDE_PLUGIN_ROOT",
      "CHORUS_TEAM_COMMAND",
    ]
    const kept = { HOME: "/h", ANTHROPIC_API_KEY: "k", TMUX_TMPDIR: "/t", CLAUDE_CONFIG_DIR: "/c", EMPTY: "" }
    expect(memberEnvironment({ ...Object.fromEntries(own.map((name) => [name, "x"])), ...kept })).toEqual({
      ...kept,
      CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
    })
  })

  it("is noted without names that a shell cannot export and values it cannot hold", () => {
    expect(shellSnapshot({ GOOD: "a'b", "BAD-NAME": "x", "1ST": "x", NUL: "a\0b", "$(id)": "x" })).toBe(
      "export GOOD='a'\\''b'\n",
    )
  })

  it("lies in a file of its own each time", () => {
    const paths = [1, 1].map((now) => writeShellSnapshot(root, { A: "1" }, now))
    expect(new Set(paths).size).toBe(2)
    expect(paths[0]).toMatch(/shell-snapshots\/snapshot-sh-1-[0-9a-f]{6}\.sh$/)
  })
})

describe("how a member is started", () => {
  it("says its team, name, type, model and mode; the command comes last", async () => {
    const team = await scratchTeam()
    const member = await team.join({ name: "bob", agentType: "Explore", model: "m" })
    const [, , ...args] = memberArgv(
      { team, member, mode: "plan", cwd: "/", env: {} },
      { program: "command", argv: ["cat", "--", "-x; rm"] },
      ["--plan-decider", "person"],
    )
    expect(args).toEqual([
      "--team-name",
      "t",
      "--agent-name",
      "bob",
      "--agent-type",
      "Explore",
      "--model",
      "m",
      "--own-model",
      "--mode",
      "plan",
      "--program",
      "command",
      "--plan-decider",
      "person",
      "--",
      "cat",
      "--",
      "-x; rm",
    ])
  })

  it("leaves out what it does not have", async () => {
    const team = await scratchTeam()
    const member = await team.join({ name: "bob" })
    expect(memberArgv({ team, member, mode: undefined, cwd: "/", env: {} }, { program: "codex" }).slice(2)).toEqual([
      "--team-name",
      "t",
      "--agent-name",
      "bob",
      "--program",
      "codex",
    ])
  })

  it.each([undefined, []])("refuses a command of %j words", (argv) => {
    const options = { team: "t", name: "bob", cwd: "/", env: {}, tools: { command: "", args: [], env: {} } }
    expect(() => driverFor({ program: "command", argv }, options)).toThrowError(
      expect.objectContaining({ code: "no_command", next: "Put it after `--`." }),
    )
  })

  it("gives it the team's tools under its own name", () => {
    const { command, args, env } = teamTools({ root: "/r", team: "t", name: "bob" })
    expect([command, args.slice(1), env]).toEqual([
      process.execPath,
      ["--team", "t", "--as", "bob"],
      { CLAUDE_CONFIG_DIR: "/r" },
    ])
    expect(() => ownProgram(import.meta.url, "./nowhere.ts", "nowhere.js")).toThrowError(
      expect.objectContaining({ code: "program_missing", status: 500 }),
    )
  })

  it("tells it who it is, whose words are whose, and its type's own words last", () => {
    const briefing = teamBriefing({ team: "t", name: "bob", prompt: "You review." })
    expect(briefing).toContain('You are "bob", a member of the team "t".')
    expect(briefing).toContain("never an approval")
    expect(briefing.endsWith("\n\nYou review.")).toBe(true)
    expect(teamBriefing({ team: "t", name: "bob" })).not.toContain("undefined")
  })

  it.each([
    ['{"a":1}', { a: 1 }],
    ["{broken", undefined],
    ["[1]", undefined],
    ["", undefined],
    ["plain words", undefined],
  ])("reads the line %j of its output as %j", (line, value) => {
    expect(jsonLine(line)).toEqual(value)
  })
})
