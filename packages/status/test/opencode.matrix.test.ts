import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { agentProgram, temporaryDirectory, waitFor } from "@chorus/testing"
import { openCodeConnection } from "../src/connect/connection.ts"
import { statusPrograms } from "../src/launch/programs.ts"
import { tellTerminal } from "../src/listener/listener-client.ts"
import { startStatusService } from "../src/listener/status-service.ts"
import { resumeStore } from "../src/resume/resume-store.ts"
import { REAL_AGENT, workbench } from "./workbench.ts"

const bash = (command: string) => ({ name: "bash", input: { command, description: "A command" } })
const prompt = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`
const ASKS = { home: { opencodePermission: { bash: "ask" } } }

/** Terminals whose plugin runs in one process, and how long each of their connections lasts, in ms, until one listens. */
const MANY = 30
const LASTS = 20
const PLUGIN = `
const { ChorusStatus } = await import(process.argv[2])
for (let at = 0; at < ${MANY}; at++) {
  process.env.CHORUS_TERMINAL_ID = "t" + at
  const plugin = await ChorusStatus({ directory: "/p" })
  await plugin["chat.message"]({ sessionID: "s" }, { parts: [{ type: "text", text: "Mend the door" }] })
}
setInterval(() => {}, 1000)
`

// Its runtime does not say of every connection whose other end is gone that it is closed.
it("in OpenCode's own runtime finds the next listener, whenever the former ones died", REAL_AGENT, async () => {
  const folder = temporaryDirectory("chorus-runtime-")
  onTestFinished(folder.remove)
  const [script, socketPath] = [join(folder.path, "plugin.mjs"), join(folder.path, "s")]
  writeFileSync(script, PLUGIN)
  let connections = 0
  const dying = createServer((socket) => {
    socket.on("error", () => undefined)
    setTimeout(() => socket.destroy(), (connections++ % 3) * LASTS)
  })
  dying.listen(socketPath)
  await once(dying, "listening")
  const child = spawn(await agentProgram("opencode"), ["run", script, statusPrograms().opencodePlugin], {
    env: { PATH: "/usr/bin:/bin", HOME: folder.path, BUN_BE_BUN: "1", CHORUS_SOCK: socketPath },
    stdio: ["ignore", "ignore", "inherit"],
  })
  onTestFinished(() => void child.kill())
  await waitFor(() => connections > 20 * MANY, 60_000, "connections that were cut")
  await new Promise((done) => dying.close(done))
  const resume = resumeStore(join(folder.path, "state"))
  const { listener, close } = await startStatusService({ socketPath, home: folder.path, resume })
  onTestFinished(close)
  const heard = () => listener.book.rows().filter(({ state }) => state === "running").length
  await waitFor(
    () => heard() === MANY,
    10_000,
    () => `all ${MANY} to be heard, of which ${heard()} are`,
  )
})

describe("opencode run", REAL_AGENT, () => {
  it("a turn with a failing tool; a permission that is refused by itself", async () => {
    const bench = await workbench("opencode", ASKS)
    await bench.run("run", "--auto", prompt([bash("exit 3")]))
    await bench.waitForStates(/finished:1$/)
    expect(bench.row()?.reason).toBe("a tool failed in this turn")
    bench.mark()
    await bench.run("run", prompt([bash("touch refused")]))
    await bench.waitForStates(/running( needsInput running)? idle$/)
  })

  it("a model that fails once and then answers; one that fails for good", async () => {
    let calls = 0
    const bench = await workbench("opencode", {
      scenario: () =>
        ++calls === 1 ? { error: { status: 500, message: "scripted outage" } } : { text: "Back again." },
    })
    expect(await bench.run("run", "hello")).toBe(0)
    await bench.waitForStates(/finished:0$/)
    expect(bench.states()).toBe("idle running finished:0")
    expect(
      bench
        .seen()
        .map((row) => row.detail ?? "")
        .find((detail) => detail.startsWith("Retrying")),
    ).toMatch(/attempt 1/)
    bench.mark()
    bench.model.script(() => ({ error: { status: 400, type: "invalid_request_error", message: "scripted refusal" } }))
    await bench.run("run", "hello")
    await bench.waitForStates(/running finished:1$/)
    expect(bench.row()?.reason).toMatch(/scripted refusal/)
  })

  it("kill -9 in the middle of a turn", async () => {
    const bench = await workbench("opencode", { scenario: () => ({ hang: true }) })
    bench.start("run", "hello")
    await bench.waitForStates(/running$/)
    process.kill(await bench.agentPid(), "SIGKILL")
    await waitFor(
      () => bench.row()?.state === "finished" && bench.row()?.exitCode !== 0,
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()?.reason).toMatch(/SIGKILL|exit code|is gone/)
  })
})

describe("opencode in a terminal", REAL_AGENT, () => {
  it("is granted one permission and refused another from elsewhere", async () => {
    const bench = await workbench("opencode", ASKS)
    const terminal = await bench.open()
    await terminal.waitForText(/Ask anything/)
    for (const [decision, file] of [
      ["approve", "granted"],
      ["deny", "refused"],
    ] as const) {
      await terminal.submit(prompt([bash(`touch ${file}`)]))
      await bench.waitForStates(/running needsInput$/)
      const question = bench.row()?.ask ?? ""
      await tellTerminal(bench.service.listener.socketPath, "terminal-1", { ask: "answer", question, decision })
      await bench.waitForStates(decision === "approve" ? /needsInput running finished:0$/ : /needsInput running idle$/)
      expect(existsSync(join(bench.home.project, file))).toBe(decision === "approve")
      bench.mark()
    }
  })

  it("a sub-agent does not finish the turn, and leaving ends the session", async () => {
    const bench = await workbench("opencode")
    const terminal = await bench.open()
    await terminal.waitForText(/Ask anything/)
    await terminal.submit(
      prompt([
        { name: "task", input: { description: "Sub work", prompt: "Say something.", subagent_type: "general" } },
      ]),
    )
    await bench.waitForStates(/finished:0$/)
    expect(bench.states()).toBe("idle running finished:0")
    expect(bench.seen().map((row) => row.detail)).toContain("Agent: Sub work")
    await terminal.key("C-c")
    await terminal.waitForExit()
    await waitFor(
      () => (bench.row()?.reason ?? "") !== "",
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()).toMatchObject({ state: "finished", exitCode: 0 })
  })

  it("that nobody started through us tells what it does where it is connected, and is answered from elsewhere", async () => {
    const bench = await workbench("opencode", ASKS)
    const { listener } = bench.service
    const environment = { HOME: bench.home.path, CHORUS_SOCK: listener.socketPath }
    const step = openCodeConnection({ url: "http://127.0.0.1:9/api/mcp", keyVariable: "NONE" }, environment).at(-1)
    if (step?.kind !== "file") throw new Error("the plugin is a file")
    mkdirSync(dirname(step.path), { recursive: true })
    writeFileSync(step.path, step.connect(undefined))
    const terminal = await bench.openBare()
    await terminal.waitForText(/Ask anything/)
    await bench.waitForStates(/idle$/)
    expect(bench.row()).toMatchObject({ agent: "opencode", outside: true, folder: "project" })
    await terminal.submit(prompt([bash("touch granted")]))
    await bench.waitForStates(/running needsInput$/)
    const { terminalId = "", ask } = bench.row() ?? {}
    const answered = { ask: "answer", question: ask ?? "", decision: "approve" } as const
    await tellTerminal(listener.socketPath, terminalId, answered)
    await bench.waitForStates(/needsInput running finished:0$/)
    expect(existsSync(join(bench.home.project, "granted"))).toBe(true)
    expect(bench.row()).toMatchObject({ terminalId, outside: true, title: "A scripted title" })
    expect(listener.book.rows()).toHaveLength(1)
    process.kill(await bench.agentPid(terminalId), "SIGKILL")
    await bench.waitForStates(/finished:0 idle$/)
  })

  it("that nobody started through us is found, and said to say nothing of itself", async () => {
    const bench = await workbench("opencode")
    const terminal = await bench.openBare()
    await terminal.waitForText(/Ask anything/)
    await bench.waitForStates(/unknown$/)
    expect(bench.row()).toMatchObject({ agent: "opencode", outside: true, folder: "project" })
    expect(bench.row()?.reason).toContain("says nothing of itself")
    process.kill(await bench.agentPid(bench.row()?.terminalId ?? ""), "SIGKILL")
    await bench.waitForStates(/unknown idle$/)
  })
})
