/** @module-tag stress */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createClient } from "@chorus/client"
import type { ProjectId, TaskId } from "@chorus/contracts"
import { runningServer } from "@chorus/server"
import {
  agentProgram,
  freePort,
  type ModelRequest,
  runAgent,
  type ScratchHome,
  scratchHome,
  startModel,
  temporaryDirectory,
  type ToolCall,
  type Turn,
  waitFor,
} from "@chorus/testing"
import { describe, expect, it, type TestContext } from "vitest"
import { chorus, startChorus } from "./chorus-process.ts"

type ProgramName = "codex" | "opencode"

const REPORT = "DONE: the basket adds up.\n[x] 1 ran it by hand"
const PROGRAMS: Record<
  ProgramName,
  {
    label: string
    args: readonly string[]
    spawn(prompt: string): ToolCall[]
    wait: ToolCall[]
    files: readonly string[]
  }
> = {
  codex: {
    label: "Codex",
    args: ["exec", "-s", "danger-full-access"],
    spawn: (message) => [
      { name: "spawn_agent", namespace: "collaboration", input: { message, task_name: "basket", fork_turns: "none" } },
    ],
    wait: [{ name: "wait_agent", namespace: "collaboration", input: { timeout_ms: 20_000 } }],
    files: [".codex/config.toml", ".codex/hooks.json", ".codex/AGENTS.md"],
  },
  opencode: {
    label: "OpenCode",
    args: ["run"],
    spawn: (prompt) => [{ name: "task", input: { description: "basket", prompt, subagent_type: "general" } }],
    wait: [],
    files: [".config/opencode/opencode.json", ".config/opencode/plugin/chorus.js", ".config/opencode/AGENTS.md"],
  },
}

const isChild = (request: ModelRequest) => request.firstPrompt.includes("Build what is asked for")

describe.concurrent.each(["codex", "opencode"] as const)("%s, connected", (program) => {
  const { label, args, spawn, wait, files } = PROGRAMS[program]
  const variable = `CHORUS_${program.toUpperCase()}_KEY`

  it("has its sessions and sub-agents on the board, keeps what happens while that is away, and is disconnected without a trace", async ({
    onTestFinished,
  }) => {
    const board = await openBoard(program, onTestFinished)
    const before = board.read(files)
    const key = await board.connect()
    const once = board.read(files)
    expect(await board.connect({ [variable]: key })).toBe(key)
    expect(board.read(files)).toEqual(once)
    const [basket = "", shelf = "", till = ""] = await board.addTasks("basket", "shelf", "till")
    const run = async (prompt: string) => {
      const { code, stderr } = await runAgent({
        agent: program,
        home: board.home,
        env: { [variable]: key },
        args: [...args, prompt],
      })
      expect(code, stderr).toBe(0)
    }
    const lead =
      (task: string) =>
      (request: ModelRequest): Turn => {
        if (request.turns === 0) return { tools: spawn(`Build what is asked for. chorus:task:${task}`) }
        return request.turns === 1 && wait.length > 0 ? { tools: wait } : { text: "Over." }
      }

    const seen: string[] = []
    board.model.script(async (request) => {
      if (!isChild(request)) return lead(basket)(request)
      seen.push(
        `${(await board.task(basket)).status}, knows its criteria: ${JSON.stringify(request.body).includes("basket works")}`,
      )
      return { text: REPORT }
    })
    await run("Go.")
    expect(seen).toEqual(["in_progress, knows its criteria: true"])
    const first = board.model.requests.find((request) => request.purpose === "turn" && !isChild(request))
    expect(JSON.stringify(first?.body)).toContain("You hold nothing right now")
    await board.allClosed(2)
    const [main, child] = await board.sessions()
    expect(main).toMatchObject({ name: `${label} in project`, source: program, lastWords: "Over." })
    expect(child).toMatchObject({ name: "basket", source: program, lastWords: REPORT, parentUuid: main?.uuid })
    expect(await board.task(basket)).toMatchObject({ status: "to_verify", reports: [{ content: REPORT }] })
    expect(await board.checkins(basket)).toMatchObject([{ sessionUuid: child?.uuid, checkoutReason: "task_submitted" }])

    await board.stop()
    board.model.script((request) => (isChild(request) ? { text: REPORT } : lead(shelf)(request)))
    await run("Go.")
    expect(readdirSync(join(board.home.project, ".chorus", program, "spool")).length).toBeGreaterThanOrEqual(3)
    await board.start()
    board.model.script(() => ({ text: "DONE: the till counts." }))
    await run(`Build it: chorus:task:${till}`)
    await board.allClosed(5)
    expect((await board.sessions()).slice(2).map(({ name, lastWords }) => [name, lastWords])).toEqual([
      [`${label} in project`, "Over."],
      [program === "codex" ? "default" : "general", REPORT],
      [`${label} in project`, "DONE: the till counts."],
    ])
    expect(await board.task(shelf)).toMatchObject({ status: "to_verify", reports: [{ content: REPORT }] })
    expect(await board.task(till)).toMatchObject({
      status: "to_verify",
      reports: [{ content: "DONE: the till counts." }],
    })

    expect((await chorus(["disconnect", program, "--data", board.data], board.env)).stdout).toContain("revoked its key")
    expect(board.read(files)).toEqual(before)
    expect(existsSync(join(board.home.project, ".chorus"))).toBe(false)
  })
})

async function openBoard(program: ProgramName, onTestFinished: TestContext["onTestFinished"]) {
  const directory = temporaryDirectory()
  const port = String(await freePort())
  const model = await startModel(() => ({ text: "Noted." }))
  const home: ScratchHome = scratchHome({ model, codexModel: "gpt-6.1-sol" })
  const data = join(directory.path, "data")
  const env = { ...home.environment, PATH: `${dirname(await agentProgram(program))}:${home.environment["PATH"]}` }
  const serve = () => startChorus(["--data", data, "--port", port])
  let server = await serve()
  const owner = () => createClient({ url: server.url, key: runningServer(data)?.token })
  const project = await owner().call("chorus_admin_create_project", { name: "Shop" })
  const sessions = async () => (await owner().call("chorus_list_sessions", { pageSize: 100 })).sessions.toReversed()
  onTestFinished(async () => {
    await server.end()
    await model.stop()
    await home.remove()
    await directory.remove()
  })
  return {
    model,
    home,
    data,
    env,
    stop: () => server.end(),
    start: async () => void (server = await serve()),
    /** Connects and gives the key. */
    async connect(more: NodeJS.ProcessEnv = {}) {
      const { code, stdout, stderr } = await chorus(["connect", program, "--data", data, "--json"], { ...env, ...more })
      expect(code, stderr).toBe(0)
      return (JSON.parse(stdout) as { key: string }).key
    },
    // OpenCode adds its schema to any configuration it reads.
    read: (files: readonly string[]) =>
      files.map((file) =>
        existsSync(join(home.path, file))
          ? readFileSync(join(home.path, file), "utf8").replace(/^ *"\$schema".*\n/m, "")
          : undefined,
      ),
    async addTasks(...titles: string[]): Promise<string[]> {
      const wanted = titles.map((title) => ({
        title,
        description: `Build the ${title}.`,
        acceptanceCriteriaItems: [{ description: `${title} works` }],
      }))
      const made = await owner().call("chorus_create_tasks", { projectUuid: project.uuid as ProjectId, tasks: wanted })
      return titles.map((title) => made.tasks.find((task) => task.title === title)?.uuid ?? "")
    },
    task: (uuid: string) => owner().call("chorus_get_task", { taskUuid: uuid as TaskId }),
    checkins: async (uuid: string) =>
      (await owner().call("chorus_get_task_history", { taskUuid: uuid as TaskId })).checkins,
    sessions,
    allClosed: (count: number) =>
      waitFor(
        async () => {
          const all = await sessions()
          return all.length === count && all.every(({ status }) => status === "closed")
        },
        60_000,
        () => `${count} closed sessions`,
      ),
  }
}
