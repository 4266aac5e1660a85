import type { runs, sessions } from "@chorus/contracts"
import { expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

it.each([
  ["the runner's own agent", "before"],
  ["the runner's own agent", "after"],
  ["the agent whose plugin lies on that machine", "before"],
  ["the agent whose plugin lies on that machine", "after"],
] as const)("is the one that the program's hooks speak of as %s, who came %s the report", async (who, when) => {
  const { runUuid, runner, report, sessionId } = await leased()
  const teller = who === "the runner's own agent" ? runner : await w.agent(`Plugin of ${sessionId}`)
  const hook = hooksOf(teller, sessionId)
  const begin = () => hook("SessionStart", { source: "startup" })
  if (when === "before") await begin()
  await report({ state: "running", sessionId })
  if (when === "after") await begin()
  await hook("UserPromptSubmit", { prompt: "Go on." })
  await hook("Stop", { last_assistant_message: "DONE" })
  const { sessionUuid } = await w.call<runs.RunRow>(w.owner, "chorus_get_run", { runUuid })
  expect(await activeOf(runner, teller)).toEqual([sessionUuid])
})

it("is told of by its program's hooks again once a person goes on with the conversation of a run that has ended", async () => {
  const { report, sessionId } = await leased()
  const person = await w.agent(`Plugin of ${sessionId}`)
  const hook = hooksOf(person, sessionId)
  await report({ state: "running", sessionId })
  await report({ state: "finished" })
  await hook("SessionEnd", { reason: "other" })
  expect(await activeOf(person)).toEqual([])
  await hook("SessionStart", { source: "resume" })
  expect(await activeOf(person)).toHaveLength(1)
})

/** A run that a machine of its own has just begun with. */
async function leased() {
  const machine = `desk-${crypto.randomUUID().slice(0, 8)}`
  const runner = await w.agent(`Runner of ${machine}`)
  const { uuid: runUuid } = await w.call<runs.RunRow>(w.owner, "chorus_start_run", {
    taskUuid: await w.newTask(),
    program: "claude",
    machine,
  })
  const programs = [{ program: "claude", version: "1", missing: null }]
  const able = { machine, programs, folders: ["/shop"], slots: 1, busy: 0 }
  const { run } = await w.call<{ run: runs.LeasedRun }>(runner, "chorus_lease_run", able)
  const report = (told: object) => w.call(runner, "chorus_report_run", { runUuid, lease: run.lease, ...told })
  return { runUuid, runner, report, sessionId: `conversation-${machine}` }
}

function hooksOf(by: Actor, session_id: string) {
  return (hook_event_name: string, more: object = {}) =>
    w.call(by, "chorus_hook", { session_id, hook_event_name, cwd: "/shop", ...more })
}

async function activeOf(...agents: { readonly uuid: string }[]) {
  const { sessions: all } = await w.call<{ sessions: sessions.SessionRow[] }>(w.owner, "chorus_list_sessions", {
    pageSize: 100,
  })
  return all
    .filter(({ agentUuid, status }) => status === "active" && agents.some(({ uuid }) => uuid === agentUuid))
    .map(({ uuid }) => uuid)
}
