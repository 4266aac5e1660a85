import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CHORUS_MAIN, type ModelRequest, waitFor } from "@chorus/testing"
import { afterAll, describe, expect, it } from "vitest"
import {
  type Board,
  directive,
  everyVersion,
  openBoard,
  openClaude,
  runClaude,
  spawnTool,
  subagentRequests,
  type Version,
} from "./board.ts"
import { compacted } from "./terminal-steps.ts"
const figures: Record<string, string | number>[] = []
afterAll(() => console.table(figures))

/** A lead that hands each task to a sub-agent of its own, all at once, and waits until none is in progress. */
function handOut(board: Board, version: Version, tasks: readonly string[], more: { background?: boolean } = {}) {
  return async (during?: () => Promise<unknown>) => {
    board.model.script(async (request) => {
      if (request.tools.length === 0) return { text: "Nothing." }
      if (request.firstPrompt.startsWith("Chorus task:")) {
        await during?.()
        return { text: "DONE: it works." }
      }
      if (request.turns > 0) {
        if (more.background === true) await waitFor(() => allHandedIn(board, tasks), 150_000, "the hand-ins")
        return { text: "Over." }
      }
      const input = (task: string) => ({
        description: "work",
        prompt: `Chorus task: ${task}\nDo it.`,
        subagent_type: "general-purpose",
        run_in_background: more.background ?? false,
      })
      return { tools: tasks.map((task) => ({ name: spawnTool(version), input: input(task) })) }
    })
    return runClaude(board, version, "Build it.")
  }
}

async function allHandedIn(board: Board, tasks: readonly string[]): Promise<boolean> {
  return (await Promise.all(tasks.map((task) => board.task(task)))).every(({ status }) => status === "to_verify")
}

async function reportsOf(board: Board, tasks: readonly string[]): Promise<string[]> {
  const all = await Promise.all(tasks.map((task) => board.task(task)))
  return all.flatMap(({ reports }) => reports.map(({ content }) => content))
}

/** Each task went to one sub-agent, whose model was told of that task and of no other. */
async function eachBriefed(board: Board, tasks: readonly string[]): Promise<void> {
  const told = subagentRequests(board).map(({ firstPrompt }) => firstPrompt)
  expect(told).toHaveLength(tasks.length)
  for (const uuid of tasks) {
    const { title } = await board.task(uuid)
    const [prompt = "", ...more] = told.filter((text) => text.startsWith(`Chorus task: ${uuid}`))
    expect([more, prompt.match(/Build the \w+\./g)]).toEqual([[], [`Build the ${title}.`]])
    const marks = (await board.history(uuid)).checkins.map(({ sessionUuid }) => `<chorus session="${sessionUuid}">`)
    expect(marks.map((mark) => prompt.includes(mark))).toEqual([true])
  }
}

/** Of which of these tasks the model of a lead was told how they stand. */
async function heardOf(board: Board, tasks: readonly string[], lead: string): Promise<string[]> {
  const told = board.model.requests.filter(({ firstPrompt }) => firstPrompt.includes(lead)).map(({ all }) => all)
  const titles = await Promise.all(tasks.map(async (task) => (await board.task(task)).title))
  return titles.filter((title) => told.some((all) => new RegExp(`"${title}" \\(SHOP-\\d\\) is handed in`).test(all)))
}

async function settled(board: Board): Promise<void> {
  await waitFor(async () => (await board.sessions()).every(({ status }) => status === "closed"))
  await waitFor(() => !existsSync(join(board.home.project, ".chorus")))
}

const five = (...titles: string[]) => titles.map((title) => ({ title }))

describe.each(await everyVersion())("Claude Code %s", (version) => {
  const row = (name: string, work: (board: Board) => Promise<void>) =>
    it(name, { timeout: 240_000 }, async () => {
      await using board = await openBoard({ version })
      const from = performance.now()
      await work(board)
      const requests = board.model.requests.filter(({ purpose }) => purpose === "turn")
      const tracking = requests.filter(({ all, turns }) => turns > 1 && all.includes("mcp__plugin_chorus")).length
      figures.push({ version, row: name, ms: Math.round(performance.now() - from), models: requests.length, tracking })
      expect(tracking).toBe(0)
    })

  row("one", async (board) => {
    const tasks = await board.addTasks({ title: "lamp" })
    await handOut(board, version, tasks)()
    expect(await reportsOf(board, tasks)).toEqual(["DONE: it works."])
    await eachBriefed(board, tasks)
    await settled(board)
  })

  row("five of one type at once", async (board) => {
    const tasks = await board.addTasks(...five("anchor", "barrel", "candle", "drawer", "engine"))
    await handOut(board, version, tasks)()
    expect(await reportsOf(board, tasks)).toHaveLength(5)
    expect((await board.sessions()).filter(({ parentUuid }) => parentUuid !== null)).toHaveLength(5)
    await eachBriefed(board, tasks)
    expect(await heardOf(board, tasks, "Build it.")).toHaveLength(5)
    await settled(board)
  })

  row("five in the background", async (board) => {
    const tasks = await board.addTasks(...five("anchor", "barrel", "candle", "drawer", "engine"))
    await handOut(board, version, tasks, { background: true })()
    expect(await reportsOf(board, tasks)).toHaveLength(5)
    await eachBriefed(board, tasks)
    await settled(board)
  })

  const again = async (board: Board, named: (at: number) => { description: string; name?: string }) => {
    const tasks = await board.addTasks(...five("anchor", "barrel", "candle"))
    const mason = (task: string) => ({
      name: spawnTool(version),
      input: {
        ...named(tasks.indexOf(task)),
        prompt: `Chorus task: ${task}`,
        subagent_type: "general-purpose",
        run_in_background: false,
      },
    })
    const calls = [tasks.slice(0, 1), tasks.slice(1)]
    board.model.script((request) => {
      if (request.tools.length === 0) return { text: "Nothing." }
      if (request.firstPrompt.startsWith("Chorus task:")) return { text: "DONE: it works." }
      const now = calls[request.turns]
      return now === undefined ? { text: "Over." } : { tools: now.map(mason) }
    })
    await runClaude(board, version, "Build it.")
    expect(await reportsOf(board, tasks)).toHaveLength(3)
    const sessions = (await board.sessions()).filter(({ name }) => name === "mason")
    expect(sessions).toHaveLength(2)
    const stays = await Promise.all(tasks.map(async (task) => (await board.history(task)).checkins))
    const [first, ...later] = stays.map(([stay]) => stay?.sessionUuid)
    expect(new Set(later).size).toBe(2)
    expect(later).toContain(first)
    // What each used is told a moment after the next has taken its session up.
    const used = async (taskUuid: string) =>
      (await board.call<{ total: { inputTokens: number } }>("chorus_get_usage", { taskUuid })).total.inputTokens
    await waitFor(async () => (await Promise.all(tasks.map(used))).every((tokens) => tokens === 100))
    await settled(board)
  }

  row("again by what its work is called, and beside a namesake", (board) =>
    again(board, () => ({ description: "mason" })),
  )

  row("again by its name, and beside a namesake", (board) =>
    again(board, (at) => ({ description: `wall ${at}`, name: "mason" })),
  )

  row("two sessions in one folder", async (board) => {
    const tasks = await board.addTasks(...five("anchor", "barrel"))
    board.model.script((request) => {
      if (request.tools.length === 0) return { text: "Nothing." }
      if (request.firstPrompt.startsWith("Chorus task:")) return { text: `DONE: ${request.firstPrompt.slice(13, 49)}` }
      const task = tasks[request.firstPrompt.includes("second") ? 1 : 0]
      const input = { description: "work", prompt: `Chorus task: ${task}`, subagent_type: "general-purpose" }
      return request.turns > 0
        ? { text: "Over." }
        : { tools: [{ name: spawnTool(version), input: { ...input, run_in_background: false } }] }
    })
    await Promise.all([runClaude(board, version, "The first."), runClaude(board, version, "The second.")])
    expect(await reportsOf(board, tasks)).toEqual(tasks.map((task) => `DONE: ${task}`))
    expect((await board.sessions()).filter(({ parentUuid }) => parentUuid === null)).toHaveLength(2)
    await eachBriefed(board, tasks)
    expect(await heardOf(board, tasks, "The first.")).toEqual(["anchor"])
    expect(await heardOf(board, tasks, "The second.")).toEqual(["barrel"])
    await settled(board)
  })

  row("kill -9 of the server", async (board) => {
    const tasks = await board.addTasks({ title: "lamp" })
    const server = async () => {
      const { port } = new URL(board.url)
      const args = [CHORUS_MAIN, "start", "--data", board.dataDirectory, "--port", port, "--json"]
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
      await once(child.stdout, "data")
      return child
    }
    await board.stopServer()
    const killed = await server()
    await handOut(
      board,
      version,
      tasks,
    )(async () => {
      killed.kill("SIGKILL")
      await once(killed, "exit")
    })
    await board.restartServer()
    // The next session tells what was kept; the watcher would within a minute.
    board.model.script(() => ({ text: "Nothing." }))
    await runClaude(board, version, "Hello.")
    await waitFor(() => allHandedIn(board, tasks))
    expect(await reportsOf(board, tasks)).toEqual(["DONE: it works."])
    await eachBriefed(board, tasks)
    await settled(board)
  })

  row("server absent all along", async (board) => {
    const tasks = await board.addTasks({ title: "lamp" })
    await board.stopServer()
    expect((await handOut(board, version, tasks)()).stdout).toContain("Over.")
    await board.restartServer()
    expect((await board.task(tasks[0] ?? "")).status).toBe("open")
    expect(subagentRequests(board)).toEqual([])
    const [first] = board.model.requests.filter(({ purpose, tools }) => purpose === "turn" && tools.length > 0)
    expect(first?.all).toMatch(/Chorus does not answer at http:.*Tell your person; until then Chorus starts no task/)
  })

  it.each(["unknown", "revoked", "expired"] as const)(
    "with a key that is %s goes on, and nothing is taken",
    { timeout: 120_000 },
    async (how) => {
      await using board = await openBoard({ version })
      const tasks = await board.addTasks({ title: "lamp" })
      await board.endKey(how)
      expect((await handOut(board, version, tasks)()).stdout).toContain("Over.")
      expect([(await board.task(tasks[0] ?? "")).status, await board.sessions()]).toEqual(["open", []])
      expect(subagentRequests(board)).toEqual([])
      // Nobody sees a screen here; what the model knows it can say.
      const [first] = board.model.requests.filter(({ purpose, tools }) => purpose === "turn" && tools.length > 0)
      expect(first?.all).toMatch(/Chorus does not accept the API key;.*chorus connect claude\. Tell your person/)
    },
  )

  const boardTool = (name: string) => `mcp__plugin_chorus${version === "2.1.41" ? "-legacy" : ""}_chorus__${name}`

  it("that ended in good order goes on where it was, when it is resumed and when it is continued", async () => {
    await using board = await openBoard({ version })
    const [taskUuid = ""] = await board.addTasks({ title: "lamp" })
    const of = (name: string, input: object) => ({ tools: [{ name: boardTool(name), input: { ...input } }] })
    const steps: Record<string, (told: string) => object> = {
      "Begin.": (told) =>
        of("chorus_start_task", { taskUuid, sessionUuid: /Your session is ([0-9a-f-]{36})/.exec(told)?.[1] }),
      "End.": () => of("chorus_finish_task", { taskUuid, report: "It is lit." }),
    }
    board.model.script(({ tools, prompt, sincePrompt, all }) => {
      const step =
        tools.length > 0 && sincePrompt === 0 ? Object.keys(steps).find((one) => prompt.includes(one)) : undefined
      return (step === undefined ? undefined : steps[step]?.(all)) ?? { text: "Over." }
    })
    const told = async (prompt: string, ...more: string[]) => {
      const before = board.model.requests.length
      await runClaude(board, version, prompt, more)
      await settled(board)
      const first = board.model.requests
        .slice(before)
        .find((request) => request.purpose === "turn" && request.tools.length > 0 && request.prompt.includes(prompt))
      return (first?.all ?? "").split("Over.").at(-1)
    }
    await told("Begin.")
    const [main, ...others] = await board.sessions()
    expect([main?.status, others, (await board.task(taskUuid)).status]).toEqual(["closed", [], "in_progress"])
    expect(await told("Go on.", "--resume", main?.externalId?.split(":")[1] ?? "")).toContain(
      'task SHOP-1 "lamp" in_progress',
    )
    // Some versions leave out an introduction that has not changed.
    expect(await told("End.", "--continue")).toContain("Chorus: Dev for Owner, holds 1 task")
    expect((await board.sessions()).map(({ uuid }) => uuid)).toEqual([main?.uuid])
    expect((await board.task(taskUuid)).status).toBe("to_verify")
  }, 120_000)

  it("a refusal of a Chorus tool reaches the model in words", { timeout: 120_000 }, async () => {
    await using board = await openBoard({ version })
    const taskUuid = crypto.randomUUID()
    const refused = { name: boardTool("chorus_get_task"), input: { taskUuid } }
    board.model.script(({ tools, turns }) =>
      tools.length > 0 && turns === 0 ? { tools: [refused] } : { text: "Over." },
    )
    await runClaude(board, version, "Look.")
    const heard = await board.model.waitFor(({ turns, tools }) => turns === 1 && tools.length > 0)
    expect(heard.newest).toContain(`There is no task ${taskUuid}`)
  })

  it.each([
    ["came to while the server was away is told with the next prompt", true],
    ["came to after its return is told, though its beginning was not heard", false],
  ])("what a sub-agent %s", { timeout: 120_000 }, async (_, endsMeanwhile) => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    await using terminal = await openClaude(board, { version, env: { CHORUS_BEAT_SECONDS: "1" } })
    const wait = { name: "Bash", input: { command: "until [ -e gone ]; do sleep 0.1; done", description: "wait" } }
    const input = {
      description: "work",
      prompt: `Chorus task: ${task}\n${directive([wait], { text: "DONE: it is lit." })}`,
      subagent_type: "general-purpose",
      run_in_background: false,
    }
    const isLeads = ({ tools, firstPrompt }: ModelRequest) =>
      tools.length > 0 && !firstPrompt.includes("<chorus session=")
    const end = () => writeFileSync(join(board.home.project, "gone"), "")
    const isHandedIn = async () => (await board.task(task)).status === "to_verify"
    await terminal.submit(directive([{ name: spawnTool(version), input }], { text: "The turn is over." }))
    await waitFor(async () => (await board.task(task)).status === "in_progress", 60_000, "the work to begin")
    await board.stopServer()
    const told = '"lamp" (SHOP-1) is handed in and waits for verification'
    // In a terminal today's program runs every sub-agent in the background, also one that is to be waited for.
    const isBehind = version !== "2.1.41" && version !== "2.1.197"
    if (isBehind) await terminal.waitForText(/● The turn is over\./)
    if (!endsMeanwhile) {
      await board.restartServer()
      end()
      await waitFor(isHandedIn, 60_000, "the hand-in")
      await board.model.waitFor((request) => isLeads(request) && request.all.includes(told))
      return
    }
    end()
    // There the program's own notice has the agent's words; how the task stands nobody can say yet.
    if (isBehind) {
      const notice = await board.model.waitFor(
        (request) => isLeads(request) && request.all.includes("<task-notification>"),
      )
      expect(notice.all).toContain("DONE: it is lit.")
    } else await terminal.waitForText(/● The turn is over\./)
    expect(board.model.requests.filter(({ all }) => all.includes(told))).toEqual([])
    await board.restartServer()
    await waitFor(isHandedIn, 60_000, "the hand-in")
    await waitFor(() => existsSync(join(board.home.project, ".chorus", "claude", "news")), 60_000, "the news of it")
    await terminal.submit("What came of it?")
    const next = await board.model.waitFor((request) => isLeads(request) && request.prompt.includes("What came of it?"))
    expect(next.all).toContain(told)
  })

  it.each([
    ["tells its lead with its notice what it came to", false],
    ["goes on where its terminal is cleared, and tells that", true],
  ])("a sub-agent in the background %s", { timeout: 120_000 }, async (_, cleared) => {
    await using board = await openBoard({ version })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    await using terminal = await openClaude(board, { version })
    const wait = { name: "Bash", input: { command: "until [ -e gone ]; do sleep 0.1; done", description: "wait" } }
    const input = {
      description: "work",
      prompt: `Chorus task: ${task}\n${directive([wait], { text: "DONE: it is lit." })}`,
      subagent_type: "general-purpose",
      run_in_background: true,
    }
    await terminal.submit(directive([{ name: spawnTool(version), input }], { text: "The turn is over." }))
    await waitFor(async () => (await board.task(task)).status === "in_progress", 60_000, "the work to begin")
    await terminal.waitForText(/● The turn is over\./)
    const terminals = async () => (await board.sessions()).filter(({ parentUuid }) => parentUuid === null)
    if (cleared) {
      await terminal.submit("/clear")
      await waitFor(async () => (await terminals()).length === 2, 60_000, "the session after")
    }
    const agents = (await board.sessions()).filter(({ parentUuid }) => parentUuid !== null)
    expect(agents).toMatchObject([{ name: "work", status: "active", parentUuid: (await terminals()).at(-1)?.uuid }])
    writeFileSync(join(board.home.project, "gone"), "")
    await waitFor(async () => (await board.task(task)).status === "to_verify", 60_000, "the hand-in")
    expect(await reportsOf(board, [task])).toEqual(["DONE: it is lit."])
    // February's program writes the last words when its notice has gone out.
    if (version === "2.1.41") {
      await waitFor(() => existsSync(join(board.home.project, ".chorus", "claude", "news")))
      await terminal.submit("What came of it?")
    }
    const told = ({ all, firstPrompt }: ModelRequest) =>
      !firstPrompt.includes("<chorus session=") && all.includes('"lamp" (SHOP-1) is handed in and waits')
    await board.model.waitFor(told)
    await terminal.hangUp()
    await settled(board)
  })

  it("compaction is followed by the whole introduction again", { timeout: 120_000 }, async () => {
    await using board = await openBoard({ version })
    await using terminal = await openClaude(board, { version })
    // Some versions compact nothing before a few turns.
    for (const prompt of ["One.", "Two.", "Three."]) {
      await terminal.submit(prompt)
      await board.model.waitFor((request) => request.tools.length > 0 && request.prompt.includes(prompt))
    }
    await compacted(board, terminal, "One.")
  })
})
