import { join } from "node:path"
import type { OutputOf, sessions, tasks, work } from "@chorus/contracts"
import { type ChorusServer, startServer } from "@chorus/server"
import {
  agentProgram,
  type AgentVersion,
  drive,
  freePort,
  newestVersion,
  openTerminal,
  runAgent,
  type ScratchHome,
  scratchHome,
  startModel,
  type Scenario,
  type ScriptedModel,
  temporaryDirectory,
  type Terminal,
} from "@chorus/testing"

export const REPOSITORY = join(import.meta.dirname, "..", "..", "..")
export const PLUGIN = join(REPOSITORY, "plugin")

export type Version = AgentVersion<"claude-code">

/** One of each era: today's, what plain npm gives on Node 20, and the protocol of February. */
export const VERSIONS = ["2.1.325", "2.1.197", "2.1.41"] as const

/** The last before hooks that start no process, and the first with them, which takes its options from nobody but a person yet. */
export const BOUNDARY = ["2.1.118", "2.1.117"] as const

/** Whether `chorus connect claude` gives it the plugin of its own that old versions have. */
export const isLegacy = (version: Version): boolean => ["2.1.41", ...BOUNDARY].includes(version)

/** The same and what the registry gives today: run daily, this shows a version that breaks us on the day it comes. */
export async function everyVersion(): Promise<Version[]> {
  return [...new Set<Version>([...VERSIONS, await newestVersion("claude-code")])]
}

/** The tool that starts a sub-agent, as that version calls it. */
export const spawnTool = (version: Version): string => (version === "2.1.41" ? "Task" : "Agent")

/** What Claude Code needs to be told to have teams. */
export const TEAMS = {
  CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  ENABLE_TOOL_SEARCH: "false",
}

/** A prompt that says what the scripted model does, turn by turn. */
export const directive = (...turns: unknown[]): string => `DO: ${JSON.stringify(turns)}`

export interface WantedTask {
  readonly title: string
  readonly description?: string
  readonly after?: readonly string[]
}

/** A real server with an agent and its key, a scripted model, and a home with the plugin installed. */
export interface Board extends AsyncDisposable {
  readonly url: string
  readonly key: string
  readonly model: ScriptedModel
  readonly home: ScratchHome
  readonly projectUuid: string
  /** Where its server keeps its data, for one that runs as a process of its own. */
  readonly dataDirectory: string
  /** Ends the key as a person or the calendar does, or as if it had never been. */
  endKey(how: "revoked" | "expired" | "unknown"): Promise<void>
  /** Calls an operation as the workspace's owner, or with a key over REST. */
  call<T = Record<string, unknown>>(name: string, input?: object): Promise<T>
  addTasks(...wanted: WantedTask[]): Promise<string[]>
  sessions(): Promise<sessions.SessionRow[]>
  history(taskUuid: string): Promise<OutputOf<typeof work.getTaskHistory>>
  task(taskUuid: string): Promise<tasks.TaskDetail>
  stopServer(): Promise<void>
  restartServer(): Promise<void>
  /** Arguments and environment that load the plugin into a run of that version. */
  load(version: Version): { args: string[]; env: Record<string, string> }
}

export async function openBoard(
  options: { scenario?: Scenario; version?: Version; start?: boolean; config?: Record<string, string> } = {},
): Promise<Board> {
  const directory = temporaryDirectory("board-")
  const port = await freePort()
  const serve = () => startServer({ dataDirectory: directory.path, port })
  let server: ChorusServer | undefined = await serve()
  const { url } = server
  const call = async <T>(name: string, input: object = {}): Promise<T> => {
    if (server === undefined) throw new Error("the server is stopped")
    const owner = await server.store.db
      .selectFrom("users")
      .selectAll()
      .where("role", "=", "owner")
      .executeTakeFirstOrThrow()
    const actor = { ...owner, type: "user", permissions: OWNER, projectUuids: null, ownerUuid: null } as const
    return (await server.registry.execute(name, input, { actor, requestId: "test" })) as T
  }
  const agent = await call<{ uuid: string }>("chorus_create_agent", { name: "Dev", presets: ["developer"] })
  const { key, uuid: keyUuid } = await call<{ key: string; uuid: string }>("chorus_create_key", {
    agentUuid: agent.uuid,
  })
  const project = await call<{ uuid: string }>("chorus_admin_create_project", { name: "Shop" })
  const model = await startModel(options.scenario ?? drive)
  const home = scratchHome({ model })
  const board: Board = {
    url,
    key,
    model,
    home,
    projectUuid: project.uuid,
    dataDirectory: directory.path,
    call,
    async endKey(how) {
      if (how === "revoked") return void (await call("chorus_revoke_key", { keyUuid }))
      const past = new Date(Date.now() - 1000).toISOString()
      await server?.store.write(async ({ db }) => {
        if (how === "unknown") await db.deleteFrom("apiKeys").where("uuid", "=", keyUuid).execute()
        else await db.updateTable("apiKeys").set({ expiresAt: past }).where("uuid", "=", keyUuid).execute()
      })
    },
    async addTasks(...wanted) {
      const input = wanted.map(({ title, description, after = [] }) => ({
        title,
        description: description ?? `Build the ${title}.`,
        draftUuid: title,
        dependsOnDraftUuids: after,
        acceptanceCriteriaItems: [{ description: `${title} works` }, { description: `${title} is tested` }],
      }))
      const made = await call<{ tasks: tasks.TaskRow[] }>("chorus_create_tasks", {
        projectUuid: project.uuid,
        tasks: input,
      })
      return wanted.map(({ title }) => made.tasks.find((task) => task.title === title)?.uuid ?? "")
    },
    sessions: async () =>
      (
        await call<{ sessions: sessions.SessionRow[] }>("chorus_list_sessions", { pageSize: 100 })
      ).sessions.toReversed(),
    history: (taskUuid) => call("chorus_get_task_history", { taskUuid }),
    task: (taskUuid) => call<tasks.TaskDetail>("chorus_get_task", { taskUuid }),
    stopServer: async () => {
      await server?.close()
      server = undefined
    },
    restartServer: async () => {
      server = await serve()
    },
    load: (version) => loadPlugin({ url, key }, version),
    async [Symbol.asyncDispose]() {
      await model.stop()
      await server?.close()
      await home.remove()
      await directory.remove()
    },
  }
  if (options.version === undefined || !isLegacy(options.version))
    await installPlugin(board, options.version, options.config)
  if (options.start === false) await board.stopServer()
  return board
}

/** What loads the plugin into a run of that version, where it has to be installed before or need not be. */
export function loadPlugin({ url, key }: Pick<Board, "url" | "key">, version: Version): ReturnType<Board["load"]> {
  return isLegacy(version)
    ? { args: ["--plugin-dir", join(PLUGIN, "legacy")], env: { CHORUS_URL: url, CHORUS_API_KEY: key } }
    : { args: [], env: { ENABLE_TOOL_SEARCH: "false" } }
}

export async function installPlugin(
  { home, url, key }: Pick<Board, "home" | "url" | "key">,
  version?: Version,
  config: Record<string, string> = {},
): Promise<void> {
  const values = Object.entries({ chorus_url: url, chorus_api_key: key, ...config }).flatMap(([name, value]) => [
    "--config",
    `${name}=${value}`,
  ])
  for (const args of [
    ["plugin", "marketplace", "add", REPOSITORY],
    ["plugin", "install", "chorus@chorus-plugins", ...values],
  ]) {
    const result = await runAgent({ agent: "claude-code", args, home, ...(version === undefined ? {} : { version }) })
    if (result.code !== 0) throw new Error(`claude ${args.join(" ")}: ${result.stdout}${result.stderr}`)
  }
}

/** Runs the real program to its end with a prompt that says what the model does. */
export async function runClaude(board: Board, version: Version, prompt: string, more: string[] = []) {
  const { args, env } = board.load(version)
  const result = await runAgent({
    agent: "claude-code",
    version,
    home: board.home,
    env,
    args: ["-p", prompt, "--permission-mode", "bypassPermissions", ...args, ...more],
    timeout: 180_000,
  })
  if (result.code !== 0) throw new Error(`claude ended with ${result.code}: ${result.stdout}${result.stderr}`)
  return result
}

interface Opening {
  readonly version?: Version
  readonly args?: string[]
  readonly env?: Record<string, string>
  readonly mode?: string
  /** The plugin is in the program's settings, and comes with neither arguments nor environment. */
  readonly installed?: boolean
}

/** The real program in a terminal, ready for a prompt. */
export async function openClaude(
  board: Board,
  { version = "2.1.325", args = [], env = {}, mode = "bypassPermissions", installed = false }: Opening = {},
): Promise<Terminal> {
  const command = await agentProgram("claude-code", version)
  const plugin = installed ? { args: [], env: {} } : board.load(version)
  const terminal = await openTerminal({
    command,
    args: ["--permission-mode", mode, ...plugin.args, ...args],
    env: { ...board.home.environment, ...plugin.env, ...env },
    cwd: board.home.project,
  })
  await terminal.waitForText(/^\s*❯/m)
  return terminal
}

/** What the model of each sub-agent was told in its first request, by what its prompt begins with. */
export function subagentRequests(board: Board) {
  return board.model.requests.filter(
    (request) => request.purpose === "turn" && request.turns === 0 && request.firstPrompt.includes("<chorus session="),
  )
}

export type Brief = work.TaskBrief

const OWNER = new Set(
  ["idea", "proposal", "document", "project", "task"].flatMap((resource) =>
    ["read", "write", "admin"].map((action) => `${resource}:${action}`),
  ),
) as unknown as ReadonlySet<never>
