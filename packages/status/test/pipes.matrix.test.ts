import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StatusAgent } from "@chorus/contracts"
import { agentProgram, CHORUS_MAIN, openTerminal, waitFor } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { dialectOf } from "./happenings.ts"
import { PACKAGE, REAL_AGENT, workbench } from "./workbench.ts"

const WORDS = 100_000
const ANSWER = Array.from({ length: WORDS }, (_, at) => `w${at}`).join(" ")
/** Its prompt comes late, and who reads its answer begins later still. */
const PIPELINE = '(sleep 1; cat prompt) | "$@" | (sleep 2; cat > out); exit "${PIPESTATUS[1]}"'

/** How each is asked once, without a terminal, with its prompt on its input. */
const ONCE: Record<StatusAgent, readonly string[]> = {
  claude: ["-p"],
  codex: ["exec", "--skip-git-repo-check", "-"],
  opencode: ["run"],
}

it.each(Object.entries(ONCE) as [StatusAgent, readonly string[]][])(
  "%s in a shell's pipeline says half a megabyte through us as it does alone, and ends alike",
  REAL_AGENT,
  async (agent, args) => {
    const bench = await workbench(agent, { scenario: () => ({ text: ANSWER }) })
    const at = (name: string) => join(bench.home.project, name)
    writeFileSync(at("prompt"), "Say it all.\n")
    const through = async (...command: string[]) => {
      const shell = ["-c", PIPELINE, "bash", ...command]
      const child = spawn("bash", shell, { env: bench.env, cwd: bench.home.project, stdio: "ignore" })
      onTestFinished(() => void child.kill())
      const [code] = (await once(child, "exit")) as [number | null]
      return { code, said: readFileSync(at("out"), "utf8") }
    }
    const alone = await through(await agentProgram(PACKAGE[agent]), ...args)
    const ours = await through(process.execPath, CHORUS_MAIN, "run", agent, ...args)
    expect(ours.code).toBe(alone.code)
    expect(ours.code).toBe(0)
    expect(ours.said.length).toBeGreaterThan(500_000)
    expect(ours.said === alone.said).toBe(true)
    await bench.waitForStates(/running finished:0$/)
    // And one that is called wrongly fails alike.
    const wrong = ["--not-an-option"]
    expect(await through(process.execPath, CHORUS_MAIN, "run", agent, ...wrong)).toEqual(
      await through(await agentProgram(PACKAGE[agent]), ...wrong),
    )
    await waitFor(
      () => bench.row()?.reason?.startsWith("it did not begin: "),
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()).toMatchObject({ state: "idle", ended: true, unread: false })
  },
)

it.each([
  ["claude", "2.1.325", "/exit"],
  ["codex", "0.166.0", "/quit"],
  ["opencode", "1.18.33", "/exit"],
] as const)(
  "%s %s below a shell is suspended and continued, follows a new size, works, and ends as it would alone",
  REAL_AGENT,
  async (agent, version, leave) => {
    const bench = await workbench(agent, { version, scenario: () => ({ text: "Here again." }) })
    const say = dialectOf(agent, version)
    const env = { ...bench.env, PS1: "prompt> " }
    const shell = { command: "bash", args: ["--norc", "-i"], env, cwd: bench.home.project, columns: 100 }
    const terminal = await openTerminal(shell)
    onTestFinished(terminal.stop)
    await terminal.waitForText(/prompt>/)
    const launch = [process.execPath, CHORUS_MAIN, "run", agent, ...say.args].map((word) => `'${word}'`)
    await terminal.submit(`CHORUS_TERMINAL_ID=terminal-1 ${launch.join(" ")}`)
    await terminal.waitForText(say.ready)
    await terminal.key("C-z")
    await terminal.waitForText(/Stopped/)
    await terminal.submit("clear; fg")
    await terminal.waitForText(say.ready)
    execFileSync("tmux", ["-L", terminal.socket, "resize-window", "-t", "main", "-x", "170", "-y", "40"])
    const isWide = async () => (await terminal.screen()).split("\n").some((row) => row.trimEnd().length > 130)
    await waitFor(isWide, 60_000, () => "a picture as wide as the terminal")
    await terminal.submit("Are you there?")
    await terminal.waitForText(/Here again\./)
    await bench.waitForStates(/running finished:0$/)
    await terminal.submit(leave)
    await terminal.waitForText(/prompt> *$/)
    await terminal.submit("echo back=$?")
    await terminal.waitForText(/^back=0/m)
  },
)
