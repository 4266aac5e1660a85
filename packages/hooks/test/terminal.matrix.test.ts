import { waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { directive, openBoard, openClaude, SPAWN, TEAMS, VERSIONS } from "./board.ts"

describe("teammates of February", () => {
  it("in panes work on their task as sessions that the lead opened", async () => {
    await using board = await openBoard({ version: "2.1.41" })
    const [task = ""] = await board.addTasks({ title: "lamp" })
    await using terminal = await openClaude(board, {
      version: "2.1.41",
      args: ["--settings", JSON.stringify({ teammateMode: "tmux" })],
      env: TEAMS,
    })
    const prompt = `chorus:task:${task} ${directive({ text: "I have begun." })}`
    const team = [{ name: "TeamCreate", input: { team_name: "shop", description: "builds" } }]
    await terminal.submit(
      directive(team, [
        {
          name: "Task",
          input: {
            name: "alice",
            team_name: "shop",
            description: "Alice works",
            prompt,
            subagent_type: "general-purpose",
          },
        },
      ]),
    )
    await board.model.waitFor(
      (request) =>
        request.all.includes("<chorus session=") &&
        request.all.includes("Build the lamp.") &&
        request.firstPrompt.includes("chorus:task"),
    )
    await waitFor(async () => (await board.task(task)).status === "in_progress", 20_000)
    expect((await board.sessions()).filter((session) => session.name === "alice")).toMatchObject([{ status: "active" }])
    expect((await board.history(task)).checkins).toMatchObject([{ checkoutAt: null, sessionName: "alice" }])
    const shutDown = { type: "shutdown_request", recipient: "alice", content: "all done" }
    await terminal.submit(directive([{ name: "SendMessage", input: shutDown }]))
    await waitFor(async () => {
      const alice = (await board.sessions()).find((session) => session.name === "alice")
      return alice?.status === "closed"
    }, 30_000)
    expect((await board.sessions())[0]).toMatchObject({ parentUuid: null, status: "active" })
    await terminal.hangUp()
    await waitFor(async () => (await board.sessions()).every((session) => session.status === "closed"), 20_000)
  })
})

describe("a server that is away", () => {
  it.each(VERSIONS)("puts no error on the screen of %s", async (version) => {
    await using board = await openBoard({ version })
    await board.stopServer()
    await using terminal = await openClaude(board, { version })
    const work = { description: "work", prompt: "Say it.", subagent_type: "general-purpose", run_in_background: false }
    await terminal.submit(directive([{ name: SPAWN[version], input: work }], { text: "First turn over." }))
    await terminal.waitForText(/First turn over\./, 30_000)
    await terminal.submit(directive({ text: "Second turn over." }))
    await terminal.waitForText(/Second turn over\./, 30_000)
    expect(await terminal.screen()).not.toMatch(/hook (error|failed)/i)
  })
})

describe("compaction", () => {
  it.each(["2.1.325", "2.1.41"] as const)(
    "in Claude Code %s is followed by the whole introduction again",
    async (version) => {
      await using board = await openBoard({ version })
      await using terminal = await openClaude(board, { version })
      await terminal.submit("Hello.")
      await board.model.waitFor((request) => request.prompt.includes("Hello."))
      await terminal.waitForText(/Noted\./)
      await terminal.submit("/compact")
      await terminal.waitForText(/Compacted|Conversation compacted/i, 20_000)
      await terminal.submit("What now?")
      const { all } = await board.model.waitFor(
        (request) => request.purpose === "turn" && request.tools.length > 0 && request.prompt.includes("What now?"),
      )
      expect(all).toContain("You are Dev (developer)")
      expect(all).not.toContain("Hello.")
      expect((await board.sessions()).filter((session) => session.status === "active")).toHaveLength(1)
    },
  )
})
