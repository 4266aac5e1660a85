import { join } from "node:path"
import { TEAM_LEAD } from "@chorus/contracts"
import { agentProgram, drive, scratchHome, startModel, waitFor } from "@chorus/testing"
import { afterEach, expect, test } from "vitest"
import {
  createTeam,
  driverFor,
  inProcessBackend,
  kindOf,
  sendMessage,
  TeamObserver,
  TeamRuntime,
} from "../src/index.ts"
import { teamTools } from "../src/agents/team-tools.ts"
import { figure } from "./worker.ts"

const cleanups: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** How each program names a tool of the server `team`. */
const TOOL = {
  claude: (name: string) => ({ name: `mcp__team__${name}` }),
  codex: (name: string) => ({ name, namespace: "mcp__team" }),
  opencode: (name: string) => ({ name: `team_${name}` }),
} as const
type Program = keyof typeof TOOL

test("Claude Code, Codex and OpenCode, the real programs, finish a four-task graph together", async () => {
  const model = await startModel(drive)
  cleanups.push(() => model.stop())
  const home = scratchHome({ model })
  cleanups.push(() => home.remove())
  const root = join(home.path, ".claude")
  const team = await createTeam({ name: "mixed" }, { root })
  const heard: string[] = []
  const runtime = new TeamRuntime(team, {
    onEvent: (event) =>
      event.event === "message" &&
      heard.push(`${event.message.entry.from} ${kindOf(event.message.entry.text)} ${event.message.entry.text}`),
  })
  cleanups.push(() => runtime.close())
  const done: string[] = []
  const observer = new TeamObserver({
    root,
    onFact: (fact) => fact.fact === "task" && fact.task.status === "completed" && done.push(fact.task.id),
  })
  cleanups.push(() => observer.close())

  for (const subject of ["Walls", "Windows", "Doors"]) await team.createTask({ subject, description: "" })
  await team.createTask({ subject: "Roof", description: "", blockedBy: ["1"] })

  const paths = {
    claude: await agentProgram("claude-code", "2.1.325"),
    codex: await agentProgram("codex"),
    opencode: await agentProgram("opencode"),
  }
  const spawn = (program: Program, prompt: string) =>
    runtime.spawn({
      name: program,
      prompt,
      env: home.environment,
      cwd: home.project,
      mode: "bypassPermissions",
      backend: inProcessBackend(
        ({ env, cwd, member }) =>
          driverFor(
            { program, argv: [paths[program]] },
            {
              team: "mixed",
              name: member.name,
              cwd,
              env,
              tools: teamTools({ root, team: "mixed", name: member.name }),
            },
          ),
        { type: "process" },
      ),
    })
  await Promise.all([
    spawn("claude", work("claude", "1")),
    spawn("codex", work("codex", "2")),
    spawn("opencode", work("opencode", "3")),
  ])
  await waitFor(
    async () => (await team.tasks()).filter((task) => task.status === "completed").length === 3,
    90_000,
    () =>
      `three tasks; heard ${heard.join("\n")} tools ${model.requests.map((request) => `${request.api}: ${request.tools.filter((tool) => /team/i.test(tool)).join()} ${request.newest.slice(-200)}`).join("\n")}`,
  )
  await sendMessage(team, { from: TEAM_LEAD, to: "codex", content: work("codex", "4") })
  await waitFor(async () => (await team.tasks()).every((task) => task.status === "completed"), 60_000)
  await waitFor(() => heard.filter((line) => line.includes("HAVE-DONE")).length === 4, 20_000)

  expect((await team.tasks()).map(({ owner }) => owner)).toEqual(["claude", "codex", "opencode", "codex"])
  await waitFor(() => done.length === 4, 30_000)
  const answers = await Promise.all(
    (["claude", "codex", "opencode"] as const).map((name) => runtime.shutdown(name, "finished")),
  )
  expect(answers.map(({ approved }) => approved)).toEqual([true, true, true])
  expect((await team.config()).members.map(({ name }) => name)).toEqual([TEAM_LEAD])
  figure("a mixed team of Claude Code, Codex and OpenCode completed 4 of 4 tasks and shut down")
})

/** Words that make the scripted model take a task, complete it and report, with the tools as the program names them. */
function work(program: Program, taskId: string): string {
  const call = (tool: string, input: Record<string, unknown>) => [{ ...TOOL[program](tool), input }]
  return `DO: ${JSON.stringify([call("TaskUpdate", { taskId, status: "in_progress" }), call("TaskUpdate", { taskId, status: "completed" }), call("SendMessage", { to: "team-lead", message: `HAVE-DONE ${taskId}`, summary: "done" })])}`
}
