import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type TeamFact, TEAM_LEAD, type TeamPermissionMode } from "@chorus/contracts"
import {
  agentProgram,
  drive,
  type Scenario,
  type ScriptedModel,
  scratchHome,
  type ScratchHome,
  startModel,
  type ToolCall,
  waitFor,
} from "@chorus/testing"
import { afterEach, expect, test } from "vitest"
import {
  agentType,
  createTeam,
  driverFor,
  examineTeams,
  inProcessBackend,
  type LeadEvent,
  memberArgv,
  memberFlags,
  memberLiveness,
  processBackend,
  sendMessage,
  startMember,
  teamTools,
  TeamObserver,
  TeamRuntime,
  tmuxBackend,
} from "../src/index.ts"
import { scratchRoot, STRESS } from "./worker.ts"

const ECHO = [process.execPath, fileURLToPath(new URL("workers/echo-agent.ts", import.meta.url))]
const cleanups: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

function ownSocket(): string {
  const socket = `chorus-teams-${randomBytes(4).toString("hex")}`
  cleanups.push(() => {
    try {
      execFileSync("tmux", ["-L", socket, "kill-server"], { stdio: "ignore" })
    } catch {
      // The last pane has closed, and the server with it.
    }
  })
  return socket
}

async function ledTeam(root: string) {
  const team = await createTeam({ name: "t" }, { root })
  const events: LeadEvent[] = []
  const runtime = new TeamRuntime(team, { onEvent: (event) => events.push(event) })
  cleanups.push(() => runtime.close())
  const said = (from: string, words: string | RegExp) =>
    waitFor(
      () =>
        events.some(
          (event) =>
            event.event === "message" &&
            event.message.entry.from === from &&
            new RegExp(words).test(event.message.entry.text),
        ),
      90_000,
      () => `${from} to say ${words}; heard ${JSON.stringify(events).slice(-2000)}`,
    )
  return { team, runtime, events, said }
}

const plainEnv = { PATH: process.env["PATH"], HOME: "/nonexistent", LANG: "C.UTF-8" }

test("tmux: a member whose pane is gone is dead, also where nothing hosts it", async () => {
  const team = await createTeam({ name: "t" }, { root: scratchRoot() })
  const socket = ownSocket()
  const backend = tmuxBackend({ socket, argvOf: () => ["sleep", "300"] })
  const { member, running } = await startMember(team, { name: "bob", prompt: "hi", backend, cwd: "/", env: plainEnv })
  expect(memberLiveness(team.paths, member)).toBe("alive")
  await running.stop()
  await waitFor(() => memberLiveness(team.paths, member) === "dead", 60_000, "bob to be dead")
  expect(await examineTeams({ root: team.paths.root })).toMatchObject([{ what: "ghost" }])
})

test("tmux: a member in a real pane answers, is captured, is written to, and its pane closes when it agrees to go", async () => {
  const root = scratchRoot()
  const { team, runtime, said } = await ledTeam(root)
  const socket = ownSocket()
  const backend = tmuxBackend({
    socket,
    argvOf: (placement) => memberArgv(placement, { program: "command", argv: ECHO }),
  })
  await runtime.spawn({
    name: "pane",
    prompt: "first; words",
    backend,
    env: { ...plainEnv, CLAUDE_CONFIG_DIR: root, ODD: "it's $HOME; `id`" },
    cwd: root,
  })
  await said("pane", "ECHO FIRST; WORDS")
  // What it was given as its environment, keys among it, is in no file any more.
  expect(filesBelow(root).filter((text) => text.includes("ODD="))).toEqual([])
  const member = await team.member("pane")
  expect(member).toMatchObject({ backendType: "tmux", color: "blue" })
  expect(member.tmuxPaneId).toMatch(/^%\d+$/)
  expect(await runtime.running("pane").capture?.()).toContain("pane joins t")
  await sendMessage(team, { from: TEAM_LEAD, to: "pane", content: "again" })
  await said("pane", "ECHO AGAIN")
  expect(await runtime.shutdown("pane", "done")).toMatchObject({ approved: true })
  await waitFor(() => panes(socket).length === 0)
  expect((await team.config()).members.map(({ name }) => name)).toEqual([TEAM_LEAD])
})

test("tmux: a pane that is closed by hand leaves no ghost and frees its task", async () => {
  const root = scratchRoot()
  const { team, runtime, events, said } = await ledTeam(root)
  const socket = ownSocket()
  const backend = tmuxBackend({
    socket,
    argvOf: (placement) => memberArgv(placement, { program: "command", argv: ECHO }),
  })
  await runtime.spawn({ name: "pane", prompt: "hi", backend, env: { ...plainEnv, CLAUDE_CONFIG_DIR: root }, cwd: root })
  await said("pane", "ECHO HI")
  await team.createTask({ subject: "a", description: "" })
  await team.claimTask("1", "pane")
  execFileSync("tmux", ["-L", socket, "kill-pane", "-t", (await team.member("pane")).tmuxPaneId ?? ""])
  await waitFor(() => events.some((event) => event.event === "left" && event.how === "died"))
  expect((await team.config()).members.length).toBe(1)
  expect((await team.task("1")).owner).toBeUndefined()
})

test("process: a member outlives whoever started it; killed, it is found as a ghost and cleared away", async () => {
  const root = scratchRoot()
  const team = await createTeam({ name: "t" }, { root })
  const { running } = await startMember(team, {
    name: "far",
    prompt: "hello",
    backend: processBackend({ program: "command", argv: ECHO }),
    env: plainEnv,
    cwd: root,
  })
  cleanups.push(() => running.stop())
  await waitFor(async () => (await team.unread(TEAM_LEAD)).some(({ entry }) => entry.text === "ECHO HELLO"))
  expect(await examineTeams({ root })).toEqual([])
  process.kill(Number(running.place.slice("pid:".length)), "SIGKILL")
  await running.ended
  const findings = await examineTeams({ root })
  expect(findings.map(({ what }) => what)).toContain("ghost")
  for (const finding of findings) await finding.repair?.()
  expect((await team.config()).members.length).toBe(1)
  expect(readFileSync(join(team.paths.own, "log", "far.log"), "utf8")).toContain("far joins t")
})

test("a command that fails is told to the lead, and the member stays", async () => {
  const root = scratchRoot()
  const { team, runtime, events } = await ledTeam(root)
  await runtime.spawn({
    name: "bad",
    prompt: "x",
    cwd: root,
    env: plainEnv,
    backend: inProcessBackend(({ cwd, env }) =>
      driverFor(
        { program: "command", argv: ["sh", "-c", "echo broken >&2; exit 3"] },
        { team: "t", name: "bad", cwd, env, tools: teamTools({ root, team: "t", name: "bad" }) },
      ),
    ),
  })
  await waitFor(
    () => events.some((event) => event.event === "message" && /"idleReason":"failed"/.test(event.message.entry.text)),
    30_000,
  )
  expect((await team.config()).members.length).toBe(2)
})

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
}

async function scripted(
  scenario: Scenario = drive,
): Promise<{ home: ScratchHome; root: string; model: ScriptedModel }> {
  const model = await startModel(scenario)
  cleanups.push(() => model.stop())
  const home = scratchHome({ model })
  cleanups.push(() => home.remove())
  return { home, root: join(home.path, ".claude"), model }
}

const ASKING = [
  {
    program: "claude",
    run: (command: string): ToolCall => ({ name: "Bash", input: { command, description: "touch a file" } }),
  },
  {
    program: "codex",
    run: (cmd: string): ToolCall => ({
      name: "exec_command",
      input: { cmd, sandbox_permissions: "require_escalated", justification: "It has to be there." },
    }),
  },
  {
    program: "opencode",
    run: (command: string): ToolCall => ({ name: "bash", input: { command, description: "touch a file" } }),
  },
] as const

test.each(ASKING)(
  "headless $program: what it may not do unasked waits for a person within the turn, who allows one and refuses another",
  async ({ program, run }) => {
    const { home, root } = await scripted()
    const { team, runtime, said } = await ledTeam(root)
    const requests: Extract<TeamFact, { fact: "request" }>[] = []
    const observer = new TeamObserver({ root, onFact: (fact) => fact.fact === "request" && requests.push(fact) })
    cleanups.push(() => observer.close())
    const path = await agentProgram(program === "claude" ? "claude-code" : program)
    await runtime.spawn({
      name: "worker",
      prompt: `DO: ${JSON.stringify([[run("touch allowed.txt")], [run("touch refused.txt")]])}`,
      env: { ...home.environment, ...asksForCommands(home.environment) },
      cwd: home.project,
      mode: "default",
      backend: inProcessBackend(({ cwd, env }) =>
        driverFor(
          { program, argv: [path] },
          { team: "t", name: "worker", cwd, env, tools: teamTools({ root, team: "t", name: "worker" }) },
        ),
      ),
    })
    const answer = async (nth: number, command: string, verdict: { approved: boolean; reason?: string }) => {
      await waitFor(
        () => requests.length === nth,
        90_000,
        () => `request ${nth}: ${JSON.stringify(requests)}`,
      )
      const asked = requests.at(-1)
      expect(asked).toMatchObject({ request: "permission", member: "worker", decidable: true })
      expect(JSON.stringify(asked?.input)).toContain(command)
      const requestId = asked?.requestId ?? ""
      await observer.decide({ decision: "permission", team: "t", by: "Ada", member: "worker", requestId, ...verdict })
    }
    await answer(1, "touch allowed.txt", { approved: true })
    await answer(2, "touch refused.txt", { approved: false, reason: "not that one" })
    await said("worker", "idle_notification")
    expect(existsSync(join(home.project, "allowed.txt"))).toBe(true)
    expect(existsSync(join(home.project, "refused.txt"))).toBe(false)
    expect((await team.config()).members.length).toBe(2)
  },
)

/** A person's own configuration of OpenCode, which says what it asks about. */
function asksForCommands({ OPENCODE_CONFIG_CONTENT: given = "{}" }: Readonly<Record<string, string | undefined>>) {
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...(JSON.parse(given) as object), permission: { bash: "ask" } }) }
}

const SLOW_TOOLS = [
  ["claude", { name: "mcp__team__TaskUpdate" }],
  ["codex", { name: "TaskUpdate", namespace: "mcp__team" }],
  ["opencode", { name: "team_TaskUpdate" }],
] as const

// That all three wait for tools that start as usual, the mixed team shows every day.
test.each(STRESS ? SLOW_TOOLS : SLOW_TOOLS.slice(0, 1))(
  "headless %s waits for the team's tools, however slowly they start",
  async (agent, tool) => {
    const { home, root } = await scripted()
    const { team, runtime, said } = await ledTeam(root)
    await team.createTask({ subject: "a", description: "" })
    const program = await agentProgram(agent === "claude" ? "claude-code" : agent)
    const quick = teamTools({ root, team: "t", name: "worker" })
    const slow = { ...quick, command: "sh", args: ["-c", 'sleep 4; exec "$@"', "sh", quick.command, ...quick.args] }
    await runtime.spawn({
      name: "worker",
      prompt: `DO: ${JSON.stringify([[{ ...tool, input: { taskId: "1", status: "in_progress" } }]])}`,
      env: home.environment,
      cwd: home.project,
      backend: inProcessBackend(({ cwd, env }) =>
        driverFor({ program: agent, argv: [program] }, { team: "t", name: "worker", cwd, env, tools: slow }),
      ),
    })
    await said("worker", "idle_notification")
    expect(await team.task("1")).toMatchObject({ owner: "worker", status: "in_progress" })
  },
)

const PLANNING = [
  {
    program: "claude",
    write: (file: string, content: string): ToolCall => ({ name: "Write", input: { file_path: file, content } }),
    run: (command: string): ToolCall => ({ name: "Bash", input: { command, description: "d" } }),
  },
  {
    program: "codex",
    write: (file: string, content: string): ToolCall => ({
      name: "exec_command",
      input: { cmd: `printf %s '${content}' > '${file}'` },
    }),
    run: (cmd: string): ToolCall => ({ name: "exec_command", input: { cmd } }),
  },
  {
    program: "opencode",
    write: (filePath: string, content: string): ToolCall => ({ name: "write", input: { filePath, content } }),
    run: (command: string): ToolCall => ({ name: "bash", input: { command, description: "d" } }),
  },
] as const

const LOOKING = { type: "Explore", does: "cannot write, run or reach the network", left: [], hits: 0 }
const WORKING = { type: "general-purpose", does: "can", left: ["run.txt", "written.txt"], hits: 1 }

test.for(PLANNING.flatMap((one) => [LOOKING, WORKING].map((row) => ({ ...one, ...row }))))(
  "headless $program without permission checks, of type $type: it $does",
  { tags: ["stress"] },
  async ({ program, write, run, type, left, hits }) => {
    let reached = 0
    const server = createServer((_, answer) => answer.end(String(++reached))).listen(0, "127.0.0.1")
    cleanups.push(() => void server.close())
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const { home, root } = await scripted(({ sincePrompt }) => {
      const reach = run(`touch run.txt; curl -s http://127.0.0.1:${port}/`)
      const step = [write(join(home.project, "written.txt"), "x"), reach][sincePrompt]
      return step === undefined ? { text: "Tried." } : { tools: [step] }
    })
    const { runtime, said } = await ledTeam(root)
    const path = await agentProgram(program === "claude" ? "claude-code" : program)
    await runtime.spawn({
      name: "looker",
      prompt: "Try it.",
      env: home.environment,
      cwd: home.project,
      mode: "bypassPermissions",
      backend: inProcessBackend(({ cwd, env }) => {
        const { tools: onlyTools } = agentType(type, { root, project: cwd })
        const tools = teamTools({ root, team: "t", name: "looker" })
        return driverFor({ program, argv: [path] }, { team: "t", name: "looker", cwd, env, tools, onlyTools })
      }),
    })
    await said("looker", "idle_notification")
    expect(readdirSync(home.project).filter((name) => name.endsWith(".txt"))).toEqual(left)
    expect(reached).toBe(hits)
  },
)

test.each(STRESS ? PLANNING : PLANNING.slice(0, 1))(
  "headless $program hands in its plan, and changes nothing until a person has approved it",
  async ({ program, write, run }) => {
    const exit = { name: "ExitPlanMode", input: {} }
    const { home, root, model } = await scripted(({ prompt, sincePrompt, all }) => {
      const refused = prompt.includes("was refused")
      const plan = refused ? "# A better plan" : "# A plan"
      const built = write(join(home.project, "built.txt"), "built")
      const early = [write(join(home.project, "early.txt"), "early"), run("touch early.txt")]
      // Claude Code has a tool for it, which takes the plan from a file that it names in its own prompt.
      const file = /\/[^\s"`]+\/plans\/[^\s"`]+\.md/.exec(all)?.[0] ?? ""
      const byTool = program === "claude" ? [...(refused ? [] : [exit]), write(file, plan), exit] : []
      const step = (prompt.includes("was approved") ? [built] : [...(refused ? [] : early), ...byTool])[sincePrompt]
      if (step !== undefined) return { tools: [step] }
      return { text: program === "claude" || prompt.includes("was approved") ? "My last words." : plan }
    })
    // What a person has allowed once and for all does not count while it plans.
    writeFileSync(join(root, "settings.json"), JSON.stringify({ permissions: { allow: ["Write", "Edit", "Bash"] } }))
    const { runtime, said } = await ledTeam(root)
    const asked: Extract<TeamFact, { fact: "request" }>[] = []
    const observer = new TeamObserver({ root, onFact: (fact) => fact.fact === "request" && asked.push(fact) })
    cleanups.push(() => observer.close())
    const path = await agentProgram(program === "claude" ? "claude-code" : program)
    await runtime.spawn({
      name: "planner",
      prompt: "Please build it.",
      env: home.environment,
      cwd: home.project,
      mode: "plan",
      backend: inProcessBackend(
        ({ cwd, env }) =>
          driverFor(
            { program, argv: [path] },
            { team: "t", name: "planner", cwd, env, tools: teamTools({ root, team: "t", name: "planner" }) },
          ),
        { planDecider: "person" },
      ),
    })
    const decide = (
      nth: number,
      verdict: { approved: boolean; feedback?: string; permissionMode?: TeamPermissionMode },
    ) =>
      observer.decide({
        decision: "plan",
        team: "t",
        by: "Ada",
        member: "planner",
        requestId: asked[nth]?.requestId ?? "",
        ...verdict,
      })
    const told = () => `${JSON.stringify(asked)} ${model.requests.map(({ newest }) => newest.slice(-300)).join("\n")}`
    await waitFor(() => asked.length === 1, 90_000, told)
    await decide(0, { approved: false, feedback: "better" })
    await waitFor(() => asked.length === 2, 90_000, told)
    expect(readdirSync(home.project)).toEqual([".git"])
    await decide(1, { approved: true, permissionMode: program === "codex" ? "bypassPermissions" : "acceptEdits" })
    await waitFor(() => existsSync(join(home.project, "built.txt")), 90_000, told)
    await said("planner", "idle_notification")
    expect(asked.map(({ request, text }) => [request, text])).toEqual([
      ["plan", "# A plan"],
      ["plan", "# A better plan"],
    ])
    if (program === "claude") expect(told()).toContain("There is no plan yet.")
    expect(readdirSync(home.project).sort()).toEqual([".git", "built.txt"])
  },
)

test.each(["2.1.41", "2.1.325"] as const)(
  "Claude Code %s in a pane, in its own team mode, under a lead that is ours",
  async (version) => {
    const { home, root } = await scripted()
    const { team, runtime, said } = await ledTeam(root)
    const program = await agentProgram("claude-code", version)
    const { leadSessionId = "" } = await team.config()
    const socket = ownSocket()
    const backend = tmuxBackend({
      socket,
      argvOf: ({ member, mode }) => [
        program,
        ...memberFlags({
          name: member.name,
          team: "t",
          color: member.color ?? "",
          parentSessionId: leadSessionId,
          agentType: "general-purpose",
          mode,
        }),
        "--model",
        "claude-sonnet-4-5-20250929",
      ],
    })
    const call =
      version === "2.1.41"
        ? { type: "message", recipient: TEAM_LEAD, content: "HELLO-LEAD", summary: "hello" }
        : { to: TEAM_LEAD, message: "HELLO-LEAD", summary: "hello" }
    await runtime.spawn({
      name: "native",
      prompt: `DO: ${JSON.stringify([[{ name: "SendMessage", input: call }]])}`,
      backend,
      env: { ...home.environment, ENABLE_TOOL_SEARCH: "false", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" },
      cwd: home.project,
      mode: "bypassPermissions",
    })
    await said("native", "HELLO-LEAD")
    await said("native", "idle_notification")
    expect(await runtime.shutdown("native", "done")).toMatchObject({ approved: true })
    expect((await team.config()).members.map(({ name }) => name)).toEqual([TEAM_LEAD])
  },
)

function panes(socket: string): string[] {
  try {
    return execFileSync("tmux", ["-L", socket, "list-panes", "-a"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
      .trim()
      .split("\n")
  } catch {
    return []
  }
}
