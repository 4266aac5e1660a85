import { describe, expect, it, onTestFinished, vi } from "vitest"
import { codeOf, found, ledByClaude, scratchTeam } from "../../test/scratch-team.ts"
import { requestShutdown } from "../protocol/send.ts"
import { hostOf } from "./host-note.ts"
import { runMember } from "./member-program.ts"

describe("a member as a program", () => {
  const argv = (...more: string[]) => ["--team-name", "t", "--agent-name", "bob", ...more]

  it.each<[string, string[], Record<string, string>, string]>([
    ["no name", ["--team-name", "t"], {}, "missing_flag"],
    ["no team", ["--agent-name", "bob"], {}, "missing_flag"],
    ["a name without its value", ["--team-name", "t", "--agent-name"], {}, "missing_flag"],
    ["a team that is not there", ["--team-name", "gone", "--agent-name", "bob"], {}, "team_gone"],
    ["a team that leads out", ["--team-name", "../t", "--agent-name", "bob"], {}, "bad_name"],
    ["a name that is not on the roster", ["--team-name", "t", "--agent-name", "eve"], {}, "no_such_member"],
    ["no program", argv(), {}, "no_such_program"],
    ["a program nobody knows", argv("--program", "vim"), {}, "no_such_program"],
    ["a command without words", argv("--program", "command"), {}, "no_command"],
    [
      "an empty command from the environment",
      argv("--program", "command"),
      { CHORUS_TEAM_COMMAND: "[]" },
      "no_command",
    ],
    ["a type nobody knows", argv("--program", "codex", "--agent-type", "Wizard"), {}, "no_such_agent_type"],
  ])("with %s says what is missing, and hosts nobody", async (_, flags, env, code) => {
    const team = await scratchTeam(["bob"])
    expect(await codeOf(runMember(flags, { CLAUDE_CONFIG_DIR: team.paths.root, ...env }))).toBe(code)
    expect(hostOf(team.paths, "bob")).toBeUndefined()
  })

  it("passes over flags it does not know, lives its life, and tells it line by line", async () => {
    const team = await scratchTeam(["bob"])
    const said: string[] = []
    const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => said.push(String(text)) > 0)
    onTestFinished(() => out.mockRestore())
    const running = runMember(argv("--brand-new-flag", "x", "--parent-session-id", "p", "--", "true"), {
      CLAUDE_CONFIG_DIR: team.paths.root,
      PATH: "",
    })
    await found(async () => hostOf(team.paths, "bob"))
    await requestShutdown(team, { from: "team-lead", to: "bob" })
    await running
    expect(said[0]).toBe("bob joins t\n")
    expect(said.at(-1)).toMatch(/^\d{4}-\d\d-\d\dT\S+ shutdown\n$/)
    expect(await codeOf(team.member("bob"))).toBe("no_such_member")
  })

  it("stays on the roster of a lead that takes its panes off itself", async () => {
    const team = await ledByClaude(await scratchTeam(["bob"]))
    const out = vi.spyOn(process.stdout, "write").mockImplementation(() => true)
    onTestFinished(() => out.mockRestore())
    const running = runMember(argv("--program", "command", "--", "true"), {
      CLAUDE_CONFIG_DIR: team.paths.root,
      PATH: "",
    })
    await found(async () => hostOf(team.paths, "bob"))
    await requestShutdown(team, { from: "Ada", to: "bob", decided: true })
    await running
    expect((await team.member("bob")).name).toBe("bob")
  })
})
