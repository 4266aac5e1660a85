import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { openTerminal, type Terminal, waitFor } from "@chorus/testing"
import { answer, REAL_AGENT, workbench, type Workbench } from "./workbench.ts"

const run = (cmd: string) => ({ name: "exec_command", input: { cmd } })
const ask = (cmd: string, justification: string) => ({
  name: "exec_command",
  input: { cmd, sandbox_permissions: "require_escalated", justification },
})
const prompt = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`

describe("codex exec", REAL_AGENT, () => {
  it("a clean turn, then the same session resumed", async () => {
    const bench = await workbench("codex")
    expect(await bench.run("exec", "-s", "workspace-write", prompt([run("ls")]))).toBe(0)
    await bench.waitForStates(/finished:0$/)
    expect(bench.states()).toBe("idle running finished:0")
    expect(bench.seen().map((row) => row.detail)).toContain("Bash: ls")
    expect(bench.row()).toMatchObject({
      summary: "Done.",
      resumeCommand: expect.stringMatching(/^codex resume [0-9a-f-]{36}$/),
    })
    const resumeCommand = bench.row()?.resumeCommand ?? ""
    bench.mark()
    expect(await bench.run("exec", "resume", resumeCommand.split(" ")[2] ?? "", "once more")).toBe(0)
    await bench.waitForStates(/running finished:0$/)
    expect(bench.row()).toMatchObject({ summary: "Noted.", resumeCommand })
  })

  it("a turn with a failing tool, known from the rollout alone", { tags: ["stress"] }, async () => {
    const bench = await workbench("codex")
    expect(await bench.run("exec", "-s", "workspace-write", prompt([run("cat not-there.txt")], [run("ls")]))).toBe(0)
    await bench.waitForStates(/finished:1$/)
    expect(bench.row()?.reason).toBe("a tool failed in this turn")
  })

  it("a model that fails once and then answers; one that fails for good", { tags: ["stress"] }, async () => {
    let calls = 0
    const bench = await workbench("codex", {
      scenario: () => (++calls === 1 ? { error: { status: 500 } } : { text: "Back again." }),
    })
    expect(await bench.run("exec", "hello")).toBe(0)
    await bench.waitForStates(/finished:0$/)
    expect(bench.states()).toMatch(/^idle running( finished:1 running)? finished:0$/)
    expect(bench.row()?.summary).toBe("Back again.")
    bench.mark()
    bench.model.script(() => ({ error: { status: 400, message: "scripted refusal" } }))
    expect(await bench.run("exec", "hello")).toBe(1)
    await bench.waitForStates(/running finished:1$/)
    expect(bench.row()?.reason).toBe("the model request failed: scripted refusal")
  })
})

describe("codex in a terminal", REAL_AGENT, () => {
  it("a clean turn, a permission granted, one denied, Esc, a model error, a rename, an exit", async () => {
    const bench = await workbench("codex")
    const terminal = await openUnread(bench, "-s", "workspace-write", "-a", "on-request")
    await terminal.waitForText(/Ask Codex|›/)
    await terminal.submit("hello there")
    await bench.waitForStates(/idle running finished:0$/)
    await waitFor(
      () => bench.row()?.title === "A scripted title",
      60_000,
      () => JSON.stringify(bench.row()),
    )

    bench.mark()
    await terminal.submit(prompt([ask("sleep 3; touch granted", "May I touch a file?")]))
    await bench.waitForStates(/running needsInput$/)
    expect(bench.row()?.detail).toMatch(/May I touch a file\?|asks for permission/)
    await answer(terminal, "y", /May I touch a file\?[\s\S]*(Yes|proceed)/)
    // No hook says that the permission was granted; the terminal's own sequence does, while the command still sleeps.
    await bench.waitForStates(/needsInput running$/)
    expect(bench.row()?.source).toBe("codex:osc7501")
    await bench.waitForStates(/needsInput running finished:0$/)

    bench.mark()
    await terminal.submit(prompt([ask("rm granted", "May I remove it?")]))
    await bench.waitForStates(/running needsInput$/)
    await answer(terminal, "Escape", /May I remove it\?[\s\S]*(Yes|proceed)/)
    await bench.waitForStates(/needsInput( running)? idle$/)
    expect(bench.row()?.reason).toBe("interrupted by the person")

    bench.mark()
    bench.model.script(() => ({ hang: true }))
    await terminal.submit("think for ever")
    await bench.waitForStates(/running$/)
    await answer(terminal, "Escape", /esc to interrupt/)
    await bench.waitForStates(/running idle$/)

    bench.mark()
    bench.model.script(() => ({ error: { status: 400, message: "scripted refusal" } }))
    await terminal.submit("fail now")
    await bench.waitForStates(/running finished:1$/)
    expect(bench.row()?.reason).toMatch(/scripted refusal|reports an error/)

    await terminal.submit("/rename My own name")
    bench.mark()
    bench.model.script(() => ({ text: "Named." }))
    await terminal.submit("say something")
    await bench.waitForStates(/running finished:0$/)
    await waitFor(
      () => bench.row()?.title === "My own name",
      60_000,
      () => JSON.stringify(bench.row()),
    )

    await terminal.submit("/quit")
    await terminal.waitForExit()
    await waitFor(
      () => bench.row()?.reason === "the session has ended",
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()).toMatchObject({ state: "finished", exitCode: 0, summary: "Named." })
  })

  it("kill -9 in the middle of a turn", { tags: ["stress"] }, async () => {
    const bench = await workbench("codex", { scenario: () => ({ hang: true }) })
    const terminal = await bench.open()
    await terminal.waitForText(/Ask Codex|›/)
    await terminal.submit("think for ever")
    await bench.waitForStates(/running$/)
    process.kill(await bench.agentPid(), "SIGKILL")
    await waitFor(
      () => bench.row()?.state === "finished" && bench.row()?.exitCode !== 0,
      60_000,
      () => JSON.stringify(bench.row()),
    )
  })
})

/** A terminal whose output nobody else copies, so that the launcher may: the test's own copy is switched off first. */
async function openUnread(bench: Workbench, ...args: string[]): Promise<Terminal> {
  const inner = [process.execPath, new URL("./run-reported.ts", import.meta.url).pathname, "codex", ...args]
    .map((word) => `'${word}'`)
    .join(" ")
  const terminal = await openTerminal({
    command: "sh",
    args: ["-c", `read go; exec ${inner}`],
    env: bench.env,
    cwd: bench.home.project,
  })
  await promisify(execFile)("tmux", ["-L", terminal.socket, "pipe-pane", "-t", "main"])
  await terminal.key("Enter")
  onTestFinished(terminal.stop)
  return terminal
}
