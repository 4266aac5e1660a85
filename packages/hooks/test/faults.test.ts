import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { startAgent, waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { type Board, openBoard, runClaude } from "./board.ts"

const spawn = (taskUuid: string, more: object = {}) => ({
  tools: [{ name: "Agent", input: { description: "work", prompt: `Chorus task: ${taskUuid}\nDo it.`, subagent_type: "general-purpose", run_in_background: false, ...more } }],
})

/** A lead that spawns one sub-agent for the task, which says the words. */
function oneSpawn(board: Board, taskUuid: string, words = "DONE: it works.", before?: () => Promise<unknown>): void {
  board.model.script(async (request) => {
    if (request.firstPrompt.startsWith("Chorus task:")) {
      await before?.()
      return { text: words }
    }
    return request.turns === 0 ? spawn(taskUuid) : { text: "Over." }
  })
}

describe("a server that is not there", () => {
  it("from the start costs nothing but a line, and is told everything by the next session", async () => {
    await using board = await openBoard()
    const [task = ""] = await board.addTasks({ title: "lamp" })
    oneSpawn(board, task)
    await board.stopServer()
    const { stdout } = await runClaude(board, "2.1.325", "Build the lamp.")
    expect(stdout).toContain("Over.")
    const spool = join(board.home.project, ".chorus", "claude", "spool")
    expect(readdirSync(spool)).toHaveLength(2)

    await board.restartServer()
    expect((await board.task(task)).status).toBe("open")
    board.model.script(() => ({ text: "Nothing to do." }))
    await runClaude(board, "2.1.325", "Hello.")
    expect(await board.task(task)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE: it works." }] })
    expect((await board.history(task)).checkins).toHaveLength(1)
    expect((await board.sessions()).map((session) => session.status)).toEqual(["closed", "closed", "closed"])
    expect(existsSync(join(board.home.project, ".chorus"))).toBe(false)
  })

  it("for a while in the middle loses nothing", async () => {
    await using board = await openBoard()
    const [task = ""] = await board.addTasks({ title: "lamp" })
    oneSpawn(board, task, "DONE: it works.", () => board.stopServer())
    const model = board.model
    const lead = () => model.requests.some((request) => request.firstPrompt.startsWith("Build") && request.turns > 0)
    const run = runClaude(board, "2.1.325", "Build the lamp.")
    await waitFor(lead, 30_000)
    await board.restartServer()
    await run
    await waitFor(async () => (await board.task(task)).status === "to_verify")
    expect(await board.task(task)).toMatchObject({ reports: [{ content: "DONE: it works." }] })
    expect((await board.sessions()).map((session) => session.status)).toEqual(["closed", "closed"])
    expect(existsSync(join(board.home.project, ".chorus"))).toBe(false)
  })
})

describe("a Claude Code that is killed", () => {
  it("is found by the next session, which closes what it left, and goes on under its old session when resumed", async () => {
    await using board = await openBoard()
    const [task = ""] = await board.addTasks({ title: "lamp" })
    board.model.script(async (request) => {
      if (request.firstPrompt.startsWith("Chorus task:")) return { hang: true }
      return request.firstPrompt.startsWith("Build") && request.turns === 0 ? spawn(task) : { text: "Over." }
    })
    const { args, env } = board.load("2.1.325")
    const agent = await startAgent({ agent: "claude-code", home: board.home, env, args: ["-p", "Build the lamp.", "--permission-mode", "bypassPermissions", ...args] })
    await board.model.waitFor((request) => request.firstPrompt.startsWith("Chorus task:"))
    const [main, child] = await board.sessions()
    expect([main?.status, child?.status, (await board.task(task)).status]).toEqual(["active", "active", "in_progress"])
    await agent.stop()

    await runClaude(board, "2.1.325", "Hello.")
    const after = await board.sessions()
    expect(after.slice(0, 2).map((session) => session.status)).toEqual(["closed", "closed"])
    expect((await board.history(task)).checkins).toMatchObject([{ checkoutReason: "session_closed" }])
    expect(existsSync(join(board.home.project, ".chorus"))).toBe(false)

    const claudeSession = main?.externalId?.split(":")[1] ?? ""
    const before = board.model.requests.length
    await runClaude(board, "2.1.325", "Go on.", ["--resume", claudeSession])
    expect((await board.sessions()).filter((session) => session.externalId === main?.externalId)).toHaveLength(1)
    expect(board.model.requests.slice(before).find((request) => request.purpose === "turn")?.all).toContain(`task ${task} "lamp" in_progress`)
  })
})
