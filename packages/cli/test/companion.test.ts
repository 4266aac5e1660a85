import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { createClient } from "@chorus/client"
import { type ChorusServer, startServer } from "@chorus/server"
import { readRows, resumeStore, startStatusService } from "@chorus/status"
import { createTeam, requestPlanApproval } from "@chorus/teams"
import {
  agentProgram,
  drive,
  isRunning,
  openTerminal,
  scratchHome,
  startModel,
  temporaryDirectory,
  waitFor,
} from "@chorus/testing"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { atTerminal } from "../src/companion/at-terminal.ts"
import { type Companion, startCompanion } from "../src/companion/companion.ts"
import { chorus } from "./chorus-process.ts"

const PATIENCE = 60_000
const HOOK = join(import.meta.dirname, "..", "..", "..", "plugin", "bin", "chorus-hook")
const home = temporaryDirectory()
let dataDirectory: string
let server: ChorusServer
let key: string
let companion: Companion
let service: Awaited<ReturnType<typeof startStatusService>>
let restart: () => void
let person: <T>(name: string, input?: object) => Promise<T>
const socketPath = join(home.path, "status.sock")
const claudeDirectory = join(home.path, "claude")

beforeEach(async () => {
  vi.stubEnv("XDG_STATE_HOME", join(home.path, "state"))
  dataDirectory = temporaryDirectory().path
  server = await startServer({ dataDirectory, port: 0 })
  const owner = await server.store.db
    .selectFrom("users")
    .selectAll()
    .where("role", "=", "owner")
    .executeTakeFirstOrThrow()
  const actor = { ...owner, type: "user", permissions: new Set<never>(), projectUuids: null, ownerUuid: null } as const
  person = async <T>(name: string, input: object = {}) =>
    (await server.registry.execute(name, input, { actor, requestId: "test" })) as T
  const agent = await person<{ uuid: string }>("chorus_create_agent", { name: "laptop agent" })
  key = (await person<{ key: string }>("chorus_create_key", { agentUuid: agent.uuid })).key
  service = await startStatusService({ socketPath, home: socketPath })
  restart = () =>
    void (companion = startCompanion({
      client: createClient({ url: server.url, key }),
      machine: "laptop",
      socketPath,
      data: home.path,
      claudeDirectory,
    }))
  restart()
})

afterEach(async () => {
  await companion.close()
  await service.close()
  await server.close()
  vi.unstubAllEnvs()
})

function emit(line: object): void {
  const socket = connect(socketPath, () =>
    socket.end(`${JSON.stringify({ terminalId: "t1", agent: "claude", at: Date.now(), ...line })}\n`),
  )
}

it("carries a terminal's state to the server, and into the people's queue while it needs one", async () => {
  const terminals = async () => (await person<{ terminals: { state: string }[] }>("chorus_list_terminals")).terminals
  const open = async () => (await person<{ attentions: object[] }>("chorus_list_attentions", { open: true })).attentions
  emit({ event: "running" })
  await waitFor(async () => (await terminals())[0]?.state === "running")
  emit({ event: "needsInput", toolDetail: "Bash: npm publish" })
  await waitFor(async () => (await open()).length === 1)
  expect((await open())[0]).toMatchObject({
    kind: "input",
    answerable: false,
    detail: { machine: "laptop", terminalId: "t1" },
  })
  emit({ event: "running" })
  await waitFor(async () => (await open()).length === 0)
  await waitFor(async () => (await terminals())[0]?.state === "running")
})

it("that is gone leaves nobody waiting in the queue, and no terminal that seems to be known", async () => {
  const states = async () =>
    (await person<{ terminals: { state: string }[] }>("chorus_list_terminals")).terminals.map(({ state }) => state)
  const open = async () => (await person<{ attentions: object[] }>("chorus_list_attentions", { open: true })).attentions
  emit({ event: "running" })
  await waitFor(async () => (await states()).join() === "running")
  emit({ event: "needsInput", toolDetail: "Bash: npm publish" })
  await waitFor(async () => (await open()).length === 1)
  await companion.close()
  // What it had just sent may be read after its end.
  await createClient({ url: server.url, key }).call("chorus_report_machine", { machine: "laptop" })
  await waitFor(async () => (await states()).join() === "unknown" && (await open()).length === 0)
  restart()
  await waitFor(async () => (await states()).join() === "needsInput" && (await open()).length === 1)
})

it("that went while the server was away leaves nobody waiting either, soon after the server is back", async () => {
  const states = async () =>
    (await person<{ terminals: { state: string }[] }>("chorus_list_terminals")).terminals.map(({ state }) => state)
  const open = async () => (await person<{ attentions: object[] }>("chorus_list_attentions", { open: true })).attentions
  emit({ event: "running" })
  emit({ event: "needsInput", toolDetail: "Bash: npm publish" })
  emit({ terminalId: "t2", event: "finished" })
  await waitFor(async () => (await states()).toSorted().join() === "finished,needsInput" && (await open()).length === 1)
  await server.close()
  await companion.close()
  server = await startServer({ dataDirectory, port: 0 })
  await waitFor(async () => (await states()).join() === "unknown,unknown" && (await open()).length === 0, PATIENCE)
})

it("tells what brings a session back only where its person wants that, and takes it back", async () => {
  const stored = async () =>
    (await server.store.db.selectFrom("terminals").select("row").execute()).map(({ row }) => row).join()
  const resumeCommand = "claude --resume 0b1c2d3e-0000-4000-8000-000000000000"
  emit({ event: "running", sessionId: "0b1c2d3e-0000-4000-8000-000000000000", resumeCommand })
  await waitFor(async () => (await stored()).includes('"running"'))
  expect(await stored()).not.toContain("0b1c2d3e")
  await resumeStore().turn("claude", true)
  await waitFor(async () => (await stored()).includes(resumeCommand), PATIENCE)
  await resumeStore().turn("claude", false)
  await waitFor(async () => !(await stored()).includes("0b1c2d3e"), PATIENCE)
})

it("tells of a session that died with its watcher as soon as its terminal shows it", async () => {
  const project = join(home.path, "project")
  mkdirSync(project)
  const program = spawn("sleep", ["600"], { stdio: "ignore" })
  const hook = spawn(HOOK, ["SessionStart"], {
    cwd: project,
    env: {
      ...process.env,
      HOME: home.path,
      CLAUDE_PROJECT_DIR: project,
      CLAUDE_CODE_SESSION_ID: "s1",
      CLAUDE_PID: String(program.pid),
      CHORUS_URL: server.url,
      CHORUS_API_KEY: key,
      CHORUS_BEAT_SECONDS: "600",
    },
    stdio: ["pipe", "ignore", "ignore"],
  })
  hook.stdin.end(JSON.stringify({ hook_event_name: "SessionStart", source: "startup", session_id: "s1", cwd: project }))
  await new Promise((resolve) => hook.once("close", resolve))
  const statuses = async () =>
    (await person<{ sessions: { status: string }[] }>("chorus_list_sessions")).sessions.map(({ status }) => status)
  expect(await statuses()).toEqual(["active"])
  const noted = join(project, ".chorus", "claude", "sessions", "s1")
  const watcher = await waitFor(() => Number(readFileSync(noted, "utf8").split("\n")[3]?.split(" ")[0]))
  for (const pid of [watcher, program.pid ?? 0]) {
    process.kill(pid, "SIGKILL")
    await waitFor(() => !isRunning(pid))
  }
  emit({ event: "finished", exitCode: 137, reason: "killed by SIGKILL" })
  // By the clock alone it would take a minute.
  await waitFor(async () => (await statuses()).join() === "closed")
  await waitFor(() => !existsSync(join(project, ".chorus")))
})

it("carries a person's yes to the agent that asks, once, and shows the terminal where that can be done", async () => {
  const lines: string[] = []
  const agent = connect(socketPath)
  agent.on("data", (text) => lines.push(String(text)))
  const say = (line: object) =>
    agent.write(`${JSON.stringify({ terminalId: "t2", agent: "opencode", at: Date.now(), ...line })}\n`)
  say({ event: "running" })
  say({ event: "needsInput", ask: "per_1", asks: "npm publish", toolDetail: "bash: npm publish" })
  const open = async () =>
    (await person<{ attentions: { uuid: string; kind: string }[] }>("chorus_list_attentions", { open: true }))
      .attentions
  const asked = await waitFor(async () => (await open())[0], PATIENCE)
  expect(asked).toMatchObject({
    kind: "permission",
    answerable: true,
    detail: { ask: "per_1", terminalId: "t2" },
  })
  await expect(
    person("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { text: "well" } }),
  ).rejects.toMatchObject({ code: "decision_missing" })
  await person("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { decision: "approve" } })
  await waitFor(() => lines.length > 0, PATIENCE)
  expect(lines.map((line) => JSON.parse(line))).toEqual([{ answer: { ask: "per_1", decision: "approve" } }])
  say({ event: "running" })
  say({ event: "finished" })

  const rows = async () =>
    (
      await person<{ terminals: { machineUuid: string; terminalId: string; unread: boolean }[] }>(
        "chorus_list_terminals",
      )
    ).terminals
  const row = await waitFor(async () => (await rows()).find(({ unread }) => unread), PATIENCE)
  const { machineUuid, terminalId } = row
  const { deliveryUuid } = await person<{ deliveryUuid: string }>("chorus_show_terminal", { machineUuid, terminalId })
  const settled = async () =>
    (
      await person<{ deliveries: { uuid: string; state: string; lastError: string | null }[] }>(
        "chorus_list_deliveries",
      )
    ).deliveries.find(({ uuid, state }) => uuid === deliveryUuid && state !== "pending")
  // Nothing is known of this agent's process, so nobody can be asked to show its terminal; the person is told.
  expect(await waitFor(settled, PATIENCE)).toMatchObject({
    state: "dead",
    lastError: expect.stringMatching(/cannot be asked/),
  })
  agent.destroy()
})

it("shows a person on the page's word the pane in which an agent has finished", async () => {
  await using agent = await openTerminal({
    command: "sleep",
    args: ["600"],
    env: { PATH: "/usr/bin:/bin" },
    cwd: home.path,
  })
  const tmux = (...args: string[]) => promisify(execFile)("tmux", ["-L", agent.socket, ...args])
  const front = async () => (await tmux("display-message", "-p", "-t", "main", "#{pane_id}")).stdout.trim()
  const [pane] = await agent.panes()
  await tmux("new-window", "-t", "main", "sleep 600")
  expect(await front()).not.toBe(pane?.id)
  emit({ terminalId: "t3", pid: pane?.pid, event: "running" })
  emit({ terminalId: "t3", pid: pane?.pid, event: "finished" })
  const listed = async () =>
    (
      await person<{ terminals: { machineUuid: string; terminalId: string; unread: boolean }[] }>(
        "chorus_list_terminals",
      )
    ).terminals.find(({ terminalId }) => terminalId === "t3")
  const { machineUuid, terminalId } = await waitFor(async () => {
    const row = await listed()
    return row?.unread === true ? row : undefined
  }, PATIENCE)
  await person("chorus_show_terminal", { machineUuid, terminalId })
  await waitFor(async () => (await front()) === pane?.id, PATIENCE)
  // Whoever was brought there has seen it.
  await waitFor(async () => (await listed())?.unread === false, PATIENCE)
})

it("tells the listener that a person has seen on the page how a turn ended, and of no later one", async () => {
  const listed = async () =>
    (
      await person<{ terminals: { machineUuid: string; terminalId: string; unread: boolean; since: number }[] }>(
        "chorus_list_terminals",
      )
    ).terminals.find(({ terminalId }) => terminalId === "t4")
  const here = async () => (await readRows(socketPath)).find(({ terminalId }) => terminalId === "t4")
  emit({ terminalId: "t4", event: "running" })
  emit({ terminalId: "t4", event: "finished", exitCode: 1 })
  const { machineUuid, terminalId } = await waitFor(async () => {
    const row = await listed()
    return row?.unread === true ? row : undefined
  }, PATIENCE)
  await person("chorus_see_terminal", { machineUuid, terminalId })
  expect((await listed())?.unread).toBe(false)
  await waitFor(async () => (await here())?.unread === false, PATIENCE)
  emit({ terminalId: "t4", event: "running" })
  emit({ terminalId: "t4", event: "finished" })
  await waitFor(async () => (await here())?.unread === true, PATIENCE)
  await atTerminal(socketPath, { order: "seen", terminalId, since: 1 })
  expect((await here())?.unread).toBe(true)
})

it("brings a member's plan to a person and the person's refusal back into its inbox", async () => {
  const team = await createTeam({ name: "crew" }, { root: claudeDirectory })
  await team.join({ name: "planner", agentType: "general-purpose" })
  await requestPlanApproval(team, "planner", { path: "plan.md", content: "# Delete everything" })
  const asked = await waitFor(async () =>
    (
      await person<{ attentions: { uuid: string; kind: string; answerable: boolean }[] }>("chorus_list_attentions", {
        open: true,
      })
    ).attentions.find(({ kind }) => kind === "plan"),
  )
  expect(asked.answerable).toBe(true)
  await person("chorus_answer_attention", {
    attentionUuid: asked.uuid,
    answer: { decision: "deny", text: "Keep the tests." },
  })
  const inbox = () => readFileSync(join(team.paths.inboxes, "planner.json"), "utf8")
  await waitFor(() => inbox().includes("plan_approval_response"))
  expect(inbox()).toContain("Keep the tests.")
  expect(inbox()).toMatch(/\\"approved?\\":false/)
  await waitFor(
    async () =>
      (await person<{ state: string }>("chorus_get_attention", { attentionUuid: asked.uuid })).state === "delivered",
  )
})

it("shows in the room by whom a plan was decided, and tells a lead who died while no companion ran", async () => {
  const { team, asked, inbox } = await planOf("judged")
  await person("chorus_answer_attention", { attentionUuid: (await asked()).uuid, answer: { decision: "approve" } })
  await waitFor(() => inbox().includes("plan_approval_response"), PATIENCE)
  const { teams } = await person<{ teams: { uuid: string; name: string }[] }>("chorus_list_teams")
  const teamUuid = teams.find(({ name }) => name === "judged")?.uuid
  const decision = await waitFor(
    async () =>
      (
        await person<{ messages: { kind: string; from: string; text: string }[] }>("chorus_get_team", { teamUuid })
      ).messages.find(({ kind }) => kind === "decision"),
    PATIENCE,
  )
  const { name: by } = await person<{ name: string }>("chorus_whoami")
  expect([decision.from, JSON.parse(decision.text)]).toMatchObject([by, { approved: true, how: "person", by }])

  const walker = spawn("sleep", ["600"], { stdio: "ignore" })
  await team.join({ name: "walker", tmuxPaneId: `pid:${walker.pid}` })
  await companion.close()
  walker.kill("SIGKILL")
  await once(walker, "exit")
  restart()
  const told = await waitFor(
    async () => (await team.inbox("team-lead")).find(({ entry }) => entry.from === "walker"),
    PATIENCE,
  )
  expect(JSON.parse(told.entry.text)).toMatchObject({
    type: "idle_notification",
    from: "walker",
    idleReason: "failed",
    failureReason: "Its process has ended.",
  })
})

it("shows in the room within two seconds that a member's process has ended", async () => {
  const team = await createTeam({ name: "mortal" }, { root: claudeDirectory })
  const took: number[] = []
  for (const name of ["one", "two", "three", "four", "five"]) {
    const walker = spawn("sleep", ["600"], { stdio: "ignore" })
    await team.join({ name, tmuxPaneId: `pid:${walker.pid}`, isActive: false })
    await waitFor(async () => (await stateIn("mortal", name)) === "idle", PATIENCE)
    const began = performance.now()
    walker.kill("SIGKILL")
    await waitFor(async () => (await stateIn("mortal", name)) === "dead", PATIENCE)
    took.push(performance.now() - began)
  }
  const [, , middle] = took.toSorted((one, other) => one - other)
  expect(middle, took.join()).toBeLessThan(2_000)
})

it("takes a dead member off the roster on a person's word, though nobody is left to ask", async () => {
  const team = await createTeam({ name: "buried" }, { root: claudeDirectory })
  const walker = spawn("sleep", ["600"], { stdio: "ignore" })
  await team.join({ name: "walker", tmuxPaneId: `pid:${walker.pid}` })
  walker.kill("SIGKILL")
  await waitFor(async () => (await stateIn("buried", "walker")) === "dead", PATIENCE)
  await person("chorus_ask_shutdown", { teamUuid: await roomOf("buried"), member: "walker" })
  await waitFor(async () => (await stateIn("buried", "walker")) === "left", PATIENCE)
  expect((await team.config()).members.map(({ name }) => name)).toEqual(["team-lead"])
})

const ASKING = [
  {
    program: "codex",
    run: (cmd: string) => ({
      name: "exec_command",
      input: { cmd, sandbox_permissions: "require_escalated", justification: "It has to be there." },
    }),
  },
  {
    program: "opencode",
    run: (command: string) => ({ name: "bash", input: { command, description: "touch a file" } }),
  },
] as const

// What the two ask by their own protocols, a person's machine has in common from the host on.
it.each(process.env["CHORUS_STRESS"] === "1" ? ASKING : ASKING.slice(0, 1))(
  "brings what a member of $program may not do unasked to a person, and the word on it back into the turn",
  async ({ program, run }) => {
    await using model = await startModel(drive)
    await using own = scratchHome({ model })
    await createTeam({ name: program }, { root: claudeDirectory })
    const env = { ...own.environment, CLAUDE_CONFIG_DIR: claudeDirectory }
    const prompt = `DO: ${JSON.stringify([[run("touch allowed.txt")], [run("touch refused.txt")]])}`
    const words = ["spawn", "worker", "--team", program, "--program", program, "--cwd", own.project, "--prompt", prompt]
    expect(await chorus(["team", ...words, await agentProgram(program)], env)).toMatchObject({ code: 0 })
    try {
      const asked = (command: string) =>
        waitFor(
          async () =>
            (
              await person<{ attentions: { uuid: string; kind: string; detail: object }[] }>("chorus_list_attentions", {
                open: true,
              })
            ).attentions.find(({ kind, detail }) => kind === "permission" && JSON.stringify(detail).includes(command)),
          PATIENCE,
        )
      const answer = async (command: string, given: object) =>
        person("chorus_answer_attention", { attentionUuid: (await asked(command)).uuid, answer: given })
      await answer("touch allowed.txt", { decision: "approve" })
      await answer("touch refused.txt", { decision: "deny", text: "not that one" })
      await model.waitFor((request) => request.all.includes("not that one"), PATIENCE)
      await waitFor(async () => (await stateIn(program, "worker")) === "idle", PATIENCE)
      expect(readdirSync(own.project).filter((file) => file.endsWith(".txt"))).toEqual(["allowed.txt"])
    } finally {
      await chorus(["team", "shutdown", "worker", "--team", program, "--kill", "--timeout", "0"], env)
    }
  },
)

/** What the page shows of a member; undefined where it shows none. */
async function stateIn(team: string, member: string): Promise<string | undefined> {
  const teamUuid = await roomOf(team)
  if (teamUuid === undefined) return undefined
  const { members } = await person<{ members: { name: string; state: string; leftAt: string | null }[] }>(
    "chorus_get_team",
    { teamUuid },
  )
  const shown = members.find(({ name }) => name === member)
  return shown?.leftAt === null ? shown.state : shown && "left"
}

async function roomOf(team: string): Promise<string | undefined> {
  const { teams } = await person<{ teams: { uuid: string; name: string }[] }>("chorus_list_teams")
  return teams.find(({ name }) => name === team)?.uuid
}

it("hears people also after they answered somebody else's question", async () => {
  const other = await person<{ uuid: string }>("chorus_create_agent", { name: "other agent" })
  const { key } = await person<{ key: string }>("chorus_create_key", { agentUuid: other.uuid })
  const foreign = await createClient({ url: server.url, key }).call("chorus_create_attention", {
    title: "Blue or red?",
  })
  await person("chorus_answer_attention", { attentionUuid: foreign.uuid, answer: { text: "Blue." } })
  const { inbox, asked } = await planOf("ears")
  await person("chorus_answer_attention", { attentionUuid: (await asked()).uuid, answer: { decision: "approve" } })
  await waitFor(() => inbox().includes("plan_approval_response"), PATIENCE)
})

it("delivers an answer that was given while it was not running", async () => {
  const { inbox, asked } = await planOf("night")
  const { uuid } = await asked()
  await companion.close()
  await person("chorus_answer_attention", { attentionUuid: uuid, answer: { decision: "deny", text: "Sleep first." } })
  expect(inbox()).not.toContain("Sleep first.")
  restart()
  await waitFor(() => inbox().includes("Sleep first."), PATIENCE)
  await waitFor(
    async () =>
      (await person<{ state: string }>("chorus_get_attention", { attentionUuid: uuid })).state === "delivered",
    PATIENCE,
  )
  expect(inbox().match(/Sleep first\./g)).toHaveLength(1)
})

/** A team whose member has asked for approval of a plan. */
async function planOf(name: string) {
  const team = await createTeam({ name }, { root: claudeDirectory })
  await team.join({ name: "planner", agentType: "general-purpose" })
  await requestPlanApproval(team, "planner", { path: "plan.md", content: `# Plan of ${name}` })
  const open = async () =>
    (
      await person<{ attentions: { uuid: string; kind: string; detail: { team?: string } }[] }>(
        "chorus_list_attentions",
        { open: true },
      )
    ).attentions
  const file = join(team.paths.inboxes, "planner.json")
  return {
    inbox: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
    team,
    asked: () => waitFor(async () => (await open()).find(({ detail }) => detail.team === name), PATIENCE),
  }
}

it("shows the team and delivers what a person writes to a member", async () => {
  const team = await createTeam({ name: "writers" }, { root: claudeDirectory })
  await team.join({ name: "bob", agentType: "general-purpose" })
  const seen = await waitFor(async () =>
    (await person<{ teams: { uuid: string; name: string; members: object[] }[] }>("chorus_list_teams")).teams.find(
      ({ name, members }) => name === "writers" && members.length === 2,
    ),
  )
  const { orderUuid } = await person<{ orderUuid: string }>("chorus_write_to_member", {
    teamUuid: seen.uuid,
    to: "bob",
    text: "Please use tabs.",
  })
  const order = async () =>
    (
      await person<{ orders: { uuid: string; deliveredAt: string | null }[] }>("chorus_get_team", {
        teamUuid: seen.uuid,
      })
    ).orders.find(({ uuid }) => uuid === orderUuid)
  await waitFor(async () => (await order())?.deliveredAt)
  expect(readFileSync(join(team.paths.inboxes, "bob.json"), "utf8").match(/Please use tabs\./g)).toHaveLength(1)
})
