import { dirname } from "node:path"
import { acpAdapter, agentProgram, drive, scratchHome, startModel, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { openStage } from "./run-stage.ts"

const PAINT = "echo red > door.txt && cat door.txt"

/** Each program with the call by which its model runs a command, and whether it asks first as this machine lets it. */
const PROGRAMS = [
  {
    program: "claude",
    paint: { name: "Bash", input: { command: PAINT, description: "paint" } },
    asks: true,
    places: async () => [dirname(await agentProgram("claude-code")), await acpAdapter("claude")],
  },
  {
    program: "codex",
    paint: { name: "exec_command", input: { cmd: PAINT } },
    asks: false,
    places: async () => [dirname(await agentProgram("codex")), await acpAdapter("codex")],
  },
  {
    program: "opencode",
    paint: { name: "bash", input: { command: PAINT, description: "paint" } },
    asks: true,
    places: async () => [dirname(await agentProgram("opencode"))],
  },
] as const

it.each(PROGRAMS)(
  "$program does a task, takes a second turn, and leaves nothing",
  async ({ program, paint, asks, places }) => {
    await using model = await startModel(drive)
    await using home = scratchHome({ model })
    const PATH = [...(await places()), home.environment["PATH"]].join(":")
    const env = { ...home.environment, PATH, CHORUS_CHECK_OUTPUT: "1" }
    const mode = asks ? "edit" : "all"
    await using stage = await openStage({
      allow: ["--mode", mode, "--env", "SCRIPTED_API_KEY", "npm_config_registry"],
      env,
    })
    const taskUuid = await stage.task(
      `DO: ${JSON.stringify([[paint], { text: "DONE The door is red.\n[x] 1 it says red" }])}`,
    )
    const { uuid } = await stage.start(taskUuid, "--program", program, ...(asks ? ["--mode", "ask"] : []))
    if (asks) {
      await stage.until(uuid, "waiting")
      const { items } = await stage.call<{ items: { uuid: string; attention: object | null }[] }>(
        "chorus_needs_you",
        {},
      )
      const asked = items.find(({ attention }) => attention !== null)
      await stage.call("chorus_answer_attention", { attentionUuid: asked?.uuid, answer: { decision: "approve" } })
    }
    const run = await stage.until(uuid, "finished", "failed", "lost")
    expect(run).toMatchObject({ state: "finished", reason: null })
    expect(run.usage.outputTokens).toBeGreaterThan(0)
    expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({
      status: "to_verify",
      acceptanceCriteriaItems: [{ devStatus: "passed" }],
    })
    expect(stage.git("show", `refs/chorus/runs/${uuid}/turn/1:door.txt`)).toBe("red")
    const told = await stage.transcript(uuid)
    expect(told.find(({ kind, title }) => kind === "tool" && title?.includes("door.txt"))).toMatchObject({
      status: "completed",
    })
    expect(told.at(-1)?.text).toContain("DONE The door is red.")
    await waitFor(() => stage.strays(uuid).length === 0, 30_000, "its processes to end")

    await stage.call("chorus_admin_reopen_task", { taskUuid, force: true })
    await stage.json("runs", "send", uuid, 'DO: [{"text":"DONE Twice."}]')
    expect(await stage.until(uuid, "finished", "failed", "lost")).toMatchObject({
      state: "finished",
      turns: 2,
      sessionId: run.sessionId,
      worktree: run.worktree,
    })
    expect((await stage.transcript(uuid)).at(-1)?.text).toContain("DONE Twice.")
    await waitFor(() => stage.strays(uuid).length === 0, 30_000, "its processes to end")
  },
)
