import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openBoard } from "./board.ts"
import { runHook } from "./hook-run.ts"

it("fifty hook programs at once open fifty sessions and leave no file", async () => {
  await using board = await openBoard({ version: "2.1.41" })
  const project = board.home.project
  const options = { project, url: board.url, key: board.key, env: { CHORUS_HOOK_SECONDS: "20" } }
  const agents = Array.from({ length: 50 }, (_, at) => `a${at}`)
  const event = (hook_event_name: string, agent_id: string) => ({
    session_id: "s1",
    cwd: project,
    hook_event_name,
    agent_id,
    agent_type: "builder",
    last_assistant_message: `I am ${agent_id}.`,
  })
  const started = await Promise.all(agents.map((agent) => runHook(event("SubagentStart", agent), options)))
  const told = started.map(({ stdout }) => /<chorus session=\\"([0-9a-f-]{36})\\">/.exec(stdout)?.[1])
  expect(new Set(told).size).toBe(50)
  expect(told).not.toContain(undefined)
  await Promise.all(agents.map((agent) => runHook(event("SubagentStop", agent), options)))
  const children = (await board.sessions()).filter((session) => session.parentUuid !== null)
  expect(children.map(({ status, lastWords }) => `${status} ${lastWords}`).toSorted()).toEqual(
    agents.map((agent) => `closed I am ${agent}.`).toSorted(),
  )
  expect(existsSync(join(project, ".chorus"))).toBe(false)
})
