import { execFile, execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import type { StatusRow } from "@chorus/contracts"
import { applyStatusLine, statusRow, unknownTerminal } from "@chorus/core"
import { livenessOf } from "@chorus/disk"
import { CHORUS_MAIN, openTerminal, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { controllingTerminal } from "../src/launch/terminal-identity.ts"
import { resumeStore } from "../src/resume/resume-store.ts"
import { agentsHere } from "../src/watch/agents-here.ts"
import { processTable } from "../src/watch/process-table.ts"
import { named, REAL_AGENT, workbench } from "./workbench.ts"

const CHORUS = `${process.execPath} ${CHORUS_MAIN}`

const EVERY_DAY = [["claude", /shortcuts|shift\+tab/] as const]
// That their conversations go on is shown every day by their own tests.
const OTHERS = [
  ["codex", /Ask Codex|›/],
  ["opencode", /Ask anything/],
] as const
const UNDER_STRESS = process.env["CHORUS_STRESS"] === "1" ? OTHERS : []

it.each([...EVERY_DAY, ...UNDER_STRESS])(
  "%s, killed in a person's terminal, comes back there with what was said",
  REAL_AGENT,
  async (agent, ready) => {
    const bench = await workbench(agent, { scenario: () => ({ text: "The lamp is lit." }) })
    const env = { ...bench.env, XDG_STATE_HOME: join(bench.home.path, "state"), PS1: "$ " }
    const terminal = await openTerminal({ ...named(env, "/bin/bash", "--norc", "-i"), cwd: bench.home.project })
    onTestFinished(terminal.stop)
    await terminal.submit(`${CHORUS} resume --on ${agent} && ${CHORUS} run ${agent}`)
    await terminal.waitForText(ready)
    await terminal.submit("Remember the lamp.")
    await bench.waitForStates(/running finished:0$/)
    // What it has not written down cannot be resumed; Claude Code takes its time.
    if (agent === "claude")
      await waitFor(() => transcripts(bench.home.path).includes("The lamp is lit."), 60_000, "the words on disk")
    process.kill(await bench.agentPid(), "SIGKILL")
    await terminal.waitForText(/^\$$/m)
    const [left] = resumeStore(join(bench.home.path, "state", "chorus")).list()
    expect(left).toMatchObject({ tab: `tmux/${terminal.socket}/main/0`, folder: bench.home.project })

    bench.mark()
    // In another folder it would work on other files, so the person is asked.
    await terminal.submit(`cd /; clear; ${CHORUS} resume`)
    await terminal.waitForText(/was in .*project\. Go there and bring it back\? \[y\/N\]/s)
    await terminal.submit("y")
    await terminal.waitForText(/The lamp is lit\./)
    // It is open here before anything is said to it.
    if (agent === "claude") await waitFor(() => bench.row()?.resumeCommand === left?.command, 60_000, "its session")
    await terminal.submit("What did I say?")
    await bench.waitForStates(/running finished:0$/)
    const last = bench.model.requests.filter(({ purpose }) => purpose === "turn").at(-1)
    expect(last?.all).toContain("Remember the lamp.")
    expect(last?.prompt).toContain("What did I say?")

    // Two programs at one session would write into each other's words.
    const isHere = async () =>
      (await agentsHere(processTable())).some(({ environment }) => environment["HOME"] === bench.home.path)
    await waitFor(isHere, 60_000, "the program to have been open for a while")
    const beside = promisify(execFile)(process.execPath, [CHORUS_MAIN, "resume", "--terminal", "terminal-1"], { env })
    await expect(beside).rejects.toMatchObject({
      stderr: expect.stringMatching(/still open in terminal terminal-1\. \[still_open\][\s\S]*chorus status jump/),
    })
  },
)

it("forgets what was done in a pane that was closed, not what ended with its terminal program", async () => {
  const { path, remove } = temporaryDirectory("chorus-closed-")
  onTestFinished(remove)
  const store = resumeStore(path)
  await store.turn("claude", true)
  const tmux = (...args: string[]) => execFileSync("tmux", ["-L", basename(path), ...args], { encoding: "utf8" })
  tmux("-f", "/dev/null", "new-session", "-d", "sleep 600")
  for (const _ of ["second", "third"]) tmux("new-window", "-d", "sleep 600")
  for (const line of tmux("list-panes", "-a", "-F", "#{window_index} #{pane_pid}").trim().split("\n")) {
    const [index = "", pid] = line.split(" ")
    // tmux tells the process of a pane before that has gone into its terminal, where an agent would be.
    await waitFor(() => controllingTerminal(Number(pid)) !== undefined, 60_000, `pane ${index} to have its terminal`)
    const place = { tab: null, folder: path, version: null, once: false, pid: Number(pid) }
    await store.record(rowOf(`t${index}`, `claude --resume s${index}`), place)
  }
  const names = async () => (await store.offered()).map(({ terminalId }) => terminalId)
  const seen = () => {
    const openers = store.list().map(({ terminalId, pane }) => [terminalId, pane, pane && livenessOf(pane.opener)])
    return JSON.stringify([
      openers,
      execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,tty=,args="], { encoding: "utf8" }),
    ])
  }
  expect(await names()).toEqual(["t0", "t1", "t2"])
  tmux("kill-window", "-t", ":1")
  await waitFor(
    async () => (await names()).join() === "t0,t2",
    60_000,
    () => `the closed one to be offered no more: ${seen()}`,
  )
  await store.forgetClosed()
  // Its ids go with it, not only its line.
  expect(readFileSync(join(path, "resume.json"), "utf8")).not.toContain("s1")
  // Its panes end before the program does; whoever asks in between takes nothing from it.
  tmux("kill-server")
  const here = { terminalId: "new", folder: path }
  await waitFor(
    async () => (await store.find(here)).length === 2,
    60_000,
    () => `both to be offered: ${seen()}`,
  )
  await store.forgetClosed()
  expect(await names()).toEqual(["t0", "t2"])
})

function rowOf(terminalId: string, resumeCommand: string): StatusRow {
  const line = { terminalId, agent: "claude", event: "running", at: 1, resumeCommand } as const
  return statusRow(applyStatusLine(unknownTerminal(line), line))
}

function transcripts(home: string): string {
  const projects = join(home, ".claude", "projects")
  const files = readdirSync(projects, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"))
  return files.map((name) => readFileSync(join(projects, name), "utf8")).join("")
}
