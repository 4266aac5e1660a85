import { waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { directive, openBoard, openClaude, TEAMS, VERSIONS } from "./board.ts"
import { withoutServer } from "./terminal-steps.ts"

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
    await waitFor(async () => (await board.task(task)).status === "in_progress")
    expect((await board.sessions()).filter((session) => session.name === "alice")).toMatchObject([{ status: "active" }])
    expect((await board.history(task)).checkins).toMatchObject([{ checkoutAt: null, sessionName: "alice" }])
    const shutDown = { type: "shutdown_request", recipient: "alice", content: "all done" }
    await terminal.submit(directive([{ name: "SendMessage", input: shutDown }]))
    await waitFor(async () => {
      const alice = (await board.sessions()).find((session) => session.name === "alice")
      return alice?.status === "closed"
    })
    expect((await board.sessions())[0]).toMatchObject({ parentUuid: null, status: "active" })
    await terminal.hangUp()
    await waitFor(async () => (await board.sessions()).every((session) => session.status === "closed"))
  })
})

describe("a server that is away", () => {
  it.each(VERSIONS)("from the start puts no error on the screen of %s", async (version) => {
    await using board = await openBoard({ version, start: false })
    await using terminal = await openClaude(board, { version })
    await withoutServer(board, terminal, version)
  })

  it.each(["2.1.197", "2.1.41"] as const)("in mid-session puts no error on the screen of %s", async (version) => {
    await using board = await openBoard({ version })
    await using terminal = await openClaude(board, { version })
    await withoutServer(board, terminal, version)
  })
})
