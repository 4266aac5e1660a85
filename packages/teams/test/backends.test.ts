import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type TeamFact, TEAM_LEAD } from "@chorus/contracts"
import { agentProgram, drive, scratchHome, type ScratchHome, startModel, waitFor } from "@chorus/testing"
import { afterEach, expect, test } from "vitest"
import {
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
  await waitFor(() => memberLiveness(team.paths, member) === "dead", 20_000, "bob to be dead")
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
  const member = await team.member("pane")
  expect(member).toMatchObject({ backendType: "tmux", color: "blue" })
  expect(member.tmuxPaneId).toMatch(/^%\d+$/)
  expect(await runtime.running("pane").capture?.()).toContain("pane joins t")
  await sendMessage(team, { from: TEAM_LEAD, to: "pane", content: "again" })
  await said("pane", "ECHO AGAIN")
  expect(await runtime.shutdown("pane", "done")).toMatchObject({ approved: true })
  await waitFor(() => panes(socket).length === 0, 30_000)
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
  await waitFor(() => events.some((event) => event.event === "left" && event.how === "died"), 15_000)
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
  await waitFor(async () => (await team.unread(TEAM_LEAD)).some(({ entry }) => entry.text === "ECHO HELLO"), 20_000)
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

async function scripted(): Promise<{ home: ScratchHome; root: string }> {
  const model = await startModel(drive)
  cleanups.push(() => model.stop())
  const home = scratchHome({ model })
  cleanups.push(() => home.remove())
  return { home, root: join(home.path, ".claude") }
}

test("headless Claude Code: a tool it may not use waits for a person, who allows one and refuses another", async () => {
  const { home, root } = await scripted()
  const { team, runtime, said } = await ledTeam(root)
  const requests: Extract<TeamFact, { fact: "request" }>[] = []
  const observer = new TeamObserver({ root, onFact: (fact) => fact.fact === "request" && requests.push(fact) })
  cleanups.push(() => observer.close())
  const program = await agentProgram("claude-code", "2.1.325")
  const bash = (command: string) => [{ name: "Bash", input: { command, description: "touch a file" } }]
  await runtime.spawn({
    name: "worker",
    prompt: `DO: ${JSON.stringify([bash("touch allowed.txt"), bash("touch refused.txt")])}`,
    env: home.environment,
    cwd: home.project,
    mode: "default",
    backend: inProcessBackend(({ cwd, env }) =>
      driverFor(
        { program: "claude", argv: [program] },
        { team: "t", name: "worker", cwd, env, tools: teamTools({ root, team: "t", name: "worker" }) },
      ),
    ),
  })
  await waitFor(() => requests.length === 1, 90_000)
  expect(requests[0]).toMatchObject({
    request: "permission",
    member: "worker",
    toolName: "Bash",
    decidable: true,
    input: { command: "touch allowed.txt" },
  })
  await observer.decide({
    decision: "permission",
    team: "t",
    by: "Ada",
    member: "worker",
    requestId: requests[0]?.requestId ?? "",
    approved: true,
  })
  await waitFor(() => requests.length === 2, 90_000)
  await observer.decide({
    decision: "permission",
    team: "t",
    by: "Ada",
    member: "worker",
    requestId: requests[1]?.requestId ?? "",
    approved: false,
    reason: "not that one",
  })
  await said("worker", "idle_notification")
  expect(existsSync(join(home.project, "allowed.txt"))).toBe(true)
  expect(existsSync(join(home.project, "refused.txt"))).toBe(false)
  expect((await team.config()).members.length).toBe(2)
})

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

test("headless Claude Code in plan mode changes nothing until a person has approved its plan", async () => {
  const { home, root } = await scripted()
  const { runtime, said } = await ledTeam(root)
  const plans: Extract<TeamFact, { fact: "request" }>[] = []
  const observer = new TeamObserver({
    root,
    onFact: (fact) => fact.fact === "request" && fact.request === "plan" && plans.push(fact),
  })
  cleanups.push(() => observer.close())
  const program = await agentProgram("claude-code", "2.1.325")
  const file = join(home.project, "built.txt")
  const write = [{ name: "Write", input: { file_path: file, content: "built" } }]
  const model = await startModel((request) => {
    if (/was approved/.test(request.prompt)) return request.sincePrompt === 0 ? { tools: write } : { text: "Built." }
    return { text: /was refused/.test(request.prompt) ? "# A better plan" : "# A plan" }
  })
  cleanups.push(() => model.stop())
  await runtime.spawn({
    name: "planner",
    prompt: "Please build it.",
    env: { ...home.environment, ANTHROPIC_BASE_URL: model.url },
    cwd: home.project,
    mode: "plan",
    backend: inProcessBackend(
      ({ cwd, env }) =>
        driverFor(
          { program: "claude", argv: [program] },
          { team: "t", name: "planner", cwd, env, tools: teamTools({ root, team: "t", name: "planner" }) },
        ),
      { planDecider: "person" },
    ),
  })
  await waitFor(() => plans.length === 1, 90_000)
  expect(plans[0]?.text).toBe("# A plan")
  await observer.decide({
    decision: "plan",
    team: "t",
    by: "Ada",
    member: "planner",
    requestId: plans[0]?.requestId ?? "",
    approved: false,
    feedback: "better",
  })
  await waitFor(() => plans.length === 2, 90_000)
  expect(plans[1]?.text).toBe("# A better plan")
  expect(existsSync(file)).toBe(false)
  await observer.decide({
    decision: "plan",
    team: "t",
    by: "Ada",
    member: "planner",
    requestId: plans[1]?.requestId ?? "",
    approved: true,
    permissionMode: "acceptEdits",
  })
  await waitFor(() => existsSync(file), 90_000)
  await said("planner", "idle_notification")
})

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
