import { describe, expect, it } from "vitest"
import { waitFor } from "@chorus/testing"
import { answer, REAL_AGENT, workbench } from "./workbench.ts"

const bash = (command: string) => ({ name: "bash", input: { command, description: "A command" } })
const prompt = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`
const ASKS = { home: { opencodePermission: { bash: { "*": "ask", ls: "allow" } } } }

describe("opencode", REAL_AGENT, () => {
  it("a clean turn, and in a terminal the same session: a permission granted, one denied, Esc, a model error, kill -9", async () => {
    const bench = await workbench("opencode", ASKS)
    expect(await bench.run("run", prompt([bash("ls")]))).toBe(0)
    await bench.waitForStates(/finished:0$/)
    expect(bench.states()).toBe("idle running finished:0")
    expect(bench.seen().map((row) => row.detail)).toContain("Bash: ls")
    await waitFor(
      () => bench.row()?.title === "A scripted title",
      60_000,
      () => JSON.stringify(bench.row()),
    )
    const resumeCommand = bench.row()?.resumeCommand ?? ""
    expect(resumeCommand).toMatch(/^opencode --session ses_[A-Za-z0-9]+$/)

    bench.mark()
    const terminal = await bench.open(...resumeCommand.split(" ").slice(1))
    await terminal.waitForText(/A scripted title/)
    await terminal.submit(prompt([bash("touch granted")]))
    await bench.waitForStates(/idle running needsInput$/)
    expect(bench.row()).toMatchObject({ resumeCommand })
    expect(bench.row()?.detail).toMatch(/^bash: touch granted/)
    await answer(terminal, "Enter", /Permission required/)
    await bench.waitForStates(/needsInput running finished:0$/)

    bench.mark()
    await terminal.submit(prompt([bash("rm granted")]))
    await bench.waitForStates(/running needsInput$/)
    await terminal.waitForText(/Permission required/)
    await answer(terminal, "Escape", /Permission required/)
    await bench.waitForStates(/needsInput running idle$/)

    bench.mark()
    bench.model.script(() => ({ hang: true }))
    await terminal.submit("think for ever")
    await bench.waitForStates(/running$/)
    await answer(terminal, "Escape", /esc (again to )?interrupt/)
    await bench.waitForStates(/running idle$/)
    expect(bench.row()?.reason).toBe("interrupted by the person")

    bench.mark()
    bench.model.script(() => ({ error: { status: 400, type: "invalid_request_error", message: "scripted refusal" } }))
    await terminal.submit("fail now")
    await bench.waitForStates(/running finished:1$/)
    expect(bench.row()?.reason).toMatch(/scripted refusal/)

    bench.mark()
    bench.model.script(() => ({ hang: true }))
    await terminal.submit("think again")
    await bench.waitForStates(/running$/)
    process.kill(await bench.agentPid(), "SIGKILL")
    await waitFor(
      () => bench.row()?.state === "finished" && bench.row()?.exitCode !== 0,
      60_000,
      () => JSON.stringify(bench.row()),
    )
  })
})
