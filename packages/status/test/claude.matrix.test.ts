import { describe, expect, it } from "vitest"
import { waitFor } from "@chorus/testing"
import { REAL_AGENT, workbench } from "./workbench.ts"

const bash = (command: string) => ({ name: "Bash", input: { command, description: "A command" } })
const prompt = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`

describe("claude -p", REAL_AGENT, () => {
  it("a turn with a failing tool", async () => {
    const bench = await workbench("claude")
    await bench.run("-p", prompt([bash("exit 3")], [bash("ls")]), "--permission-mode", "bypassPermissions")
    await bench.waitForStates(/finished:1$/)
    expect(bench.states()).toBe("idle running finished:1")
    expect(bench.row()?.reason).toBe("a tool failed in this turn")
  })

  it("a model that fails once and then answers", async () => {
    let calls = 0
    const bench = await workbench("claude", {
      scenario: () => (++calls === 1 ? { error: { status: 529, type: "overloaded_error" } } : { text: "Back again." }),
    })
    expect(await bench.run("-p", "hello")).toBe(0)
    await bench.waitForStates(/finished:0$/)
    expect(bench.states()).toBe("idle running finished:0")
    expect(bench.row()?.summary).toBe("Back again.")
  })

  it("a model that refuses", async () => {
    const bench = await workbench("claude", {
      scenario: () => ({ error: { status: 400, type: "invalid_request_error", message: "scripted refusal" } }),
    })
    expect(await bench.run("-p", "hello")).not.toBe(0)
    await bench.waitForStates(/finished:1$/)
    expect(bench.states()).toBe("idle running finished:1")
    // Claude Code does not wait for this hook; the process may be gone before the hook has spoken.
    await waitFor(
      () => /^the model request failed: .*scripted refusal/.test(bench.row()?.reason ?? ""),
      60_000,
      () => JSON.stringify(bench.row()),
    )
  })

  it("kill -9 and SIGTERM in the middle of a turn", async () => {
    const bench = await workbench("claude", { scenario: () => ({ hang: true }) })
    const killed = bench.start("-p", "hello")
    await bench.waitForStates(/running$/)
    process.kill(await bench.agentPid(), "SIGKILL")
    await bench.waitForStates(/running (finished:1 )?finished:137$/)
    expect(bench.row()?.reason).toBe("killed by SIGKILL")
    expect(await killed.ended).toBe(137)
    bench.mark()
    bench.start("-p", "hello again")
    await bench.waitForStates(/running$/)
    process.kill(await bench.agentPid(), "SIGTERM")
    await bench.waitForStates(/running (finished:1 )?finished:143$/)
    expect(bench.row()?.reason).toMatch(/SIGTERM/)
  })
})
