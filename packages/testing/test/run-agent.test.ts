/** @module-tag stress */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import {
  drive,
  isRunning,
  networkCanBeCut,
  runAgent,
  scratchHome,
  startAgent,
  startModel,
  waitFor,
  type AgentRun,
  type ScratchHome,
  type ScriptedModel,
} from "@chorus/testing"

const hello = "say hello"
const FETCHING = { timeout: 600_000 }
const STRESS = process.env["CHORUS_STRESS"] === "1"

describe("each agent prints what the scripted model says", { ...FETCHING, tags: ["stress"] }, () => {
  const runs: Omit<AgentRun, "home">[] = [
    { agent: "claude-code", version: "2.1.325", args: ["-p", hello] },
    { agent: "claude-code", version: "2.1.41", args: ["-p", hello] },
    { agent: "codex", version: "0.166.0", args: ["exec", hello] },
    { agent: "opencode", version: "1.18.33", args: ["run", hello] },
  ]
  // What the prompt says, OpenCode does below; what its home needs to start is the same.
  test.each(STRESS ? runs : runs.filter(({ agent }) => agent !== "opencode"))("$agent $version", async (run) => {
    const { home, model } = await setting()
    model.script((request) => ({ text: request.prompt === hello ? "Hello from the script." : "aside" }))
    const result = await runAgent({ ...run, home })
    expect(result).toMatchObject({ code: 0, signal: null, timedOut: false })
    expect(result.stdout.trim()).toBe("Hello from the script.")
  })
})

describe("each agent does what the prompt says", { ...FETCHING, tags: ["stress"] }, () => {
  const command = "echo made > made.txt"
  const runs: Omit<AgentRun, "home">[] = [
    { agent: "claude-code", args: ["-p", directive("Bash", { command }), "--permission-mode", "bypassPermissions"] },
    { agent: "codex", args: ["exec", "-s", "danger-full-access", directive("exec_command", { cmd: command })] },
    { agent: "opencode", args: ["run", directive("bash", { command, description: "Make a file" })] },
  ]
  test.each(runs)("$agent", async (run) => {
    const { home, model } = await setting()
    const result = await runAgent({ ...run, home })
    expect(result.stdout).toContain("Done.")
    expect(readFileSync(join(home.project, "made.txt"), "utf8")).toBe("made\n")
    expect(
      model.requests
        .filter((request) => request.purpose === "turn" && request.tools.length > 0)
        .map((request) => request.sincePrompt),
    ).toEqual([0, 1])
  })
})

test("an agent sees nothing of this process's environment, and what it is given", FETCHING, async () => {
  const { home } = await setting()
  process.env["CHORUS_SECRET_OF_THE_TEST"] = "leaked"
  onTestFinished(() => {
    delete process.env["CHORUS_SECRET_OF_THE_TEST"]
  })
  const args = ["-p", directive("Bash", { command: "env > env.txt" }), "--permission-mode", "bypassPermissions"]
  await runAgent({ agent: "claude-code", args, home, env: { GIVEN: "by the test" } })
  const seen = readFileSync(join(home.project, "env.txt"), "utf8")
  expect(seen).toContain(`HOME=${home.path}\n`)
  expect(seen).toContain("GIVEN=by the test\n")
  expect(seen).not.toContain("CHORUS_SECRET_OF_THE_TEST")
})

test("reads its prompt from standard input, in a further trusted project", FETCHING, async () => {
  const { home, model } = await setting()
  const cwd = home.addProject("other")
  const result = await runAgent({ agent: "claude-code", args: ["-p"], home, cwd, input: hello })
  expect(result.stdout).toBe("Noted.\n")
  expect(model.requests[0]?.all).toContain(cwd)
})

test("an agent that runs too long is ended with all it started", FETCHING, async () => {
  const { home } = await setting()
  const command = "echo $$ > pid.txt; sleep 300"
  const args = ["-p", directive("Bash", { command }), "--permission-mode", "bypassPermissions"]
  const result = await runAgent({ agent: "claude-code", args, home, timeout: 8000 })
  expect(result).toMatchObject({ timedOut: true, signal: "SIGKILL" })
  expect(isRunning(Number(readFileSync(join(home.project, "pid.txt"), "utf8")))).toBe(false)
})

test("an agent can be cut off from all but the ports it is given", FETCHING, async () => {
  const { home, model } = await setting()
  await using other = await startModel(() => ({ text: "Who goes there?" }))
  const command = `node -e 'fetch("${other.url}/v1/models").then((answer) => console.log(answer.status), (error) => console.log(error.cause.code))' > reached.txt`
  const args = ["-p", directive("Bash", { command }), "--permission-mode", "bypassPermissions"]
  const result = await runAgent({ agent: "claude-code", args, home, onlyReach: [model.port] })
  expect(result).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(readFileSync(join(home.project, "reached.txt"), "utf8")).toBe(networkCanBeCut() ? "ECONNREFUSED\n" : "200\n")
})

test("a test can act while the agent runs, and stop it", FETCHING, async () => {
  const { home, model } = await setting()
  model.script(() => ({ hang: true }))
  const agent = await startAgent({ agent: "claude-code", args: ["-p", hello], home })
  onTestFinished(async () => void (await agent.stop()))
  await model.waitFor((request) => request.prompt === hello)
  expect(isRunning(agent.pid)).toBe(true)
  await agent.stop()
  expect(isRunning(agent.pid)).toBe(false)
  expect(await agent.finished).toMatchObject({ signal: "SIGKILL", timedOut: false })
})

test("output can be waited for", FETCHING, async () => {
  const { home, model } = await setting()
  const gate = join(home.path, "gate")
  model.script(async (request) => {
    if (request.sincePrompt > 0) await waitFor(() => existsSync(gate))
    return drive(request)
  })
  const args = [
    "-p",
    directive("Bash", { command: "true" }),
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-mode",
    "bypassPermissions",
  ]
  await using agent = await startAgent({ agent: "claude-code", args, home })
  await agent.waitForOutput(/"tool_result"/)
  expect(agent.output().stdout).not.toContain("Done.")
  writeFileSync(gate, "")
  expect((await agent.finished).stdout).toContain("Done.")
})

async function setting(): Promise<{ home: ScratchHome; model: ScriptedModel }> {
  const model = await startModel(drive)
  const home = scratchHome({ model })
  onTestFinished(async () => {
    await model.stop()
    await home.remove()
  })
  return { home, model }
}

function directive(name: string, input: object): string {
  return `DO: ${JSON.stringify([[{ name, input }]])}`
}
