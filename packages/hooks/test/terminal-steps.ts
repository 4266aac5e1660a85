import { type Terminal, waitFor } from "@chorus/testing"
import { expect } from "vitest"
import { type Board, directive, spawnTool, type Version } from "./board.ts"

/** Has the session compacted; it is introduced anew, and what was said before is gone. */
export async function compacted(board: Board, terminal: Terminal, before: string): Promise<void> {
  await terminal.submit("/compact")
  await terminal.waitForText(/Compacted|Conversation compacted/i)
  await terminal.submit("What now?")
  const { all } = await board.model.waitFor(
    (request) => request.purpose === "turn" && request.tools.length > 0 && request.prompt.includes("What now?"),
  )
  expect(all).toContain("You are Dev (developer)")
  expect(all).not.toContain(before)
  expect((await board.sessions()).filter((session) => session.status === "active")).toHaveLength(1)
}

/** Spawns without a server leave no error on the screen, and one after its return is briefed as ever. */
export async function withoutServer(board: Board, terminal: Terminal, version: Version): Promise<void> {
  const turn = async (prompt: string, words: string) => {
    const input = { description: "work", prompt, subagent_type: "general-purpose", run_in_background: false }
    await terminal.submit(directive([{ name: spawnTool(version), input }], { text: words }))
    await waitFor(async () => (await terminal.screen()).includes(`● ${words}`), 30_000, words)
    expect(await terminal.screen()).not.toMatch(/hook (error|failed)/i)
  }
  await board.stopServer()
  await turn("Say it.", "First turn over.")
  await turn("Say it.", "Second turn over.")
  await board.restartServer()
  const [task = ""] = await board.addTasks({ title: "lamp" })
  await turn(`Chorus task: ${task}\n${directive({ text: "DONE: it is lit." })}`, "Third turn over.")
  await waitFor(async () => (await board.task(task)).status === "to_verify", 30_000, "the hand-in")
  expect((await board.history(task)).checkins).toMatchObject([{ sessionName: "work" }])
}
