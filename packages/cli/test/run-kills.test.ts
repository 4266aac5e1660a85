import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { openStage, startRunnerProcess, type Stage } from "./run-stage.ts"

const state = temporaryDirectory("agent-").path
const AGENT = scriptedAgent("--state", state, "--linger")
const WITH = ["--program", "command", "--command", AGENT]
const ROUNDS = 3
const BUSY = script({ say: "at work" }, { orphan: "sleep 600" }, { sh: "sleep 600" })

const atWork = (stage: Stage, uuid: string) =>
  waitFor(
    async () => (await stage.transcript(uuid)).filter(({ title }) => title === "sleep 600").length,
    60_000,
    "work",
  )
const processesOf = (stage: Stage, uuid: string) => stage.strays(uuid).length

it("leaves no process and no run without an end, whoever is killed when", async () => {
  await using stage = await openStage({ allow: ["--command", AGENT], start: ["--no-runner"] })
  let runner = startRunnerProcess(stage.data)
  for (let round = 0; round < ROUNDS; round++) {
    const { uuid } = await stage.start(await stage.task(BUSY), ...WITH)
    await atWork(stage, uuid)
    expect(processesOf(stage, uuid)).toBeGreaterThan(2)
    const victim = (["agent", "runner", "server"] as const)[round % 3]
    if (victim === "agent") {
      const [first = 0] = stage.strays(uuid).toSorted((one, other) => one - other)
      process.kill(first, "SIGKILL")
      await stage.until(uuid, "lost")
    } else if (victim === "runner") {
      await runner.end("SIGKILL")
      // The watchman ends them; nobody has to come back for that.
      await waitFor(() => processesOf(stage, uuid) === 0, 30_000, "its processes to end")
      runner = startRunnerProcess(stage.data)
      // The next one takes the run up again, in the same conversation; the agent has nothing to do there and is done.
      await stage.until(uuid, "finished")
    } else {
      await stage.restart("SIGKILL")
      expect(await stage.run(uuid)).toMatchObject({ state: "running" })
      await stage.json("runs", "stop", uuid)
      await stage.until(uuid, "stopped")
    }
    await waitFor(() => processesOf(stage, uuid) === 0, 30_000, "its processes to end")
  }
  const busy = await stage.start(await stage.task(BUSY), ...WITH)
  await atWork(stage, busy.uuid)
  await runner.end()
  expect(processesOf(stage, busy.uuid)).toBe(0)
})

it("starts anew what the end of its runner caught at its start", async () => {
  const speaks = join(state, "speaks")
  const agent = scriptedAgent("--state", state, "--mute-until", speaks)
  await using stage = await openStage({ allow: ["--command", agent], start: ["--no-runner"] })
  const runner = startRunnerProcess(stage.data)
  const { uuid } = await stage.start(
    await stage.task(script({ say: "DONE" })),
    "--program",
    "command",
    "--command",
    agent,
  )
  await waitFor(() => processesOf(stage, uuid) > 0, 60_000, "its program")
  await runner.end()
  await waitFor(() => processesOf(stage, uuid) === 0, 30_000, "its processes to end")
  expect(await stage.run(uuid)).toMatchObject({ state: "starting" })
  writeFileSync(speaks, "")
  const next = startRunnerProcess(stage.data)
  expect(await stage.until(uuid, "finished", "failed", "lost")).toMatchObject({ state: "finished", turns: 1 })
  await next.end()
})
