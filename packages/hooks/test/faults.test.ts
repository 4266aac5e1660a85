import { spawn as run } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { OutputOf, usage } from "@chorus/contracts"
import { CHORUS_MAIN, isRunning, type RunningAgent, type Scenario, startAgent, waitFor } from "@chorus/testing"
import { describe, expect, it, vi } from "vitest"
import { type Board, everyVersion, openBoard, runClaude, spawnTool, type Version } from "./board.ts"

const spawn = (version: Version, taskUuid: string, inBackground = false) => ({
  tools: [
    {
      name: spawnTool(version),
      input: {
        description: "work",
        prompt: `Chorus task: ${taskUuid}\nDo it.`,
        subagent_type: "general-purpose",
        run_in_background: inBackground,
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

/** Whether the words stand in the transcript of a sub-agent. */
function hasWritten(board: Board, words: string): boolean {
  return readdirSync(board.home.path, { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|\/)agent-[^/]*\.jsonl$/.test(file))
    .some((file) => readFileSync(join(board.home.path, file), "utf8").includes(words))
}

/** Who watches over the one session of the folder. */
function watcherOn(board: Board): number {
  const sessions = join(board.home.project, ".chorus", "claude", "sessions")
  const [name = ""] = readdirSync(sessions)
  return Number(readFileSync(join(sessions, name), "utf8").split("\n")[3]?.split(" ")[0])
}

async function strike(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL")
  await waitFor(() => !isRunning(pid))
}

/** A turn of a sub-agent before the one that it does not live to end. */
const LOOK = { name: "Bash", input: { command: "true", description: "look" } }

async function usedFor(board: Board, taskUuid: string) {
  return (await board.call<OutputOf<typeof usage.getUsage>>("chorus_get_usage", { taskUuid })).total
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
  const absent = "from the start costs nothing but a line, and is told everything by the next session"
  it(absent, { tags: ["stress"] }, async () => {
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

  it("is told what was kept as it starts, by the command that starts it", async () => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    // Its watcher would tell within a minute.
    oneSpawn(board, version, task, () => strike(watcherOn(board)))
    await board.stopServer()
    await runClaude(board, version, "Build the lamp.")
    await expect.poll(() => keptEvents(board), { timeout: 30_000 }).toEqual(["SubagentStop", "SessionEnd"])
    const { port } = new URL(board.url)
    const server = run(process.execPath, [CHORUS_MAIN, "start", "--data", board.dataDirectory, "--port", port], {
      env: board.home.environment,
      stdio: ["ignore", "pipe", "ignore"],
    })
    await once(server.stdout, "data")
    await waitFor(() => !existsSync(join(board.home.project, ".chorus")), 30_000, "what was kept to be told")
    server.kill()
    await once(server, "exit")
    await board.restartServer()
    expect(await board.task(task)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE: it works." }] })
    expect((await board.sessions()).map(({ status }) => status)).toEqual(["closed", "closed"])
  })

  it("for a while in the middle loses nothing", { tags: ["stress"] }, async () => {
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
  it("is told of by its watcher with what its sub-agent used, and goes on when resumed", async () => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    board.model.script(async (request) => {
      if (request.firstPrompt.startsWith("Chorus task:"))
        return request.turns === 0 ? { tools: [LOOK], cacheReadTokens: 5000 } : { hang: true }
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
    await board.model.waitFor((request) => request.firstPrompt.startsWith("Chorus task:") && request.turns > 0)
    const [main, child] = await board.sessions()
    expect([main?.status, child?.status, (await board.task(task)).status]).toEqual(["active", "active", "in_progress"])
    // What it has not written down can neither be resumed nor counted.
    const projects = join(board.home.path, ".claude", "projects")
    const isWritten = (file: RegExp, words: string) =>
      readdirSync(projects, { recursive: true, encoding: "utf8" }).some(
        (path) => file.test(path) && readFileSync(join(projects, path), "utf8").includes(words),
      )
    const claudeSession = main?.externalId?.split(":")[1] ?? ""
    await waitFor(() => isWritten(new RegExp(`${claudeSession}\\.jsonl$`), '"tool_use"'), 20_000)
    await waitFor(() => isWritten(/agent-\w+\.jsonl$/, '"output_tokens"'), 20_000)
    process.kill(agent.pid, "SIGKILL")
    await waitFor(async () => (await board.sessions()).every(({ status }) => status === "closed"))
    expect((await board.history(task)).checkins).toMatchObject([{ checkoutReason: "session_lost" }])
    await waitFor(async () => (await usedFor(board, task)).inputTokens > 0, 30_000, "what it used")
    expect(await usedFor(board, task)).toMatchObject({ inputTokens: 100, cacheReadTokens: 5000 })
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

describe.each(WHOLE)("a Claude Code %s that is killed while no server has been there yet", (version) => {
  it("is not on the board when one is, but what its sub-agent came to is", { timeout: 120_000 }, async () => {
    await using board = await openBoard({ version })
    const [lamp = "", table = ""] = await board.addTasks({ title: "lamp" }, { title: "table" })
    board.model.script((request) => {
      if (request.firstPrompt.startsWith(`Chorus task: ${lamp}`)) return { text: "DONE: it works." }
      if (request.firstPrompt.startsWith("Chorus task:")) return { hang: true }
      if (request.tools.length === 0 || request.turns > 0) return { text: "Over." }
      return { tools: [lamp, table].flatMap((task) => spawn(version, task).tools) }
    })
    await board.stopServer()
    const { args, env } = board.load(version)
    const agent = await startAgent({
      agent: "claude-code",
      version,
      home: board.home,
      env: { ...env, CHORUS_BEAT_SECONDS: "1" },
      args: ["-p", "Build it.", "--permission-mode", "bypassPermissions", ...args],
    })
    await board.model.waitFor(({ firstPrompt }) => firstPrompt.startsWith(`Chorus task: ${table}`))
    await waitFor(() => keptEvents(board).length === 1, 60_000, "the end of the first")
    // Claude Code writes down what a sub-agent said behind that hook's back; what dies with the program nobody can know.
    await waitFor(() => hasWritten(board, "DONE: it works."), 60_000, "the words of the first in its transcript")
    await strike(agent.pid)
    await waitFor(() => keptEvents(board).length === 2, 60_000, "the end of the program")
    await board.restartServer()
    await waitFor(() => !existsSync(join(board.home.project, ".chorus")), 60_000, "what was kept to be told")
    expect((await board.sessions()).map(({ status }) => status)).toEqual(["closed", "closed"])
    expect(await board.task(lamp)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE: it works." }] })
    expect((await board.task(table)).status).toBe("open")
    await agent.stop()
  })
})

describe.each(WHOLE)("a sub-agent of Claude Code %s whose model fails it", (version) => {
  it(
    "has what it used until then on its task, which is ready again, whichever way it was started",
    { tags: ["stress"] },
    async () => {
      await using board = await openBoard({ version })
      const tasks = await board.addTasks({ title: "lamp" }, { title: "table" })
      const used = () => Promise.all(tasks.map(async (task) => (await usedFor(board, task)).inputTokens))
      board.model.script(async (request) => {
        if (request.tools.length === 0) return { text: "Nothing." }
        if (request.firstPrompt.startsWith("Chorus task:"))
          return request.turns === 0 ? { tools: [LOOK] } : { error: { status: 400 } }
        if (request.turns === 1)
          await board.model.waitFor(({ firstPrompt, turns }) => firstPrompt.includes("Build the table.") && turns > 0)
        const calls = tasks.flatMap((task, at) => spawn(version, task, at === 1).tools)
        return request.turns === 0 ? { tools: calls } : { text: "Over." }
      })
      await runClaude(board, version, "Build it.")
      await waitFor(async () => (await used()).every((tokens) => tokens > 0), 30_000, "what they used")
      expect(await used()).toEqual([100, 100])
      for (const task of tasks) {
        expect((await board.history(task)).checkins).toMatchObject([{ checkoutReason: "task_released" }])
        expect(await board.task(task)).toMatchObject({ status: "open", assignee: null, reports: [] })
      }
    },
  )
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
    for (const pid of [watcherOn(board), agent.pid]) await strike(pid)
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
