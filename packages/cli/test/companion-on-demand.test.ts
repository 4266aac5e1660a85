/** @module-tag stress */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createTeam } from "@chorus/teams"
import { agentProgram, isRunning, runAgent, type ScratchHome, scratchHome, startModel, waitFor } from "@chorus/testing"
import { afterEach, expect, it } from "vitest"
import { chorus, startChorus } from "./chorus-process.ts"

const HOOK = join(import.meta.dirname, "..", "..", "..", "plugin", "bin", "chorus-hook")
const PATIENCE = 60_000
const cleanups: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A server, a home with Claude Code connected to it, and the command in that home. */
async function connected() {
  const model = await startModel(() => ({ text: "Hello." }))
  cleanups.push(() => model.stop())
  const home = scratchHome({ model })
  cleanups.push(() => home.remove())
  const data = join(home.path, "data")
  const server = await startChorus(["--data", data])
  cleanups.push(() => server.end())
  const claude = await agentProgram("claude-code", "2.1.325")
  const env = { ...home.environment, CHORUS_DATA: data, PATH: `${dirname(claude)}:${home.environment["PATH"]}` }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await chorus([...args, "--json"], env)
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, unknown>
  }
  await run("connect", "claude")
  return { home, data, server, run }
}

/** The process that holds the companion's place, if one does. */
function companionOf(data: string): number | undefined {
  const note = join(data, "companion", "server.json")
  if (!existsSync(note)) return undefined
  const { pid } = JSON.parse(readFileSync(note, "utf8")) as { pid: number }
  return isRunning(pid) ? pid : undefined
}

const hello = (home: ScratchHome) =>
  runAgent({ agent: "claude-code", home, args: ["-p", "Hello.", "--permission-mode", "bypassPermissions"] })

it("is started by no session until it is enabled; then it serves all sessions that ask, once, and goes with the last", async () => {
  const { home, data, server, run } = await connected()
  await createTeam({ name: "garden" }, { root: join(home.path, ".claude") })
  const teams = async () =>
    ((await run("call", "chorus_list_teams"))["teams"] as { name: string }[]).map(({ name }) => name)
  await hello(home)
  expect(existsSync(join(data, "companion"))).toBe(false)

  const program = join(data, "companion", "start")
  expect(await run("companion", "enable")).toEqual({ enabled: true, program })
  await hello(home)
  await waitFor(async () => (await teams()).includes("garden"), PATIENCE, "the team on the board")
  await waitFor(() => companionOf(data) === undefined, PATIENCE, "the companion to go with the real session")

  const { key } = (await run("agent", "add", "laptop")) as { key: string }
  const start = (of: ChildProcess, id: string) =>
    hook(
      home,
      { hook_event_name: "SessionStart", source: "startup", session_id: id },
      { CLAUDE_PID: String(of.pid), CHORUS_COMPANION_PROGRAM: program, CHORUS_URL: server.url, CHORUS_API_KEY: key },
    )
  const noted = (of: ChildProcess) => existsSync(join(data, "companion", "for", String(of.pid)))
  const [first, second] = [session(), session()]
  await start(first, "s1")
  const pid = await waitFor(() => companionOf(data), PATIENCE, "the companion")
  await start(second, "s2")
  await waitFor(() => noted(second), PATIENCE, "the second to be noted")
  first.kill("SIGKILL")
  await waitFor(() => !noted(first), PATIENCE, "the first to be forgotten")
  expect(companionOf(data)).toBe(pid)
  second.kill("SIGKILL")
  await waitFor(() => companionOf(data) === undefined, PATIENCE, "the companion to go with the last")

  await run("companion", "disable")
  expect(existsSync(program)).toBe(false)
  expect(readFileSync(join(home.path, ".claude", "settings.json"), "utf8")).not.toContain(program)
})

/** Stands for a session's program: lives until it is killed. */
function session(): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
  cleanups.push(() => void child.kill("SIGKILL"))
  return child
}

function hook(
  home: ScratchHome,
  event: { hook_event_name: string; session_id: string; source: string },
  env: Record<string, string>,
): Promise<number | null> {
  mkdirSync(home.project, { recursive: true })
  const child = spawn(HOOK, [event.hook_event_name], {
    cwd: home.project,
    env: { ...home.environment, CLAUDE_PROJECT_DIR: home.project, ...env },
    stdio: ["pipe", "ignore", "ignore"],
  })
  child.stdin.end(JSON.stringify({ cwd: home.project, ...event }))
  return new Promise((resolve) => child.once("close", resolve))
}
