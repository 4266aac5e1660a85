import { waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { openBoard, runClaude, subagentRequests, type Version } from "./board.ts"

const TITLES = ["anchor", "barrel", "candle", "drawer", "engine"]

type Run = [version: Version, tool: string, how: "foreground" | "background"]
const EVERY_DAY: Run[] = [
  ["2.1.325", "Agent", "background"],
  ["2.1.41", "Task", "foreground"],
]
const UNDER_STRESS: Run[] = [
  ["2.1.325", "Agent", "foreground"],
  ["2.1.197", "Agent", "foreground"],
  ["2.1.197", "Agent", "background"],
  ["2.1.41", "Task", "background"],
]
const RUNS = process.env["CHORUS_STRESS"] === "1" ? [...EVERY_DAY, ...UNDER_STRESS] : EVERY_DAY

describe.each(RUNS)("five sub-agents of one type at once in Claude Code %s, %s in the %s", (version, tool, how) => {
  it("get five sessions, each with its own task", { tags: ["stress"] }, async () => {
    await using board = await openBoard({ version })
    const uuids = await board.addTasks(...TITLES.map((title) => ({ title })))
    const handedIn = async () =>
      (await Promise.all(uuids.map((uuid) => board.task(uuid)))).every((task) => task.status === "to_verify")
    board.model.script(async (request) => {
      if (request.tools.length === 0) return { text: "Nothing." }
      const title = /^Make the (\w+)\./.exec(request.firstPrompt)?.[1]
      // The first to start are the last to end.
      if (title !== undefined)
        return { text: `DONE: made the ${title}.`, delay: 60 * (TITLES.length - TITLES.indexOf(title)) }
      // Claude Code of February does not wait for background agents when the lead has ended.
      if (request.turns > 0) return (await waitFor(handedIn)) && { text: "Over." }
      const spawns = uuids.map((uuid, at) => ({
        description: "build",
        prompt: `Make the ${TITLES[at]}.\nchorus:task:${uuid}`,
        subagent_type: "general-purpose",
        run_in_background: how === "background",
      }))
      return { tools: spawns.map((input) => ({ name: tool, input })) }
    })
    await runClaude(board, version, "Build them all.")

    const told = subagentRequests(board)
    expect(told.map(({ firstPrompt }) => /^Make the (\w+)\./.exec(firstPrompt)?.[1]).toSorted()).toEqual(TITLES)
    for (const { firstPrompt } of told) {
      const title = /^Make the (\w+)\./.exec(firstPrompt)?.[1]
      expect(firstPrompt).toContain(`: ${title} (SHOP-`)
      expect(firstPrompt.match(/<chorus session=/g)).toHaveLength(1)
    }
    const sessions = (await board.sessions()).filter((session) => session.parentUuid !== null)
    expect(sessions).toHaveLength(5)
    expect(new Set(sessions.map(({ externalId }) => externalId?.split("/")[1])).size).toBe(5)
    for (const [at, uuid] of uuids.entries()) {
      const { checkins, reports } = await board.history(uuid)
      expect(reports.map(({ content }) => content)).toEqual([`DONE: made the ${TITLES[at]}.`])
      const session = sessions.find((candidate) => candidate.uuid === checkins[0]?.sessionUuid)
      expect(checkins).toHaveLength(1)
      expect(session).toMatchObject({ status: "closed", lastWords: `DONE: made the ${TITLES[at]}.` })
      expect(session?.externalId).toMatch(/\/a[0-9a-f]{6,}$/)
    }
  })
})
