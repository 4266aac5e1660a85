import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { openStage, startRunnerProcess } from "./run-stage.ts"

const KILLS = Number(process.env["KILLS"] ?? 200)
const AT_ONCE = 10
const state = temporaryDirectory("agent-").path
const AGENT = scriptedAgent("--state", state, "--linger")
const WITH = ["--program", "command", "--command", AGENT]
const STEPS = script(
  { say: "at work" },
  { orphan: "sleep 600" },
  { write: { path: "half.txt", text: "½\n" } },
  { sh: "sleep 600" },
)

it(`leaves no process, no lock and no run without an end after ${KILLS} kills at random`, async () => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
  console.log(`SEED=${seed}`)
  const random = numbers(seed)
  await using stage = await openStage({
    allow: ["--command", AGENT, "--slots", String(AT_ONCE)],
    start: ["--no-runner"],
  })
  let runner = startRunnerProcess(stage.data)
  const ends = new Map<string, number>()
  let killed = 0
  while (killed < KILLS) {
    const uuids = await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const { uuid } = await stage.call<{ uuid: string }>("chorus_start_run", {
          taskUuid: await stage.task(STEPS),
          program: WITH[1],
          command: AGENT,
        })
        return uuid
      }),
    )
    // Anywhere between the queue and the middle of a command; the moment itself is what is being tried.
    await new Promise((wake) => setTimeout(wake, random() * 4000))
    const victim = random()
    if (victim < 0.3) {
      await runner.end("SIGKILL")
      killed++
      runner = startRunnerProcess(stage.data)
    } else if (victim < 0.5) {
      await stage.restart("SIGKILL")
      killed++
    } else
      for (const uuid of uuids) {
        const pids = stage.strays(uuid)
        const pid = pids[Math.floor(random() * pids.length)]
        // Whoever has ended by itself in this moment was not killed.
        if (pid !== undefined && killedIt(pid)) killed++
      }
    await waitFor(
      async () => {
        const live = await Promise.all(uuids.map((uuid) => stage.run(uuid)))
        const open = live.filter((run) => !["finished", "failed", "stopped", "lost"].includes(run.state))
        for (const run of open) await stage.call("chorus_stop_run", { runUuid: run.uuid }).catch(() => undefined)
        return open.length === 0
      },
      120_000,
      "every run to end",
      500,
    )
    for (const uuid of uuids) {
      await waitFor(() => stage.strays(uuid).length === 0, 60_000, `no process of ${uuid}`)
      const { state: end } = await stage.run(uuid)
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
    console.log(`${killed} killed; runs ${JSON.stringify(Object.fromEntries(ends))}`)
  }
  await runner.end()
  expect(stage.git("worktree", "list", "--porcelain")).not.toContain("locked")
})

function killedIt(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    return false
  }
}

function numbers(seed: number): () => number {
  let at = seed
  return () => {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648
    return at / 2_147_483_648
  }
}
