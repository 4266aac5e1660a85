import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolders } from "../../test/command-line.ts"

const folder = scratchFolders()
let home: string
let env: Record<string, string>

beforeEach(() => {
  home = folder()
  mkdirSync(home, { recursive: true })
  env = { HOME: home, CHORUS_CACHE: join(home, "cache"), XDG_STATE_HOME: join(home, "state"), CHORUS_TERMINAL_ID: "t1" }
})

const chorus = (...argv: string[]) => chorusHere(argv, { env })
const state = (file: string) => JSON.parse(readFileSync(join(home, "state", "chorus", file), "utf8")) as unknown

function remember(...sessions: object[]): void {
  mkdirSync(join(home, "state", "chorus"), { recursive: true })
  writeFileSync(join(home, "state", "chorus", "resume.json"), JSON.stringify({ on: ["claude"], sessions }))
}

const session = {
  terminalId: "t1",
  agent: "claude",
  command: "claude --resume 0b1c2d3e-0000-4000-8000-000000000000",
  title: "Fix the till",
  at: 1,
}

describe("chorus status", () => {
  it("says how to begin where no agent runs, and starts nothing to find that out", async () => {
    expect((await chorus("status")).stdout).toBe("No agents yet. Start one with: chorus run claude\n")
    expect(await chorusHereJson(["status"], { env })).toEqual([])
    expect((await chorus("status", "--line", "prompt")).code).toBe(0)
    expect(readdirSync(home)).toEqual([])
  })

  it("knows its forms of a line", async () => {
    const { code, stderr } = await chorus("status", "--line", "rainbow")
    expect(code).toBe(1)
    expect(stderr).toMatch(/Allowed choices are prompt, tmux, starship/)
  })

  it.each([
    ["on", true],
    ["off", false],
  ])("remembers that notifications are %s", async (word, on) => {
    expect(await chorus("status", "notify", word)).toMatchObject({ code: 0, stdout: `Notifications are ${word}.\n` })
    expect(Object.values(state("notify.json") as object)).toEqual([on])
    expect((await chorus("status", "notify")).stdout).toBe(`Notifications are ${word}.\n`)
  })
})

describe("chorus status notify", () => {
  it("tells of one agent what differs from the others", async () => {
    expect((await chorus("status", "notify")).stdout).toBe("Notifications are off.\n")
    expect((await chorus("status", "notify", "on", "codex")).stdout).toBe("Notifications about codex are on.\n")
    expect((await chorus("status", "notify")).stdout).toBe(
      "Notifications are off.\nNotifications about codex are on.\n",
    )
  })
})

describe("chorus run", () => {
  it("runs agents that it knows and no other program", async () => {
    expect(await refusalOf(["run", "vim"], { env })).toMatchObject({
      code: "unknown_agent",
      message: '"vim" is not an agent Chorus knows.',
      next: "Name claude, codex or opencode.",
    })
  })
})

describe("chorus resume", () => {
  it("remembers nothing until it is switched on, and says how to", async () => {
    const { code, stderr } = await chorus("resume")
    expect(code).toBe(1)
    expect(stderr).toContain("No session is remembered for terminal t1. [nothing_to_resume]")
    expect(stderr).toContain("chorus resume --on claude")
    await chorus("resume", "--on", "claude")
    expect((await chorus("resume")).stderr).toContain("What is remembered of other terminals: chorus resume --list.")
    await chorus("resume", "--off", "claude")
  })

  it("is switched on and off for an agent, and off forgets its sessions", async () => {
    await chorus("resume", "--on", "claude")
    expect(state("resume.json")).toEqual({ on: ["claude"], sessions: [] })
    remember(session)
    await chorus("resume", "--off", "claude")
    expect(state("resume.json")).toEqual({ on: [], sessions: [] })
    expect((await chorus("resume", "--on", "vim")).stderr).toContain("[unknown_agent]")
  })

  it("says that what is remembered cannot be read, and begins anew when it is switched on", async () => {
    remember(session)
    const file = join(home, "state", "chorus", "resume.json")
    writeFileSync(file, '{"on":["claude"],"sess')
    for (const words of [[], ["--list"], ["--terminal", "t1"], ["--json"]])
      expect(await refusalOf(["resume", ...words], { env })).toMatchObject({
        code: "resume_damaged",
        message: `What was remembered in ${file} cannot be read.`,
        next: expect.stringContaining("chorus resume --on claude") as string,
      })
    expect((await chorus("resume", "--on", "claude")).stderr).toContain("this begins anew")
    expect(state("resume.json")).toEqual({ on: ["claude"], sessions: [] })
  })

  it("lists what it would bring back, one line each whatever a title says", async () => {
    remember(
      session,
      { ...session, terminalId: "t2", title: "two\nlines\u001b[2J", folder: "/shop", tab: "tmux/main/api" },
      { ...session, terminalId: "t3", title: null },
    )
    expect((await chorus("resume", "--list")).stdout).toBe(
      `t1  ${session.command}  Fix the till\nt2  ${session.command}  two lines · /shop · tmux/main/api\nt3  ${session.command}  \n`,
    )
    expect(await chorusHereJson<object[]>(["resume"], { env })).toMatchObject([
      session,
      { terminalId: "t2" },
      { terminalId: "t3" },
    ])
  })

  it("asks before it works in another folder, and takes silence for a no", async () => {
    const folder = join(home, "state")
    remember({ ...session, folder })
    const refused = (await chorus("resume")).stderr
    expect(refused).toContain(`The last session of this terminal was in ${folder}. [other_folder]`)
    expect(refused).toContain(`Go there first: cd ${folder} && chorus resume`)
    remember({ ...session, folder: "/not/there" })
    expect((await chorus("resume")).stderr).toContain("[folder_gone]")
  })

  it("asks which of several comes back, and takes silence for none", async () => {
    const left = { ...session, folder: process.cwd() }
    const other = { ...left, terminalId: "t8", command: session.command.replace(/0$/, "1"), title: "Sweep\u001b[2J" }
    remember({ ...left, terminalId: "t9" }, other)
    const refused = (await chorus("resume")).stderr
    expect(refused).toMatch(/1 {2}Sweep .* ago .*\n.*2 {2}Fix the till .* ago[\s\S]*\[nothing_chosen\]/)
    expect(refused).toContain("chorus resume --terminal t8")
  })

  it("does not hand a newer program's session to an older one unasked", async () => {
    const program = join(home, "npm")
    mkdirSync(join(program, "bin"), { recursive: true })
    writeFileSync(join(program, "package.json"), JSON.stringify({ version: "2.1.41" }))
    writeFileSync(join(program, "bin", "claude"), "#!/bin/sh\n", { mode: 0o755 })
    remember({ ...session, version: "2.1.325" })
    const PATH = `${join(program, "bin")}:${process.env["PATH"]}`
    expect((await chorusHere(["resume"], { env: { ...env, PATH } })).stderr).toContain(
      "This session is of claude 2.1.325; here is 2.1.41, which is older. [older_program]",
    )
  })

  it.each([
    ["a command of another program", "rm -rf /"],
    ["a command with more in it", `${session.command}; rm -rf /`],
    ["a command of another agent", "codex resume 0b1c2d3e-0000-4000-8000-000000000000"],
  ])("does not run %s that somebody wrote into its file", async (_, command) => {
    remember({ ...session, command })
    const { code, stderr } = await chorus("resume")
    expect(code).toBe(1)
    expect(stderr).toContain("[nothing_to_resume]")
  })
})

describe("chorus shell-init", () => {
  it.each(["bash", "zsh", "fish"])("prints what %s evaluates and writes a wrapper for each agent", async (shell) => {
    const { code, stdout } = await chorus("shell-init", shell)
    expect(code).toBe(0)
    const [folder = ""] = readdirSync(join(home, "cache")).filter((name) => name.startsWith("shims-"))
    expect(stdout).toContain(join(home, "cache", folder))
    expect(readdirSync(join(home, "cache", folder)).toSorted()).toEqual(["chorus", "claude", "codex", "opencode"])
    expect(statSync(join(home, "cache", folder, "claude")).mode & 0o111).toBe(0o111)
    expect(readFileSync(join(home, "cache", folder, "codex"), "utf8")).toContain("'run' 'codex'")
  })

  it("needs to know which shell", async () => {
    expect((await chorus("shell-init")).stderr).toContain("[shell_missing]")
    expect((await chorus("shell-init", "tcsh")).stderr).toContain("Allowed choices are zsh, bash, fish")
  })

  it("takes everything back, and gives the shell its path back", async () => {
    await chorus("shell-init", "bash")
    await chorus("resume", "--on", "claude")
    await chorus("status", "notify", "on")
    const { stdout } = await chorus("shell-init", "bash", "--remove")
    expect(stdout).toContain("PATH")
    expect(readdirSync(home).filter((name) => name !== "state")).toEqual([])
    expect(await chorus("shell-init", "--remove")).toMatchObject({ stdout: "", stderr: "" })
    // A start-up file is the person's own.
    writeFileSync(join(home, ".bashrc"), "[ -r '/c/shims-1/init.bash' ] && . '/c/shims-1/init.bash'\n")
    expect((await chorus("shell-init", "--remove")).stderr).toContain(
      `${join(home, ".bashrc")} still reads the wrappers`,
    )
  })
})
