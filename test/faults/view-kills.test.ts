/** @module-tag stress */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createClient } from "@chorus/client"
import type { StatusAgent, StatusRow } from "@chorus/contracts"
import { runningServer } from "@chorus/server/data-directory"
import { ping, readRows } from "@chorus/status"
import {
  agentProgram,
  type Api,
  CHORUS_MAIN,
  freePort,
  openTerminal,
  scratchHome,
  startModel,
  type Terminal,
  waitFor,
} from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { type ServerProcess, serverProcess } from "../../packages/server/test/server-process.ts"
import { dialectOf } from "../../packages/status/test/happenings.ts"
import { answer, PACKAGE } from "../../packages/status/test/workbench.ts"

const STRESS = process.env["CHORUS_STRESS"] === "1"
const ROUNDS = Number(process.env["CHORUS_ROUNDS"] ?? (STRESS ? 200 : 2))
const PARTS = ["listener", "companion", "server"] as const
/** Once everything that was killed answers again. */
const PROMISED_MS = 2000
const PATIENCE_MS = 60_000

/** Which of the model's doors each program knocks at. */
const AGENTS = { claude: "messages", codex: "responses", opencode: "chat" } as const satisfies Record<StatusAgent, Api>

it(
  `listener, companion and server are killed by chance while agents work and wait (${ROUNDS} rounds): every view says what the processes do`,
  { timeout: STRESS ? 3_600_000 : 300_000 },
  async () => {
    const seed = Number(process.env["CHORUS_SEED"] ?? Date.now() % 1_000_000)
    const random = dice(seed)
    const house = await openHouse()
    const took: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const killed = PARTS.filter((_, at) => at === round % PARTS.length || random(3) === 0)
      await Promise.all(killed.map((part) => house.kill(part)))
      // The agents do not wait for us: some ask or are answered while nobody listens.
      const turning = house.agents.filter(() => random(2) === 0).map((agent) => house.turn(agent))
      await Promise.all([...killed.map((part) => house.start(part)), ...turning])
      const began = performance.now()
      let differed = ""
      await waitFor(
        async () => {
          const found = await house.disagreement()
          differed = found || differed
          return found === ""
        },
        PATIENCE_MS,
        () => `all views to agree in round ${round} after ${killed.join(", ")}: ${house.last()}`,
      )
      const lasted = Math.round(performance.now() - began)
      took.push(lasted)
      if (lasted > PROMISED_MS)
        console.log(`round ${round} was late after ${lasted} ms, ${killed.join(", ")} killed: ${differed}`)
    }
    const sorted = took.toSorted((a, b) => a - b)
    const [median, slowest] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0]
    console.log(`${ROUNDS} rounds: views agree after ${median} ms (median), ${slowest} ms at most (SEED=${seed})`)
    // Two rounds beside the rest of the suite time the machine, not the views.
    if (STRESS) expect(slowest).toBeLessThan(PROMISED_MS)

    // With nobody there to start it again, the page knows nothing any more, says so and asks for nobody. One that is killed before it
    // has come to the server's stream is missed only when it is silent, so this is a new one that has.
    await house.kill("companion")
    await house.start("companion")
    await waitFor(house.isHeard, PATIENCE_MS, "the companion to be connected")
    await waitFor(async () => (await house.disagreement()) === "", PATIENCE_MS, house.last)
    const killed = performance.now()
    await house.kill("companion")
    let page = ""
    await waitFor(
      async () =>
        (page = `${await house.page()}, asked: ${await house.queue()}`) === "unknown unknown unknown, asked: ",
      20_000,
      () => `the page to be in doubt, which says ${page}`,
    )
    const doubted = Math.round(performance.now() - killed)
    console.log(`the page is in doubt ${doubted} ms after its companion was killed`)
    if (STRESS) expect(doubted).toBeLessThan(PROMISED_MS)
  },
)

async function openHouse() {
  const gates = new Map<Api, () => void>()
  const model = await startModel(async ({ api, sincePrompt, number }) => {
    const agent = agents.find((one) => AGENTS[one] === api) ?? "claude"
    // A turn without an end: after each command the model thinks until it is told to ask for the next.
    if (sincePrompt > 0) await new Promise<void>((done) => gates.set(api, done))
    return { tools: [dialects[agent].ask(`touch ${number}`)] }
  })
  const home = scratchHome({ model, opencodePermission: { bash: { "*": "allow", "touch *": "ask" } } })
  const [data, socket] = [join(home.path, "data"), join(home.path, "s.sock")]
  const agents = ["claude", "codex", "opencode"] as const
  const dialects = {
    claude: dialectOf("claude", "2.1.325"),
    codex: dialectOf("codex", "0.166.0"),
    opencode: dialectOf("opencode", "1.18.33"),
  }
  const programs = await Promise.all(agents.map((agent) => agentProgram(PACKAGE[agent])))
  const env = {
    ...home.environment,
    PATH: `${programs.map(dirname).join(":")}:${home.environment["PATH"]}`,
    CHORUS_DATA: data,
    CHORUS_SOCK: socket,
    CHORUS_CACHE: join(home.path, "cache"),
  }
  const children = new Set<ChildProcess>()
  /** By the newest companion. */
  let said = ""
  const startCompanion = async () => {
    const args = [CHORUS_MAIN, "companion", "--machine", "house"]
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] })
    children.add(child)
    said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
    await once(child.stdout, "data")
    return child
  }
  const port = await freePort()
  let server: ServerProcess = await serverProcess(data, port)
  let companion = await startCompanion()
  const terminals = new Map<StatusAgent, Terminal>()
  onTestFinished(async () => {
    for (const child of children) child.kill("SIGKILL")
    for (const terminal of terminals.values()) await terminal.stop()
    const listener = await ping(socket)
    if (listener !== undefined) process.kill(listener.pid, "SIGTERM")
    await server.kill()
    await model.stop()
    await waitFor(() => !processesOf(home.path), 60_000, "everything to have ended")
    await home.remove()
  })
  for (const agent of agents) {
    // Codex's word to its terminal can be read where nobody else reads along.
    const alone = 'tmux pipe-pane -t "$TMUX_PANE"; exec "$@"'
    const run = [process.execPath, CHORUS_MAIN, "run", agent, ...dialects[agent].args]
    const terminal = await openTerminal({ command: "sh", args: ["-c", alone, "sh", ...run], env, cwd: home.project })
    terminals.set(agent, terminal)
    await terminal.waitForText(dialects[agent].ready)
    await terminal.submit("work and ask")
    await terminal.waitForText(dialects[agent].asks)
  }

  const watching = await openTerminal({
    command: process.execPath,
    args: [CHORUS_MAIN, "status", "--watch"],
    env,
    cwd: home.project,
  })
  onTestFinished(watching.stop)

  /** What the list says that somebody has had open all the while. */
  async function watched(): Promise<string> {
    const screen = await watching.screen()
    const stateOf = (agent: StatusAgent) =>
      new RegExp(`^. \\S+ +${agent} +(needs input|\\w+) `, "m").exec(screen)?.[1] ?? "missing"
    return agents.map((agent) => stateOf(agent).replace("needs input", "needsInput")).join(" ")
  }

  /** What the agents do, as a person sees it who sits before them. */
  async function truth(): Promise<string> {
    const screens = await Promise.all(agents.map(async (agent) => (await terminals.get(agent)?.screen()) ?? ""))
    return agents
      .map((agent, at) => (dialects[agent].asks.test(screens[at] ?? "") ? "needsInput" : "running"))
      .join(" ")
  }

  const statesOf = (rows: readonly Pick<StatusRow, "agent" | "state">[]) =>
    agents.map((agent) => rows.find((row) => row.agent === agent)?.state ?? "missing").join(" ")
  const namesOf = (names: readonly string[]) => names.toSorted().join(" ")
  const counts = (states: string) =>
    ["needsInput", "running"].map((state) => states.split(" ").filter((one) => one === state).length).join("/")
  let last = ""

  function board() {
    const running = runningServer(data)
    return createClient({ url: running?.url ?? "", key: running?.token ?? "" })
  }

  /** What the page is told. */
  function page(): Promise<string> {
    return board()
      .call("chorus_list_terminals", {})
      .then(({ terminals: rows }) => statesOf(rows))
      .catch(() => "away")
  }

  /** Whose questions stand under Needs you, each as often as it stands there. */
  function queue(): Promise<string> {
    return board()
      .call("chorus_list_attentions", { open: true })
      .then(({ attentions }) => namesOf(attentions.map(({ detail }) => String(detail["agent"]))))
      .catch(() => "away")
  }

  /** Where a view says something else than the agents; nothing when all agree. */
  async function disagreement(): Promise<string> {
    const line = existsSync(`${socket}.line`) ? readFileSync(`${socket}.line`, "utf8") : ""
    const bar = `${/\?(\d+)/.exec(line)?.[1] ?? 0}/${/●(\d+)/.exec(line)?.[1] ?? 0}`
    const rows = await readRows(socket).catch(() => [])
    const views = { command: rows.length === 0 ? "away" : statesOf(rows), page: await page(), watch: await watched() }
    const [asked, states] = [await queue(), await truth()]
    const why = rows
      .filter(({ state }) => state === "unknown")
      .map(({ agent, source, reason }) => [agent, source, reason])
    last = `agents ${states}, ${JSON.stringify({ ...views, bar, asked, why })}`
    const asking = namesOf(agents.filter((_, at) => states.split(" ")[at] === "needsInput"))
    const isTrue = Object.values(views).every((view) => view === states) && bar === counts(states) && asked === asking
    return isTrue ? "" : last
  }

  await waitFor(
    async () => (await disagreement()) === "",
    PATIENCE_MS,
    () => last,
  )
  return {
    agents,
    disagreement,
    page,
    queue,
    last: () => last,
    isHeard: () => said.includes("connected to "),
    /** One that asks is answered, one that works asks. */
    async turn(agent: StatusAgent): Promise<void> {
      const [terminal, { asks, yes }] = [terminals.get(agent), dialects[agent]]
      if (terminal === undefined) return
      if (asks.test(await terminal.screen())) return answer(terminal, yes, asks)
      const go = await waitFor(() => gates.get(AGENTS[agent]), PATIENCE_MS, `${agent} to ask its model`)
      gates.delete(AGENTS[agent])
      go()
      await terminal.waitForText(asks)
    },
    async kill(part: (typeof PARTS)[number]) {
      if (part === "server") return server.kill()
      if (part === "companion") return void companion.kill("SIGKILL")
      const listener = await ping(socket)
      if (listener !== undefined) process.kill(listener.pid, "SIGKILL")
    },
    /** The listener comes back by itself; the others are started as whoever runs them would. */
    async start(part: (typeof PARTS)[number]) {
      if (part === "server") server = await serverProcess(data, port)
      if (part === "companion") companion = await startCompanion()
      if (part === "listener")
        await waitFor(async () => (await ping(socket, 500)) !== undefined, PATIENCE_MS, "a listener")
    },
  }
}

function processesOf(folder: string): boolean {
  return execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" }).includes(folder)
}

/** Whole numbers below `sides`, the same for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 9) % sides
  }
}
