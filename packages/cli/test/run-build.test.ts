/** @module-tag stress */
import { dirname } from "node:path"
import { acpAdapter, agentProgram, drive, scratchHome, startModel, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openStage, type Row, type Stage } from "./run-stage.ts"

type Program = "claude" | "codex" | "opencode"

const LAYERS = [1, 4, 4, 2, 1]
/** Whatever is not named here is built by what the project's policy says: Claude Code. */
const OTHERS: Readonly<Record<string, Program>> = {
  "Layer 1 part 1": "opencode",
  "Layer 1 part 2": "codex",
  "Layer 2 part 1": "codex",
  "Layer 2 part 2": "opencode",
  "Layer 3 part 0": "opencode",
  "Layer 3 part 1": "codex",
}
const [FAILS, ASKS, LONG] = ["Layer 1 part 0", "Layer 1 part 1", "Layer 2 part 0"] as const
const REFUSED = "The model refuses this one until somebody lets it go on."
const furniture = new AsyncDisposableStack()
let mended = false
let stage: Stage

beforeAll(async () => {
  const model = furniture.use(
    await startModel((request) => {
      if (mended || !request.all.includes(REFUSED)) return drive(request)
      return { error: { status: 400, type: "invalid_request_error", message: "scripted refusal" } }
    }),
  )
  const home = furniture.use(scratchHome({ model }))
  const places = [
    ...(await Promise.all((["claude-code", "codex", "opencode"] as const).map((name) => agentProgram(name)))).map(
      dirname,
    ),
    ...(await Promise.all((["claude", "codex"] as const).map((name) => acpAdapter(name)))),
  ]
  const env = { ...home.environment, PATH: [...places, home.environment["PATH"]].join(":") }
  const allow = ["--mode", "all", "--slots", "4", "--env", "SCRIPTED_API_KEY", "npm_config_registry"]
  stage = furniture.use(await openStage({ allow, env }))
})
afterAll(() => furniture.disposeAsync())

it("builds a diamond of twelve tasks in order, with one that fails, one that asks and one over budget", async () => {
  const { projects } = await stage.call<{ projects: { uuid: string }[] }>("chorus_list_projects", {})
  const projectUuid = projects[0]?.uuid ?? ""
  await stage.call("chorus_update_run_policy", { projectUuid, work: { build: { program: "claude", mode: "all" } } })
  // One person plays them all here: whoever planned it approves it.
  await stage.call("chorus_update_project_settings", { projectUuid, allowSelfApproval: true })
  const proposalUuid = await approvedDiamond(projectUuid)
  // The machine says what it has as soon as its folder is allowed, which may take a moment.
  const machines = () => stage.call<{ runners: object[] }>("chorus_list_runners", {})
  await waitFor(async () => (await machines()).runners.length > 0, 60_000, "the machine to be there")
  const preview = await stage.json<{ waves: object[][]; slots: number }>("runs", "build", proposalUuid, "--preview")
  expect([preview.slots, preview.waves.map((wave) => wave.length)]).toEqual([4, LAYERS])

  // Some are given to the other two programs by hand; they wait in the queue like the rest.
  const { tasks } = await stage.call<{ tasks: { uuid: string; title: string }[] }>("chorus_list_tasks", {
    projectUuid,
    pageSize: 100,
  })
  for (const { uuid, title } of tasks) {
    const program = OTHERS[title]
    const mode = title === ASKS ? "ask" : "all"
    if (program !== undefined) await stage.start(uuid, "--program", program, "--mode", mode)
  }
  const queued = await stage.json<Row[]>("runs", "build", proposalUuid)
  expect(queued).toHaveLength(6)
  const short = queued.find(({ taskTitle }) => taskTitle === LONG)?.uuid
  await stage.call("chorus_change_run", { runUuid: short, budget: { minutes: 0.1 } })
  const live = () => stage.call<{ runs: Row[] }>("chorus_list_runs", { pageSize: 100 })
  const began = new Map<string, string>()
  const reasons = new Map<string, string>()
  const asked: string[] = []
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
    900_000,
    () => seen,
    500,
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
  ).toEqual([FAILS, LONG])
  expect(Object.groupBy(rows, ({ program }) => program)).toMatchObject({
    claude: { length: 6 },
    codex: { length: 3 },
    opencode: { length: 3 },
  })
  expect(reasons.get(FAILS)).toContain("scripted refusal")
  expect(reasons.get(LONG)).toMatch(/^Over budget: .* minutes of 0.1 minutes for this run\.$/)
  expect(asked).toEqual([ASKS])
  for (const { uuid } of rows) expect(stage.strays(uuid)).toEqual([])
  expect(stage.git("ls-files").split("\n")).toHaveLength(13)

  /** What the person does: mends what failed, answers, gives more, and verifies and merges what was handed in. */
  async function goOn(run: Row): Promise<void> {
    if (run.baseCommit !== null && !began.has(run.taskTitle)) began.set(run.taskTitle, run.baseCommit)
    const text = done(run.taskTitle, run.program)
    if (run.state === "failed" || (run.state === "stopped" && run.stoppedFor === "budget")) {
      reasons.set(run.taskTitle, run.reason ?? "")
      mended ||= run.taskTitle === FAILS
      const more = run.state === "stopped" ? { budget: { minutes: 60 } } : {}
      await stage.call("chorus_resume_run", { runUuid: run.uuid, text, ...more })
    }
    if (run.state === "waiting") {
      const { items } = await stage.call<{ items: Waiting[] }>("chorus_needs_you", {})
      const question = items.find(({ attention }) => attention?.answerable === true)
      if (question === undefined) return
      asked.push(run.taskTitle)
      await stage.call("chorus_answer_attention", { attentionUuid: question.uuid, answer: { decision: "approve" } })
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

interface Waiting {
  readonly uuid: string
  readonly attention: { readonly answerable: boolean } | null
}

const does = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`

/** The call by which a program's model runs a command. */
function shell(program: string, command: string): object {
  if (program === "codex") return { name: "exec_command", input: { cmd: command } }
  return { name: program === "claude" ? "Bash" : "bash", input: { command, description: "run it" } }
}

/** Each its own file: those whose work meets are told of each other, which is a turn more. */
function done(title: string, program: string): string {
  const file = `${title.replaceAll(" ", "-")}.txt`
  return does([shell(program, `echo built > ${file}`)], { text: "DONE It is built.\n[x] 1 built" })
}

async function approvedDiamond(projectUuid: string): Promise<string> {
  const titles = LAYERS.map((size, layer) => Array.from({ length: size }, (_, part) => `Layer ${layer} part ${part}`))
  const words: Record<string, string> = {
    [FAILS]: `${REFUSED} ${done(FAILS, "claude")}`,
    [LONG]: does([shell("claude", "node -e 'setTimeout(() => {}, 90000)'")]),
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
        description: words[title] ?? done(title, OTHERS[title] ?? "claude"),
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
