import { execFile } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { StatusRow } from "@chorus/contracts"
import { CHORUS_MAIN, openTerminal, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { startStatusService } from "../src/listener/status-service.ts"
import { notifySettings } from "../src/notify/notify-settings.ts"
import { resumeStore, stateFolder } from "../src/resume/resume-store.ts"
import { agentsHere } from "../src/watch/agents-here.ts"
import { type ProcessTable, processTable } from "../src/watch/process-table.ts"
import { tell } from "./tell.ts"
import { answer, REAL_AGENT, workbench, type Workbench } from "./workbench.ts"

const bash = (command: string) => ({ name: "Bash", input: { command, description: "A command" } })
const prompt = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`

it(
  "Claude Code is answered from elsewhere, its pane is shown, and what was seen is no longer new",
  REAL_AGENT,
  async () => {
    const bench = await workbench("claude")
    const terminal = await bench.open("--permission-mode", "manual")
    await terminal.waitForText(/manual mode on/)
    await terminal.submit(prompt([bash("touch granted")]))
    await answerFrom(bench, "approve")
    await bench.waitForStates(/finished:0$/)
    expect(existsSync(join(bench.home.project, "granted"))).toBe(true)
    expect(bench.row()?.unread).toBe(true)

    const tmux = (...args: string[]) => promisify(execFile)("tmux", ["-L", terminal.socket, ...args])
    const [pane] = await terminal.panes()
    await tmux("new-window", "-t", "main", "sleep 60")
    await chorus(bench, "jump")
    expect((await tmux("display-message", "-p", "-t", "main", "#{pane_id}")).stdout.trim()).toBe(pane?.id)
    expect(bench.row()?.unread).toBe(false)

    bench.mark()
    await terminal.submit(prompt([bash("touch refused")]))
    await answerFrom(bench, "deny")
    // As after a No in the terminal.
    await bench.waitForStates(/needsInput.* (finished:\d|idle)$/)
    await waitFor(
      () => bench.row()?.reason === "interrupted by the person",
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()?.state).toBe("idle")
    expect(existsSync(join(bench.home.project, "refused"))).toBe(false)
  },
)

const unknown = "Claude Code that nobody started through us is found, shown as such, and followed"
it(unknown, { ...REAL_AGENT, tags: ["stress"] }, async () => {
  const bench = await workbench("claude")
  const terminal = await bench.openBare("--permission-mode", "manual")
  await terminal.waitForText(/manual mode on/)
  await waitFor(
    () => bench.row()?.outside === true && bench.row()?.state === "idle",
    60_000,
    () => JSON.stringify(bench.row()),
  )
  await terminal.submit(prompt([bash("touch asked")]))
  await bench.waitForStates(/needsInput$/)
  // Nobody of ours holds its question, so it is answered in its terminal alone.
  expect(bench.row()).toMatchObject({ outside: true, ask: null })
  await answer(terminal, "Enter", /Do you want to proceed/)
  await bench.waitForStates(/needsInput.* (idle|finished:0)$/)
  bench.model.script(() => ({ hang: true }))
  await terminal.submit("think for ever")
  await bench.waitForStates(/running$/)
  expect(bench.row()).toMatchObject({ agent: "claude", outside: true })
  process.kill(await bench.agentPid(bench.row()?.terminalId ?? ""), "SIGKILL")
  await bench.waitForStates(/running finished:1$/)
})

it("takes nobody for an agent at work who only asks one for its version", async () => {
  const { found } = await openStandIn("claude")
  await waitFor(async () => (await found(60_000)).length === 1, 60_000, "the process")
  // As if everything had begun a moment ago.
  expect(await found(-60_000)).toEqual([])
})

it("believes an agent that speaks while it is looked for", async () => {
  const { folder, found, table } = await openStandIn("opencode")
  const { terminalId } = await waitFor(async () => (await found(60_000))[0], 60_000, "the process")
  const socketPath = join(folder, "s")
  const speaking: ProcessTable = {
    ...table(60_000),
    async all() {
      const rows = await table(60_000).all()
      await tell(socketPath, { terminalId, agent: "opencode", event: "running", at: Date.now() })
      return rows
    },
  }
  const resume = resumeStore(join(folder, "state"))
  const service = await startStatusService({ socketPath, home: folder, processes: speaking, resume })
  onTestFinished(service.close)
  expect(service.listener.book.rows()).toMatchObject([{ terminalId, state: "running" }])
})

it("hears a connected agent that nobody started through us, under the name of its terminal", async () => {
  const { folder, found, table } = await openStandIn("opencode")
  const { terminalId, pid } = await waitFor(async () => (await found(60_000))[0], 60_000, "the process")
  const socketPath = join(folder, "s")
  const resume = resumeStore(join(folder, "state"))
  const service = await startStatusService({ socketPath, home: folder, processes: table(0), resume })
  onTestFinished(service.close)
  const rows = () => service.listener.book.rows().map((row) => [row.terminalId, row.state, row.outside])
  const said = { terminalId: `process-${pid}`, agent: "opencode", outside: true }
  // Of a process that is in no terminal of its own, this is nobody's word.
  await tell(socketPath, { ...said, pid: process.pid, event: "needsInput", at: Date.now() })
  await tell(socketPath, { ...said, pid, event: "running", at: Date.now() })
  await waitFor(() => rows()[0]?.[1] === "running", 20_000, "its word")
  expect(rows()).toEqual([[terminalId, "running", true]])
})

it("does not look for an agent that its person wants left alone, nor hear it, until they take that back", async () => {
  const { folder, found, table } = await openStandIn("opencode")
  const { pid } = await waitFor(async () => (await found(60_000))[0], 60_000, "the process")
  const switches = notifySettings(stateFolder({ ...process.env, HOME: folder }))
  await switches.turn("report:opencode", false)
  const [socketPath, seen] = [join(folder, "s"), new Array<string>()]
  const resume = resumeStore(join(folder, "state"))
  const forwarders = [{ changed: ({ state }: StatusRow) => seen.push(state) }]
  const service = await startStatusService({ socketPath, home: folder, processes: table(60_000), resume, forwarders })
  onTestFinished(service.close)
  const said = { terminalId: `process-${pid}`, agent: "opencode", pid, outside: true, event: "running" }
  await tell(socketPath, { ...said, at: Date.now() })
  expect(seen).toEqual([])
  await switches.turn("report:opencode", true)
  await waitFor(() => seen.length > 0, 20_000, "it to be looked for again")
  expect(seen.at(-1)).toBe("unknown")
  expect(seen).not.toContain("running")
})

it("knows of Claude Code what its own file says, also when that comes late", async () => {
  const { folder, found, table } = await openStandIn("claude")
  const { pid } = await waitFor(async () => (await found(60_000))[0], 60_000, "the process")
  const resume = resumeStore(join(folder, "state"))
  const socketPath = join(folder, "s")
  const service = await startStatusService({ socketPath, home: folder, processes: table(60_000), resume })
  onTestFinished(service.close)
  const state = () => service.listener.book.rows()[0]?.state
  expect(state()).toBe("unknown")
  mkdirSync(join(folder, ".claude", "sessions"), { recursive: true })
  const says = { pid, status: "idle", statusUpdatedAt: Date.now() - 60_000 }
  writeFileSync(join(folder, ".claude", "sessions", `${pid}.json`), JSON.stringify(says))
  await waitFor(
    () => state() === "idle",
    20_000,
    () => `it to be idle, which is ${state()}`,
  )
})

/** A program of that name in a terminal of its own, which does nothing, and how it is found when all are so much older. */
async function openStandIn(name: string) {
  const folder = temporaryDirectory("chorus-elsewhere-")
  onTestFinished(folder.remove)
  const program = join(folder.path, name)
  copyFileSync("/bin/sleep", program)
  const env = { PATH: "/usr/bin:/bin", HOME: folder.path }
  const terminal = await openTerminal({ command: program, args: ["60"], env, cwd: folder.path })
  onTestFinished(terminal.stop)
  const { read, all } = processTable()
  const table = (older: number): ProcessTable => ({
    read,
    all: async () => (await all()).map((row) => ({ ...row, startedAt: row.startedAt - older })),
  })
  const found = async (older: number) =>
    (await agentsHere(table(older))).filter(({ environment }) => environment["HOME"] === folder.path)
  return { folder: folder.path, table, found }
}

async function answerFrom(bench: Workbench, decision: "approve" | "deny"): Promise<void> {
  const ask = await waitFor(
    () => bench.row()?.ask ?? undefined,
    60_000,
    () => JSON.stringify(bench.row()),
  )
  expect(ask).not.toBe("")
  await chorus(bench, "answer", "terminal-1", decision === "approve" ? "yes" : "no")
}

function chorus({ env }: Workbench, ...args: string[]) {
  return promisify(execFile)(process.execPath, [CHORUS_MAIN, "status", ...args], { env })
}
