/** @module-tag stress */
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openStage, type Row, type Stage } from "./run-stage.ts"

const state = temporaryDirectory("agent-").path
/** Three programs, as a machine knows them. */
const AGENTS = ["one", "two", "three"].map((name) => scriptedAgent("--state", state, "--name", name))
const LAYERS = [1, 4, 4, 2, 1]
let stage: Stage

beforeAll(async () => {
  stage = await openStage({ allow: [...AGENTS.flatMap((agent) => ["--command", agent]), "--slots", "4"] })
})
afterAll(() => stage[Symbol.asyncDispose]())

it("builds a diamond of twelve tasks in order, with one that fails, one that asks and one over budget", async () => {
  const { projects } = await stage.call<{ projects: { uuid: string }[] }>("chorus_list_projects", {})
  const projectUuid = projects[0]?.uuid ?? ""
  const usual = { program: "command", command: AGENTS[0] }
  await stage.call("chorus_update_run_policy", {
    projectUuid,
    work: { build: usual },
    budgets: { run: { tokens: 150 } },
  })
  // One person plays them all here: whoever planned it approves it.
  await stage.call("chorus_update_project_settings", { projectUuid, allowSelfApproval: true })
  const proposalUuid = await approvedDiamond(projectUuid)
  // The machine says what it has as soon as its folder is allowed, which may take a moment.
  const machines = () => stage.call<{ runners: object[] }>("chorus_list_runners", {})
  await waitFor(async () => (await machines()).runners.length > 0, 60_000, "the machine to be there")
  const preview = await stage.json<{ waves: object[][]; slots: number }>("runs", "build", proposalUuid, "--preview")
  expect([preview.slots, preview.waves.map((wave) => wave.length)]).toEqual([4, LAYERS])

  // Two layers are given to the other two programs by hand; they wait in the queue like the rest.
  const { tasks } = await stage.call<{ tasks: { uuid: string; title: string }[] }>("chorus_list_tasks", {
    projectUuid,
    pageSize: 100,
  })
  for (const { uuid, title } of tasks.filter((task) => /^Layer [34]/.test(task.title)))
    await stage.start(uuid, "--program", "command", "--command", AGENTS[title.startsWith("Layer 3") ? 1 : 2] ?? "")
  const queued = await stage.json<Row[]>("runs", "build", proposalUuid)
  expect(queued).toHaveLength(9)
  const short = queued.find(({ taskTitle }) => taskTitle === "Layer 2 part 0")?.uuid
  await stage.call("chorus_change_run", { runUuid: short, budget: { minutes: 0.1 } })
  const live = () => stage.call<{ runs: Row[] }>("chorus_list_runs", { pageSize: 100 })
  const began = new Map<string, string>()
  let atOnce = 0
  let seen = ""
  await waitFor(
    async () => {
      const { runs: rows } = await live()
      seen = rows.map(({ taskTitle, state: now, reason }) => [taskTitle, now, reason ?? ""].join(" ")).join("\n")
      atOnce = Math.max(
        atOnce,
        rows.filter(({ state: now }) => ["starting", "running", "waiting"].includes(now)).length,
      )
      for (const run of rows) await goOn(run)
      return rows.every(({ state: now }) => now === "finished") ? true : undefined
    },
    180_000,
    () => seen,
    200,
  )
  expect(atOnce).toBeGreaterThan(1)
  expect(atOnce).toBeLessThanOrEqual(4)
  const places = [...began.keys()].map((title) => Number(title.split(" ")[1]))
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  for (const [title, base] of began) {
    const before = LAYERS.slice(0, Number(title.split(" ")[1])).reduce((sum, size) => sum + size, 1)
    expect(stage.git("ls-tree", "--name-only", base).split("\n").length, title).toBeGreaterThanOrEqual(before)
  }
  const rows = (await live()).runs
  expect(
    rows
      .filter(({ turns }) => turns > 1)
      .map(({ taskTitle }) => taskTitle)
      .toSorted(),
  ).toEqual(["Layer 1 part 0", "Layer 2 part 0"])
  for (const { uuid } of rows) expect(stage.strays(uuid)).toEqual([])
  expect(stage.git("ls-files").split("\n")).toHaveLength(13)

  /** What the person does: mends what failed, answers, gives more, and verifies and merges what was handed in. */
  async function goOn(run: Row): Promise<void> {
    if (run.baseCommit !== null && !began.has(run.taskTitle)) began.set(run.taskTitle, run.baseCommit)
    if (run.state === "failed" && run.turns === 1)
      await stage.call("chorus_resume_run", { runUuid: run.uuid, text: done(run.taskTitle) }).catch(() => undefined)
    if (run.state === "stopped" && run.stoppedFor === "budget") {
      expect(run.reason).toMatch(/^Over budget: .* minutes of 0.1 minutes for this run\.$/)
      await stage.call("chorus_resume_run", { runUuid: run.uuid, text: done(run.taskTitle), budget: { minutes: 60 } })
    }
    if (run.state === "waiting") {
      const { items } = await stage.call<{ items: { uuid: string; title: string }[] }>("chorus_needs_you", {})
      const asked = items.find(({ title }) => title === "rm -rf build")
      if (asked !== undefined)
        await stage.call("chorus_answer_attention", { attentionUuid: asked.uuid, answer: { decision: "approve" } })
    }
    if (run.state === "finished") await verify(run)
  }

  async function verify({ taskUuid, uuid }: Row): Promise<void> {
    const task = await stage.call<{ status: string; acceptanceCriteriaItems: { uuid: string }[] }>("chorus_get_task", {
      taskUuid,
    })
    if (task.status !== "to_verify") return
    stage.git("merge", "-q", "--no-edit", `refs/chorus/runs/${uuid}/end`)
    await stage.call("chorus_admin_verify_task", {
      taskUuid,
      passing: task.acceptanceCriteriaItems.map((item) => item.uuid),
    })
  }
})

function done(title: string): string {
  return script({ write: { path: `${title.replaceAll(" ", "-")}.txt`, text: "built\n" } }, { say: "DONE\n[x] 1 built" })
}

async function approvedDiamond(projectUuid: string): Promise<string> {
  const titles = LAYERS.map((size, layer) => Array.from({ length: size }, (_, part) => `Layer ${layer} part ${part}`))
  const words: Record<string, string> = {
    "Layer 1 part 0": script({ error: { code: -32_603, message: "Internal error" } }),
    "Layer 1 part 1": script({
      ask: { title: "rm -rf build" },
      yes: [{ write: { path: "asked.txt", text: "built\n" } }, { say: "DONE\n[x] 1 built" }],
      no: [{ say: "no" }],
    }),
    "Layer 2 part 0": script({ sleep: 120_000 }),
  }
  const idea = await stage.call<{ uuid: string }>("chorus_pm_create_idea", { projectUuid, title: "A diamond" })
  await stage.call("chorus_claim_idea", { ideaUuid: idea.uuid })
  await stage.call("chorus_pm_skip_elaboration", { ideaUuid: idea.uuid, reason: "it is clear" })
  const plan = await stage.call<{ uuid: string }>("chorus_submit_plan", {
    projectUuid,
    title: "A diamond",
    description: "Five layers, each on the one before.",
    ideaUuids: [idea.uuid],
    documents: [
      { type: "tech_design", title: "Design", content: "Each layer builds on the one before it. ".repeat(10) },
    ],
    tasks: titles.flatMap((layer, at) =>
      layer.map((title) => ({
        key: title,
        title,
        description: words[title] ?? done(title),
        priority: "medium",
        storyPoints: 1,
        criteria: [{ description: "it is built" }],
        dependsOn: at === 0 ? [] : (titles[at - 1] ?? []),
      })),
    ),
  })
  await stage.call("chorus_admin_approve_proposal", { proposalUuid: plan.uuid })
  return plan.uuid
}
