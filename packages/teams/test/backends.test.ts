import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type TeamConfig, type TeamFact, TEAM_LEAD, type TeamPermissionMode } from "@chorus/contracts"
import { agentProgram, type ToolCall, waitFor } from "@chorus/testing"
import { afterEach, expect, test, vi } from "vitest"
import {
  type Backend,
  createTeam,
  driverFor,
  examineTeams,
  memberArgv,
  memberFlags,
  memberLiveness,
  processBackend,
  progressOf,
  sendMessage,
  startMember,
  teamTools,
  TeamObserver,
  tmuxBackend,
} from "../src/index.ts"
import { notePanes } from "../src/runtime/host-note.ts"
import { hostedHere } from "./lead.ts"
import { ledTeam, PROGRAMS, scripted } from "./led-team.ts"
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

const plainEnv = { PATH: process.env["PATH"], HOME: "/nonexistent", LANG: "C.UTF-8" }

test("tmux: a member whose pane is gone is dead, also where nothing hosts it", async () => {
  const team = await createTeam({ name: "t" }, { root: scratchRoot() })
  const socket = ownSocket()
  const backend = tmuxBackend({ socket, argvOf: () => ["sleep", "300"] })
  const { member, running } = await startMember(team, { name: "bob", prompt: "hi", backend, cwd: "/", env: plainEnv })
  expect(memberLiveness(team.paths, member, {})).toBe("alive")
  await running.stop()
  await waitFor(() => memberLiveness(team.paths, member, {}) === "dead", 60_000, "bob to be dead")
  expect(await examineTeams({ root: team.paths.root })).toMatchObject([{ what: "ghost" }])
})

test("tmux: who runs in a pane that another lead opened is found there, and dead when it ends", async () => {
  const root = scratchRoot()
  vi.stubEnv("TMUX_TMPDIR", root)
  cleanups.push(() => void vi.unstubAllEnvs())
  const team = await createTeam({ name: "t" }, { root })
  const opened = (socket: string, ...command: string[]) =>
    tmux(socket, "new-session", "-d", "-P", "-F", "#{pane_id}", "-c", root, ...command)
  const [own, other] = [ownSocket(), ownSocket()]
  const pane = opened(own, "sh", "-c", "sleep 300; cat")
  await team.join({ name: "alice", tmuxPaneId: pane, backendType: "tmux", cwd: root, isActive: false })
  const life = async () => {
    await notePanes(team.paths, (await team.config()).members)
    return memberLiveness(team.paths, await team.member("alice"), {})
  }
  // Another server has a pane of that number in that folder too: nobody is taken for her.
  const same = opened(other, "sleep", "300")
  expect([same, await life()]).toEqual([pane, "unknown"])
  tmux(other, "kill-server")
  // A shell may be yet to start her.
  expect(await life()).toBe("unknown")
  tmux(own, "respawn-pane", "-k", "-t", pane, "-c", root, "sleep", "300")
  await waitFor(async () => (await life()) === "alive", 60_000, "her to be found")
  tmux(own, "kill-pane", "-t", pane)
  await waitFor(async () => (await life()) === "dead", 60_000, "her to be dead")
  await team.patchMember("alice", { tmuxPaneId: "%77" })
  expect(await life()).toBe("unknown")
})

test("tmux: a member in a real pane answers, is captured, is written to, and its pane closes when it agrees to go", async () => {
  const root = scratchRoot()
  const { team, spawn, said, shutdown } = await ledTeam(root)
  const socket = ownSocket()
  const backend = tmuxBackend({
    socket,
    argvOf: (placement) => memberArgv(placement, { program: "command", argv: ECHO }),
  })
  const running = await spawn({
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
  expect(await running.capture?.()).toContain("pane joins t")
  await sendMessage(team, { from: TEAM_LEAD, to: "pane", content: "again" })
  await said("pane", "ECHO AGAIN")
  expect(await shutdown("pane", "done")).toMatchObject({ type: "shutdown_approved" })
  await waitFor(() => panes(socket).length === 0)
  expect((await team.config()).members.map(({ name }) => name)).toEqual([TEAM_LEAD])
})

test("tmux: a member that is stopped has ended, also where its program does not hang up", async () => {
  const team = await createTeam({ name: "t" }, { root: scratchRoot() })
  const deaf = ["sh", "-c", "trap '' HUP; while :; do sleep 0.1; done"]
  const backend = tmuxBackend({ socket: ownSocket(), argvOf: () => deaf })
  const { member, running } = await startMember(team, { name: "bob", prompt: "hi", backend, cwd: "/", env: plainEnv })
  await running.stop()
  expect(memberLiveness(team.paths, member, {})).toBe("dead")
})

test("tmux: a member whose pane is closed by hand is found as a ghost and cleared away, and its task is free", async () => {
  const root = scratchRoot()
  const { team, spawn, said } = await ledTeam(root)
  const socket = ownSocket()
  const backend = tmuxBackend({
    socket,
    argvOf: (placement) => memberArgv(placement, { program: "command", argv: ECHO }),
  })
  const env = { ...plainEnv, CLAUDE_CONFIG_DIR: root }
  const running = await spawn({ name: "pane", prompt: "hi", backend, env, cwd: root })
  await said("pane", "ECHO HI")
  await team.createTask({ subject: "a", description: "" })
  await team.claimTask("1", "pane")
  execFileSync("tmux", ["-L", socket, "kill-pane", "-t", (await team.member("pane")).tmuxPaneId ?? ""])
  await running.ended
  const findings = await examineTeams({ root })
  expect(findings.map(({ what }) => what)).toContain("ghost")
  for (const finding of findings) await finding.repair?.()
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
  const { team, spawn, said } = await ledTeam(root)
  await spawn({
    name: "bad",
    prompt: "x",
    cwd: root,
    env: plainEnv,
    backend: hostedHere(({ cwd, env }) =>
      driverFor(
        { program: "command", argv: ["sh", "-c", "echo broken >&2; exit 3"] },
        { team: "t", name: "bad", cwd, env, tools: teamTools({ root, team: "t", name: "bad" }) },
      ),
    ),
  })
  await said("bad", '"idleReason":"failed"')
  expect((await team.config()).members.length).toBe(2)
})

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
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
    const { home, root, model } = await scripted()
    const { team, spawn, said } = await ledTeam(root)
    const requests: Extract<TeamFact, { fact: "request" }>[] = []
    const observer = new TeamObserver({ root, onFact: (fact) => fact.fact === "request" && requests.push(fact) })
    cleanups.push(() => observer.close())
    const path = await agentProgram(program === "claude" ? "claude-code" : program)
    const quick = teamTools({ root, team: "t", name: "worker" })
    const tools = program === "claude" ? slowly(quick) : quick
    await spawn({
      name: "worker",
      prompt: `DO: ${JSON.stringify([[run("touch allowed.txt")], [run("touch refused.txt")]])}`,
      env: home.environment,
      cwd: home.project,
      mode: "default",
      backend: hostedHere(({ cwd, env }) =>
        driverFor({ program, argv: [path] }, { team: "t", name: "worker", cwd, env, tools }),
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
    await model.waitFor((request) => request.all.includes("not that one"), 60_000)
    await said("worker", "idle_notification")
    expect(existsSync(join(home.project, "allowed.txt"))).toBe(true)
    expect(existsSync(join(home.project, "refused.txt"))).toBe(false)
    expect((await team.config()).members.length).toBe(2)
    const { tokens, costUsd } = progressOf(team.paths, "worker") ?? {}
    expect(tokens, "what it has cost is known").toBeGreaterThan(0)
    // Only Claude Code says it in money here; OpenCode does so where it knows the model's price.
    if (program === "claude") expect(costUsd).toBeGreaterThan(0)
  },
)

/** The same tools, which take their time to start. */
function slowly(tools: ReturnType<typeof teamTools>): ReturnType<typeof teamTools> {
  return { ...tools, command: "sh", args: ["-c", 'sleep 4; exec "$@"', "sh", tools.command, ...tools.args] }
}

const SLOW_TOOLS = [
  ["claude", { name: "mcp__team__TaskUpdate" }],
  ["codex", { name: "TaskUpdate", namespace: "mcp__team" }],
  ["opencode", { name: "team_TaskUpdate" }],
] as const

// Every day Claude Code asks by tools that are slow; what the others are told about waiting, the drivers' test holds.
test.each(SLOW_TOOLS)(
  "headless %s waits for the team's tools, however slowly they start",
  { tags: ["stress"] },
  async (agent, tool) => {
    const { home, root } = await scripted()
    const { team, spawn, said } = await ledTeam(root)
    await team.createTask({ subject: "a", description: "" })
    const program = await agentProgram(agent === "claude" ? "claude-code" : agent)
    const slow = slowly(teamTools({ root, team: "t", name: "worker" }))
    await spawn({
      name: "worker",
      prompt: `DO: ${JSON.stringify([[{ ...tool, input: { taskId: "1", status: "in_progress" } }]])}`,
      env: home.environment,
      cwd: home.project,
      backend: hostedHere(({ cwd, env }) =>
        driverFor({ program: agent, argv: [program] }, { team: "t", name: "worker", cwd, env, tools: slow }),
      ),
    })
    await said("worker", "idle_notification")
    expect(await team.task("1")).toMatchObject({ owner: "worker", status: "in_progress" })
  },
)

const PLANNERS = [
  ...PROGRAMS.map((one) => ({ ...one, who: one.program, version: undefined })),
  { ...PROGRAMS[0], who: "claude 2.1.197", version: "2.1.197" as const },
]

test.each(STRESS ? PLANNERS : PLANNERS.slice(0, 1))(
  "headless $who hands in its plan, and changes nothing until a person has approved it",
  async ({ program, version, write, run }) => {
    const exit = { name: "ExitPlanMode", input: {} }
    const { home, root, model } = await scripted(({ prompt, sincePrompt, all }) => {
      const refused = prompt.includes("was refused")
      const plan = refused ? "# A better plan" : "# A plan"
      const built = write(join(home.project, "built.txt"), "built")
      const early = [write(join(home.project, "early.txt"), "early"), run("touch early.txt")]
      if (prompt.includes("How are you?")) return { text: "I am fine." }
      // Claude Code has a tool for it, which takes the plan from a file that it names in its own prompt.
      const file = /\/[^\s"`]+\/plans\/[^\s"`]+\.md/.exec(all)?.[0] ?? ""
      const byTool =
        program === "claude"
          ? [...(refused ? [] : [exit]), write(file, plan), exit]
          : [
              {
                ...(program === "codex" ? { name: "SubmitPlan", namespace: "mcp__team" } : { name: "team_SubmitPlan" }),
                input: { plan },
              },
            ]
      const step = (prompt.includes("was approved") ? [built] : [...(refused ? [] : early), ...byTool])[sincePrompt]
      if (step !== undefined) return { tools: [step] }
      return { text: "My last words." }
    })
    // What a person has allowed once and for all does not count while it plans.
    writeFileSync(join(root, "settings.json"), JSON.stringify({ permissions: { allow: ["Write", "Edit", "Bash"] } }))
    const { team, spawn, said } = await ledTeam(root)
    const asked: Extract<TeamFact, { fact: "request" }>[] = []
    const observer = new TeamObserver({ root, onFact: (fact) => fact.fact === "request" && asked.push(fact) })
    cleanups.push(() => observer.close())
    const path = await (program === "claude" ? agentProgram("claude-code", version) : agentProgram(program))
    await spawn({
      name: "planner",
      prompt: "Please build it.",
      env: home.environment,
      cwd: home.project,
      mode: "plan",
      backend: hostedHere(
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
    // What it says to somebody else meanwhile is no plan.
    await sendMessage(team, { from: TEAM_LEAD, to: "planner", content: "How are you?" })
    await said("planner", "I am fine.")
    await decide(1, { approved: true, permissionMode: "acceptEdits" })
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

test(
  "headless claude 2.1.41 does not begin to plan, as it would write what settings allow before its plan is approved",
  { tags: ["stress"] },
  async () => {
    const [{ write }] = PROGRAMS
    const { home, root, model } = await scripted()
    writeFileSync(join(root, "settings.json"), JSON.stringify({ permissions: { allow: ["Write", "Edit", "Bash"] } }))
    const { spawn, said } = await ledTeam(root)
    const path = await agentProgram("claude-code", "2.1.41")
    await spawn({
      name: "planner",
      prompt: `DO: ${JSON.stringify([[write(join(home.project, "early.txt"), "early")]])}`,
      env: home.environment,
      cwd: home.project,
      mode: "plan",
      backend: hostedHere(({ cwd, env }) => {
        const tools = teamTools({ root, team: "t", name: "planner" })
        return driverFor({ program: "claude", argv: [path] }, { team: "t", name: "planner", cwd, env, tools })
      }),
    })
    await said("planner", /"idleReason":"failed".*Claude Code 2\.1\.41/)
    expect([readdirSync(home.project), model.requests.length]).toEqual([[".git"], 0])
  },
)

test(
  "headless claude that plans of its own accord ends that of its own accord, and asks for what it does then",
  { tags: ["stress"] },
  async () => {
    const [{ write }] = PROGRAMS
    const { home, root, model } = await scripted(({ sincePrompt, all }) => {
      const file = /\/[^\s"`]+\/plans\/[^\s"`]+\.md/.exec(all)?.[0] ?? ""
      const steps = [
        { name: "EnterPlanMode", input: {} },
        ...(file === "" ? [] : [write(file, "# A plan")]),
        { name: "ExitPlanMode", input: {} },
        write(join(home.project, "built.txt"), "built"),
      ]
      const step = steps[sincePrompt]
      return step === undefined ? { text: "My last words." } : { tools: [step] }
    })
    const { spawn, said } = await ledTeam(root)
    const asked: unknown[] = []
    const observer = new TeamObserver({
      root,
      onFact(fact) {
        if (fact.fact !== "request") return
        asked.push([fact.request, fact.toolName])
        const about = { team: "t", by: "Ada", member: "worker", requestId: fact.requestId }
        void observer.decide({ ...about, decision: "permission", approved: true })
      },
    })
    cleanups.push(() => observer.close())
    const path = await agentProgram("claude-code")
    await spawn({
      name: "worker",
      prompt: "Please build it.",
      env: home.environment,
      cwd: home.project,
      backend: hostedHere(({ cwd, env }) =>
        driverFor(
          { program: "claude", argv: [path] },
          { team: "t", name: "worker", cwd, env, tools: teamTools({ root, team: "t", name: "worker" }) },
        ),
      ),
    })
    await said("worker", "idle_notification")
    const told = model.requests.map(({ newest }) => newest.slice(-300)).join("\n")
    expect(readdirSync(home.project).sort(), told).toEqual([".git", "built.txt"])
    expect(asked, told).toEqual([["permission", "Write"]])
  },
)

test(
  "headless claude in the mode acceptEdits asks about all that is outside of its folder, and nothing inside",
  { tags: ["stress"] },
  async () => {
    const [{ write, run }] = PROGRAMS
    const { home, root } = await scripted()
    writeFileSync(join(home.project, "inside.txt"), "here")
    const outside = scratchRoot()
    writeFileSync(join(outside, "there.txt"), "there")
    const read = (file_path: string) => ({ name: "Read", input: { file_path } })
    const steps = [
      [read(join(home.project, "inside.txt"))],
      [write(join(home.project, "new.txt"), "new")],
      [run(`mkdir ${join(outside, "made")}`)],
      [write(join(outside, "new.txt"), "new")],
      [read(join(outside, "there.txt"))],
    ]
    const { spawn, said } = await ledTeam(root)
    const asked: unknown[] = []
    const observer = new TeamObserver({
      root,
      onFact(fact) {
        if (fact.fact !== "request") return
        asked.push(fact.toolName)
        const about = { team: "t", by: "Ada", member: "worker", requestId: fact.requestId }
        void observer.decide({ ...about, decision: "permission", approved: false })
      },
    })
    cleanups.push(() => observer.close())
    const path = await agentProgram("claude-code")
    await spawn({
      name: "worker",
      prompt: `DO: ${JSON.stringify(steps)}`,
      env: home.environment,
      cwd: home.project,
      mode: "acceptEdits",
      backend: hostedHere(({ cwd, env }) =>
        driverFor(
          { program: "claude", argv: [path] },
          { team: "t", name: "worker", cwd, env, tools: teamTools({ root, team: "t", name: "worker" }) },
        ),
      ),
    })
    await said("worker", "idle_notification")
    expect(asked).toEqual(["Bash", "Write", "Read"])
    expect(readdirSync(outside)).toEqual(["there.txt"])
  },
)

test(
  "headless claude has the team's SendMessage and not its own, which reaches nobody",
  { tags: ["stress"] },
  async () => {
    const { home, root, model } = await scripted()
    const { spawn, said } = await ledTeam(root)
    const path = await agentProgram("claude-code")
    const own = { name: "SendMessage", input: { to: "team-lead", message: "LOST", summary: "lost" } }
    const ours = { name: "mcp__team__SendMessage", input: { to: "team-lead", message: "HEARD", summary: "heard" } }
    await spawn({
      name: "worker",
      prompt: `DO: ${JSON.stringify([[own], [ours]])}`,
      env: { ...home.environment, ...NATIVE },
      cwd: home.project,
      mode: "bypassPermissions",
      backend: hostedHere(({ cwd, env }) =>
        driverFor(
          { program: "claude", argv: [path] },
          { team: "t", name: "worker", cwd, env, tools: teamTools({ root, team: "t", name: "worker" }) },
        ),
      ),
    })
    await said("worker", "HEARD")
    expect(model.requests.map(({ newest }) => newest).join("\n")).toMatch(/No such tool available: SendMessage/)
    expect(readdirSync(join(root, "teams"))).toEqual(["t"])
  },
)

/** Claude Code in a pane, in its own team mode. */
async function nativeMember(version: "2.1.41" | "2.1.325", { leadSessionId = "" }: TeamConfig): Promise<Backend> {
  const program = await agentProgram("claude-code", version)
  return tmuxBackend({
    socket: ownSocket(),
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
}
const NATIVE = { ENABLE_TOOL_SEARCH: "false", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" }

const ERAS = ["2.1.41", "2.1.325"] as const

// What February's reads and writes, a team that it leads shows every day.
test.each(STRESS ? ERAS : ERAS.slice(1))(
  "Claude Code %s in a pane, in its own team mode, under a lead that is ours",
  async (version) => {
    const { home, root } = await scripted()
    const { team, spawn, said, shutdown } = await ledTeam(root)
    const call =
      version === "2.1.41"
        ? { type: "message", recipient: TEAM_LEAD, content: "HELLO-LEAD", summary: "hello" }
        : { to: TEAM_LEAD, message: "HELLO-LEAD", summary: "hello" }
    await spawn({
      name: "native",
      prompt: `DO: ${JSON.stringify([[{ name: "SendMessage", input: call }]])}`,
      backend: await nativeMember(version, await team.config()),
      env: { ...home.environment, ...NATIVE },
      cwd: home.project,
      mode: "bypassPermissions",
    })
    await said("native", "HELLO-LEAD")
    await said("native", "idle_notification")
    expect(await shutdown("native", "done")).toMatchObject({ type: "shutdown_approved" })
  },
)

test.each(ERAS)(
  "Claude Code %s in a pane, in its own team mode, hands in its plan and asks; a person answers both",
  { tags: ["stress"] },
  async (version) => {
    const [{ write }] = PROGRAMS
    const { home, root, model } = await scripted(({ prompt, sincePrompt, all }) => {
      const refused = prompt.includes("better")
      const file = /\/[^\s"`]+\/plans\/[^\s"`]+\.md/.exec(all)?.[0] ?? ""
      const early = refused ? [] : [write(join(home.project, "early.txt"), "early")]
      const plan = [
        ...early,
        write(file, refused ? "# A better plan" : "# A plan"),
        { name: "ExitPlanMode", input: {} },
      ]
      const build = [write(join(home.project, "built.txt"), "built")]
      const step = (!refused && /approved/i.test(prompt) ? build : plan)[sincePrompt]
      return step === undefined ? { text: "Done." } : { tools: [step] }
    })
    // The program of February writes what its person has allowed also while it plans.
    if (version === "2.1.325")
      writeFileSync(join(root, "settings.json"), JSON.stringify({ permissions: { allow: ["Write", "Edit", "Bash"] } }))
    const { team, spawn } = await ledTeam(root)
    const plans: Extract<TeamFact, { fact: "request" }>[] = []
    const permissions: unknown[] = []
    const about = { team: "t", by: "Ada", member: "native" }
    const observer = new TeamObserver({
      root,
      onFact(fact) {
        if (fact.fact !== "request") return
        if (fact.request === "plan") return void plans.push(fact)
        const { requestId, toolName, decidable } = fact
        permissions.push([toolName, decidable])
        void observer.decide({ ...about, decision: "permission", requestId, approved: false, reason: "not yet" })
      },
    })
    cleanups.push(() => observer.close())
    await spawn({
      name: "native",
      prompt: "Please build it.",
      backend: await nativeMember(version, await team.config()),
      env: { ...home.environment, ...NATIVE },
      cwd: home.project,
      mode: "plan",
    })
    const told = () => `${JSON.stringify(plans)} ${model.requests.map(({ newest }) => newest.slice(-300)).join("\n")}`
    const plan = async (nth: number) => (await waitFor(() => plans[nth], 90_000, told)).requestId
    await observer.decide({ ...about, decision: "plan", requestId: await plan(0), approved: false, feedback: "better" })
    const requestId = await plan(1)
    expect(readdirSync(home.project)).toEqual([".git"])
    const permissionMode = "acceptEdits"
    await observer.decide({ ...about, decision: "plan", requestId, approved: true, permissionMode })
    await waitFor(() => existsSync(join(home.project, "built.txt")), 90_000, told)
    expect(plans.map(({ text }) => text)).toEqual(["# A plan", "# A better plan"])
    expect(permissions).toEqual([["Write", true]])
  },
)

function tmux(socket: string, ...args: string[]): string {
  return execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
}

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
