import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { answerShutdown, createTeam, openTeam, spawnNoteOf, type Team } from "@chorus/teams"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolders, type Surroundings } from "../../test/command-line.ts"

const folder = scratchFolders()
let root: string

beforeEach(() => {
  root = folder()
})

const here = (more: Surroundings = {}): Surroundings => ({ ...more, env: { CLAUDE_CONFIG_DIR: root, ...more.env } })
const team = (...argv: string[]) => chorusHere(["team", ...argv], here())
const json = <T>(...argv: string[]) => chorusHereJson<T>(["team", ...argv], here())
const refused = (...argv: string[]) => refusalOf(["team", ...argv], here())
const make = (name: string) => createTeam({ name }, { root })

describe("which team is meant", () => {
  it("is clear when there is one", async () => {
    await make("crew")
    expect((await team("join", "--as", "ann")).stdout).toBe("ann joined\n")
    expect((await (await openTeam("crew", { root })).config()).members.map(({ name }) => name)).toEqual([
      "team-lead",
      "ann",
    ])
  })

  it("is asked for when there are several, naming them, and when there is none", async () => {
    expect(await refused("inbox", "--as", "ann")).toMatchObject({
      code: "which_team",
      message: "There is no team on this machine.",
      next: "Make one with `chorus team create <name>`.",
    })
    await make("one")
    await make("two")
    expect(await refused("inbox", "--as", "ann")).toMatchObject({
      code: "which_team",
      message: "There are 2 teams: one, two.",
      next: "Name one with --team.",
    })
  })

  it("is none that has only messages, which Claude Code writes for a team that is not there", async () => {
    await make("crew")
    mkdirSync(join(root, "teams", "default", "inboxes"), { recursive: true })
    expect((await team("join", "--as", "ann")).stdout).toBe("ann joined\n")
    expect((await json<{ name: string }[]>("status")).map(({ name }) => name)).toEqual(["crew"])
  })

  it("is said by the environment or by --team, and the nearer word counts", async () => {
    await make("one")
    await make("two")
    const add = (...argv: string[]) => chorusHere(["team", "tasks", ...argv], here({ env: { CHORUS_TEAM: "one" } }))
    await add("add", "By environment")
    await add("--team", "two", "add", "Before the name")
    await add("add", "Behind it", "--team", "two")
    await add("--team", "one", "add", "Both", "--team", "two")
    const subjects = async (name: string) =>
      (await (await openTeam(name, { root })).tasks()).map(({ subject }) => subject)
    expect(await subjects("one")).toEqual(["By environment"])
    expect(await subjects("two")).toEqual(["Before the name", "Behind it", "Both"])
  })

  it.each(["../../etc", "no-such", "."])("must be one that is there: not %j", async (name) => {
    await make("crew")
    expect((await refused("tasks", "--team", name)).code).toMatch(/^(team_gone|bad_name)$/)
  })
})

describe("the life of a team", () => {
  it("leaves what was kept of it where its Claude Code session ended, until it is deleted", async () => {
    const { paths } = await make("session-1")
    await (await openTeam("session-1", { root })).join({ name: "ann" })
    rmSync(paths.directory, { recursive: true })
    expect(existsSync(paths.own)).toBe(true)
    expect((await team("delete", "session-1")).stdout).toBe("deleted session-1\n")
    expect(existsSync(paths.own)).toBe(false)
    expect(await refused("delete", "session-1")).toMatchObject({ code: "team_gone" })
  })

  it("begins with a folder that only its owner reads and ends without it", async () => {
    const { stdout } = await team("create", "crew", "--description", "Builds the till.", "--model", "opus")
    expect((await (await openTeam("crew", { root })).config()).members).toMatchObject([{ model: "opus" }])
    const directory = join(root, "teams", "crew")
    expect(stdout).toBe(`made crew ${directory}\n`)
    expect(statSync(directory).mode & 0o077).toBe(0)
    expect((await team("delete")).stdout).toBe("deleted crew\n")
    expect(existsSync(directory)).toBe(false)
  })

  it("does not end while somebody is in it, unless forced", async () => {
    const crew = await make("crew")
    await crew.join({ name: "ann", agentType: "external" })
    expect((await refused("delete", "crew")).message).toContain("ann")
    expect(await json("delete", "crew", "--force")).toEqual({ deleted: "crew", left: [] })
  })

  it("tells a member that leaves from one that was not there", async () => {
    const crew = await make("crew")
    await crew.join({ name: "ann", agentType: "external" })
    expect((await team("leave", "--as", "ann")).stdout).toBe("ann left\n")
    expect((await team("leave", "--as", "ann")).stdout).toBe("ann was not there\n")
    expect(await json("leave", "--as", "ann")).toEqual({ left: false })
  })

  it("refuses a second member of the same name", async () => {
    await make("crew")
    await team("join", "--as", "ann")
    expect(await refused("join", "--as", "ann")).toMatchObject({ code: "name_taken" })
  })
})

describe("spawning a member", () => {
  it.each([
    ["that is not there", ["/nowhere/codex"]],
    ["that is no program", [import.meta.dirname]],
  ])("with a program %s is an error, and leaves nobody on the roster", async (_, path) => {
    await make("crew")
    for (const backend of ["process", "tmux"]) {
      const argv = ["spawn", "ann", "--prompt", "x", "--program", "codex", "--backend", backend, ...path]
      const { code, stdout, stderr } = await team(...argv)
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toContain("[program_not_started]")
    }
    expect((await team("status")).stdout).not.toContain("ann")
  })

  it("says where a program was looked for that is named from here", async () => {
    await make("crew")
    const place = folder()
    const argv = ["spawn", "ann", "--prompt", "x", "--program", "command", "--cwd", place, "--", "../my.sh"]
    const { stderr } = await team(...argv)
    expect(stderr).toContain(`could not be started: there is no program ${join(dirname(place), "my.sh")}`)
  })

  it.each([
    ["a mode that there is not", ["--mode", "yolo"], "Allowed choices are default, "],
    ["a program that there is not", ["--program", "emacs"], "Allowed choices are claude, codex, opencode, command"],
    ["a place that there is not", ["--backend", "cloud"], "Allowed choices are tmux, process, in-process"],
  ])("refuses %s", async (_, more, says) => {
    await make("crew")
    const { code, stderr } = await team("spawn", "ann", "--prompt", "x", ...more)
    expect(code).toBe(1)
    expect(stderr).toContain(says)
  })

  it.each(["--allowed-tools", "--allowedTools"])(
    "hands Claude Code the tools of %s that it uses without asking, and remembers them for a restart",
    async (flag) => {
      await make("crew")
      const program = join(root, "claude")
      mkdirSync(root, { recursive: true })
      writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > "$0.args"\nexec sleep 30\n`, { mode: 0o755 })
      const rules = [flag, "Bash(npm test)", "WebFetch"]
      expect(await team("spawn", "ann", "--prompt", "x", program, ...rules)).toMatchObject({ code: 0 })
      const given = () => readFileSync(`${program}.args`, "utf8")
      await vi.waitFor(() => expect(given()).toContain("--allowedTools\nmcp__team,Bash(npm test),WebFetch\n"), 60_000)
      expect(spawnNoteOf((await openTeam("crew", { root })).paths, "ann")?.allowedTools).toEqual(rules.slice(1))
      await team("shutdown", "ann", "--timeout", "0", "--kill")
    },
  )

  it.each([
    ["a person, where a person leads", undefined, [], "person"],
    ["its lead, where that is an agent", "claude", [], "lead"],
    ["whoever is named", undefined, ["--plan-decider", "lead"], "lead"],
    ["whoever is named, also to an agent", "claude", ["--plan-decider", "person"], "person"],
  ])("has its plan decided by %s", async (_, below, more, decider) => {
    const crew = await make("crew")
    const argv = ["--prompt", "x", "--mode", "plan", "--program", "command", ...more, "--", "/bin/cat"]
    const spawned = await chorusHere(["team", "spawn", "ann", ...argv], here(below === undefined ? {} : { below }))
    expect(spawned).toMatchObject({ code: 0 })
    expect(spawnNoteOf(crew.paths, "ann")).toMatchObject({ planDecider: decider })
    await team("shutdown", "ann", "--timeout", "0", "--kill")
  })

  it.each([
    ["in a pane of its own", ["--backend", "tmux", "--native"], "2.1.324"],
    ["in a pane", ["--backend", "tmux"], "2.1.196"],
    ["out of sight", [], "2.1.196"],
    ["in the command", ["--backend", "in-process"], "2.1.196"],
  ])("does not let Claude Code plan %s in a version that would not wait for its approval", async (_, where, last) => {
    await make("crew")
    const argv = ["spawn", "ann", "--prompt", "x", ...where, "--mode", "plan"]
    for (const version of ["2.1.41 (Claude Code)", "2.0.999 (Claude Code)", `${last} (Claude Code)`, "hello"]) {
      const program = join(root, "claude")
      writeFileSync(program, `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 })
      expect(await refused(...argv, program), version).toMatchObject({ code: "plan_not_kept" })
    }
    expect((await json<{ members: object[] }[]>("status"))[0]?.members).toHaveLength(1)
  })

  it("does not start Claude Code in a team mode that would not find the team", async () => {
    await make("v1.2")
    const argv = ["spawn", "ann", "--prompt", "x", "--backend", "tmux", "--native", "/bin/true"]
    expect(await refused(...argv)).toMatchObject({ code: "unread_team", message: expect.stringContaining('"v1.2"') })
    expect((await json<{ members: object[] }[]>("status"))[0]?.members).toHaveLength(1)
  })

  it("says that no other program takes tools by name", async () => {
    await make("crew")
    const argv = ["spawn", "ann", "--prompt", "x", "--program", "codex", "--allowed-tools", "Bash"]
    expect(await refused(...argv)).toMatchObject({ code: "claude_only" })
  })

  it("needs a first message", async () => {
    await make("crew")
    expect((await team("spawn", "ann")).stderr).toContain("required option '--prompt <text>' not specified")
  })
})

describe("asking a member to shut down", () => {
  it.each([
    ["ends with it when it agrees", { approve: true } as const, "ann has shut down\n", []],
    [
      "leaves it when it refuses, with its reason",
      { approve: false, reason: "still testing" } as const,
      "ann refuses: still testing\n",
      ["ann"],
    ],
  ])("%s", async (_, answer, says, left) => {
    const crew = await make("crew")
    await crew.join({ name: "ann", agentType: "external" })
    const asking = team("shutdown", "ann", "--timeout", "20")
    const requestId = await askedOf(crew, "ann")
    await answerShutdown(crew, "ann", requestId, answer)
    expect(await asking).toEqual({ code: left.length, stdout: says, stderr: "" })
    expect((await crew.config()).members.map(({ name }) => name)).toEqual(["team-lead", ...left])
  })

  it("believes the answer of the one that was asked alone, whoever else knows what was asked", async () => {
    const crew = await make("crew")
    for (const name of ["ann", "mallory"]) await crew.join({ name, agentType: "external" })
    const asking = team("shutdown", "ann", "--timeout", "20")
    const requestId = await askedOf(crew, "ann")
    await answerShutdown(crew, "mallory", requestId, { approve: true })
    await answerShutdown(crew, "ann", requestId, { approve: false, reason: "still testing" })
    expect(await asking).toMatchObject({ code: 1, stdout: "ann refuses: still testing\n" })
    expect((await crew.config()).members.map(({ name }) => name)).toContain("ann")
  })

  it("fails when there is no answer in time, and with --kill takes it off all the same", async () => {
    const crew = await make("crew")
    await crew.join({ name: "ann", agentType: "external" })
    expect(await team("shutdown", "ann", "--timeout", "0")).toMatchObject({ code: 1, stdout: "ann did not answer\n" })
    expect(await json("shutdown", "ann", "--timeout", "0", "--kill")).toMatchObject({ ended: true })
    expect((await crew.config()).members.map(({ name }) => name)).toEqual(["team-lead"])
  })

  it("does not wait for one that is dead: it is taken off the roster, and its task is free", async () => {
    const crew = await make("crew")
    await crew.join({ name: "ann", agentType: "external" })
    await crew.claimTask((await crew.createTask({ subject: "Ground", description: "" })).id, "ann")
    const { pid } = spawnSync(process.execPath, ["-e", "0"])
    await crew.patchMember("ann", { tmuxPaneId: `pid:${pid}` })
    expect(await team("shutdown", "ann")).toMatchObject({ code: 0, stdout: "ann had died; it is off the roster\n" })
    expect((await crew.config()).members.map(({ name }) => name)).toEqual(["team-lead"])
    expect((await crew.tasks()).map(({ owner }) => owner)).toEqual([undefined])
  })

  it("leaves one that a Claude Code lead started to that lead, also when it is dead", async () => {
    const crew = await make("crew")
    await crew.join({ name: "ann", tmuxPaneId: "in-process" })
    const { pid } = spawnSync(process.execPath, ["-e", "0"])
    const config = { ...(await crew.config()), leadSessionId: "theirs", leadProcess: { pid } }
    writeFileSync(crew.paths.config, JSON.stringify(config))
    expect(await refused("shutdown", "ann")).toMatchObject({ code: "not_the_lead" })
    expect((await crew.config()).members.map(({ name }) => name)).toEqual(["team-lead", "ann"])
  })

  it.each(["soon", "-1", "", "99999999"])("does not wait for %j seconds", async (seconds) => {
    const crew = await make("crew")
    await crew.join({ name: "ann", agentType: "external" })
    expect((await team("shutdown", "ann", "--timeout", seconds)).stderr).toContain(
      "Give a whole number of seconds, at most a day.",
    )
    expect(await crew.unread("ann")).toEqual([])
  })

  it("does not ask somebody who is not there", async () => {
    await make("crew")
    expect(await refused("shutdown", "nobody")).toMatchObject({ code: "no_such_member" })
  })
})

describe("a program for Claude Code to start", () => {
  it("is written for its owner alone, with every word quoted for the shell", async () => {
    const { stdout } = await team("teammate", "--program", "command", "/opt/my agent", "it's $HOME")
    const path = stdout.trim()
    expect(path).toBe(join(root, "chorus", "bin", "teammate-command"))
    expect(statSync(path).mode & 0o777).toBe(0o700)
    const script = readFileSync(path, "utf8")
    expect(script).toMatch(/^#!\/bin\/sh\nCHORUS_TEAM_PROGRAM='command'\n/)
    expect(script).toContain(String.raw`CHORUS_TEAM_COMMAND='["/opt/my agent","it'\''s $HOME"]'`)
    expect(script).toMatch(/ team member "\$@"\n$/)
  })

  it("is Codex unless said otherwise, and then leaves the command to the member", async () => {
    const script = readFileSync((await team("teammate")).stdout.trim(), "utf8")
    expect(script).toContain("CHORUS_TEAM_PROGRAM='codex'")
    expect(script).not.toContain("CHORUS_TEAM_COMMAND=")
  })
})

/** The id of the request that waits for a member. */
function askedOf(crew: Team, name: string): Promise<string> {
  return vi.waitFor(
    async () =>
      /shutdown-[^"\\]+/.exec((await crew.unread(name))[0]?.entry.text ?? "")?.[0] ??
      Promise.reject(new Error("not asked yet")),
    10_000,
  )
}
