import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { CHORUS_MAIN, openTerminal, waitFor } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { named, REAL_AGENT, workbench } from "./workbench.ts"

const CHORUS = `${process.execPath} ${CHORUS_MAIN}`

const EVERY_DAY = [
  ["claude", /shortcuts|shift\+tab/],
  ["codex", /Ask Codex|›/],
] as const
// Starts for a minute on a busy machine.
const UNDER_STRESS = process.env["CHORUS_STRESS"] === "1" ? [["opencode", /Ask anything/] as const] : []

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

    bench.mark()
    // In another folder it would work on other files, so the person is asked.
    await terminal.submit(`cd /; clear; ${CHORUS} resume`)
    await terminal.waitForText(/was in .*project\. Go there and bring it back\? \[y\/N\]/s)
    await terminal.submit("y")
    await terminal.waitForText(/The lamp is lit\./)
    await terminal.submit("What did I say?")
    await bench.waitForStates(/running finished:0$/)
    const last = bench.model.requests.filter(({ purpose }) => purpose === "turn").at(-1)
    expect(last?.all).toContain("Remember the lamp.")
    expect(last?.prompt).toContain("What did I say?")
  },
)

function transcripts(home: string): string {
  const projects = join(home, ".claude", "projects")
  const files = readdirSync(projects, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"))
  return files.map((name) => readFileSync(join(projects, name), "utf8")).join("")
}
