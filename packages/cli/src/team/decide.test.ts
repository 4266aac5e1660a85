import { type Forebear } from "@chorus/disk"
import { bodyOf, requestPermission, requestPlanApproval } from "@chorus/teams"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { chorusHere, scratchFolders, type Surroundings, withStreams } from "../../test/command-line.ts"
import { type Crew, newCrew } from "../../test/team-crew.ts"
import { printError } from "../output.ts"
import { decideCommand } from "./decide.ts"
import { agentIn } from "@chorus/disk"
import { type Asking, typingInTmux } from "./person.ts"

const folder = scratchFolders()
let crew: Crew["crew"]
let env: Crew["env"]

beforeEach(async () => {
  shown = ""
  typed = (code) => code
  above = [shell]
  ;({ crew, env } = await newCrew(folder(), "ann"))
})

/** A person at their own terminal, whoever runs these tests: they read what is shown there and type the code. */
let shown = ""
let typed = (code: string) => code
const shell = { pid: 2, name: "zsh", words: ["-zsh"], marks: ["HOME"] }
let above: Forebear[] = [shell]
const asking: Asking = {
  line: () => [{ pid: 3, name: "node", words: ["node", "chorus"], marks: Object.keys(process.env) }, ...above],
  answer(question) {
    shown = question
    return `${typed(/Type (\d{4}) to confirm: $/.exec(question)?.[1] ?? "")}\n`
  },
}
const decide = (argv: readonly string[] = [], more: Surroundings = {}) =>
  withStreams({ env, ...more }, () =>
    decideCommand(asking)
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .parseAsync(argv, { from: "user" })
      .catch((error: unknown) => printError(error, false)),
  )
const plan = () => requestPlanApproval(crew, "ann", { path: "plan.md", content: "# Rebuild the till" })
const permission = () =>
  requestPermission(crew, "ann", {
    toolName: "Bash",
    description: "Remove the old till",
    input: { command: "rm -r till" },
    toolUseId: "t1",
  } as never)
const toAnn = async () => (await crew.unread("ann")).map(({ entry }) => bodyOf(entry.text))

describe("chorus team decide", () => {
  it("shows what waits for a person, and that nothing does", async () => {
    expect((await decide()).stdout).toBe("Nothing waits for you.\n")
    const id = await plan()
    const { stdout } = await decide()
    expect(stdout).toMatch(/^request +member +what +says\n/)
    expect(stdout).toContain(id)
    expect(stdout).toMatch(/ann +plan +.*Rebuild the till/)
    expect(JSON.parse((await decide(["--json"])).stdout)).toMatchObject([
      { requestId: id, member: "ann", request: "plan" },
    ])
  })

  it("carries an approval and its mode to the member", async () => {
    const id = await plan()
    expect((await decide([id.slice(-6), "--approve", "--mode", "acceptEdits"])).stdout).toBe("approved\n")
    expect(await toAnn()).toMatchObject([
      { type: "plan_approval_response", requestId: id, approved: true, permissionMode: "acceptEdits" },
    ])
    expect((await decide()).stdout).toBe("Nothing waits for you.\n")
  })

  it("carries a refusal and its reason to the member", async () => {
    const id = await plan()
    expect((await decide([id, "--refuse", "Keep the tests."])).stdout).toBe("refused\n")
    expect(await toAnn()).toMatchObject([
      { type: "plan_approval_response", requestId: id, approved: false, feedback: "Keep the tests." },
    ])
  })

  it("answers a permission by the name of its tool", async () => {
    const id = await permission()
    await decide([id, "--approve"])
    expect(await toAnn()).toMatchObject([
      { type: "permission_response", request_id: id, response: { updated_input: { command: "rm -r till" } } },
    ])
  })

  it("shows what would happen, not what the agent says about it, and hides nothing of it", async () => {
    const id = await requestPermission(crew, "ann", {
      toolName: "Bash",
      description: "List the files",
      input: { command: `ls\nrm -rf / # ${"x".repeat(200)}\u001b[2K`, description: "List the files" },
      toolUseId: "t1",
    })
    expect((await decide()).stdout).toMatch(/ann +Bash +ls rm -rf \//)
    await decide([id, "--approve"])
    expect(shown).toContain(
      `ann asks to use Bash:\nls\nrm -rf / # ${"x".repeat(200)}\\u{1b}[2K\nann says: List the files\n`,
    )
  })

  it.each(["TMUX", "TMUX_PANE"])("below tmux without %s says that it cannot see who sits there", (missing) => {
    const inTmux = { TMUX: "/nowhere/tmux,1,0", TMUX_PANE: "%1" }
    for (const [name, value] of Object.entries(inTmux)) vi.stubEnv(name, name === missing ? undefined : value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const tmux = { pid: 4, name: "tmux: server", words: ["tmux"], marks: [] }
    expect(() => typingInTmux([shell, tmux], 0)).toThrow(/without its TMUX and TMUX_PANE/)
  })

  it("shows a change line by line, and no line of it passes for another field", async () => {
    const input = { files: ["roses.txt"], patch: "*** Add File: roses.txt\n+rose\nfiles: none" }
    const id = await requestPermission(crew, "ann", {
      toolName: "apply_patch",
      description: "",
      input,
      toolUseId: "t1",
    })
    expect((await decide()).stdout).toMatch(/ann +apply_patch +files: roses\.txt /)
    await decide([id, "--approve"])
    expect(shown).toContain(
      "ann asks to use apply_patch:\nfiles: roses.txt\npatch: *** Add File: roses.txt\n  +rose\n  files: none\n",
    )
  })

  it.each([
    ["both", ["--approve", "--refuse", "no"]],
    ["neither", []],
  ])("does not guess when %s is said", async (_, more) => {
    const id = await plan()
    const { code, stderr } = await decide([id, ...more])
    expect(code).toBe(1)
    expect(stderr).toContain("[say_which]")
    expect(await toAnn()).toEqual([])
  })

  it("does not approve with a mode that there is not", async () => {
    const { code, stderr } = await decide([await plan(), "--approve", "--mode", "acceptedits"])
    expect(code).toBe(1)
    expect(stderr).toMatch(/Allowed choices are .*acceptEdits/)
    expect(await toAnn()).toEqual([])
  })

  it("asks for more of an id when its end fits several, and knows one that is whole", async () => {
    const [first] = [await plan(), await permission()]
    expect((await decide(["", "--approve"])).stderr).toContain('More than one open request ends with "".')
    expect((await decide([first, "--approve"])).stdout).toBe("approved\n")
    expect((await decide(["nothing-like-it", "--approve"])).stderr).toContain(
      'No open request ends with "nothing-like-it". [no_such_request]',
    )
  })

  it("shows what waits to whoever asks, without a terminal", async () => {
    const id = await plan()
    expect((await chorusHere(["team", "decide"], { env: { ...env, CLAUDECODE: "1" } })).stdout).toContain(id)
  })

  it.each(["CLAUDECODE", "CODEX_SANDBOX", "OPENCODE", "CHORUS_TEAM_MODE", "CHORUS_RUN_ID"])(
    "is not for an agent, even in a terminal: %s",
    async (name) => {
      const id = await plan()
      const { code, stdout, stderr } = await decide([id, "--approve"], { env: { ...env, [name]: "1" } })
      expect(code).toBe(1)
      expect(stdout).toBe("")
      expect(stderr).toContain("[needs_a_person]")
      expect(await toAnn()).toEqual([])
    },
  )

  it.each<[string, Partial<Forebear>]>([
    ["Claude Code", { name: "claude", words: ["claude"] }],
    ["Claude Code on Node", { name: "node", words: ["node", "/n/@anthropic-ai/claude-code/cli.js"] }],
    ["Codex", { name: "codex", words: ["/usr/bin/codex", "exec"] }],
    ["OpenCode", { name: "opencode", words: ["/usr/bin/opencode", "run"] }],
    ["Cursor", { name: "cursor-agent", words: ["cursor-agent", "-p"] }],
    ["Copilot on Node", { name: "node", words: ["node", "/usr/bin/copilot"] }],
    ["Aider", { name: "python3", words: ["/usr/bin/python3", "/home/a/.local/bin/aider"] }],
    ["Amp", { name: "amp", words: ["amp"] }],
    ["Goose", { name: "goose", words: ["/usr/bin/goose", "run"] }],
    ["Crush", { name: "crush", words: ["crush"] }],
    ["Claude Code behind its protocol", { name: "node", words: ["node", "/n/.bin/claude-agent-acp"] }],
    ["a member's host", { name: "node", words: ["/usr/bin/node", "/x/team-member.js", "--agent-name", "bob"] }],
    ["a wrapper of an agent", { name: "sh", words: ["/bin/sh", "/home/a/bin/claude"] }],
    ["a shell that an agent started", { name: "bash", words: ["bash", "-c", "…"], marks: ["CLAUDECODE"] }],
    ["a process of a run", { name: "make", words: ["make"], marks: ["CHORUS_RUN_ID"] }],
  ])("is not for a process below %s that has wiped its variables", async (_, agent) => {
    const id = await plan()
    above = [{ ...shell, name: "script", words: ["script", "-qc", "…"] }, { ...shell, pid: 7, ...agent }, shell]
    const { code, stderr } = await decide([id, "--approve", "--mode", "bypassPermissions"])
    expect(code).toBe(1)
    expect(stderr).toMatch(/process 7.*\[needs_a_person\]/s)
    expect(shown).toBe("")
    expect(await toAnn()).toEqual([])
  })

  it.each([
    ["screen", { name: "screen", words: ["SCREEN", "-dmS", "x"] }],
    ["zellij", { name: "zellij", words: ["/usr/bin/zellij", "--server"] }],
  ])("is not for a window of %s, in which nobody can tell who sits", async (name, server) => {
    const id = await plan()
    above = [shell, { ...shell, pid: 7, ...server }]
    expect((await decide([id, "--approve"])).stderr).toMatch(new RegExp(`a window of ${name}.*needs_a_person`, "s"))
    expect([shown, await toAnn()]).toEqual(["", []])
  })

  it.each([
    ["an editor with a file of that name", { name: "vim", words: ["vim", "claude"] }],
    ["a shell in a folder of that name", { name: "zsh", words: ["zsh", "-c", "cd codex && sh"] }],
  ])("is for a person below %s", (_, process) => {
    expect(agentIn([{ ...shell, ...process }])).toBeUndefined()
  })

  it("is not carried out without the code that the terminal showed", async () => {
    const id = await plan()
    for (const wrong of ["", "yes", "y", "approve"]) {
      typed = () => wrong
      expect((await decide([id, "--approve"])).stderr).toContain("[needs_a_person]")
    }
    expect(await toAnn()).toEqual([])
  })
})
