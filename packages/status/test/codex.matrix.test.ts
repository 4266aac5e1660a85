import { describe, expect, it } from "vitest"
import { waitFor } from "@chorus/testing"
import { answer, REAL_AGENT, workbench } from "./workbench.ts"

const ask = (cmd: string, justification: string) => ({
  name: "exec_command",
  input: { cmd, sandbox_permissions: "require_escalated", justification },
})
const prompt = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`

describe("codex in a terminal that nobody reads along", REAL_AGENT, () => {
  it("works again as soon as a permission is granted, and says at what", async () => {
    const bench = await workbench("codex")
    const terminal = await bench.open("-s", "workspace-write", "-a", "on-request")
    await terminal.waitForText(/Ask Codex|›/)
    await terminal.submit(prompt([ask("sleep 8; touch granted", "Let me touch a file")]))
    await bench.waitForStates(/running needsInput$/)
    await answer(terminal, "y", /Reason: Let me touch a file[\s\S]*(Yes|proceed)/)
    await bench.waitForStates(/needsInput running$/)
    expect(bench.row()).toMatchObject({ source: "watch:process", detail: "Bash: sleep 8; touch granted" })
    await bench.waitForStates(/needsInput running finished:0$/)
  })
})

describe("codex that nobody started through us", REAL_AGENT, () => {
  it("is found before it has been asked anything, and followed from then on", async () => {
    const bench = await workbench("codex")
    const terminal = await bench.openBare("-s", "workspace-write", "-a", "on-request")
    await terminal.waitForText(/Ask Codex|›/)
    await bench.waitForStates(/unknown$/)
    expect(bench.row()).toMatchObject({ agent: "codex", outside: true })
    await terminal.submit(prompt([{ name: "exec_command", input: { cmd: "cat not-there" } }]))
    await bench.waitForStates(/unknown running finished:1$/)
    bench.model.script(() => ({ hang: true }))
    await terminal.submit("think for ever")
    await bench.waitForStates(/finished:1 running$/)
    // The window itself: who works for it is a process below.
    const { pid } = bench.service.listener.book.get(bench.row()?.terminalId ?? "")?.status ?? {}
    process.kill(pid ?? Number.NaN, "SIGKILL")
    await bench.waitForStates(/running finished:1$/)
  })
})

describe("codex exec", REAL_AGENT, () => {
  it("a permission nobody can grant is declined, and the turn goes on", async () => {
    const bench = await workbench("codex")
    await bench.run("exec", "-s", "read-only", prompt([ask("touch /tmp/never", "May I touch it?")]))
    await bench.waitForStates(/finished:\d$/)
    expect(bench.states()).toMatch(/^idle running( needsInput running)? finished:0$/)
  })

  it("kill -9 in the middle of a turn", async () => {
    const bench = await workbench("codex", { scenario: () => ({ hang: true }) })
    bench.start("exec", "hello")
    await bench.waitForStates(/running$/)
    process.kill(await bench.agentPid(), "SIGKILL")
    await bench.waitForStates(/running( finished:1)*( finished:137)?$/)
    await waitFor(
      () => bench.row()?.state === "finished" && bench.row()?.exitCode !== 0,
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()?.reason).toMatch(/SIGKILL|exit code|is gone/)
  })
})
