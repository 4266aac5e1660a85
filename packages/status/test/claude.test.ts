import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { waitFor } from "@chorus/testing"
import { answer, REAL_AGENT, workbench } from "./workbench.ts"

const bash = (command: string) => ({ name: "Bash", input: { command, description: "A command" } })
const prompt = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`

describe("claude -p", REAL_AGENT, () => {
  it("a clean turn, then the same session resumed", async () => {
    const bench = await workbench("claude")
    expect(await bench.run("-p", prompt([bash("ls")]), "--permission-mode", "bypassPermissions")).toBe(0)
    await bench.waitForStates(/finished:0$/)
    expect(bench.states()).toBe("idle running finished:0")
    expect(bench.seen().map((row) => row.detail)).toContain("Bash: ls")
    const { summary, resumeCommand, title } = bench.row() ?? {}
    expect({ summary, title }).toEqual({ summary: "Done.", title: expect.stringMatching(/^DO: /) })
    const [, ...resume] = (resumeCommand ?? "").split(" ")
    expect(resume).toEqual(["--resume", expect.stringMatching(/^[0-9a-f-]{36}$/)])
    bench.mark()
    expect(await bench.run(...resume, "-p", "once more")).toBe(0)
    await bench.waitForStates(/idle running finished:0$/)
    expect(bench.row()).toMatchObject({ summary: "Noted.", resumeCommand })
  })
})

describe("claude in a terminal", REAL_AGENT, () => {
  it("a permission granted, one denied, Esc while the model thinks, Esc in a tool, a rename, an exit", async () => {
    const bench = await workbench("claude")
    const terminal = await bench.open("--permission-mode", "manual")
    await terminal.waitForText(/manual mode on/)
    await bench.waitForStates(/^idle$/)

    await terminal.submit(prompt([bash("touch granted; sleep 2")]))
    // Under load Claude Code may note once more that it is busy before it notes that it waits.
    await bench.waitForStates(/idle running needsInput( running needsInput)?$/)
    expect(bench.row()?.detail).toBe("Bash: touch granted; sleep 2")
    await answer(terminal, "Enter", /Do you want to proceed/)
    // The grant itself fires no hook: "running" comes from the session file, while the command still sleeps.
    await bench.waitForStates(/needsInput running$/)
    expect(bench.row()?.source).toBe("claude:session-file")
    await bench.waitForStates(/needsInput running finished:0$/)

    bench.mark()
    await terminal.submit(prompt([bash("touch denied")]))
    await bench.waitForStates(/running needsInput$/)
    await answer(terminal, "Escape", /Do you want to proceed/)
    await bench.waitForStates(/running needsInput( running)? idle$/)
    // The session file says that it is over, the transcript a moment later why.
    expect(bench.row()).toMatchObject({
      source: expect.stringMatching(/^claude:(session-file|transcript)$/),
      reason: expect.stringMatching(/interrupted/),
    })

    bench.mark()
    bench.model.script(() => ({ hang: true }))
    await terminal.submit("think for ever")
    await bench.waitForStates(/running$/)
    await answer(terminal, "Escape", /esc to interrupt/)
    await bench.waitForStates(/running idle$/)

    bench.mark()
    bench.model.script((request) => (request.sincePrompt === 0 ? { tools: [bash("ls; sleep 60")] } : { text: "Done." }))
    await terminal.key("C-u")
    await terminal.submit("run something long")
    await waitFor(
      () => bench.row()?.detail === "Bash: ls; sleep 60",
      60_000,
      () => `the tool: ${JSON.stringify(bench.row())}`,
    )
    await answer(terminal, "Escape", /esc to interrupt/)
    await bench.waitForStates(/running idle$/)

    await terminal.submit("/rename My own name")
    bench.mark()
    bench.model.script(() => ({ text: "Named." }))
    await terminal.submit("say something")
    await bench.waitForStates(/running finished:0$/)
    await waitFor(
      () => bench.row()?.title === "My own name",
      60_000,
      () => `the title: ${JSON.stringify(bench.row())}`,
    )

    await terminal.submit("/exit")
    expect(await terminal.waitForExit()).toBe(0)
    await waitFor(
      () => bench.row()?.reason === "the session has ended",
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()).toMatchObject({ state: "finished", exitCode: 0, summary: "Named." })
  })

  it("a background agent keeps it running; a model error fails it; kill -9 ends it", async () => {
    const bench = await workbench("claude")
    const terminal = await bench.open("--permission-mode", "bypassPermissions")
    await terminal.waitForText(/bypass permissions on/)
    // It works until its caller has been seen waiting for it.
    const seen = join(bench.home.path, "seen")
    const work = prompt([bash(`until [ -e '${seen}' ]; do sleep 0.1; done`)])
    await terminal.submit(
      prompt([
        {
          name: "Agent",
          input: { description: "Long work", prompt: work, subagent_type: "general-purpose", run_in_background: true },
        },
      ]),
    )
    await waitFor(
      () => bench.seen().some((row) => row.detail === "Waiting for 1 background agent: Long work"),
      60_000,
      () => JSON.stringify(bench.row()),
    )
    writeFileSync(seen, "")
    await bench.waitForStates(/finished:0$/)
    expect(bench.states()).toBe("idle running finished:0")

    bench.mark()
    bench.model.script(() => ({ error: { status: 400, type: "invalid_request_error", message: "scripted refusal" } }))
    await terminal.submit("fail now")
    await bench.waitForStates(/running finished:1$/)

    bench.mark()
    bench.model.script(() => ({ hang: true }))
    await terminal.submit("think for ever")
    await bench.waitForStates(/running$/)
    process.kill(await bench.agentPid(), "SIGKILL")
    await bench.waitForStates(/running (finished:1 )?finished:137$/)
    expect(bench.row()?.reason).toBe("killed by SIGKILL")
  })
})

it("a client of February 2026, which knows fewer events and runs hooks in a shell", REAL_AGENT, async () => {
  const bench = await workbench("claude", { version: "2.1.41" })
  expect(await bench.run("-p", prompt([bash("exit 3")]), "--permission-mode", "bypassPermissions")).toBe(0)
  await bench.waitForStates(/finished:1$/)
  expect(bench.states()).toBe("idle running finished:1")
  expect(bench.row()).toMatchObject({ reason: "a tool failed in this turn", source: "claude:Stop" })
})
