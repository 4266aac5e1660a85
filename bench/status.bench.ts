import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { runningServer } from "@chorus/server"
import { claudeArguments, codexArguments, ensureListener, ping, readRows } from "@chorus/status"
import {
  type Agent,
  agentProgram,
  launchBrowser,
  type ModelRequest,
  runAgent,
  scratchHome,
  startModel,
  temporaryDirectory,
  type Turn,
} from "@chorus/testing"
import { openCodeConfigContent } from "../packages/status/src/opencode/config-content.ts"
import { statusPrograms } from "../packages/status/src/launch/programs.ts"
import { type Bench, type Figure, percentile } from "./figure.ts"
import { served } from "./served.ts"

const CHORUS = join(import.meta.dirname, "..", "dist", "chorus.js")
const ROUNDS = 30
const PASSES = 4
const TERMINALS = 100
const EVENTS = 400
const EVENTS_PER_SECOND = 40
const IDLE_MS = 20_000
const TICKS_PER_SECOND = 100

/** What status costs an agent, how soon a change is seen, and what the listener holds, all in the real programs. */
export const bench: Bench = async () => {
  await using place = temporaryDirectory("status-bench-")
  const socket = join(place.path, "s.sock")
  await ensureListener(socket, 600_000)
  const pid = (await ping(socket))?.pid ?? 0
  try {
    const shell = addedToShell(place.path)
    return [...(await overhead(socket)), ...(await seen(socket, place.path)), ...(await listener(socket, pid)), shell]
  } finally {
    process.kill(pid, "SIGTERM")
  }
}

interface Program {
  readonly agent: Agent
  readonly name: string
  readonly turn: Turn
  /** Hooks of ours in one round of a tool. */
  readonly hooks: number
  readonly args: readonly string[]
  hooked(args: readonly string[]): { args: readonly string[]; env: Record<string, string> }
}

const programs = statusPrograms()
const PROGRAMS: readonly Program[] = [
  {
    agent: "claude-code",
    name: "Claude Code",
    turn: { tools: [{ name: "Glob", input: { pattern: "nothing-*" } }] },
    hooks: 2,
    args: ["-p", "go", "--permission-mode", "bypassPermissions"],
    hooked: (args) => ({ args: claudeArguments(args, programs.emitter) ?? [], env: { CHORUS_AGENT: "claude" } }),
  },
  {
    agent: "codex",
    name: "Codex",
    turn: { tools: [{ name: "exec_command", input: { cmd: "true" } }] },
    // PreToolUse, PostToolUse, PreModelRequest and PostModelRequest.
    hooks: 4,
    args: ["exec", "-s", "workspace-write", "go"],
    hooked: (args) => ({ args: codexArguments(args, programs.emitter) ?? [], env: { CHORUS_AGENT: "codex" } }),
  },
  {
    agent: "opencode",
    name: "OpenCode",
    turn: { tools: [{ name: "glob", input: { pattern: "nothing-*" } }] },
    hooks: 2,
    args: ["run", "go"],
    hooked: (args) => ({
      args,
      env: {
        CHORUS_AGENT: "opencode",
        OPENCODE_CONFIG_CONTENT: openCodeConfigContent(undefined, programs.opencodePlugin) ?? "",
      },
    }),
  },
]

/** Rounds of a tool in the real program, without hooks and with ours, in turns. */
async function overhead(socket: string): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { agent, name, turn, hooks, args, hooked } of PROGRAMS) {
    await using model = await startModel((request) => (request.sincePrompt < ROUNDS ? turn : { text: "Done." }))
    await using home = scratchHome({ model })
    const measure = async (run: { args: readonly string[]; env: Record<string, string> }) => {
      const from = model.requests.length
      await runAgent({
        agent,
        home,
        args: [...run.args],
        env: { CHORUS_SOCK: socket, CHORUS_TERMINAL_ID: `bench-${agent}`, ...run.env },
        timeout: 120_000,
      })
      return gaps(model.requests.slice(from))
    }
    const plain: number[][] = []
    const ours: number[][] = []
    for (let pass = 0; pass < PASSES; pass++) {
      plain.push(await measure({ args, env: {} }))
      ours.push(await measure(hooked(args)))
    }
    if (!(await readRows(socket)).some((row) => row.terminalId === `bench-${agent}`))
      throw new Error(`${name} told nothing`)
    const of = (runs: readonly number[][], share: number) => percentile(runs.flat(), share)
    const added = (share: number) => (of(ours, share) - of(plain, share)) / hooks
    // OpenCode runs ours in its own process, where what it takes can be told; its rounds differ by more from run to run.
    const slowest = agent === "opencode" ? percentile(await takenInside(socket), 0.95) : added(0.95)
    figures.push(
      { name: `status: a round of ${name} without hooks, p50`, value: of(plain, 0.5), unit: "ms" },
      { name: `status: added to ${name} by a hook, p50`, value: added(0.5), unit: "ms" },
      { name: `status: added to ${name} by a hook, p95`, value: slowest, unit: "ms", budget: { atMost: 10 } },
    )
  }
  return figures
}

/** Brings our plugin what OpenCode was recorded to bring it, and tells how long each word took. */
const REPLAY = `
import { readFileSync } from "node:fs"
const [, , plugin, recording] = process.argv
const { ChorusStatus } = await import(plugin)
const hooks = await ChorusStatus({ directory: "/p" })
const words = readFileSync(recording, "utf8").trimEnd().split("\\n").map((line) => JSON.parse(line))
const took = []
for (let time = 0; time < 20; time++)
  for (const { event, chat, tool } of words) {
    const began = performance.now()
    if (event !== undefined) await hooks.event({ event })
    else if (chat !== undefined) await hooks["chat.message"]({ sessionID: chat.sessionID }, { parts: chat.parts })
    else if (tool !== undefined) await hooks["tool.execute.before"](tool, { args: tool.args })
    else continue
    took.push(performance.now() - began)
    // What it wrote goes out between two words.
    await new Promise((done) => setImmediate(done))
  }
console.log(took.join(" "))
process.exit(0)
`

/** Milliseconds that each word takes of OpenCode's one thread, in its own runtime. */
async function takenInside(socket: string): Promise<number[]> {
  await using folder = temporaryDirectory("status-bench-inside-")
  const script = join(folder.path, "replay.mjs")
  writeFileSync(script, REPLAY)
  const recording = join(import.meta.dirname, "..", "packages", "status", "fixtures", "opencode", "serve.jsonl")
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: folder.path,
    BUN_BE_BUN: "1",
    CHORUS_SOCK: socket,
    CHORUS_TERMINAL_ID: "bench-inside",
    CHORUS_AGENT: "opencode",
  }
  const args = ["run", script, programs.opencodePlugin, recording]
  const said = execFileSync(await agentProgram("opencode"), args, { env, encoding: "utf8", maxBuffer: 2 ** 26 })
  return said.trim().split(" ").map(Number)
}

/** Milliseconds between the model's requests: one round each. The first is start-up. */
function gaps(requests: readonly ModelRequest[]): number[] {
  const turns = requests.filter((request) => request.purpose === "turn" && request.api !== "other")
  return turns.slice(2).map((request, index) => request.at - (turns[index + 1]?.at ?? 0))
}

/** From a line on the socket to the character on the screen of `--watch`, and to the frame of the page, with a hundred terminals. */
async function seen(socket: string, folder: string): Promise<Figure[]> {
  const line = await wire(socket)
  for (let at = 0; at < TERMINALS; at++) tell(line, at, "begins")
  const [repaint, page] = [await repaints(socket, line), await paints(socket, folder, line)]
  line.end()
  return [
    {
      name: `status: event to --watch, p95, ${TERMINALS} terminals`,
      value: percentile(repaint, 0.95),
      unit: "ms",
      budget: { atMost: 150 },
    },
    { name: "status: event to --watch, median", value: percentile(repaint, 0.5), unit: "ms" },
    {
      name: `status: event to page, p95, ${TERMINALS} terminals`,
      value: percentile(page, 0.95),
      unit: "ms",
      budget: { atMost: 150 },
    },
    { name: "status: event to page, median", value: percentile(page, 0.5), unit: "ms" },
    {
      name: "status: events seen on the page",
      value: (page.length / EVENTS) * 100,
      unit: "%",
      budget: { atLeast: 95 },
    },
  ]
}

async function repaints(socket: string, line: Socket): Promise<number[]> {
  const command = `stty rows ${TERMINALS + 30} cols 160; exec '${process.execPath}' '${CHORUS}' status --watch`
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    env: { ...process.env, CHORUS_SOCK: socket, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const painted = new Map<number, number>()
  let heard = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const now = Date.now()
    heard = `${heard}${text}`.slice(-200_000)
    for (const [, mark] of heard.matchAll(/mark-(\d+)\./g))
      if (!painted.has(Number(mark))) painted.set(Number(mark), now)
  })
  await until(() => heard.includes(`t${TERMINALS - 1}`))
  const delays = await feed(line, async () => painted)
  await end(child)
  return delays
}

async function paints(socket: string, folder: string, line: Socket): Promise<number[]> {
  const data = join(folder, "data")
  const server = await served(data)
  const env = { ...process.env, HOME: folder, CHORUS_SOCK: socket }
  const companion = spawn(process.execPath, [CHORUS, "companion", "--url", server.url, "--key", server.key], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  })
  const browser = await launchBrowser()
  try {
    const owner = createClient({ url: server.url, key: runningServer(data)?.token })
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    const { uuid } = await owner.call("chorus_whoami", {})
    const { signInPath } = await owner.call("chorus_create_sign_in_link", { userUuid: uuid })
    await page.goto(`${server.url}${signInPath}`)
    await page.getByRole("navigation").first().waitFor()
    await page.goto(`${server.url}/agents`)
    await until(async () => (await owner.call("chorus_list_terminals", {})).terminals.length >= TERMINALS)
    await page
      .getByText(/mark-\d+/)
      .first()
      .waitFor()
    await page.evaluate(watchMarks)
    return await feed(
      line,
      async () =>
        new Map(await page.evaluate(() => [...(globalThis as unknown as { painted: Map<number, number> }).painted])),
    )
  } finally {
    await browser.close()
    await end(companion)
    await server.stop()
  }
}

/** Runs in the page: notes when each mark has been painted. */
function watchMarks(): void {
  const painted = new Map<number, number>()
  Object.assign(globalThis, { painted })
  const look = () => {
    const marks = [...(document.querySelector("main")?.textContent ?? "").matchAll(/mark-(\d+)\./g)]
      .map(([, mark]) => Number(mark))
      .filter((mark) => !painted.has(mark))
    // A task that is put in line while a frame is made runs when it is on the screen.
    setTimeout(() => {
      for (const mark of marks) painted.set(mark, Date.now())
    })
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

let marks = 0

/** Tells of one change after the other, each in the next terminal, and how long each took to be seen. */
async function feed(line: Socket, painted: () => Promise<ReadonlyMap<number, number>>): Promise<number[]> {
  const sent = new Map<number, number>()
  const began = Date.now()
  for (let at = 0; at < EVENTS; at++) {
    const mark = ++marks
    sent.set(mark, Date.now())
    tell(line, at % TERMINALS, `mark-${mark}.`)
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(1, began + ((at + 1) * 1000) / EVENTS_PER_SECOND - Date.now())),
    )
  }
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const times = await painted()
  return [...sent].flatMap(([mark, at]) => (times.has(mark) ? [(times.get(mark) ?? 0) - at] : []))
}

/** What the listener holds and does while a hundred terminals with all their history say nothing. */
async function listener(socket: string, pid: number): Promise<Figure[]> {
  const line = await wire(socket)
  for (let round = 0; round < 130; round++)
    for (let at = 0; at < TERMINALS; at++) tell(line, at, `fills its history ${round} ${"x".repeat(100)}`)
  await until(async () =>
    (await readRows(socket)).every(
      (row) => row.terminalId.startsWith("bench-") || (row.detail ?? "").startsWith("fills its history 129"),
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const before = ticksOf(pid)
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const percent = ((ticksOf(pid) - before) / TICKS_PER_SECOND / (IDLE_MS / 1000)) * 100
  const megabytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024
  line.end()
  return [
    {
      name: `status: listener at rest, ${TERMINALS} terminals, processor`,
      value: percent,
      unit: "%",
      budget: { atMost: 0.5 },
    },
    {
      name: `status: listener, ${TERMINALS} full histories, memory`,
      value: megabytes,
      unit: "MB",
      budget: { atMost: 60 },
    },
  ]
}

/** What the one line in a start-up file costs each shell that opens. */
function addedToShell(folder: string): Figure {
  const env = { ...process.env, HOME: folder, CHORUS_CACHE: folder }
  const line = execFileSync(process.execPath, [CHORUS, "shell-init", "bash", "--file"], { env, encoding: "utf8" })
  const took = (script: string): number => {
    const began = performance.now()
    execFileSync("bash", ["--norc", "-c", script], { env })
    return performance.now() - began
  }
  const [plain, ours]: [number[], number[]] = [[], []]
  for (let round = 0; round < 200; round++) {
    plain.push(took(":"))
    ours.push(took(line))
  }
  return {
    name: "status: added to a shell by shell-init, p50",
    value: Math.max(0, percentile(ours, 0.5) - percentile(plain, 0.5)),
    unit: "ms",
    budget: { atMost: 15 },
  }
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return Number(fields[11]) + Number(fields[12])
}

function tell(line: Socket, terminal: number, detail: string): void {
  line.write(
    `${JSON.stringify({ terminalId: `t${terminal}`, event: "running", agent: "claude", at: Date.now(), pid: process.pid, toolDetail: detail })}\n`,
  )
}

async function wire(socket: string): Promise<Socket> {
  const line = connect(socket)
  await once(line, "connect")
  return line
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("what was waited for did not come")
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  await ended
}
