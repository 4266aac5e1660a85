import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  BOUNDARY,
  everyVersion,
  openBoard,
  runClaude,
  spawnTool,
  subagentRequests,
  type Version,
  VERSIONS,
} from "./board.ts"

const REPORT = "DONE: the basket adds up.\n[x] 1 ran it by hand\n[ ] 2 no test yet"

const ASKED: readonly Version[] =
  process.env["CHORUS_STRESS"] === "1" ? [...(await everyVersion()), ...BOUNDARY] : VERSIONS

describe.each(ASKED)("one sub-agent in Claude Code %s", (version) => {
  it("gets its brief, works checked in, and is reported without a tracking call", async () => {
    await using board = await openBoard({ version })
    const [basket = ""] = await board.addTasks({ title: "basket", description: "Sum the prices." }, { title: "shelf" })
    const seen: string[] = []
    board.model.script(async (request) => {
      if (request.turns > 0 || request.tools.length === 0) return { text: "Over." }
      if (request.firstPrompt.includes("<chorus session=")) {
        const { checkins } = await board.history(basket)
        seen.push(`${(await board.task(basket)).status} ${checkins.filter((stay) => stay.checkoutAt === null).length}`)
        return { text: REPORT }
      }
      return {
        tools: [
          {
            name: spawnTool(version),
            input: {
              description: "the basket",
              prompt: `Chorus task: ${basket}\nDo it.`,
              subagent_type: "general-purpose",
              run_in_background: false,
            },
          },
        ],
      }
    })
    await runClaude(board, version, "Build the basket.")

    expect(seen).toEqual(["in_progress 1"])
    const [told, ...more] = subagentRequests(board)
    expect(more).toEqual([])
    expect(told?.firstPrompt).toContain("Sum the prices.")
    expect(told?.firstPrompt).toContain("1. basket works\n2. basket is tested")
    const lead = board.model.requests.filter(
      (request) =>
        request.purpose === "turn" && request.tools.length > 0 && request.firstPrompt.includes("Build the basket."),
    )
    expect(lead[0]?.all).toContain("You are Dev (developer)")
    expect(lead.at(-1)?.all).toContain(
      '"basket" (SHOP-1) is handed in and waits for verification. Ready to start: "shelf" (SHOP-2)',
    )

    const task = await board.task(basket)
    expect(task).toMatchObject({ status: "to_verify", assignee: { name: "Dev" }, reports: [{ content: REPORT }] })
    expect(task.acceptanceCriteriaItems).toMatchObject([
      { devStatus: "passed", devEvidence: "ran it by hand" },
      { devStatus: "failed" },
    ])
    const sessions = await board.sessions()
    expect(sessions.map(({ name, status, lastWords }) => ({ name, status, lastWords }))).toEqual([
      { name: "Claude Code in project", status: "closed", lastWords: null },
      { name: "the basket", status: "closed", lastWords: REPORT },
    ])
    // What its call returned says so, whatever a version takes the call for.
    expect(sessions[1]?.spawn).toBe("foreground")
    expect(sessions[1]?.externalId).toMatch(/\/a[0-9a-f]{6,}$/)
    expect((await board.history(basket)).checkins).toMatchObject([
      { sessionUuid: sessions[1]?.uuid, checkoutReason: "task_submitted" },
    ])
    expect(
      board.model.requests.some((request) => request.all.includes("mcp__plugin_chorus_chorus__") && request.turns > 1),
    ).toBe(false)
    expect(existsSync(join(board.home.project, ".chorus"))).toBe(false)
    // Told by a hook that nobody waited for, or at the next beat of its watcher where the server was busy just then; the
    // scripted model counts the same for each answer.
    const used = () => board.call<{ total: object }>("chorus_get_usage", { taskUuid: basket })
    // February's transcripts keep what an answer began with.
    const outputTokens = version === "2.1.41" ? 1 : 20
    await expect
      .poll(async () => (await used()).total, { timeout: 120_000 })
      .toMatchObject({
        inputTokens: 100,
        outputTokens,
      })
  })
})
