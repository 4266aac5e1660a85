import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runAgent, waitFor } from "@chorus/testing"
import { expect } from "vitest"
import { type Board, directive, openBoard, openClaude, REPOSITORY, spawnTool, TEAMS, type Version } from "./board.ts"

export type TeammateMode = "in-process" | "tmux"

/**
 * A lead in a terminal with two teammates: one hands its task in by what it says at the end of a later turn, the other
 * by a task of the program's own list that is tagged. Both live on, and each ends when it is shut down and not with its
 * lead.
 */
export async function teammatesHandIn(version: Version, teammateMode: TeammateMode): Promise<void> {
  const february = version === "2.1.41"
  await using board = await openBoard({ version })
  if (february) await settleIn(board)
  const [lamp = "", table = ""] = await board.addTasks({ title: "lamp" }, { title: "table" })
  await using terminal = await openClaude(board, {
    version,
    args: february ? ["--teammate-mode", teammateMode] : ["--settings", JSON.stringify({ teammateMode })],
    env: TEAMS,
    installed: february,
  })
  const spawn = (name: string, task: string) => ({
    name: spawnTool(version),
    input: {
      name,
      description: `${name} works`,
      prompt: `Chorus task: ${task}\n${directive({ text: "I have begun." })}`,
      ...(february ? { team_name: "shop", subagent_type: "general-purpose" } : {}),
    },
  })
  const write = (to: string, ...turns: unknown[]) => {
    const text = directive(...turns)
    const input = february
      ? { type: "message", recipient: to, content: text, summary: "go on" }
      : { to, message: text, summary: "go on" }
    return { name: "SendMessage", input }
  }
  const shutDown = (to: string) => ({
    name: "SendMessage",
    input: february
      ? { type: "shutdown_request", recipient: to, content: "all done" }
      : { to, message: { type: "shutdown_request", reason: "all done" } },
  })
  const sessionsOf = async (name: string) => (await board.sessions()).filter((session) => session.name === name)
  const reported = async (task: string) => (await board.history(task)).reports.map(({ content }) => content)

  await terminal.submit(
    directive(...(february ? [[{ name: "TeamCreate", input: { team_name: "shop", description: "builds" } }]] : []), [
      spawn("alice", lamp),
      spawn("bob", table),
    ]),
  )
  for (const title of ["lamp", "table"])
    await board.model.waitFor(
      ({ firstPrompt }) => firstPrompt.includes("<chorus session=") && firstPrompt.includes(`Build the ${title}.`),
    )
  for (const [name, task] of [
    ["alice", lamp],
    ["bob", table],
  ] as const) {
    expect(await sessionsOf(name)).toMatchObject([{ status: "active" }])
    expect(await board.task(task)).toMatchObject({ status: "in_progress" })
    expect((await board.history(task)).checkins).toMatchObject([{ checkoutAt: null, sessionName: name }])
  }

  await terminal.submit(directive([write("alice", { text: "DONE: it is lit.\n[x] 1 saw it\n[ ] 2 no test yet" })]))
  await waitFor(async () => (await board.task(lamp)).status === "to_verify", 60_000, "the hand-in by DONE")
  expect(await reported(lamp)).toEqual(["DONE: it is lit.\n[x] 1 saw it\n[ ] 2 no test yet"])
  expect((await board.task(lamp)).acceptanceCriteriaItems).toMatchObject([
    { devStatus: "passed", devEvidence: "saw it" },
    { devStatus: "failed" },
  ])
  expect((await board.history(lamp)).checkins).toMatchObject([{ checkoutReason: "task_submitted" }])
  expect((await board.task(table)).status).toBe("in_progress")

  const leadHears = (title: string) =>
    board.model.waitFor(
      ({ all, firstPrompt, tools }) =>
        tools.includes("TaskCreate") &&
        !firstPrompt.includes("<chorus session=") &&
        new RegExp(`"${title}" \\(SHOP-\\d\\) is handed in and waits for verification`).test(all),
    )
  const make = { name: "TaskCreate", input: { subject: "Table", description: `chorus:task:${table}` } }
  // February's program has each member in its own process on that list too.
  const taskId = february && teammateMode === "in-process" ? "3" : "1"
  const set = (status: string) => [{ name: "TaskUpdate", input: { taskId, status } }]
  await terminal.submit(directive([make], [write("bob", set("in_progress"), set("completed"), { text: "It stands." })]))
  await waitFor(async () => (await board.task(table)).status === "to_verify", 60_000, "the hand-in by the list")
  expect((await reported(table))[0]).toContain("DONE: Table")
  for (const name of ["alice", "bob"]) expect(await sessionsOf(name)).toMatchObject([{ status: "active" }])
  // The program in a pane is a session of its own.
  expect((await board.sessions()).filter(({ parentUuid }) => parentUuid === null)).toHaveLength(
    teammateMode === "tmux" ? 3 : 1,
  )

  await terminal.submit(directive([shutDown("alice"), shutDown("bob")]))
  // At the latest with this prompt; newer programs begin a turn of their lead's with a member's message.
  await leadHears("lamp")
  for (const name of ["alice", "bob"])
    await waitFor(async () => (await sessionsOf(name))[0]?.status === "closed", 60_000, `the end of ${name}`)
  expect((await board.sessions())[0]).toMatchObject({ parentUuid: null, status: "active" })
  await terminal.hangUp()
  await waitFor(async () => (await board.sessions()).every(({ status }) => status === "closed"))
}

/**
 * As `chorus connect claude` leaves February's program: panes get neither the arguments nor the environment of their
 * lead.
 */
async function settleIn({ home, url, key }: Board): Promise<void> {
  for (const args of [
    ["plugin", "marketplace", "add", REPOSITORY],
    ["plugin", "install", "chorus-legacy@chorus-plugins"],
  ]) {
    const { code, stdout, stderr } = await runAgent({ agent: "claude-code", version: "2.1.41", home, args })
    if (code !== 0) throw new Error(`claude ${args.join(" ")}: ${stdout}${stderr}`)
  }
  const file = join(home.path, ".claude", "settings.json")
  const settings = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>
  writeFileSync(file, JSON.stringify({ ...settings, env: { CHORUS_URL: url, CHORUS_API_KEY: key } }))
}
