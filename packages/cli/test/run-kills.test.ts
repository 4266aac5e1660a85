import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { openStage, startRunnerProcess } from "./run-stage.ts"

const state = temporaryDirectory("agent-").path
const AGENT = scriptedAgent("--state", state)
const LINGERS = scriptedAgent("--state", state, "--linger")
const SPEAKS = join(state, "speaks")
const MUTE = scriptedAgent("--state", state, "--mute-until", SPEAKS)
const BUSY = script({ say: "at work" }, { orphan: "sleep 600" }, { sh: "sleep 600" })

it("leaves no process and no run without an end, whoever is killed when", async () => {
  const allow = ["--command", AGENT, LINGERS, MUTE, "--slots", "4", "--keep-days", "0"]
  await using stage = await openStage({ allow, start: ["--no-runner"] })
  const begin = async (command: string, text = BUSY) => (await stage.begin(await stage.task(text), { command })).uuid
  const atWork = (uuid: string) =>
    waitFor(async () => (await stage.transcript(uuid)).some(({ title }) => title === "sleep 600"), 60_000, "work")
  const noneOf = (uuid: string) => waitFor(() => stage.strays(uuid).length === 0, 60_000, "its processes to end")
  const worktreeOf = async (uuid: string) => (await stage.run(uuid)).worktree ?? ""
  let runner = startRunnerProcess(stage.data)

  const [orphaned, heir, survivor] = await Promise.all([begin(LINGERS), begin(LINGERS), begin(AGENT)])
  await Promise.all([orphaned, heir, survivor].map(atWork))
  expect(stage.strays(orphaned).length).toBeGreaterThan(2)
  process.kill(Math.min(...stage.strays(orphaned)), "SIGKILL")
  await stage.until(orphaned, "lost")
  await noneOf(orphaned)

  // The runner tells of what it has although its server came back elsewhere, and hears of what is asked there at once.
  await stage.restart("SIGKILL")
  expect(await stage.run(survivor)).toMatchObject({ state: "running" })
  await stage.json("runs", "stop", survivor)
  await waitFor(async () => (await stage.run(survivor)).state === "stopped", 60_000, "the word to arrive")
  await noneOf(survivor)

  await runner.end("SIGKILL")
  // The watchman ends them; nobody has to come back for that.
  await noneOf(heir)
  runner = startRunnerProcess(stage.data)
  // The next one takes the run up again, in the same conversation; the agent has nothing to do there and is done.
  await stage.until(heir, "finished")
  await noneOf(heir)
  // When it begins, the worktrees of what had ended for longer than the machine keeps them go; others stay.
  const [first, second, kept] = await Promise.all([orphaned, survivor, heir].map(worktreeOf))
  await waitFor(() => !existsSync(first ?? "") && !existsSync(second ?? ""), 60_000, "what is old to go")
  expect(existsSync(kept ?? "")).toBe(true)

  // One that ends in good order takes everybody along, and what it caught at its start is started anew by the next.
  const [busy, unheard] = await Promise.all([begin(LINGERS), begin(MUTE, script({ say: "DONE" }))])
  await atWork(busy)
  await waitFor(() => stage.strays(unheard).length > 0, 60_000, "its program")
  await runner.end()
  expect([...stage.strays(busy), ...stage.strays(unheard)]).toEqual([])
  expect(await stage.run(unheard)).toMatchObject({ state: "starting" })
  writeFileSync(SPEAKS, "")
  const next = startRunnerProcess(stage.data)
  expect(await stage.until(unheard, "finished", "failed", "lost")).toMatchObject({ state: "finished", turns: 1 })
  await next.end()
})
