import { spawn } from "node:child_process"
import { scriptedAgent, temporaryDirectory } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { openSession } from "../src/agent-session.ts"

/** Takes up a conversation with a program that keeps none. */
function takeUp(orAnew: boolean) {
  const [program = "", ...args] = scriptedAgent().split(" ")
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  return openSession({
    from: child.stdout,
    to: child.stdin,
    program: "command",
    cwd: temporaryDirectory("session-").path,
    mcp: undefined,
    sessionId: "forgotten",
    orAnew,
    modeId: undefined,
    model: null,
    onLine: () => undefined,
    signIn: (refused) => Promise.reject(refused),
    onUpdate: () => undefined,
    onAsk: () => undefined,
    onSettled: () => undefined,
    callOf: () => undefined,
  })
}

it("a conversation that its program has forgotten is begun anew only where all of it can be said again", async () => {
  const session = await takeUp(true)
  expect(session).toMatchObject({ isNew: true, id: expect.not.stringMatching("forgotten") })
  expect(await session.prompt("Hello.")).toMatchObject({ stopReason: "end_turn" })
  await expect(takeUp(false)).rejects.toMatchObject({ code: "conversation_gone" })
})
