import { execFile } from "node:child_process"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { livenessOf } from "@chorus/disk"
import { agentProgram, CHORUS_MAIN, drive, openTerminal, scratchHome, startModel, waitFor } from "@chorus/testing"
import { afterEach, expect, test } from "vitest"
import {
  broadcast,
  examineTeams,
  hostOf,
  MemberHost,
  openTeam,
  sendMessage,
  type Team,
  teamNames,
  TeamObserver,
  type Turn,
} from "../src/index.ts"
import { figure } from "./worker.ts"

/** How a lead of each era starts a member, and what it takes for it to put members into panes. */
const ERAS = {
  "2.1.41": {
    team: [{ name: "TeamCreate", input: { team_name: "feb-team", description: "a test team" } }],
    member: (name: string, prompt: string) => ({
      name: "Task",
      input: { name, team_name: "feb-team", subagent_type: "general-purpose", description: "works", prompt },
    }),
    panes: ["--teammate-mode", "tmux"],
    inItself: ["--teammate-mode", "in-process"],
  },
  "2.1.325": {
    team: undefined,
    member: (name: string, prompt: string) => ({ name: "Agent", input: { name, description: "works", prompt } }),
    panes: ["--settings", JSON.stringify({ teammateMode: "tmux" })],
    inItself: ["--settings", JSON.stringify({ teammateMode: "in-process" })],
  },
} as const

const TEAMS = {
  CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  ENABLE_TOOL_SEARCH: "false",
}
/** Every day the suites hold what these show of the programs themselves. */
const STRESS_ONLY = { tags: ["stress"] }
const cleanups: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A real Claude Code in a real terminal, with a model that does what it is told in the prompt. */
async function claudeInTerminal(version: "2.1.325" | "2.1.41", args: string[] = [], env: Record<string, string> = {}) {
  const program = await agentProgram("claude-code", version)
  const model = await startModel(drive)
  cleanups.push(() => model.stop())
  const home = scratchHome({ model })
  cleanups.push(() => home.remove())
  const terminal = await openTerminal({
    command: program,
    args: ["--permission-mode", "bypassPermissions", ...args],
    env: { ...home.environment, ...TEAMS, ...env },
    cwd: home.project,
  })
  cleanups.push(() => terminal.stop())
  await terminal.waitForText(/^\s*❯/m)
  const root = join(home.path, ".claude")
  const say = (...calls: { name: string; input: Record<string, unknown> }[][]) =>
    terminal.submit(`DO: ${JSON.stringify(calls)}`)
  return { model, terminal, root, say, home }
}

async function sessionTeam(root: string): Promise<Team> {
  const name = await waitFor(
    () => teamNames(root).find((one) => existsSync(join(root, "teams", one, "config.json"))),
    60_000,
  )
  return openTeam(name, { root })
}

function hosted(team: Team, name: string, driver: ConstructorParameters<typeof MemberHost>[0]["driver"]): MemberHost {
  const host = new MemberHost({ team, name, driver })
  cleanups.push(() => host.close())
  return host
}

test("Claude Code 2.1.325: our member joins by roster, talks with a member of its own, wakes the idle lead, shares tasks, refuses and accepts shutdown, and the observer sees every word", async () => {
  const { root, say, model } = await claudeInTerminal("2.1.325")
  const team = await sessionTeam(root)
  expect(await team.era()).toBe("session")
  expect(await team.ledByChorus()).toBe(false)
  const seen: string[] = []
  const observer = new TeamObserver({
    root,
    onFact: (fact) => fact.fact === "message" && seen.push(`${fact.from}>${fact.to} ${fact.text}`),
  })
  cleanups.push(() => observer.close())
  const turns: Turn[] = []
  const answers = [{ approve: false as const, reason: "STILL-COUNTING-SHEEP" }, { approve: true as const }]
  await team.join({ name: "outsider", agentType: "external", cwd: root })
  const host = hosted(team, "outsider", {
    async turn(turn) {
      turns.push(turn)
      await sendMessage(team, {
        from: "outsider",
        to: "team-lead",
        content: `GOT-IT ${turns.length}`,
        summary: "an answer",
      })
      return "rests"
    },
    shutdown: async () => answers.shift() ?? { approve: true },
  })

  // A lead looks into its inbox from the moment it has started a member of its own.
  const hello = { to: "outsider", message: "PEER-HELLO", summary: "peer" }
  const greet = `DO: ${JSON.stringify([[{ name: "SendMessage", input: hello }]])}`
  await say([{ name: "Agent", input: { name: "alice", description: "Alice works", prompt: greet } }])
  await waitFor(() => turns.length > 0)
  expect(turns[0]?.messages[0]?.entry).toMatchObject({ from: "alice", text: "PEER-HELLO" })
  await sendMessage(team, { from: "outsider", to: "alice", content: "BACK-TO-ALICE", summary: "back" })
  await waitFor(async () => (await team.unread("alice")).length === 0)

  await say([{ name: "SendMessage", input: { to: "outsider", message: "HELLO-OUTSIDER", summary: "hello" } }])
  await waitFor(() => turns.length > 1)
  expect(turns[1]?.text).toContain("HELLO-OUTSIDER")
  expect(turns[1]?.messages[0]?.entry).toMatchObject({ from: "team-lead", msgV: 1 })
  // The lead had ended its turn: our answer is what makes it ask its model again.
  await model.waitFor((request) => request.all.includes("GOT-IT 2"))
  const words = ["alice>outsider PEER-HELLO", "outsider>alice BACK-TO-ALICE", "team-lead>outsider HELLO-OUTSIDER"]
  await waitFor(
    () => words.every((line) => seen.includes(line)),
    60_000,
    () => JSON.stringify(seen),
  )

  const task = await team.createTask({ subject: "A-TASK-OF-OURS", description: "made by another program" })
  await say([{ name: "TaskList", input: {} }])
  await model.waitFor((request) => request.newest.includes("A-TASK-OF-OURS"))
  await say([{ name: "TaskUpdate", input: { taskId: task.id, owner: "outsider" } }])
  await waitFor(() => turns.some((turn) => turn.text.includes("task_assignment")))
  expect((await team.task(task.id)).owner).toBe("outsider")
  await team.updateTask(task.id, { status: "completed" })

  await say([
    { name: "SendMessage", input: { to: "outsider", message: { type: "shutdown_request", reason: "enough" } } },
  ])
  await model.waitFor((request) => request.all.includes("STILL-COUNTING-SHEEP"))
  expect((await team.config()).members.map(({ name }) => name)).toContain("outsider")
  await say([
    { name: "SendMessage", input: { to: "outsider", message: { type: "shutdown_request", reason: "really" } } },
  ])
  await host.ended
  expect((await team.config()).members.map(({ name }) => name)).toEqual(["team-lead", "alice"])
})

const joins =
  "Claude Code 2.1.325: Codex joins its running session by one command, answers its lead, and goes when it is asked to"
test(joins, STRESS_ONLY, () => joinsItsSession("codex", { name: "SendMessage", namespace: "mcp__team" }))

test("Claude Code 2.1.325: so does OpenCode", STRESS_ONLY, () =>
  joinsItsSession("opencode", { name: "team_SendMessage" }),
)

async function joinsItsSession(program: "codex" | "opencode", tool: { name: string; namespace?: string }) {
  const { root, say, model, home } = await claudeInTerminal("2.1.325")
  const team = await sessionTeam(root)
  await say([{ name: "Agent", input: { name: "alice", description: "Alice works", prompt: "Hello." } }])
  await waitFor(async () => (await team.config()).members.some(({ name }) => name === "alice"))
  const path = await agentProgram(program)
  const arguments_ = ["team", "join", "--team", team.name, "--as", "reviewer", "--host", "--program", program, path]
  await promisify(execFile)(process.execPath, [CHORUS_MAIN, ...arguments_], {
    cwd: home.project,
    env: { ...home.environment, CLAUDE_CONFIG_DIR: root },
  })
  const answer = { ...tool, input: { to: "team-lead", message: "REVIEWER-IS-HERE" } }
  const order = `DO: ${JSON.stringify([[answer]])}`
  await say([{ name: "SendMessage", input: { to: "reviewer", message: order, summary: "hello" } }])
  await model.waitFor((request) => request.api === "messages" && request.newest.includes("REVIEWER-IS-HERE"), 60_000)
  const { pid = 0 } = hostOf(team.paths, "reviewer") ?? {}
  await say([{ name: "SendMessage", input: { to: "reviewer", message: { type: "shutdown_request", reason: "done" } } }])
  await waitFor(async () => !(await team.config()).members.some(({ name }) => name === "reviewer"), 60_000)
  await waitFor(() => livenessOf({ pid }) === "dead", 60_000, "its process to end")
  await model.waitFor((request) => request.api === "messages" && request.all.includes("shutdown_approved"))
}

test("Claude Code 2.1.325: our program lives a whole life as the lead's pane member", async () => {
  const home = scratchHome()
  cleanups.push(() => home.remove())
  const program = join(home.path, "teammate")
  const main = fileURLToPath(new URL("../src/runtime/member-main.ts", import.meta.url))
  const echo = fileURLToPath(new URL("workers/echo-agent.ts", import.meta.url))
  writeFileSync(
    program,
    `#!/bin/sh\nexport CHORUS_TEAM_COMMAND='${JSON.stringify([process.execPath, echo])}'\nexec '${process.execPath}' '${main}' "$@"\n`,
  )
  chmodSync(program, 0o700)
  const { root, say, model, terminal } = await claudeInTerminal(
    "2.1.325",
    ["--settings", JSON.stringify({ teammateMode: "tmux" })],
    { CLAUDE_CODE_TEAMMATE_COMMAND: program },
  )
  const team = await sessionTeam(root)
  await say([{ name: "Agent", input: { name: "carol", description: "Carol works", prompt: "please say hello" } }])
  await model.waitFor((request) => request.all.includes("ECHO PLEASE SAY HELLO"))
  const carol = await team.member("carol")
  expect(carol).toMatchObject({ name: "carol", color: "blue", backendType: "tmux" })
  expect((await terminal.panes()).length).toBe(2)
  await say([{ name: "SendMessage", input: { to: "carol", message: "once more", summary: "again" } }])
  await model.waitFor((request) => request.all.includes("ECHO ONCE MORE"))
  await say([{ name: "SendMessage", input: { to: "carol", message: { type: "shutdown_request", reason: "done" } } }])
  await waitFor(async () => !(await team.config()).members.some(({ name }) => name === "carol"))
  await waitFor(async () => (await terminal.panes()).length === 1)
})

test("Claude Code 2.1.41: a named team's life beside our writer, no message lost", async () => {
  const { root, say, model } = await claudeInTerminal("2.1.41")
  await say([{ name: "TeamCreate", input: { team_name: "feb-team", description: "a test team" } }])
  const team = await sessionTeam(root)
  expect(team.name).toBe("feb-team")
  expect(await team.era()).toBe("named")
  await say(
    [{ name: "TaskCreate", input: { subject: "T1", description: "d1", activeForm: "Doing T1" } }],
    [
      {
        name: "Task",
        input: {
          name: "alice",
          team_name: "feb-team",
          subagent_type: "general-purpose",
          description: "Alice works",
          prompt: "Hello. MODE:approve",
        },
      },
    ],
  )
  await waitFor(async () => (await team.config()).members.some(({ name }) => name === "alice"))
  await team.join({ name: "outsider", agentType: "external", cwd: root })
  const got: string[] = []
  hosted(team, "outsider", {
    async turn({ messages }) {
      got.push(...messages.map(({ entry }) => entry.text))
      return ""
    },
  })
  const words = Array.from({ length: 20 }, (_, n) => `NUMBER-${n + 1}-END`)
  const sending = (async () => {
    for (const word of words) {
      await team.deliver({ from: "outsider", to: "team-lead", text: word, summary: "count" })
      await team.deliver({ from: "outsider", to: "alice", text: word, summary: "count" })
    }
  })()
  await say([
    {
      name: "SendMessage",
      input: { type: "message", recipient: "outsider", content: "HI-FROM-FEBRUARY", summary: "hi" },
    },
  ])
  await sending
  await waitFor(() => got.some((text) => text.includes("HI-FROM-FEBRUARY")))
  const said = (agent: "lead" | "alice") =>
    model.requests
      .filter((request) => request.firstPrompt.includes("MODE:approve") === (agent === "alice"))
      .map((request) => request.all)
      .join("\n")
  await waitFor(
    () => words.every((word) => said("lead").includes(word) && said("alice").includes(word)),
    60_000,
    () =>
      `missing: lead ${words.filter((word) => !said("lead").includes(word)).join()} alice ${words.filter((word) => !said("alice").includes(word)).join()}`,
  )
  const kept = (await team.inbox("team-lead")).filter(
    ({ entry }) => entry.from === "outsider" && entry.text.startsWith("NUMBER-"),
  )
  expect(kept.length).toBe(20)
  figure(`2.1.41 beside our writer: 40 messages to lead and member, 40 seen by their models, 0 lost`)
  await say([{ name: "SendMessage", input: { type: "shutdown_request", recipient: "alice", content: "done" } }])
  await waitFor(
    async () => (await team.inbox("team-lead")).some(({ entry }) => entry.text.includes("shutdown_approved")),
    60_000,
  )
  // This version often leaves the roster empty here; beside us it does not stay so, and who left does not come back.
  await waitFor(async () => !(await team.config()).members.some(({ name }) => name === "alice"))
})

test("Claude Code 2.1.41: its members read what we send, whatever they are called", STRESS_ONLY, async () => {
  const { root, say, model } = await claudeInTerminal("2.1.41", [...ERAS["2.1.41"].inItself])
  await say([...ERAS["2.1.41"].team])
  const team = await sessionTeam(root)
  const names = ["code reviewer", "v1.dev", "größe"]
  for (const name of names) {
    await say([ERAS["2.1.41"].member(name, `I am ${name}.`)])
    await waitFor(async () => (await team.config()).members.some((member) => member.name === name))
  }
  for (const name of names) await sendMessage(team, { from: "ada", to: name, content: `ALONE-${name}-END` })
  await expect(sendMessage(team, { from: "code-reviewer", to: "v1.dev", content: "forged" })).rejects.toMatchObject({
    code: "anothers_inbox",
  })
  expect((await broadcast(team, { from: "ada", content: "ALL-OF-YOU" })).recipients).toEqual(["team-lead", ...names])
  const heardBy = (name: string, words: string) =>
    model.requests.some((request) => request.firstPrompt.includes(`I am ${name}.`) && request.all.includes(words))
  for (const name of names)
    for (const words of [`ALONE-${name}-END`, "ALL-OF-YOU"])
      await waitFor(() => heardBy(name, words), 60_000, `${name} to hear ${words}`)
})

test(
  "Claude Code 2.1.325: what its lead writes to a member of ours arrives, whatever that is called",
  STRESS_ONLY,
  async () => {
    const { root, say, model } = await claudeInTerminal("2.1.325")
    const team = await sessionTeam(root)
    for (const name of ["code reviewer", "v1.dev", "größe"]) {
      await team.join({ name, agentType: "external", cwd: root })
      const heard: string[] = []
      hosted(team, name, {
        async turn({ messages }) {
          heard.push(...messages.map(({ entry }) => entry.text))
          return ""
        },
      })
      await say([{ name: "SendMessage", input: { to: name, message: `TO-${name}-END`, summary: "hello" } }])
      await waitFor(() => heard.includes(`TO-${name}-END`), 60_000, `${name} to hear its lead`)
    }
    // Of its own it has none of such names: it refuses to start them.
    await say([ERAS["2.1.325"].member("v2.dev", "Hello.")])
    await model.waitFor((request) => request.newest.includes("InputValidationError"))
    expect((await team.config()).members.map(({ name }) => name)).not.toContain("v2.dev")
  },
)

test.each(["2.1.41", "2.1.325"] as const)(
  "Claude Code %s: a member that dies in its pane is dead to whoever watches, though its lead does not notice",
  STRESS_ONLY,
  async (version) => {
    const { team: made, member, panes } = ERAS[version]
    const { root, say, terminal } = await claudeInTerminal(version, [...panes])
    if (made !== undefined) await say([...made])
    const team = await sessionTeam(root)
    const { states } = watched(root)
    await say([member("alice", "Hello.")])
    await waitFor(() => states.get("alice") === "idle", 60_000, "alice to have worked")
    const noted = join(team.paths.own, "processes", "alice.json")
    const { pid } = JSON.parse(await waitFor(() => existsSync(noted) && readFileSync(noted, "utf8"))) as { pid: number }
    expect((await terminal.panes()).length).toBe(2)
    process.kill(pid, "SIGKILL")
    await waitFor(() => states.get("alice") === "dead", 10_000, "alice to be dead")
    // It may have held a lock as it died, which is found too.
    const ghosts = (await examineTeams({ root })).filter(({ what }) => what === "ghost")
    expect(ghosts.map(({ says }) => says)).toEqual(['"alice" is on the roster but runs no more.'])
    expect((await team.member("alice")).isActive).toBe(false)
  },
)

test("Claude Code 2.1.325: with a lead that dies the members in its process are dead", STRESS_ONLY, async () => {
  const { root, say } = await claudeInTerminal("2.1.325", [...ERAS["2.1.325"].inItself])
  const team = await sessionTeam(root)
  const { states } = watched(root)
  await say([ERAS["2.1.325"].member("alice", "Hello.")])
  await waitFor(() => states.get("alice") === "idle", 60_000, "alice to have worked")
  process.kill((await team.config()).leadProcess?.pid ?? 0, "SIGKILL")
  await waitFor(() => ["alice", "team-lead"].every((name) => states.get(name) === "dead"), 10_000, "all to be dead")
})

/** What a watcher says of each member. */
function watched(root: string): { states: ReadonlyMap<string, string> } {
  const states = new Map<string, string>()
  const observer = new TeamObserver({
    root,
    onFact: (fact) => fact.fact === "member" && states.set(fact.member.name, fact.state),
  })
  cleanups.push(() => observer.close())
  return { states }
}
