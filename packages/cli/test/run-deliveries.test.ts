import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Between, startBetween } from "./between.ts"
import { openStage, type Stage, startRunnerProcess } from "./run-stage.ts"

const state = temporaryDirectory("agent-").path
const AGENT = scriptedAgent("--state", state)
let stage: Stage
let between: Between
let runner: ReturnType<typeof startRunnerProcess>

beforeAll(async () => {
  stage = await openStage({ allow: ["--command", AGENT], start: ["--no-runner"] })
  between = await startBetween(stage.url())
  runner = startRunnerProcess(stage.data, { CHORUS_URL: between.url })
})
afterAll(async () => {
  await runner.end("SIGKILL")
  await between.close()
  await stage[Symbol.asyncDispose]()
})

const settle = /settle/
/** The server is not told that what was said has arrived, and says it again. */
const toldAgain = async () => {
  const [refused, fetched] = [between.refused(), between.seen(/fetch_deliveries/)]
  await waitFor(() => between.refused() > refused, 60_000, "the runner to try to say so")
  await waitFor(() => between.seen(/fetch_deliveries/) >= fetched + 3, 60_000, "it to be told again, twice")
}
const said = async (uuid: string, words: string) =>
  (await stage.transcript(uuid)).filter(({ kind, text }) => kind === "user" && text?.includes(words) === true).length
const atWork = async () => {
  const go = join(state, `go-${Math.random()}`)
  const { uuid } = await stage.begin(await stage.task(script({ sh: `until [ -e ${go} ]; do sleep 0.1; done` })), {
    command: AGENT,
  })
  await waitFor(
    async () => (await stage.transcript(uuid)).some(({ kind }) => kind === "tool"),
    60_000,
    "the agent to be at work",
  )
  return { uuid, go: () => writeFileSync(go, "") }
}
const DONE = script({ say: "DONE" })

it("says a person's words once though it cannot tell that they arrived before the run is over", async () => {
  const { uuid, go } = await atWork()
  between.refuse(settle)
  await stage.call("chorus_send_to_run", { runUuid: uuid, text: `Take the green one. ${DONE}` })
  await toldAgain()
  go()
  await stage.until(uuid, "finished", "failed")
  between.refuse(undefined)
  const pending = () => stage.call<{ deliveries: object[] }>("chorus_list_deliveries", { state: "pending" })
  await waitFor(async () => (await pending()).deliveries.length === 0, 60_000, "nothing to be on its way")
  expect([await said(uuid, "Take the green one."), (await stage.run(uuid)).state]).toEqual([1, "finished"])
})

it.each([
  ["before it told of them", () => undefined],
  ["before it noted them", () => rmSync(join(stage.data, "runner", "deliveries"), { recursive: true })],
])("says words once where it was killed %s", async (_when, undo) => {
  const { uuid } = await atWork()
  between.refuse(settle)
  const refused = between.refused()
  await stage.call("chorus_send_to_run", { runUuid: uuid, text: `Take the blue one. ${DONE}` })
  await waitFor(() => between.refused() > refused, 60_000, "the runner to try to say so")
  await runner.end("SIGKILL")
  undo()
  between.refuse(undefined)
  runner = startRunnerProcess(stage.data, { CHORUS_URL: between.url })
  await stage.until(uuid, "finished", "failed")
  expect(await said(uuid, "Take the blue one.")).toBe(1)
})
