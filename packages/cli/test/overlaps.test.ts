import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { changes, comments, OutputOf } from "@chorus/contracts"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openStage, type Stage } from "./run-stage.ts"

type Comments = OutputOf<typeof comments.getComments>

const AGENT = scriptedAgent("--state", temporaryDirectory("agent-").path, "--steer")
const PATIENCE = 60_000
const SAME = "the same lines in `README.md`"
let stage: Stage

beforeAll(async () => {
  stage = await openStage({ allow: ["--command", AGENT, "--slots", "3"] })
})
afterAll(() => stage[Symbol.asyncDispose]())

it("two runs that change the same lines hear of it while they are at work, and so does whoever looks at their tasks", async () => {
  const gate = join(temporaryDirectory("gate-").path, "open")
  const wait = { sh: `until test -f ${gate}; do sleep 0.1; done` }
  const begin = async (path: string, text: string) => {
    const taskUuid = await stage.task(script({ write: { path, text } }, wait, { say: "DONE." }))
    const { uuid } = await stage.begin(taskUuid, { command: AGENT })
    return { taskUuid, uuid }
  }
  const [ann, bea, other] = [
    await begin("README.md", "# Shop of Ann\n"),
    await begin("README.md", "# Shop of Bea\n"),
    await begin("GARDEN.md", "# Garden\n"),
  ]
  const said = async (targetUuid: string) => {
    const about = { targetType: "task", targetUuid }
    const { comments: all } = await stage.call<Comments>("chorus_get_comments", about)
    return all.filter(({ author, content }) => author?.name === "Chorus" && content.includes(SAME)).length
  }
  const heard = async (uuid: string) =>
    (await stage.transcript(uuid)).filter(({ kind, text }) => kind !== "tool" && (text ?? "").includes(SAME))
  for (const { taskUuid, uuid } of [ann, bea]) {
    await waitFor(async () => (await said(taskUuid)) === 1, PATIENCE, "what is said on the task")
    await waitFor(async () => (await heard(uuid)).length === 1, PATIENCE, "what the run is told")
    expect(await stage.run(uuid)).toMatchObject({ state: "running", turns: 1 })
    const shown = await stage.call<OutputOf<typeof changes.getChange>>("chorus_get_change", { taskUuid })
    expect(shown.versions).toEqual([])
  }
  writeFileSync(gate, "")
  for (const { taskUuid, uuid } of [ann, bea]) {
    await stage.until(uuid, "finished", "failed")
    // It was heard within the turn, and is not told again by what the turns showed.
    expect(await heard(uuid)).toContainEqual(expect.objectContaining({ kind: "user", status: "steered" }))
    expect(await said(taskUuid)).toBe(1)
  }
  await stage.until(other.uuid, "finished", "failed")
  expect([await said(other.taskUuid), await heard(other.uuid)]).toEqual([0, []])
})
