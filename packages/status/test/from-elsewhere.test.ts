import { execFile } from "node:child_process"
import { copyFileSync, existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { agentProgram, openTerminal, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { tellTerminal } from "../src/listener/listener-client.ts"
import { agentsHere } from "../src/watch/agents-here.ts"
import { processTable } from "../src/watch/process-table.ts"
import { REAL_AGENT, workbench, type Workbench } from "./workbench.ts"

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
    await tellTerminal(bench.service.listener.socketPath, "terminal-1", { ask: "jump" })
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

it("Claude Code that nobody started through us is found, shown as such, and followed", REAL_AGENT, async () => {
  const bench = await workbench("claude")
  const { CHORUS_SOCK: _socket, CHORUS_TERMINAL_ID: _id, ...bare } = bench.env
  const terminal = await openTerminal({
    command: await agentProgram("claude-code"),
    args: ["--permission-mode", "manual"],
    env: { ...bare, PATH: `${dirname(process.execPath)}:${bare["PATH"]}` },
    cwd: bench.home.project,
  })
  onTestFinished(terminal.stop)
  await terminal.waitForText(/manual mode on/)
  await waitFor(
    () => bench.row()?.outside === true && bench.row()?.state === "idle",
    60_000,
    () => JSON.stringify(bench.row()),
  )
  bench.model.script(() => ({ hang: true }))
  await terminal.submit("think for ever")
  await bench.waitForStates(/running$/)
  expect(bench.row()).toMatchObject({ agent: "claude", outside: true })
  process.kill(await bench.agentPid(bench.row()?.terminalId ?? ""), "SIGKILL")
  await bench.waitForStates(/running finished:1$/)
})

it("takes nobody for an agent at work who only asks one for its version", async () => {
  const folder = temporaryDirectory("chorus-elsewhere-")
  onTestFinished(folder.remove)
  const claude = join(folder.path, "claude")
  copyFileSync("/bin/sleep", claude)
  const env = { PATH: "/usr/bin:/bin", HOME: folder.path }
  const terminal = await openTerminal({ command: claude, args: ["60"], env, cwd: folder.path })
  onTestFinished(terminal.stop)
  const { read, all } = processTable()
  const found = async (older: number) => {
    const aged = async () => (await all()).map((row) => ({ ...row, startedAt: row.startedAt - older }))
    const here = await agentsHere({ read, all: aged })
    return here.filter(({ environment }) => environment["HOME"] === folder.path).map(({ agent }) => agent)
  }
  await waitFor(async () => (await found(60_000)).length === 1, 60_000, "the process")
  // As if everything had begun a moment ago.
  expect(await found(-60_000)).toEqual([])
})

async function answerFrom(bench: Workbench, decision: "approve" | "deny"): Promise<void> {
  const ask = await waitFor(
    () => bench.row()?.ask ?? undefined,
    60_000,
    () => JSON.stringify(bench.row()),
  )
  await tellTerminal(bench.service.listener.socketPath, "terminal-1", { ask: "answer", question: ask, decision })
}
