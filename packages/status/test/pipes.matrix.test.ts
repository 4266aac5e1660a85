import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StatusAgent } from "@chorus/contracts"
import { agentProgram, CHORUS_MAIN } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
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
  },
)
