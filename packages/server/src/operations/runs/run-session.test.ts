import type { runs, sessions } from "@chorus/contracts"
import { expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"

const w = embeddedWorkspace()

it.each(["before", "after"] as const)(
  "is the one that the program's hooks speak of, who came %s the report",
  async (when) => {
    const runner = await w.agent(`Runner ${when}`)
    const machine = `desk ${when}`
    const { uuid: runUuid } = await w.call<runs.RunRow>(w.owner, "chorus_start_run", {
      taskUuid: await w.newTask(),
      program: "claude",
      machine,
    })
    const able = {
      machine,
      programs: [{ program: "claude", version: "1", missing: null }],
      folders: ["/shop"],
      slots: 1,
      busy: 0,
    }
    const { run } = await w.call<{ run: runs.LeasedRun }>(runner, "chorus_lease_run", able)
    const sessionId = `conversation-${when}`
    const hook = (hook_event_name: string, more: object = {}) =>
      w.call(runner, "chorus_hook", { session_id: sessionId, hook_event_name, cwd: "/shop", ...more })
    const begin = () => hook("SessionStart", { source: "startup" })
    if (when === "before") await begin()
    await w.call(runner, "chorus_report_run", { runUuid, lease: run.lease, state: "running", sessionId })
    if (when === "after") await begin()
    await hook("UserPromptSubmit", { prompt: "Go on." })
    await hook("Stop", { last_assistant_message: "DONE" })
    const { sessions: all } = await w.call<{ sessions: sessions.SessionRow[] }>(w.owner, "chorus_list_sessions", {
      pageSize: 100,
    })
    const active = all.filter(({ agentUuid, status }) => agentUuid === runner.uuid && status === "active")
    const { sessionUuid } = await w.call<runs.RunRow>(w.owner, "chorus_get_run", { runUuid })
    expect(active.map(({ uuid }) => uuid)).toEqual([sessionUuid])
  },
)
