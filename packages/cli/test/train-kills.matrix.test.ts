import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { landings, OutputOf, tasks as shapes } from "@chorus/contracts"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { openStage, startRunnerProcess, type Stage } from "./run-stage.ts"

type Row = landings.LandingRow
type TaskDetail = shapes.TaskDetail

const AGENT = scriptedAgent("--state", temporaryDirectory("agent-").path)
/**
 * What each task writes, and what it builds on. The fifth conflicts with the fourth, the sixth breaks what the second
 * promised.
 */
const PLAN: Readonly<Record<string, { file: string; text: string; on?: string; check?: string }>> = {
  one: { file: "one.txt", text: "1" },
  two: { file: "two.txt", text: "2", check: "test ! -e spoiled.txt" },
  three: { file: "three.txt", text: "3", on: "one" },
  four: { file: "same.txt", text: "four" },
  five: { file: "same.txt", text: "five" },
  six: { file: "spoiled.txt", text: "6" },
  seven: { file: "seven.txt", text: "7", on: "six" },
  eight: { file: "eight.txt", text: "8" },
}

it("lands a train of eight with one that conflicts and one that breaks, its runner killed five times on the way", async () => {
  await using stage = await openStage({
    allow: ["--command", AGENT, "--slots", "4", "--land", "--checks"],
    start: ["--no-runner"],
  })
  const gates = gatesOf(stage)
  let runner = startRunnerProcess(stage.data)
  const { proposalUuid, tasks } = await builtPlan(stage, gates.command)
  const before = stage.git("rev-parse", "main")

  // In the middle of a hook of the repository's, of a check, and when the branch has moved and nobody was told.
  const places = ["pre-commit", "check", "post-merge", "check", "post-merge"]
  gates.close(places[0] ?? "")
  const train = await stage.json<OutputOf<typeof landings.landProposal>>("change", "train", proposalUuid)
  expect([train.landings.length, train.left]).toEqual([8, []])
  for (const [at, place] of places.entries()) {
    await gates.reached(place)
    await runner.end("SIGKILL")
    const next = places[at + 1]
    if (next !== undefined) gates.close(next)
    gates.open(place)
    runner = startRunnerProcess(stage.data)
  }

  let seen: readonly Row[] = []
  await waitFor(
    async () => {
      seen = await Promise.all(Object.values(tasks).map((taskUuid) => newest(stage, taskUuid)))
      return seen.filter(({ state }) => state === "queued" || state === "at_work").length === 1 ? true : undefined
    },
    120_000,
    () => seen.map(({ state, reason }) => `${state} ${reason ?? ""}`).join("\n"),
  )
  await runner.end()
  const states = Object.fromEntries(Object.keys(tasks).map((name, at) => [name, seen[at]?.state]))
  expect(states).toEqual({
    one: "landed",
    two: "landed",
    three: "landed",
    four: "landed",
    five: "conflict",
    six: "broken",
    seven: "queued",
    eight: "landed",
  })
  const titles = stage.git("log", "--reverse", "--format=%s", `${before}..main`).split("\n")
  expect(titles.map((title) => title.replace(/^SHOP-\d+: /, ""))).toEqual(["one", "two", "four", "eight", "three"])
  expect(
    stage.git("log", "--format=%(trailers:key=Chorus-Landing,valueonly,separator=)", `${before}..main`).split("\n"),
  ).toEqual(["three", "eight", "four", "two", "one"].map((name) => seen[Object.keys(tasks).indexOf(name)]?.uuid))
  expect(
    seen
      .filter(({ state }) => state === "landed")
      .map(({ commit }) => commit ?? "")
      .toSorted(),
  ).toEqual(stage.git("rev-list", `${before}..main`).split("\n").toSorted())
  expect(stage.git("ls-files").split("\n")).toEqual(
    ["README.md", "eight.txt", "one.txt", "same.txt", "three.txt", "two.txt"].toSorted(),
  )
  // Checkout, index and branch agree, and nothing of the landings is left in the repository.
  expect(stage.git("status", "--porcelain")).toBe("")
  expect(
    stage
      .git("worktree", "list")
      .split("\n")
      .filter((line) => line.includes("/landings/")),
  ).toEqual([])
  // What came back is with its run again, and may have been handed in once more by now.
  const returned = async (name: string) => {
    const { handIns } = await stage.call<TaskDetail>("chorus_get_task", { taskUuid: tasks[name] })
    return handIns[0]
  }
  const byChorus = { outcome: "returned", decidedBy: { name: "Chorus" } }
  expect(await returned("five")).toMatchObject({ ...byChorus, reason: expect.stringContaining("same.txt, line 1:") })
  expect(await returned("six")).toMatchObject({
    ...byChorus,
    reason: expect.stringContaining("test ! -e spoiled.txt"),
  })
  expect((await newest(stage, tasks["seven"] ?? "")).reason).toMatch(/^Waits for "six" \((in progress|to verify)\)\.$/)
})

async function newest(stage: Stage, taskUuid: string): Promise<Row> {
  const {
    landings: [row],
  } = await stage.call<{ landings: Row[] }>("chorus_get_landing", { taskUuid })
  if (row === undefined) throw new Error("no landing")
  return row
}

/** Places where a landing can be held until the test lets it go on: two hooks of the repository and a check. */
function gatesOf(stage: Stage) {
  const folder = join(stage.data, "..", "gates")
  mkdirSync(folder)
  const at = (name: string) => join(folder, name)
  const wait = (place: string) =>
    `if mv ${at(place)}-closed ${at(place)}-reached 2>/dev/null; then while [ -e ${at(place)}-reached ]; do sleep 0.05; done; fi; true`
  for (const name of ["pre-commit", "post-merge"])
    writeFileSync(join(stage.repository, ".git/hooks", name), `#!/bin/sh\n${wait(name)}\n`, { mode: 0o755 })
  return {
    command: wait("check"),
    close: (place: string) => writeFileSync(`${at(place)}-closed`, ""),
    reached: (place: string) => waitFor(() => existsSync(`${at(place)}-reached`), 60_000, `the landing at ${place}`),
    open: (place: string) => rmSync(`${at(place)}-reached`),
  }
}

/** The plan, approved, built by the scripted agent and verified in its order. */
async function builtPlan(stage: Stage, gate: string) {
  const { projects } = await stage.call<{ projects: { uuid: string }[] }>("chorus_list_projects", {})
  const projectUuid = projects[0]?.uuid ?? ""
  await stage.call("chorus_update_project_settings", { projectUuid, allowSelfApproval: true })
  const idea = await stage.call<{ uuid: string }>("chorus_pm_create_idea", { projectUuid, title: "A train" })
  await stage.call("chorus_claim_idea", { ideaUuid: idea.uuid })
  await stage.call("chorus_pm_skip_elaboration", { ideaUuid: idea.uuid, reason: "it is clear" })
  const plan = await stage.call<{ uuid: string }>("chorus_submit_plan", {
    projectUuid,
    title: "A train",
    description: "Eight that land together.",
    ideaUuids: [idea.uuid],
    documents: [{ type: "tech_design", title: "Design", content: "Each writes a file of its own. ".repeat(10) }],
    tasks: Object.entries(PLAN).map(([title, { file, text, on, check }]) => ({
      key: title,
      title,
      description: script({ write: { path: file, text } }, { say: "DONE\n[x] 1 built\n[x] 2 built" }),
      priority: "medium",
      storyPoints: 1,
      criteria: [
        { description: "it is built", command: `test -e ${file} && { ${gate}; }` },
        ...(check === undefined ? [] : [{ description: "nothing is spoiled", command: check }]),
      ],
      dependsOn: on === undefined ? [] : [on],
    })),
  })
  await stage.call("chorus_admin_approve_proposal", { proposalUuid: plan.uuid })
  const listed = await stage.call<{ tasks: { uuid: string; title: string }[] }>("chorus_list_tasks", { projectUuid })
  const tasks = Object.fromEntries(
    Object.keys(PLAN).map((name) => [name, listed.tasks.find(({ title }) => title === name)?.uuid ?? ""]),
  )
  const runs = new Map<string, string>()
  for (const [name, taskUuid] of Object.entries(tasks)) {
    const input = { taskUuid, program: "command", command: AGENT }
    runs.set(name, (await stage.call<{ uuid: string }>("chorus_start_run", input)).uuid)
  }
  for (const [name, taskUuid] of Object.entries(tasks)) {
    await stage.until(runs.get(name) ?? "", "finished", "failed")
    const { acceptanceCriteriaItems: items } = await stage.call<{ acceptanceCriteriaItems: { uuid: string }[] }>(
      "chorus_get_task",
      { taskUuid },
    )
    await stage.call("chorus_admin_verify_task", { taskUuid, passing: items.map(({ uuid }) => uuid) })
  }
  return { proposalUuid: plan.uuid, tasks }
}
