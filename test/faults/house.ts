import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { type Client, createClient } from "@chorus/client"
import { TEAM_LEAD } from "@chorus/contracts"
import { listenerCommand, ping, readRows } from "@chorus/status"
import { openSqliteStore } from "@chorus/store"
import { createTeam, type Team } from "@chorus/teams"
import { freePort, temporaryDirectory, waitFor } from "@chorus/testing"
import { PLUGIN } from "../../packages/hooks/test/board.ts"
import { makeKeyInStore } from "../../packages/server/test/key-in-store.ts"
import { serverProcess } from "../../packages/server/test/server-process.ts"

const MEMBER = join(import.meta.dirname, "..", "..", "packages", "teams", "src", "runtime", "member-main.ts")
const MEMBERS = ["ada", "bob"] as const

export const TARGETS = ["server", "hook", "ada", "listener", "bob"] as const
export type Target = (typeof TARGETS)[number]

/** What somebody was told is done. */
interface Promised {
  readonly projects: Set<string>
  readonly hooks: Set<string>
  readonly letters: Record<string, Set<string>>
  /** Positions of events as one reader saw them, over all that happened to its connection. */
  readonly positions: number[]
}

/** A whole installation, each part a process of its own, with work going through each. */
export interface House extends AsyncDisposable {
  readonly data: string
  readonly root: string
  readonly team: Team
  readonly promised: Promised
  /** Resolves when every kind of work has got on. */
  progress(): Promise<void>
  /** Ends a part without warning and starts it again. */
  kill(target: Target): Promise<void>
  /** Lets the work come to its end, then ends every part in good order. */
  finish(): Promise<void>
  spooled(): string[]
  jsonFiles(): string[]
  /** Command lines of processes of this house that still run. */
  processes(): string[]
}

export async function openHouse(): Promise<House> {
  const directory = temporaryDirectory("chorus-house-")
  const at = (name: string) => join(directory.path, name)
  const [data, root, project, socket] = [at("data"), at("claude"), at("project"), at("s.sock")]
  for (const folder of [data, project]) mkdirSync(folder)
  const port = await freePort()
  const store = await openSqliteStore(join(data, "chorus.sqlite"))
  const key = await makeKeyInStore(store)
  await store.close()
  const teamName = `house-${process.pid}-${port}`
  const team = await createTeam({ name: teamName }, { root })
  for (const name of MEMBERS) await team.join({ name, cwd: project })

  const promised: Promised = {
    projects: new Set(),
    hooks: new Set(),
    letters: { ada: new Set(), bob: new Set() },
    positions: [],
  }
  const parts = {
    server: await serverProcess(data, port),
    listener: await startListener(),
    ada: startMember("ada"),
    bob: startMember("bob"),
  }
  const client = createClient({ url: parts.server.url, key })
  const working = new AbortController()
  const reading = new AbortController()
  let hook: ChildProcess | undefined
  let seen = 0
  const reader = read(client, promised.positions, reading.signal)
  const work = [makeProjects(), runHooks(), writeLetters(), sendStates()]

  return {
    data,
    root,
    team,
    promised,
    async progress() {
      const { projects, hooks, letters } = promised
      const before = [projects.size, hooks.size, letters["ada"]?.size ?? 0, seen]
      await waitFor(
        () =>
          [projects.size, hooks.size, letters["ada"]?.size ?? 0, seen].every(
            (now, index) => now > (before[index] ?? 0),
          ),
        60_000,
        "all kinds of work to get on",
      )
    },
    async kill(target) {
      if (target === "hook") {
        const running = await waitFor(() => hook, 60_000, "a hook to run")
        killGroup(running)
        return
      }
      if (target === "server") {
        await parts.server.kill()
        parts.server = await serverProcess(data, port)
        return
      }
      await end(parts[target], "SIGKILL")
      if (target === "listener") parts.listener = await startListener()
      else parts[target] = startMember(target)
    },
    async finish() {
      working.abort()
      await Promise.all(work)
      await once(
        startHook("last", "last words").on("error", () => undefined),
        "close",
      )
      await waitFor(
        async () =>
          (await Promise.all(MEMBERS.map((name) => team.unread(name)))).every((unread) => unread.length === 0),
        60_000,
        "the members to have read everything",
      )
      await waitFor(
        async () => (await client.call("chorus_list_events", { limit: 1 })).last === promised.positions.at(-1),
        60_000,
        "the reader to catch up",
      )
      reading.abort()
      await reader
      for (const name of MEMBERS) await end(parts[name], "SIGTERM")
      await end(parts.listener, "SIGTERM")
      await parts.server.kill("SIGTERM")
    },
    spooled: () =>
      existsSync(join(project, ".chorus"))
        ? readdirSync(join(project, ".chorus"), { recursive: true, encoding: "utf8" })
        : [],
    jsonFiles: () =>
      [root, `${directory.path}`].flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: "utf8" })
          .filter((name) => name.endsWith(".json"))
          .map((name) => join(folder, name)),
      ),
    processes: () =>
      execFileSync("ps", ["-A", "-o", "pid=,stat=,args="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => (line.includes(directory.path) || line.includes(teamName)) && !/^\s*\d+\s+Z/.test(line)),
    async [Symbol.asyncDispose]() {
      working.abort()
      reading.abort()
      for (const name of MEMBERS) await end(parts[name], "SIGKILL")
      await end(parts.listener, "SIGKILL")
      if (parts.server.process.exitCode === null && parts.server.process.signalCode === null) await parts.server.kill()
      await directory.remove()
    },
  }

  async function makeProjects(): Promise<void> {
    for (let number = 0; !working.signal.aborted; number++) {
      const name = `project ${number}`
      await client.call("chorus_admin_create_project", { name }).then(() => promised.projects.add(name), pause)
    }
  }

  /** A sub-agent ends; what its hook exits on without being killed counts as told. */
  async function runHooks(): Promise<void> {
    for (let number = 0; !working.signal.aborted; number++) {
      const words = `I am done ${number}.`
      hook = startHook(`a${number}`, words)
      const [code] = (await once(hook, "close")) as [number | null]
      hook = undefined
      if (code === 0) promised.hooks.add(words)
    }
  }

  async function writeLetters(): Promise<void> {
    for (let number = 0; !working.signal.aborted; number++) {
      const to = MEMBERS[number % 2] ?? "ada"
      const text = `letter ${number} to ${to} <end>`
      await team.deliver({ from: TEAM_LEAD, to, text })
      promised.letters[to]?.add(text)
      await pause()
    }
  }

  async function sendStates(): Promise<void> {
    for (let number = 0; !working.signal.aborted; number++) {
      const terminalId = `t${number % 20}`
      const title = `title ${number}`
      await say(socket, {
        terminalId,
        agent: "claude",
        event: "running",
        at: Date.now(),
        sessionTitle: title,
        titleSource: "user",
      })
      const shown = await readRows(socket).catch(() => [])
      if (shown.some((row) => row.terminalId === terminalId)) seen++
      await pause()
    }
  }

  function startHook(agent: string, words: string): ChildProcess {
    const settings = {
      CLAUDE_PROJECT_DIR: project,
      CLAUDE_PLUGIN_OPTION_CHORUS_URL: `http://127.0.0.1:${port}`,
      CLAUDE_PLUGIN_OPTION_CHORUS_API_KEY: key,
      CHORUS_HOOK_SECONDS: "5",
    }
    const child = spawn(join(PLUGIN, "bin", "chorus-hook"), ["SubagentStop"], {
      cwd: project,
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...settings },
    })
    child.stdin
      ?.on("error", () => undefined)
      .end(
        JSON.stringify({
          session_id: "s1",
          cwd: project,
          hook_event_name: "SubagentStop",
          agent_id: agent,
          agent_type: "builder",
          last_assistant_message: words,
          transcript_head: { type: "user", message: { role: "user", content: "Look around." } },
        }),
      )
    return child
  }

  function startMember(name: string): ChildProcess {
    // `cat` says back whatever it was told, so an answer names the letters it answers.
    const args = [MEMBER, "--team-name", teamName, "--agent-name", name, "--program", "command", "--", "cat"]
    return spawn(process.execPath, args, {
      cwd: project,
      env: { PATH: process.env["PATH"], HOME: directory.path, CLAUDE_CONFIG_DIR: root },
      stdio: "ignore",
    })
  }

  async function startListener(): Promise<ChildProcess> {
    const [node, ...args] = await listenerCommand(socket)
    const child = spawn(node, args, { stdio: "ignore", env: { PATH: process.env["PATH"], HOME: directory.path } })
    await waitFor(async () => (await ping(socket).catch(() => undefined))?.pid === child.pid, 60_000, "the listener")
    return child
  }
}

async function read(client: Client, positions: number[], signal: AbortSignal): Promise<void> {
  for await (const item of client.events({ lastEventId: 0, signal }))
    if (item.type === "event") positions.push(item.event.id)
}

function say(socketPath: string, line: object): Promise<void> {
  return new Promise((done) => {
    const socket = connect(socketPath)
    socket.once("error", () => done()).once("close", () => done())
    socket.end(`${JSON.stringify(line)}\n`)
    socket.resume()
  })
}

function pause(): Promise<void> {
  return new Promise((wake) => setTimeout(wake, 20))
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill(signal)
  await ended
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? 0), "SIGKILL")
  } catch {
    // It has just ended by itself.
  }
}
