import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import type { StatusAgent } from "@chorus/contracts"
import { type AgentVersion, agentProgram, CHORUS_MAIN } from "@chorus/testing"
import { expect, it } from "vitest"
import { PACKAGE, REAL_AGENT, workbench } from "./workbench.ts"

/** How each prints one turn for a program to read, told what to do with which tool. */
const LS = JSON.stringify([[{ name: "Bash", input: { command: "ls", description: "List" } }]])
const EXEC_LS = JSON.stringify([[{ name: "exec_command", input: { cmd: "ls" } }]])
const STREAM = ["-p", `DO: ${LS}`, "--output-format", "stream-json", "--verbose", "--permission-mode"]
const EXEC = ["exec", "-s", "workspace-write", "--skip-git-repo-check"]

interface Row {
  readonly agent: StatusAgent
  readonly version: AgentVersion
  readonly args: readonly string[]
}

const row = (agent: StatusAgent, version: AgentVersion, ...args: string[]): Row => ({ agent, version, args })
const EVERY_DAY: readonly Row[] = [
  row("claude", "2.1.325", ...STREAM, "bypassPermissions"),
  row("codex", "0.166.0", ...EXEC, `DO: ${EXEC_LS}`),
]
const OTHERS: readonly Row[] = [
  row("claude", "2.1.327", ...STREAM, "bypassPermissions"),
  row("claude", "2.1.197", ...STREAM, "bypassPermissions"),
  row("claude", "2.1.41", ...STREAM, "bypassPermissions"),
  row("claude", "2.1.325", "-p", "hi", "--output-format", "stream-json", "--verbose", "--include-hook-events"),
  row("codex", "0.166.0", ...EXEC, "--json", `DO: ${EXEC_LS}`),
  row("codex", "0.169.0", ...EXEC, `DO: ${EXEC_LS}`),
  row("opencode", "1.18.33", "run", "Say it."),
]

it.each([...EVERY_DAY, ...(process.env["CHORUS_STRESS"] === "1" ? OTHERS : [])])(
  "$agent $version prints what it prints alone: $args",
  REAL_AGENT,
  async ({ agent, version, args }) => {
    const bench = await workbench(agent, { version })
    const printed = async (command: string, ...words: string[]) => {
      const child = spawn(command, words, {
        env: bench.env,
        cwd: bench.home.project,
        stdio: ["ignore", "pipe", "pipe"],
      })
      const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
      return { code: child.exitCode, out: told(out), errors: told(errors) }
    }
    const program = await agentProgram(PACKAGE[agent], version)
    // The first one finds nothing in its home.
    await printed(program, ...args)
    const alone = await printed(program, ...args)
    expect(await printed(process.execPath, CHORUS_MAIN, "run", agent, ...args)).toEqual(alone)
    expect(alone.code).toBe(0)
    if (!args.includes("--include-hook-events")) await bench.waitForStates(/^idle running finished:0$/)
  },
)

/** Without what differs from run to run, and without the hooks that Codex names on its error output. */
function told(said: string): string[] {
  return said
    .replace(/^hook: \w+( Completed)?\n/gm, "")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
    .replace(/\d+(\.\d+)?/g, "0")
    .split("\n")
}
