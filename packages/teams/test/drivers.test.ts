import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TeamPermissionMode } from "@chorus/contracts"
import { describe, expect, test } from "vitest"
import { type AgentOptions, claudeDriver } from "../src/agents/claude-driver.ts"
import { codexDriver, opencodeDriver } from "../src/agents/turn-drivers.ts"
import { commandDriver } from "../src/agents/command-driver.ts"
import { Program } from "../src/agents/program.ts"
import { createTeam, type Driver, processBackend } from "../src/index.ts"
import { found, scratchFolder } from "./scratch-team.ts"

const AGENT = fileURLToPath(new URL("workers/scripted-agent.ts", import.meta.url))

interface Logged {
  readonly args?: string[]
  readonly given?: string
  /** The conversation it was told to go on with, where that is no flag. */
  readonly resumed?: string
  readonly sandbox?: string
  readonly config?: string
}

/** A program that speaks like `kind`, the options to drive it, and what it was started with and told. */
function scripted(kind: "claude" | "codex" | "opencode", more: Partial<AgentOptions> = {}) {
  const folder = scratchFolder()
  const program = join(folder, kind)
  const log = join(folder, "log")
  writeFileSync(log, "")
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${AGENT}' ${kind} "$@"\n`, { mode: 0o755 })
  const tools = { command: "/bin/node", args: ["main.js", "--as", 'b"ob'], env: { CLAUDE_CONFIG_DIR: "/r" } }
  const { env, ...rest } = more
  const options: AgentOptions = {
    program,
    team: "t",
    name: "bob",
    cwd: folder,
    env: { AGENT_LOG: log, ...env },
    tools,
    ...rest,
  }
  const logged = () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Logged)
  const starts = () => logged().flatMap(({ args }) => (args === undefined ? [] : [args]))
  const given = () => logged().flatMap((line) => line.given ?? [])
  return { options, logged, starts, given }
}

function turn(
  driver: Driver,
  text: string,
  mode: TeamPermissionMode = "default",
  signal = new AbortController().signal,
): Promise<string> {
  return driver.turn({
    text,
    messages: [],
    mode,
    signal,
    heard: () => undefined,
    permission: notAsked,
  })
}

const notAsked = () => Promise.reject(new Error("not asked for"))

const after = (args: readonly string[] | undefined, flag: string) => args?.[args.indexOf(flag) + 1]

describe("every agent program", () => {
  const drivers = { claude: claudeDriver, codex: codexDriver, opencode: opencodeDriver }

  test.each(["claude", "codex", "opencode"] as const)(
    "%s says its last words, and goes on in its own conversation, where it may ask as where it may not",
    async (kind) => {
      const { options, starts, given, logged } = scripted(kind)
      const driver = drivers[kind](options)
      expect(await turn(driver, "<say one>", "dontAsk")).toBe("one")
      expect(await turn(driver, "<say zwei – ü>", "dontAsk")).toBe("zwei – ü")
      if (kind !== "claude") {
        expect(await turn(driver, "<say three>")).toBe("three")
        expect(logged().flatMap(({ resumed }) => resumed ?? [])).toEqual([kind === "codex" ? "thread-1" : "ses_1"])
        expect(given().splice(-1)).toEqual(["<say three>"])
      }
      await driver.close?.()
      expect(given()).toHaveLength(kind === "claude" ? 2 : 3)
      expect(JSON.stringify([starts(), given()])).toContain("member of the team \\")
      if (kind === "codex") expect(starts()[1]?.slice(0, 3)).toEqual(["exec", "resume", "thread-1"])
      if (kind === "opencode") expect(after(starts()[1], "--session")).toBe("ses_1")
      if (kind === "claude") expect(starts()).toHaveLength(1)
    },
  )

  test.each([
    ["claude", "agent_failed", "program_failed"],
    ["codex", "agent_failed", "agent_failed"],
    ["opencode", "agent_failed", "agent_failed"],
  ] as const)("%s fails a turn with its own words, and stays usable", async (kind, failed, died) => {
    const { options } = scripted(kind)
    const driver = drivers[kind](options)
    await expect(turn(driver, "<fail no credit>")).rejects.toMatchObject({
      code: failed,
      status: 502,
      message: expect.stringContaining("no credit") as unknown,
    })
    await expect(turn(driver, "<die killed by the system>")).rejects.toMatchObject({
      code: died,
      message: expect.stringMatching(/ended with 3.*killed by the system/) as unknown,
    })
    expect(await turn(driver, "<say back>")).toBe("back")
    await driver.close?.()
  })

  test.each([
    ["claude", /^failed: not allowed/],
    ["codex", /^failed: touch early.txt/],
    ["opencode", /^failed: .*touch early.txt/],
  ] as const)("%s tells of a tool that was refused or has failed, in whatever mode", async (kind, told) => {
    const { options } = scripted(kind)
    const driver = drivers[kind](options)
    for (const mode of ["plan", "default"] as const) {
      const lines: unknown[] = []
      const stage = { text: "<fault not allowed>", messages: [], mode, signal: new AbortController().signal }
      await driver.turn({ ...stage, heard: ({ line }) => lines.push(line), permission: notAsked })
      expect(lines, mode).toContainEqual(expect.stringMatching(told))
    }
    await driver.close?.()
  })

  test.each([
    ["codex", { toolName: "apply_patch", input: { files: ["roses.txt"], patch: "*** Add File: roses.txt\n+rose" } }],
    ["opencode", { toolName: "write", input: { filepath: "roses.txt", diff: "+rose" } }],
  ] as const)("%s asks with the name of its tool, the file and the change", async (kind, ask) => {
    const { options } = scripted(kind)
    const driver = drivers[kind](options)
    const asked: unknown[] = []
    const signal = new AbortController().signal
    const stage = { text: "<write roses.txt>", messages: [], mode: "default", signal, heard: () => undefined } as const
    await driver.turn({
      ...stage,
      permission(about) {
        asked.push(about)
        return Promise.resolve({ allowed: true, input: {} })
      },
    })
    expect(asked).toEqual([{ ...ask, toolUseId: "w", description: "" }])
    await driver.close?.()
  })

  test.each(["claude", "codex", "opencode"] as const)(
    "%s that is killed says so first, and what it wrote last as plain words",
    async (kind) => {
      const { options } = scripted(kind)
      const driver = drivers[kind](options)
      const said = /^[^\n]* was ended by SIGKILL[^\n]*\. It last wrote: a warning$/
      for (const mode of ["default", "dontAsk"] as const)
        await expect(turn(driver, "<kill a warning>", mode)).rejects.toMatchObject({
          message: expect.stringMatching(said) as unknown,
        })
      await driver.close?.()
    },
  )

  test.each(["claude", "codex", "opencode"] as const)("%s ends when its turn is stopped", async (kind) => {
    const { options, given } = scripted(kind)
    const driver = drivers[kind](options)
    const stop = new AbortController()
    const hanging = turn(driver, "<hang>", "default", stop.signal)
    await Promise.race([hanging.catch(() => undefined), found(async () => given()[0])])
    stop.abort()
    await expect(hanging).rejects.toMatchObject({ message: expect.stringContaining("was ended by SIGTERM") as unknown })
    await driver.close?.()
  })

  test("that is not installed is named", async () => {
    for (const make of Object.values(drivers)) {
      const { options } = scripted("claude", { program: "/nowhere/agent" })
      await expect(turn(make(options), "hi")).rejects.toMatchObject({
        code: "program_not_started",
        message: expect.stringContaining("/nowhere/agent") as unknown,
        next: expect.stringContaining("PATH") as unknown,
      })
    }
  })
})

describe("Claude Code", () => {
  test("is started with the team's tools, its briefing and what its type allows", async () => {
    const { options, starts } = scripted("claude", {
      model: "m",
      prompt: "You review.",
      onlyTools: ["Read", "Grep"],
      allowedTools: ["Bash(git:*)"],
      disallowedTools: ["Write"],
    })
    const driver = claudeDriver(options)
    await turn(driver, "<say x>", "plan")
    const [args] = starts()
    expect(JSON.parse(after(args, "--mcp-config") ?? "")).toEqual({
      mcpServers: {
        team: {
          type: "stdio",
          command: "/bin/node",
          args: ["main.js", "--as", 'b"ob'],
          env: { CLAUDE_CONFIG_DIR: "/r", CHORUS_TEAM_MODE: "plan" },
        },
      },
    })
    expect(after(args, "--append-system-prompt")).toMatch(/You are "bob".*You review\.$/s)
    expect(
      [
        "--permission-mode",
        "--allowedTools",
        "--disallowedTools",
        "--tools",
        "--model",
        "--permission-prompt-tool",
      ].map((flag) => after(args, flag)),
    ).toEqual([
      "plan",
      "mcp__team,Bash(git:*)",
      "SendMessage,Bash",
      "Read,Grep,Write,ExitPlanMode",
      "m",
      "mcp__team__AskPermission",
    ])
    await turn(driver, "<say y>")
    expect(["--disallowedTools", "--tools"].map((flag) => after(starts()[1], flag))).toEqual([
      "Write,SendMessage",
      "Read,Grep",
    ])
    expect(args).not.toContain("--resume")
    await driver.close?.()
  })

  test("is started anew on its session when the mode changes or it has ended, and has one reader however many turns it takes", async () => {
    const { options, starts } = scripted("claude")
    const warnings: Error[] = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on("warning", warned)
    const driver = claudeDriver(options)
    for (let n = 0; n < 14; n++) expect(await turn(driver, `<say ${n}>`)).toBe(String(n))
    await turn(driver, "<say x>", "bypassPermissions")
    await turn(driver, "<die gone>", "bypassPermissions").catch(() => undefined)
    await turn(driver, "<say x>", "delegate")
    await driver.close?.()
    process.off("warning", warned)
    expect(
      starts().map((args) => [
        after(args, "--resume") === "session-1",
        args.includes("--dangerously-skip-permissions"),
        args.includes("acceptEdits"),
      ]),
    ).toEqual([
      [false, false, false],
      [true, true, false],
      [true, false, true],
    ])
    expect(warnings.map(({ name }) => name)).not.toContain("MaxListenersExceededWarning")
  })
})

describe("Codex", () => {
  test.each<[TeamPermissionMode, string]>([
    ["plan", 'sandbox_mode="read-only"'],
    ["dontAsk", 'sandbox_mode="workspace-write"'],
    ["bypassPermissions", "--dangerously-bypass-approvals-and-sandbox"],
  ])("in mode %s has the sandbox %s, and its tools as TOML that nothing breaks out of", async (mode, sandbox) => {
    const { options, starts } = scripted("codex", { model: "gpt" })
    await turn(codexDriver(options), "<say x>", mode)
    const [args] = starts()
    expect(args).toContain(sandbox)
    const plans = mode === "plan" ? ',"--plans"' : ""
    expect(args).toContain(
      `mcp_servers.team={command="/bin/node",args=["main.js","--as","b\\"ob"${plans}],env={CLAUDE_CONFIG_DIR="/r"},default_tools_approval_mode="approve",required=true,startup_timeout_sec=60}`,
    )
    expect([args?.[0], args?.at(-1), after(args, "-m")]).toEqual(["exec", "-", "gpt"])
  })

  test("that may ask has the same sandbox and tools; one that only looks asks for nothing beyond", async () => {
    const { options, starts } = scripted("codex")
    await turn(codexDriver(options), "<say x>")
    await turn(codexDriver({ ...options, onlyTools: ["Read"] }), "<say x>")
    expect(starts().map(([command]) => command)).toEqual(["app-server", "exec"])
    expect(starts()[0]).toContain('sandbox_mode="workspace-write"')
    expect(starts()[0]?.some((arg) => arg.startsWith("mcp_servers.team="))).toBe(true)
    expect(starts()[1]).toContain('sandbox_mode="read-only"')
  })
})

test("Codex that has planned goes on in the sandbox of its new mode, not in that of its conversation", async () => {
  const { options, logged } = scripted("codex")
  const driver = codexDriver(options)
  await turn(driver, "<say a plan>", "plan")
  await turn(driver, "<say built>", "acceptEdits")
  expect(logged().flatMap(({ resumed }) => resumed ?? [])).toEqual(["thread-1"])
  expect(logged().flatMap(({ sandbox }) => sandbox ?? [])).toEqual(["workspace-write"])
})

test("Codex of a type that only looks cannot write, not even without permission checks", async () => {
  const { options, starts } = scripted("codex", { onlyTools: ["Read"] })
  await turn(codexDriver(options), "<say x>", "bypassPermissions")
  expect(starts()[0]).toContain('sandbox_mode="read-only"')
  expect(starts()[0]).not.toContain("--dangerously-bypass-approvals-and-sandbox")
})

describe("OpenCode", () => {
  const run = ["run", "--format", "json"]
  test.each<[TeamPermissionMode, string[]]>([
    ["plan", [...run, "--agent", "plan", "--model", "a/b"]],
    ["dontAsk", [...run, "--model", "a/b"]],
    ["default", ["acp"]],
    ["acceptEdits", ["acp"]],
    ["bypassPermissions", [...run, "--auto", "--model", "a/b"]],
  ])("in mode %s is started as %j, with its model", async (mode, flags) => {
    const { options, logged } = scripted("opencode", { model: "a/b" })
    await turn(opencodeDriver(options), "<say x>", mode)
    const [{ args, config = "" } = {}] = logged()
    expect([args, JSON.parse(config)]).toMatchObject([flags, { model: "a/b" }])
  })

  test.each<[TeamPermissionMode, object]>([
    ["default", { edit: "ask", bash: { "*": "ask", "git *": "allow", "rm *": "deny" } }],
    ["acceptEdits", { edit: "allow", bash: { "*": "ask", "git *": "allow", "rm *": "deny" } }],
    ["dontAsk", { edit: "deny", bash: { "*": "deny", "git *": "allow", "rm *": "deny" } }],
  ])("in mode %s does unasked what its person has allowed, and of the rest what the mode says", async (mode, bound) => {
    const permission = { bash: { "npm *": "allow", "*": "ask", "git *": "allow", "rm *": "deny" } }
    const { options, logged } = scripted("opencode", { env: { AGENT_CONFIG: JSON.stringify({ permission }) } })
    await turn(opencodeDriver(options), "<say x>", mode)
    expect(JSON.parse(logged()[0]?.config ?? "")).toMatchObject({ permission: bound })
  })

  test("whose configuration cannot be read is bound by its mode alone", async () => {
    const { options, logged } = scripted("opencode", { env: { AGENT_CONFIG: "{broken" } })
    await turn(opencodeDriver(options), "<say x>")
    expect(JSON.parse(logged()[0]?.config ?? "")).toMatchObject({ permission: { edit: "ask", bash: "ask" } })
  })

  test("of a type that only looks is denied edits and commands, whatever was allowed before", async () => {
    const given = {
      permission: "allow",
      agent: { build: { model: "x", permission: { bash: "allow", webfetch: "ask" } } },
    }
    const { options, logged } = scripted("opencode", {
      onlyTools: ["Read"],
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(given) },
    })
    await turn(opencodeDriver(options), "<say x>", "bypassPermissions")
    const [{ args = [], config = "" } = {}] = logged()
    expect(args.slice(3)).toEqual(["--agent", "build", "--auto"])
    const denied = { edit: "deny", bash: "deny", task: "deny" }
    expect(JSON.parse(config)).toMatchObject({
      permission: { "*": "allow", ...denied },
      agent: { build: { model: "x", permission: { webfetch: "ask", ...denied } } },
    })
  })

  test.each([
    [
      "a configuration of its own",
      '{"theme":"dark","mcp":{"other":{"type":"local"}}}',
      { theme: "dark", mcp: { other: { type: "local" } } },
    ],
    ["one that is broken", "{broken", {}],
    ["none", undefined, {}],
  ])("keeps %s and adds our server to it", async (_, content, kept) => {
    const { options, logged } = scripted("opencode", {
      env: content === undefined ? {} : { OPENCODE_CONFIG_CONTENT: content },
    })
    await turn(opencodeDriver(options), "<say x>")
    const config = JSON.parse(logged()[0]?.config ?? "") as { mcp: Record<string, unknown> }
    expect(config).toMatchObject(kept)
    expect(config.mcp["team"]).toEqual({
      type: "local",
      command: ["/bin/node", "main.js", "--as", 'b"ob'],
      environment: { CLAUDE_CONFIG_DIR: "/r" },
      enabled: true,
    })
  })
})

describe("a command", () => {
  const command = (script: string) =>
    commandDriver({ argv: ["sh", "-c", script], cwd: "/", env: { PATH: process.env["PATH"] ?? "" } })

  test("reads the messages, prints its answer, and learns its mode", async () => {
    expect(await turn(command('read line; echo "$CHORUS_TEAM_MODE: $line"'), "hello\n", "plan")).toBe("plan: hello")
  })

  test("that does not read at all still answers", async () => {
    expect(await turn(command("echo deaf"), "x".repeat(500_000))).toBe("deaf")
  })

  test("that fails is told with its last words", async () => {
    await expect(turn(command("echo one >&2; echo two >&2; exit 7"), "")).rejects.toMatchObject({
      code: "program_failed",
      message: "sh ended with 7: one\ntwo",
    })
  })
})

test("a program ends with everything it started, also what does not listen", async () => {
  const program = new Program({
    argv: ["sh", "-c", 'trap "" TERM; sleep 300 & echo $!; wait; wait'],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
  })
  const child = await new Promise<number>((resolve) => program.lines((line) => resolve(Number(line))))
  await program.stop(50)
  await found(async () => hasEnded(child) || undefined)
  expect(program.child.exitCode ?? program.child.signalCode).toBe("SIGKILL")
})

test("starting a member as a process leaves no file of ours open", async () => {
  const team = await createTeam({ name: "t" }, { root: scratchFolder() })
  const member = await team.join({ name: "bob" })
  const backend = processBackend({ program: "command", argv: ["cat"] })
  const running = await Promise.all(
    Array.from({ length: 3 }, () => backend.start({ team, member, mode: undefined, cwd: "/", env: {} })),
  )
  await Promise.all(running.map((one) => one.stop()))
  expect(openFiles().filter((file) => file.endsWith("bob.log"))).toEqual([])
})

/** Gone, or dead and not yet buried by whoever inherited it. */
function hasEnded(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return true
  }
}

function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((file) => {
    try {
      return [readlinkSync(`/proc/self/fd/${file}`)]
    } catch {
      return []
    }
  })
}
