import { spawn as run } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { CHORUS_MAIN, isRunning, type RunningAgent, type Scenario, startAgent, waitFor } from "@chorus/testing"
import { describe, expect, it, vi } from "vitest"
import { type Board, everyVersion, openBoard, runClaude, spawnTool, type Version } from "./board.ts"

const spawn = (version: Version, taskUuid: string) => ({
  tools: [
    {
      name: spawnTool(version),
      input: {
        description: "work",
        prompt: `Chorus task: ${taskUuid}\nDo it.`,
        subagent_type: "general-purpose",
        run_in_background: false,
      },
    },
  ],
})

/** A lead that spawns one sub-agent for the task, which says the words. */
function oneSpawn(board: Board, version: Version, taskUuid: string, before?: () => Promise<unknown>): Scenario {
  const scenario: Scenario = async (request) => {
    if (request.tools.length === 0) return { text: "Nothing." }
    if (request.firstPrompt.startsWith("Chorus task:")) {
      await before?.()
      return { text: "DONE: it works." }
    }
    return request.turns === 0 ? spawn(version, taskUuid) : { text: "Over." }
  }
  board.model.script(scenario)
  return scenario
}

/** The names of the events that wait for a server, in any order they came in. */
function keptEvents(board: Board): string[] {
  const spool = join(board.home.project, ".chorus", "claude", "spool")
  if (!existsSync(spool)) return []
  const whole = readdirSync(spool).filter((name) => !name.startsWith("."))
  return whole.map(
    (name) => (JSON.parse(readFileSync(join(spool, name), "utf8")) as { hook_event_name: string }).hook_event_name,
  )
}

const STRESS = process.env["CHORUS_STRESS"] === "1"
const ALL = STRESS ? await everyVersion() : []
const WHOLE: readonly Version[] = STRESS ? ALL : ["2.1.325"]

// Every day the oldest is in the race that only it has lost before.
describe.each<Version>(STRESS ? ALL : ["2.1.41"])("a server that is not there, with Claude Code %s", (version) => {
  it("when a session starts, but when its sub-agent ends, hears of it in time", async () => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    oneSpawn(board, version, task, () => board.restartServer())
    await board.stopServer()
    await runClaude(board, version, "Build the lamp.")
    await waitFor(async () => (await board.task(task)).status === "to_verify")
    expect(await board.task(task)).toMatchObject({ reports: [{ content: "DONE: it works." }] })
    expect((await board.history(task)).checkins).toHaveLength(1)
    await waitFor(async () => (await board.sessions()).every((session) => session.status === "closed"))
    await waitFor(() => !existsSync(join(board.home.project, ".chorus")))
  })
})

describe.each(WHOLE)("a server that is away, with Claude Code %s", (version) => {
  it("from the start costs nothing but a line, and is told everything by the next session", async () => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    oneSpawn(board, version, task)
    await board.stopServer()
    const { stdout } = await runClaude(board, version, "Build the lamp.")
    expect(stdout).toContain("Over.")
    await expect.poll(() => keptEvents(board), { timeout: 30_000 }).toEqual(["SubagentStop", "SessionEnd"])

    await board.restartServer()
    expect((await board.task(task)).status).toBe("open")
    board.model.script(() => ({ text: "Nothing to do." }))
    await runClaude(board, version, "Hello.")
    await waitFor(async () => (await board.task(task)).status === "to_verify")
    expect(await board.task(task)).toMatchObject({ reports: [{ content: "DONE: it works." }] })
    expect((await board.history(task)).checkins).toHaveLength(1)
    expect((await board.sessions()).map((session) => session.status)).toEqual(["closed", "closed", "closed"])
    expect(existsSync(join(board.home.project, ".chorus"))).toBe(false)
  })

  it("for a while in the middle loses nothing", async () => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    const down = oneSpawn(board, version, task, () => board.stopServer())
    board.model.script(async (request) => {
      // The call has returned and its hooks have run without a server.
      if (request.firstPrompt.startsWith("Build") && request.turns > 0) await board.restartServer()
      return down(request)
    })
    await runClaude(board, version, "Build the lamp.")
    await waitFor(async () => (await board.task(task)).status === "to_verify")
    expect(await board.task(task)).toMatchObject({ reports: [{ content: "DONE: it works." }] })
    await waitFor(async () => (await board.sessions()).every((session) => session.status === "closed"))
    expect(await board.sessions()).toHaveLength(2)
    await waitFor(() => !existsSync(join(board.home.project, ".chorus")))
  })
})

describe.each(WHOLE)("a Claude Code %s that is killed", (version) => {
  it("is told of by its watcher, and goes on under its old session when resumed", async () => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    board.model.script(async (request) => {
      if (request.firstPrompt.startsWith("Chorus task:")) return { hang: true }
      return request.firstPrompt.startsWith("Build") && request.turns === 0 && request.tools.length > 0
        ? spawn(version, task)
        : { text: "Over." }
    })
    const { args, env } = board.load(version)
    const agent = await startAgent({
      agent: "claude-code",
      version,
      home: board.home,
      env: { ...env, CHORUS_BEAT_SECONDS: "1" },
      args: ["-p", "Build the lamp.", "--permission-mode", "bypassPermissions", ...args],
    })
    await board.model.waitFor((request) => request.firstPrompt.startsWith("Chorus task:"))
    const [main, child] = await board.sessions()
    expect([main?.status, child?.status, (await board.task(task)).status]).toEqual(["active", "active", "in_progress"])
    // What it has not written down cannot be resumed.
    const claudeSession = main?.externalId?.split(":")[1] ?? ""
    const projects = join(board.home.path, ".claude", "projects")
    await waitFor(
      () =>
        readdirSync(projects).some((folder) =>
          readFileSync(join(projects, folder, `${claudeSession}.jsonl`), "utf8").includes('"tool_use"'),
        ),
      20_000,
    )
    process.kill(agent.pid, "SIGKILL")
    await waitFor(async () => (await board.sessions()).every(({ status }) => status === "closed"))
    expect((await board.history(task)).checkins).toMatchObject([{ checkoutReason: "session_lost" }])
    await waitFor(() => !existsSync(join(board.home.project, ".chorus")))
    await agent.stop()

    const before = board.model.requests.length
    await runClaude(board, version, "Go on.", ["--resume", claudeSession])
    expect((await board.sessions()).filter((session) => session.externalId === main?.externalId)).toHaveLength(1)
    expect(
      board.model.requests
        .slice(before)
        .find((request) => request.purpose === "turn" && request.prompt.includes("Go on."))?.all,
    ).toContain(`task ${(await board.task(task)).shortId} "lamp" in_progress`)
  })
})

describe.each(WHOLE)("a Claude Code %s that is killed together with its watcher", (version) => {
  /** Its sub-agent at work, and then neither it nor who watches it. */
  async function struckDown(board: Board, task: string): Promise<RunningAgent> {
    board.model.script((request) => {
      if (request.firstPrompt.startsWith("Chorus task:")) return { hang: true }
      return request.turns === 0 && request.tools.length > 0 ? spawn(version, task) : { text: "Over." }
    })
    const { args, env } = board.load(version)
    const agent = await startAgent({
      agent: "claude-code",
      version,
      home: board.home,
      env,
      args: ["-p", "Build the lamp.", "--permission-mode", "bypassPermissions", ...args],
    })
    await board.model.waitFor((request) => request.firstPrompt.startsWith("Chorus task:"))
    const sessions = join(board.home.project, ".chorus", "claude", "sessions")
    const [name = ""] = readdirSync(sessions)
    const watcher = Number(readFileSync(join(sessions, name), "utf8").split("\n")[3]?.split(" ")[0])
    for (const pid of [watcher, agent.pid]) {
      process.kill(pid, "SIGKILL")
      await waitFor(() => !isRunning(pid))
    }
    expect((await board.sessions()).map(({ status }) => status)).toEqual(["active", "active"])
    return agent
  }

  const byCompanion = "is settled by the companion of its machine, and its task says that it was lost"
  it(byCompanion, { tags: ["stress"], timeout: 240_000 }, async () => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    const target = ["--url", board.url, "--key", board.key, "--data", join(board.home.path, "data")]
    const companion = run(process.execPath, [CHORUS_MAIN, "companion", ...target], {
      env: board.home.environment,
      stdio: ["ignore", "pipe", "ignore"],
    })
    await once(companion.stdout, "data")
    await using _ = await struckDown(board, task)
    // It looks once a minute.
    await waitFor(async () => (await board.sessions()).every(({ status }) => status === "closed"), 120_000, "the end")
    expect((await board.history(task)).checkins).toMatchObject([{ checkoutReason: "session_lost" }])
    await waitFor(() => !existsSync(join(board.home.project, ".chorus")))
    companion.kill()
    await once(companion, "exit")
  })

  it("is active for nobody ten minutes later where nobody can tell", { tags: ["stress"] }, async () => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    await using _ = await struckDown(board, task)
    vi.setSystemTime(Date.now() + 10 * 60_000)
    try {
      expect((await board.sessions()).map(({ status }) => status)).toEqual(["inactive", "inactive"])
      expect((await board.history(task)).lease.state).toBe("lapsed")
    } finally {
      vi.useRealTimers()
    }
  })
})
