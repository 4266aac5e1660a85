import { execFile, spawn } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { livenessOf } from "@chorus/disk"
import { agentProgram, CHORUS_MAIN, lastWill, openTerminal, waitFor } from "@chorus/testing"
import { afterEach, expect, test } from "vitest"
import { hostOf, openTeam, progressOf } from "../src/index.ts"
import { PROGRAMS, scripted } from "./led-team.ts"
import { scratchRoot, STRESS } from "./worker.ts"

const ECHO = fileURLToPath(new URL("workers/echo-agent.ts", import.meta.url))
const SCRIPTED = fileURLToPath(new URL("workers/scripted-agent.ts", import.meta.url))
/** Each command is a process of its own; on a busy machine one takes seconds. */
const MANY_COMMANDS = 300_000
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

function chorus(root: string, more: NodeJS.ProcessEnv = {}) {
  const env = {
    PATH: process.env["PATH"] ?? "",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    HOME: root,
    CLAUDE_CONFIG_DIR: root,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    ...more,
  }
  const run = async (...args: string[]) => {
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [CHORUS_MAIN, "team", ...args], { env, cwd: root })
      return { code: 0, out: stdout, error: "" }
    } catch (error) {
      const failed = error as { code: number; stdout: string; stderr: string }
      return { code: failed.code, out: failed.stdout, error: failed.stderr }
    }
  }
  const json = async (...args: string[]) => {
    const end = args.indexOf("--")
    return JSON.parse((await run(...args.toSpliced(end < 0 ? args.length : end, 0, "--json"))).out) as Record<
      string,
      unknown
    >
  }
  return { env, run, json }
}

test(
  "a whole life from the terminal: create, spawn, send, tasks, claim, status, shutdown, delete, doctor",
  async () => {
    const root = scratchRoot()
    const { run, json } = chorus(root)
    expect((await run("status")).out).toContain("There is no team")
    expect(await json("create", "demo", "--description", "A demo")).toMatchObject({ name: "demo" })
    expect((await run("create", "demo", "--json")).error).toContain('"code":"team_exists"')
    expect(
      await json("spawn", "echo", "--prompt", "hello", "--program", "command", "--", process.execPath, ECHO),
    ).toMatchObject({ name: "echo", color: "blue", backendType: "process" })
    expect(await json("join", "--as", "bob")).toMatchObject({ color: "green", agentType: "external" })
    expect(
      await json("send", "--team", "demo", "--from", "bob", "--to", "echo", "to echo", "--summary", "s"),
    ).toMatchObject({ success: true, routing: { target: "@echo", targetColor: "blue" } })
    await waitFor(async () => (await run("inbox", "--as", "bob", "--peek")).out.includes("ECHO TO ECHO"), 60_000)
    expect(await json("inbox", "--team", "demo", "--as", "bob")).toMatchObject([
      { from: "echo", text: "ECHO TO ECHO", kind: "message" },
    ])
    expect(await json("inbox", "--team", "demo", "--as", "bob")).toEqual([])
    expect(await json("broadcast", "all hands")).toMatchObject({ recipients: ["echo", "bob"] })

    await run("tasks", "add", "Ground")
    await run("tasks", "add", "House", "--after", "1")
    expect(await json("claim", "--as", "bob")).toMatchObject({ id: "1", owner: "bob" })
    expect((await run("claim", "1", "--as", "echo", "--json")).error).toContain("already_claimed")
    expect(await json("tasks", "set", "1", "--status", "completed")).toMatchObject({ status: "completed" })
    expect((await run("tasks")).out).toMatch(/✔\s+#1 Ground\s+bob/)

    expect((await run("status")).out).toMatch(/echo\s+general-purpose\s+process/)
    expect((await run("doctor")).out).toContain("in order")
    expect(await json("shutdown", "echo", "--reason", "done")).toMatchObject({ approved: true, ended: true })
    expect((await run("delete", "demo")).error).toContain("bob")
    await run("leave", "--as", "bob")
    expect((await run("delete", "demo")).code).toBe(0)
    expect((await run("status")).out).toContain("There is no team")
  },
  MANY_COMMANDS,
)

test(
  "a member acts for itself alone: not for its lead nor for a colleague, by no command, whatever it wipes",
  async () => {
    const root = scratchRoot()
    const { run, json, env } = chorus(root)
    await run("create", "demo")
    for (const name of ["ann", "bob"]) await run("join", "--as", name)
    await run("tasks", "add", "Ground")
    const attacks: readonly (readonly string[])[] = [
      ["shutdown", "ann", "--timeout", "0"],
      ["send", "--to", "ann", "Go home."],
      ["send", "--from", "bob", "--to", "ann", "Go home."],
      ["broadcast", "Go home."],
      ["inbox", "--as", "team-lead"],
      ["claim", "--as", "bob"],
      ["tasks", "set", "1", "--owner", "ann"],
      ["leave", "--as", "ann"],
      ["spawn", "twin", "--mode", "bypassPermissions", "--program", "command", "--prompt", "x", "--", "true"],
      ["join", "--as", "twin", "--host", "--program", "command", "--prompt", "x", "--", "true"],
      ["respawn", "ann"],
      ["land", "ann"],
      ["delete", "--force"],
      ["mcp", "--as", "team-lead"],
    ]
    const wiped = Object.entries(env).map(([name, value]) => `${name}='${value}'`)
    const own = `'${process.execPath}' '${CHORUS_MAIN}' team`
    const lines = attacks.map(
      (words, nth) =>
        `env -i ${wiped.join(" ")} ${own} ${words.map((word) => `'${word}'`).join(" ")} >${nth} 2>&1 </dev/null &`,
    )
    const sly = join(root, "sly.sh")
    writeFileSync(
      sly,
      `cat >/dev/null\nmkdir -p said; cd said\n${lines.join("\n")}\n${own} send --from sly --to bob Mine >mine 2>&1\nwait\necho tried\n`,
    )
    await run("spawn", "sly", "--program", "command", "--prompt", "hello", "--", "/bin/sh", sly)
    await waitFor(async () => (await run("inbox", "--as", "team-lead", "--peek")).out.includes("tried"), 120_000)
    for (const [nth, words] of attacks.entries())
      expect(readFileSync(join(root, "said", String(nth)), "utf8"), words.join(" ")).toMatch(
        /runs below sly, a member of demo.*not_your_name/s,
      )
    expect(await json("inbox", "--team", "demo", "--as", "ann")).toEqual([])
    expect(await json("inbox", "--team", "demo", "--as", "bob")).toMatchObject([{ from: "sly", text: "Mine" }])
    expect(await json("shutdown", "sly")).toMatchObject({ approved: true })
    expect((await run("status")).out).toMatch(/ann[^]*bob/)
  },
  MANY_COMMANDS,
)

test("a member in the command's own process answers there, is logged, and ends the command when it goes", async () => {
  const root = scratchRoot()
  const { run, json, env } = chorus(root)
  await run("create", "demo")
  const words = ["spawn", "echo", "--backend", "in-process", "--program", "command", "--prompt", "hello"]
  const spawned = spawn(process.execPath, [CHORUS_MAIN, "team", ...words, "--", process.execPath, ECHO], {
    env,
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  })
  cleanups.push(async () => spawned.kill("SIGKILL"))
  let said = ""
  spawned.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
  await waitFor(
    () => said.includes("ECHO HELLO"),
    60_000,
    () => said,
  )
  const { members } = (await json("status", "--team", "demo")) as { members: Record<string, unknown>[] }
  expect(members[1]).toMatchObject({
    backendType: "in-process",
    tmuxPaneId: "in-process",
    hostedBy: spawned.pid,
    state: "idle",
  })
  expect((await run("logs", "echo")).out).toContain("ECHO HELLO")
  expect(await json("shutdown", "echo")).toMatchObject({ approved: true, ended: true })
  await waitFor(() => spawned.exitCode === 0, 60_000, "the command to end")
})

test(
  "a member that died is seen as dead, goes on in its conversation or starts anew, and leaves a log",
  async () => {
    const root = scratchRoot()
    const codex = join(root, "codex")
    const log = join(root, "agent.log")
    writeFileSync(log, "")
    writeFileSync(
      codex,
      `#!/bin/sh\nexport AGENT_LOG='${log}'\nexec '${process.execPath}' '${SCRIPTED}' codex "$@"\n`,
      {
        mode: 0o755,
      },
    )
    const { run, json, env } = chorus(root)
    await run("create", "demo")
    await run("spawn", "worker", "--program", "codex", "--prompt", "<say ready>", codex)
    const worker = async () =>
      ((await json("status", "--team", "demo", "--stalled-after", "0"))["members"] as Record<string, unknown>[]).find(
        ({ name }) => name === "worker",
      )
    const heard = async () => JSON.stringify(await json("inbox", "--as", "team-lead", "--wait", "60"))
    const killed = async () => {
      process.kill(Number((await worker())?.["hostedBy"]), "SIGKILL")
      await waitFor(async () => (await worker())?.["state"] === "dead")
    }
    expect(await heard()).toContain("idle_notification")
    expect(await worker()).toMatchObject({ state: "idle", progress: { line: "ready", thread: "thread-1" } })
    expect((await run("resume", "worker")).error).toContain("not_dead")

    await killed()
    expect((await run("doctor")).out).toMatch(/ghost.*worker/)
    await run("resume", "worker")
    await heard()
    await run("send", "--to", "worker", "<hang>")
    // It is at work before its agent for this turn has begun.
    await waitFor(() => readFileSync(log, "utf8").includes("<hang>"), 60_000, "the agent to have read it")
    expect(await worker()).toMatchObject({
      state: "working",
      stalledMinutes: expect.any(Number),
      progress: { line: "ready" },
    })
    const { agent } = progressOf((await openTeam("demo", { root })).paths, "worker") ?? {}
    await killed()
    expect(agent === undefined ? "none" : livenessOf(agent)).toBe("alive")
    await run("inbox", "--as", "worker")
    await run("respawn", "worker")
    await heard()
    expect(agent === undefined ? "none" : livenessOf(agent)).toBe("dead")
    const starts = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { args?: string[]; given?: string; resumed?: string })
    const lives = starts.flatMap(({ args, resumed }) => (args ? ["begun"] : resumed ? ["resumed"] : []))
    expect(lives).toEqual(["begun", "begun", "resumed", "begun", "resumed", "begun"])
    expect(
      starts.flatMap(
        ({ given }) => given?.split("\n").filter((line) => /<say|<hang|You were stopped/.test(line)) ?? [],
      ),
    ).toEqual([
      "<say ready>",
      "You were stopped, and run again. Go on with what you were doing.",
      "<hang>",
      "<say ready>",
    ])
    expect((await run("logs", "worker")).out).toMatch(/worker joins demo[^]*says ready[^]*idle ready/)
    const terminal = await openTerminal({
      command: process.execPath,
      args: [CHORUS_MAIN, "team", "attach", "worker"],
      env,
      cwd: root,
    })
    cleanups.push(() => terminal.stop())
    await terminal.waitForText(/idle ready/)
    const { agent: last } = progressOf((await openTeam("demo", { root })).paths, "worker") ?? {}
    const host = hostOf((await openTeam("demo", { root })).paths, "worker")
    await run("send", "--to", "worker", "<hang>")
    await waitFor(async () => (await worker())?.["state"] === "working")
    expect(await json("shutdown", "worker", "--kill", "--timeout", "0")).toMatchObject({ ended: true })
    expect([host === undefined ? "none" : livenessOf(host), last === undefined ? "none" : livenessOf(last)]).toEqual([
      "dead",
      "dead",
    ])
  },
  MANY_COMMANDS,
)

const REAL = ["claude", "codex", "opencode"] as const

test.each(STRESS ? REAL : REAL.slice(0, 1))(
  "a real %s goes on in its conversation when its host was killed",
  async (program) => {
    const { home, root, model } = await scripted(() => ({ text: "I will." }))
    const { run, json } = chorus(root, home.environment)
    await run("create", "demo")
    const path = await agentProgram(program === "claude" ? "claude-code" : program)
    const words = ["--program", program, "--cwd", home.project, "--prompt", "Remember the word marigold."]
    await run("spawn", "worker", ...words, path)
    cleanups.push(() => run("shutdown", "worker", "--kill", "--timeout", "0"))
    const worker = async () =>
      ((await json("status", "--team", "demo"))["members"] as Record<string, unknown>[]).find(
        ({ name }) => name === "worker",
      )
    await waitFor(async () => (await worker())?.["state"] === "idle", 90_000, "its first turn")
    process.kill(Number((await worker())?.["hostedBy"]), "SIGKILL")
    await waitFor(async () => (await worker())?.["state"] === "dead")
    const before = model.requests.length
    await run("resume", "worker")
    const resumed = () =>
      model.requests.slice(before).find(({ all }) => all.includes("You were stopped, and run again."))
    await waitFor(() => resumed() !== undefined, 90_000, "it to go on")
    expect(resumed()?.all).toContain("Remember the word marigold.")
    expect(resumed()?.all).toContain("I will.")
  },
  MANY_COMMANDS,
)

test.each(["2.1.41", "2.1.325"] as const)(
  "a real Claude Code %s in a pane of its own lacks what its type does not let it do, whatever its mode",
  { tags: ["stress"], timeout: MANY_COMMANDS },
  async (version) => {
    const [{ write, run: runs }] = PROGRAMS
    const { home, root, model } = await scripted()
    // A folder that is named keeps another list of what its person has been asked once and for all.
    const env = { ...home.environment, CLAUDE_CONFIG_DIR: undefined, ENABLE_TOOL_SEARCH: "false" }
    const { run, json } = chorus(root, env)
    const socket = `chorus-native-${process.pid}`
    const will = lastWill(["tmux", "-L", socket, "kill-server"])
    cleanups.push(async () => {
      await promisify(execFile)("tmux", ["-L", socket, "kill-server"]).catch(() => undefined)
      will.revoke()
    })
    await run("create", "demo")
    const steps = [[write(join(home.project, "written.txt"), "x")], [runs("touch run.txt")]]
    const how = [
      "--backend",
      "tmux",
      "--native",
      "--socket",
      socket,
      "--type",
      "Explore",
      "--mode",
      "bypassPermissions",
    ]
    const words = [
      "--cwd",
      home.project,
      "--model",
      "claude-sonnet-4-5-20250929",
      "--prompt",
      `DO: ${JSON.stringify(steps)}`,
    ]
    const spawned = await run("spawn", "scout", ...how, ...words, await agentProgram("claude-code", version))
    expect(spawned).toMatchObject({ code: 0 })
    const heard = async () => JSON.stringify(await json("inbox", "--as", "team-lead", "--all"))
    await waitFor(async () => (await heard()).includes("idle_notification"), 60_000, "its turn to end")
    expect(readdirSync(home.project)).toEqual([".git"])
    const said = model.requests.map(({ all }) => all).join("\n")
    for (const tool of ["Write", "Bash"]) expect(said).toContain(`No such tool available: ${tool}`)
  },
)

test(
  "a member that came by itself is dead when the agent ends that acts for it, and another agent can go on for it",
  async () => {
    const root = scratchRoot()
    const { run, json, env } = chorus(root)
    const program = join(root, "claude")
    writeFileSync(program, '#!/bin/sh\nwhile read -r line; do eval "$line"; echo done; done\n', { mode: 0o755 })
    const agent = async (words: string) => {
      const child = spawn(program, { env, cwd: root, stdio: ["pipe", "pipe", "inherit"] })
      cleanups.push(async () => child.kill("SIGKILL"))
      let said = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
      child.stdin.write(`'${process.execPath}' '${CHORUS_MAIN}' team ${words}\n`)
      await waitFor(() => said.endsWith("done\n"), 60_000)
      return child
    }
    const ann = async () =>
      ((await json("status", "--team", "demo"))["members"] as { name: string; state: string }[]).find(
        ({ name }) => name === "ann",
      )?.state
    await run("create", "demo")
    const first = await agent("join --as ann")
    expect(await ann()).toBe("idle")
    first.kill("SIGKILL")
    await waitFor(async () => (await ann()) === "dead")
    expect((await run("doctor")).out).toMatch(/ghost.*ann/)
    await agent("inbox --as ann")
    expect(await ann()).toBe("idle")
    expect((await run("doctor")).out).toContain("in order")
  },
  MANY_COMMANDS,
)

test(
  "a member in a pane is gone to there, from outside of its tmux as from inside",
  async () => {
    const root = scratchRoot()
    const { run, json, env } = chorus(root)
    const socket = `chorus-attach-${process.pid}`
    const tmux = async (...args: string[]) =>
      (await promisify(execFile)("tmux", ["-L", socket, ...args], { env, cwd: root })).stdout.trim()
    const will = lastWill(["tmux", "-L", socket, "kill-server"])
    cleanups.push(async () => {
      await tmux("kill-server").catch(() => undefined)
      will.revoke()
    })
    const inside = await openTerminal({
      command: "tmux",
      args: ["-L", socket, "-f", "/dev/null", "new-session", "sh"],
      env,
      cwd: root,
    })
    cleanups.push(() => inside.stop())
    await waitFor(async () => (await tmux("list-clients").catch(() => "")) !== "")
    await run("create", "demo")
    const own = `'${process.execPath}' '${CHORUS_MAIN}' team`
    const words = "--backend tmux --program command --prompt go --"
    await inside.submit(`${own} spawn near ${words} '${process.execPath}' '${ECHO}'`)
    const paneOf = async (name: string) =>
      ((await json("status", "--team", "demo"))["members"] as { name: string; tmuxPaneId: string }[]).find(
        (member) => member.name === name,
      )?.tmuxPaneId
    const near = await waitFor(async () => ((await paneOf("near")) ?? "").match(/^%\d+$/)?.[0])
    const active = () => tmux("list-panes", "-a", "-f", "#{pane_active}", "-F", "#{pane_id}")
    expect(await active()).not.toBe(near)
    await inside.submit(`${own} attach near`)
    await waitFor(async () => (await active()) === near)

    await run("spawn", "far", "--socket", socket, ...words.split(" "), process.execPath, ECHO)
    const outside = await openTerminal({
      command: process.execPath,
      args: [CHORUS_MAIN, "team", "attach", "far"],
      env,
      cwd: root,
    })
    cleanups.push(() => outside.stop())
    await outside.waitForText(/far joins demo/)
  },
  MANY_COMMANDS,
)

test("watch shows members, tasks and messages as they change, and leaves the terminal clean", async () => {
  const root = scratchRoot()
  const { run, env } = chorus(root)
  await run("create", "demo")
  await run("join", "--as", "alice")
  const terminal = await openTerminal({
    command: process.execPath,
    args: [CHORUS_MAIN, "team", "watch", "--team", "demo"],
    env,
    cwd: root,
    columns: 100,
    rows: 30,
  })
  cleanups.push(() => terminal.stop())
  await terminal.waitForText(/alice/)
  await run("tasks", "add", "Ground")
  await run("tasks", "add", "House", "--after", "1")
  await terminal.waitForText(/└ ◻ #2 House waits for #1/)
  await run("claim", "--as", "alice")
  await terminal.waitForText(/◼ #1 Ground alice/)
  await run("send", "--from", "alice", "--to", "team-lead", "a\u001b[31mred\u001b[0m word")
  const screen = await terminal.waitForText(/alice → team-lead {2}ared word/)
  expect(screen).toMatch(/demo 2 members · 2 open tasks/)
  await terminal.key("q")
  expect(await terminal.waitForExit()).toBe(0)
})
