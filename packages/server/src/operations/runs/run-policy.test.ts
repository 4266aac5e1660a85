import type { attentions, reviews, runBuild, runPolicy, runs, runTranscript, OutputOf, usage } from "@chorus/contracts"
import { runTime } from "@chorus/core"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { settledIdea, submittedPlan } from "../../../test/plan-fixture.ts"
import { PLAN_TOOLS } from "../../doors/lean-profile.ts"
import type { Actor } from "../../operation.ts"

const MINUTE = 60_000
const w = embeddedWorkspace()
const CODEX = { program: "codex", version: "1", missing: null, mode: "edit", inPlace: false }
const policy = (projectUuid: string, changes: object, by: Actor = w.owner) =>
  w.call<runPolicy.RunPolicy>(by, "chorus_update_run_policy", { projectUuid, ...changes })
const start = (taskUuid: string, more: object = {}, by: Actor = w.owner) =>
  w.call<runs.RunRow>(by, "chorus_start_run", { taskUuid, program: "codex", ...more })
const show = (runUuid: string) => w.call<runs.RunRow>(w.owner, "chorus_get_run", { runUuid })
const used = (inputTokens: number, costUsd: number | null = null) => ({
  inputTokens,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  costUsd,
})
const call = (id: string, command: string, more: object = {}) => ({
  id,
  place: Number(id),
  turn: 1,
  kind: "tool",
  child: null,
  title: "Bash",
  text: null,
  status: "completed",
  data: { input: { command } },
  at: "2026-01-01T09:00:00.000Z",
  ...more,
})

/** A machine of its own, so that no test takes another's runs. */
async function openRunner(more: object = {}) {
  const machine = `machine-${crypto.randomUUID().slice(0, 8)}`
  const by = await w.agent(`Runner of ${machine}`)
  const lease = async (now: object = {}) => {
    const able = { machine, programs: [CODEX], folders: ["/shop"], slots: 64, busy: 0, ...more, ...now }
    return (await w.call<{ run: runs.LeasedRun | null }>(by, "chorus_lease_run", able)).run
  }
  await lease({ slots: 0 })
  const take = async () => {
    const run = await lease()
    if (run === null) throw new Error("no run was leased")
    const report = (told: object) =>
      w.call<{ state: string }>(by, "chorus_report_run", { runUuid: run.uuid, lease: run.lease, ...told })
    return { ...run, report }
  }
  const orders = async () =>
    (
      await w.call<{ deliveries: { payload: { run: runs.RunOrder } }[] }>(by, "chorus_fetch_deliveries", {
        machine,
        to: "runner",
      })
    ).deliveries.map(({ payload }) => payload.run)
  return { machine, by, lease, take, orders }
}

/** A project with a run of its own at work in it. */
async function atWork(changes: object = {}, more: object = {}) {
  const projectUuid = await w.newProject()
  await policy(projectUuid, changes)
  const runner = await openRunner()
  const taskUuid = await w.newTask({ projectUuid })
  const { uuid } = await start(taskUuid, { machine: runner.machine, ...more })
  const run = await runner.take()
  await run.report({ state: "running", turns: 1 })
  return { ...runner, projectUuid, taskUuid, uuid, run }
}

describe("a budget", () => {
  it.each([
    ["tokens of the run", { run: { tokens: 1000 } }, { usage: used(1200) }, "1200 tokens of 1000 tokens for this run"],
    ["money of the task", { task: { usd: 2 } }, { usage: used(1, 2.5) }, "$2.50 of $2.00 for its task"],
    ["tokens of the project", { project: { tokens: 9 } }, { usage: used(10) }, "10 tokens of 9 tokens for its project"],
    ["turns of the day", { day: { turns: 1 } }, { turns: 2 }, "2 turns of 1 turn for today in its project"],
  ])("in %s stops the run and leaves it to be taken up again", async (_what, budgets, told, reason) => {
    const { run, uuid, taskUuid, orders } = await atWork({ budgets })
    await run.report(told)
    expect(await orders()).toEqual([{ order: "stop", runUuid: uuid, by: "Chorus" }])
    await run.report(told)
    await run.report({ state: "stopped", reason: null })
    expect(await show(uuid)).toMatchObject({
      state: "stopped",
      stoppedFor: "budget",
      reason: `Over budget: ${reason}.`,
    })
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({ status: "in_progress" })
    await expect(w.call(w.owner, "chorus_resume_run", { runUuid: uuid })).rejects.toMatchObject({ code: "over_budget" })
  })

  it("in minutes counts the time at work, not that of its start nor the time a person takes to answer", async () => {
    const projectUuid = await w.newProject()
    await policy(projectUuid, { budgets: { run: { minutes: 2 } } })
    const { machine, take, orders } = await openRunner()
    const { uuid } = await start(await w.newTask({ projectUuid }), { machine })
    const run = await take()
    const beat = async (minutes: number, told: object = {}) => {
      for (let at = 0; at < minutes * 2; at++) {
        w.clock.advance(MINUTE / 2)
        await run.report(told)
      }
    }
    await run.report({ state: "starting" })
    await beat(10)
    await run.report({ state: "running", turns: 1 })
    await beat(1)
    await run.report({ state: "waiting" })
    await beat(10)
    await run.report({ state: "running" })
    expect(await orders()).toEqual([])
    await beat(1)
    expect(await show(uuid)).toMatchObject({ warning: "100 % of 2 minutes for this run used." })
    // The list and the run's page tell the same of it.
    const told = await show(uuid)
    const minutes = (ms: number) => Math.round(ms / MINUTE)
    const { workMs, waitMs } = runTime(told, new Date(Date.parse(told.stateSince) + MINUTE).toISOString())
    expect([told.workMs, told.waitMs, workMs, waitMs].map(minutes)).toEqual([1, 10, 2, 10])
    await beat(0.5)
    expect(await orders()).toMatchObject([{ order: "stop" }])
  })

  it("warns at 80 %, and a run that was given more of its own goes on", async () => {
    const { run, uuid, orders } = await atWork({ budgets: { run: { tokens: 1000 } } })
    await run.report({ usage: used(800) })
    expect(await show(uuid)).toMatchObject({ warning: "80 % of 1000 tokens for this run used." })
    await w.call(w.owner, "chorus_change_run", { runUuid: uuid, budget: { tokens: 5000 } })
    await run.report({ usage: used(2000) })
    expect(await orders()).toEqual([])
    expect(await show(uuid)).toMatchObject({ warning: null, budget: { tokens: 5000 } })
    const spend = await w.call<OutputOf<typeof runPolicy.getRunSpend>>(w.owner, "chorus_get_run_spend", {
      runUuid: uuid,
    })
    expect(spend).toMatchObject({ total: { tokens: 2000, turns: 1 }, turns: [{ turn: 1, tokens: 2000 }] })
  })

  it("that is used up lets nothing begin, and says so; raised by a person it goes on, in the same conversation", async () => {
    const { run, uuid, lease, machine, projectUuid, orders } = await atWork({ budgets: { task: { tokens: 100 } } })
    await run.report({ sessionId: "s1", usage: used(150) })
    await orders()
    await run.report({ state: "stopped" })
    const other = await start(await w.newTask({ projectUuid }), { machine })
    await policy(projectUuid, { budgets: { project: { tokens: 100 } } })
    expect((await show(other.uuid)).reason).toBe("Over budget: 150 tokens of 100 tokens for its project.")
    expect(await lease()).toBeNull()
    await policy(projectUuid, { budgets: { project: { tokens: 1000 } } })
    await w.call(w.owner, "chorus_stop_run", { runUuid: other.uuid })
    await w.call(w.owner, "chorus_resume_run", { runUuid: uuid })
    expect(await lease()).toMatchObject({ uuid, sessionId: "s1", limits: { tokens: 850 } })
  })

  it("in dollars says so where the program tells no cost, as nothing stops it there", async () => {
    const untold = "Its program tells no cost: no budget in dollars stops it."
    const own = await atWork({}, { budget: { usd: 1 } })
    expect(await show(own.uuid)).toMatchObject({ program: "codex", warning: untold })
    const ofProject = await atWork({ budgets: { day: { usd: 5, turns: 1 } } })
    expect(await show(ofProject.uuid)).toMatchObject({
      warning: `100 % of 1 turn for today in its project used. ${untold}`,
    })
    expect(await show((await atWork({ budgets: { run: { tokens: 9 } } })).uuid)).toMatchObject({ warning: null })
  })

  it("is raised beyond the project's by people alone", async () => {
    const { run, uuid, projectUuid } = await atWork({ budgets: { run: { usd: 1 } } })
    await run.report({ state: "stopped" })
    const lead = await w.agent("Delegate", { presets: ["admin"] })
    const resume = (usd: number, by: Actor) => w.call(by, "chorus_resume_run", { runUuid: uuid, budget: { usd } })
    await expect(resume(2, lead)).rejects.toMatchObject({ code: "forbidden" })
    await expect(policy(projectUuid, { budgets: {} }, lead)).rejects.toMatchObject({ code: "forbidden" })
    expect(await resume(2, w.member)).toMatchObject({ state: "queued", budget: { usd: 2 } })
  })
})

describe("what was wanted of a run", () => {
  it.each(["finished", "lost"] as const)(
    "leaves with it where it is %s before its machine hears, words aside",
    async (end) => {
      const { run, uuid, orders } = await atWork()
      await w.call(w.owner, "chorus_interrupt_run", { runUuid: uuid })
      await w.call(w.owner, "chorus_stop_run", { runUuid: uuid })
      if (end === "finished") {
        await run.report({ state: "finished" })
        expect(await orders()).toEqual([])
        return
      }
      await w.call(w.owner, "chorus_send_to_run", { runUuid: uuid, text: "Use ruby." })
      w.clock.advance(2 * MINUTE)
      await w.call(w.owner, "chorus_sweep_runs")
      expect(await show(uuid)).toMatchObject({ state: "lost" })
      expect(await orders()).toMatchObject([{ order: "send", text: "Use ruby." }])
    },
  )
})

describe("what runs used", () => {
  const sum = async (asked: object) =>
    (await w.call<OutputOf<typeof usage.getUsage>>(w.owner, "chorus_get_usage", asked)).total

  it("counts once for its run, task, plan, idea, project and agent, and beside what others reported", async () => {
    const projectUuid = await w.newProject()
    const { machine, by, take } = await openRunner()
    const there = { ...w, project: projectUuid }
    const ideaUuid = await settledIdea(there, w.pm)
    const plan = await submittedPlan(there, w.pm, { ideaUuid, tasks: { door: [] } })
    const planning = await w.call<runs.RunRow>(w.owner, "chorus_start_run", { ideaUuid, program: "codex", machine })
    const planner = await take()
    await planner.report({ state: "running", turns: 1, usage: used(100, 0.5) })
    await planner.report({ state: "finished", usage: { ...used(300, 1.25), cacheReadTokens: 7 } })
    const { materializedTasks } = await w.call<{ materializedTasks: { taskUuid: string }[] }>(
      w.owner,
      "chorus_admin_approve_proposal",
      { proposalUuid: plan.uuid },
    )
    const taskUuid = materializedTasks[0]?.taskUuid ?? ""
    await start(taskUuid, { machine })
    const builder = await take()
    await builder.report({ state: "running", turns: 1, sessionId: "c1", usage: used(20) })
    await w.call(by, "chorus_report_usage", { taskUuid, inputTokens: 5 })
    // Its own agent may tell it as well, by whatever way: that is the same.
    const { sessionUuid } = await show(builder.uuid)
    await w.call(by, "chorus_report_usage", { sessionUuid, taskUuid, inputTokens: 20 })
    expect(await sum({ runUuid: builder.uuid })).toMatchObject({ totalTokens: 20, costUsd: null })
    expect(await sum({ taskUuid })).toMatchObject({ totalTokens: 25, costUsd: null })
    expect(await sum({ proposalUuid: plan.uuid, by: "proposal" })).toMatchObject({ totalTokens: 25 })
    const all = { inputTokens: 325, cacheReadTokens: 7, totalTokens: 332, costUsd: 1.25 }
    expect(await sum({ ideaUuid, by: "idea" })).toMatchObject(all)
    expect(await sum({ projectUuid, by: "run" })).toMatchObject(all)
    expect(await sum({ agentUuid: by.uuid })).toMatchObject(all)
    expect(await sum({ runUuid: planning.uuid })).toMatchObject({ totalTokens: 307, costUsd: 1.25 })
    const ofIdea = await w.call<{ runs: runs.RunRow[] }>(w.owner, "chorus_list_runs", { ideaUuid })
    expect(ofIdea.runs.map(({ uuid }) => uuid)).toEqual([builder.uuid, planning.uuid])
    const spend = await w.call<OutputOf<typeof runPolicy.getRunSpend>>(w.owner, "chorus_get_run_spend", { ideaUuid })
    expect(spend.total).toMatchObject({ tokens: 320, usd: 1.25, turns: 2 })
  })

  it("stays spent when its task goes", async () => {
    const { run, taskUuid, projectUuid } = await atWork()
    await run.report({ state: "finished", usage: used(40) })
    await w.call(w.owner, "chorus_admin_delete_task", { taskUuid })
    expect(await sum({ projectUuid })).toMatchObject({ totalTokens: 40 })
  })
})

describe("a run that goes nowhere", () => {
  it("is stopped after the same call again and again, and says so", async () => {
    const { run, uuid, orders } = await atWork({ sameCalls: 3 })
    await run.report({ entries: [call("1", "ls"), call("2", "ls")] })
    await run.report({ entries: [call("2", "ls"), call("3", "cat")] })
    await run.report({ entries: [call("4", "cat")] })
    expect(await orders()).toEqual([])
    await run.report({ entries: [call("5", "cat")] })
    expect(await orders()).toMatchObject([{ order: "stop", by: "Chorus" }])
    await run.report({ state: "stopped" })
    expect(await show(uuid)).toMatchObject({
      stoppedFor: "loop",
      reason: "It made the same call 3 times in a row.",
    })
    expect(await w.call(w.owner, "chorus_resume_run", { runUuid: uuid })).toMatchObject({ stoppedFor: null })
  })

  it("is stopped when its tree stays as it is turn after turn", async () => {
    const { run, orders } = await atWork({ stillTurns: 2 })
    for (const tree of ["a", "b", "b", "c", "c"]) await run.report({ tree })
    expect(await orders()).toEqual([])
    await run.report({ tree: "c" })
    expect(await orders()).toMatchObject([{ order: "stop" }])
  })

  it("is said to be silent, until it is heard of", async () => {
    const { run, uuid } = await atWork({ silentMinutes: 2 })
    for (let at = 0; at < 5; at++) {
      w.clock.advance(MINUTE / 2)
      await run.report({})
    }
    expect(await show(uuid)).toMatchObject({ warning: "Silent for 2 minutes." })
    w.clock.advance(10_000)
    await run.report({ entries: [call("1", "ls")] })
    expect(await show(uuid)).toMatchObject({ warning: null })
  })
})

describe("a run whose program does not reach its tools", () => {
  const WITHOUT = "Its program never asked for the tools of Chorus: it works without them."

  it("says so once it is finished", async () => {
    const { run, uuid } = await atWork()
    await run.report({ state: "finished" })
    expect(await show(uuid)).toMatchObject({ warning: WITHOUT })
  })

  it("says nothing where it asked for them with the key of its run", async () => {
    const { run, uuid } = await atWork()
    const { keys } = await w.call<{ keys: { uuid: string; name: string }[] }>(w.owner, "chorus_list_keys", {
      pageSize: 100,
    })
    const [key] = keys.filter(({ name }) => name === `run ${uuid}`)
    await w.store.write(({ db }) =>
      db
        .updateTable("apiKeys")
        .set({ lastUsedAt: w.clock.now().toISOString() })
        .where("uuid", "=", key?.uuid ?? "")
        .execute(),
    )
    await run.report({ state: "finished" })
    expect(await show(uuid)).toMatchObject({ warning: null })
  })
})

describe("a project's policy", () => {
  it("says who puts agents to work", async () => {
    const projectUuid = await w.newProject()
    const taskUuid = await w.newTask({ projectUuid })
    await policy(projectUuid, { starters: "stewards" })
    await expect(start(taskUuid, {}, w.member)).rejects.toMatchObject({ code: "may_not_start" })
    await policy(projectUuid, { starters: "people" })
    const lead = await w.agent("Delegating", { presets: ["admin"] })
    await expect(start(taskUuid, {}, lead)).rejects.toMatchObject({ code: "may_not_start" })
    expect(await start(taskUuid, { machine: "none" }, w.member)).toMatchObject({ state: "queued" })
  })

  it("says which agent does which work, where nobody chose", async () => {
    const projectUuid = await w.newProject()
    const [taskUuid, ideaUuid] = [await w.newTask({ projectUuid }), await w.newIdea({ projectUuid })]
    await policy(projectUuid, {
      work: { build: { program: "opencode", model: "m" }, plan: { program: "command", command: "agent --acp" } },
    })
    const begin = (input: object) => w.call<runs.RunRow>(w.owner, "chorus_start_run", input)
    expect(await begin({ taskUuid })).toMatchObject({ work: "build", program: "opencode", model: "m" })
    expect(await begin({ ideaUuid })).toMatchObject({
      work: "plan",
      program: "command",
      command: "agent --acp",
      ideaUuid,
      taskUuid: null,
      projectUuid,
    })
  })

  it("lets so many run at a time, and the others say that they wait for that", async () => {
    const { projectUuid, machine, lease, run } = await atWork({ parallel: 1 })
    const second = await start(await w.newTask({ projectUuid }), { machine })
    expect(await lease()).toBeNull()
    expect((await show(second.uuid)).reason).toBe("This project already has as many runs at work as it allows (1).")
    await run.report({ state: "finished" })
    expect(await lease()).toMatchObject({ uuid: second.uuid })
  })
})

describe("a run in the queue says why it waits", () => {
  const why = async (more: object, taskUuid?: string) => (await start(taskUuid ?? (await w.newTask()), more)).reason
  it("where no machine can take it", async () => {
    const acp = { ...CODEX, program: "command", commands: ["other --acp"] }
    const { machine, lease } = await openRunner({
      programs: [CODEX, { ...CODEX, program: "claude", missing: "claude-agent-acp" }, acp],
      folders: [{ path: "/shop" }, { path: "/barn", project: "Barn" }],
    })
    expect(await why({ machine: "nowhere" })).toMatch(/^No machine called "nowhere" runs agents now, only .*machine-/)
    expect(await why({ machine, program: "claude" })).toBe(
      `On ${machine} something is missing for claude: claude-agent-acp`,
    )
    expect(await why({ machine, program: "qwen" })).toBe(
      `${machine} does not allow qwen. Run \`chorus runner allow DIR --program …\` there, or choose another program.`,
    )
    expect(await why({ machine, program: "command", command: "rm -rf /" })).toContain(
      "Run `chorus runner allow DIR --command 'rm -rf /'` there",
    )
    expect(await why({ machine, mode: "all" })).toContain(`${machine} allows no mode beyond "edit".`)
    expect(await why({ machine, folder: "/garden" })).toBe(
      `${machine} does not allow /garden; it allows /shop. Name one of those, or run \`chorus runner allow /garden\` there.`,
    )
    expect(await why({ machine, folder: "barn" })).toContain(`${machine} does not allow barn; it allows /shop.`)
    expect(await why({ machine, inPlace: true })).toContain(`${machine} allows no run in place.`)
    // Of all these nothing is taken; a machine that fits gets its run.
    expect(await lease()).toBeNull()
    await why({ machine })
    expect(await lease()).toMatchObject({ program: "codex", folder: null, mode: null })
    await lease({ slots: 0 })
    expect(await why({ machine })).toBe("Every machine that could take it is full.")
    w.clock.advance(MINUTE)
    expect(await why({ machine })).toMatch(/^No machine runs agents now/)
  })

  it("where its task builds on others, and a second one for the same task is told where the first stands", async () => {
    const { first, second } = await w.newTasks({ first: [], second: ["first"] })
    expect(await why({ machine: "none" }, second)).toBe('Waits for "first" (open).')
    expect(first).toBeTruthy()
    await expect(start(second)).rejects.toMatchObject({
      code: "already_running",
      message: 'A run on "second" waits in the queue already.',
    })
  })
})

describe("autopilot", () => {
  it("begins what is ready and nobody's, heaviest chain first, once, and never past a person", async () => {
    const projectUuid = await w.newProject()
    const graph = { alone: [], base: [], left: ["base"], right: ["base"], top: ["left", "right"] }
    const tasks = await w.newTasks(graph, { projectUuid })
    const { lease, take } = await openRunner()
    expect(await lease()).toBeNull()
    await policy(projectUuid, { autopilot: true, work: { build: { program: "codex" } } })
    const base = await take()
    expect(base.taskTitle).toBe("base")
    const alone = await take()
    expect(alone.taskTitle).toBe("alone")
    expect(await lease()).toBeNull()
    await alone.report({ state: "running" })
    await alone.report({ state: "failed", reason: "gone" })
    await base.report({ state: "running" })
    await base.report({ state: "finished", lastWords: "DONE it stands" })
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid: tasks.base })).toMatchObject({ status: "to_verify" })
    expect(await lease()).toBeNull()
    await w.passCriteria(tasks.base)
    await w.call(w.owner, "chorus_admin_verify_task", { taskUuid: tasks.base })
    expect([(await take()).taskTitle, (await take()).taskTitle].toSorted()).toEqual(["left", "right"])
    expect(await lease()).toBeNull()
    await policy(projectUuid, { autopilot: false })
  })
})

describe("a review before a person is asked", () => {
  it("is done by another agent, on what was handed in, and its last words are the review", async () => {
    const { run, machine, taskUuid, uuid, lease, by, projectUuid } = await atWork({ reviewFirst: true })
    await run.report({ state: "finished", lastWords: "DONE" })
    const asked = async () =>
      (await w.call<{ items: { uuid: string }[] }>(w.owner, "chorus_needs_you", { projectUuid })).items
    expect(await asked()).toEqual([])
    await policy(projectUuid, { work: { review: { program: "codex" } } })
    const queued = await w.call<{ runs: runs.RunRow[] }>(w.owner, "chorus_list_runs", { taskUuid, live: true })
    expect(queued.runs).toMatchObject([{ work: "review", machine, forkOf: uuid, program: "codex" }])
    const review = await lease({ programs: [CODEX, { ...CODEX, program: "claude" }] })
    expect(review).toMatchObject({ from: `refs/chorus/runs/${uuid}/end`, prompt: expect.stringContaining("Review") })
    const of = { runUuid: review?.uuid, lease: review?.lease }
    await w.call(by, "chorus_report_run", { ...of, state: "running" })
    await w.call(by, "chorus_report_run", { ...of, state: "finished", lastWords: "FAIL door.txt is blue." })
    const { reviews: given } = await w.call<{ reviews: reviews.ReviewRow[] }>(w.owner, "chorus_get_reviews", {
      targetType: "task",
      targetUuid: taskUuid,
    })
    expect(given).toMatchObject([
      {
        verdict: "fail",
        reviewer: { name: "Reviewer" },
        findings: [{ severity: "blocker", text: "FAIL door.txt is blue." }],
      },
    ])
    expect(await asked()).toMatchObject([{ uuid: taskUuid }])

    // An answer about what is handed in is no second hand-in.
    await w.call(w.owner, "chorus_send_to_run", { runUuid: uuid, text: "Why blue?" })
    const again = await lease()
    expect(again?.uuid).toBe(uuid)
    const about = { runUuid: uuid, lease: again?.lease }
    await w.call(by, "chorus_report_run", { ...about, state: "running" })
    await w.call(by, "chorus_report_run", { ...about, state: "finished", lastWords: "The red ran out." })
    const live = await w.call<{ runs: runs.RunRow[] }>(w.owner, "chorus_list_runs", { taskUuid, live: true })
    expect(live.runs).toEqual([])
  })
})

/** What an agent is told to call and has not got. */
function toolsIn(words: string, tools: ReadonlySet<string>): string[] {
  return [...words.matchAll(/chorus_\w+/g)].map(([name]) => name).filter((name) => !tools.has(name))
}

describe("a run on an idea", () => {
  it("plans it with a key that may, answers a question with a comment, and is found in its project", async () => {
    const projectUuid = await w.newProject()
    const ideaUuid = await w.newIdea({ projectUuid, title: "A garden" })
    const { machine, take } = await openRunner()
    const ask = (more: object) =>
      w.call<runs.RunRow>(w.owner, "chorus_start_run", { ideaUuid, program: "codex", machine, ...more })
    await ask({})
    const plan = await take()
    expect(plan).toMatchObject({
      taskUuid: null,
      taskTitle: "A garden",
      prompt: expect.stringContaining("Plan this idea"),
    })
    // What a plan is submitted with, without a look around.
    for (const named of [ideaUuid, projectUuid, "`chorus_submit_plan`"]) expect(plan.prompt).toContain(named)
    expect(toolsIn(plan.prompt, PLAN_TOOLS)).toEqual([])
    await plan.report({ state: "running" })
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
    const options = [
      { id: "s", label: "Small" },
      { id: "l", label: "Large" },
    ]
    const questions = [{ id: "size", text: "How big?", category: "scope", options }]
    await w.call(w.pm, "chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions })
    await plan.report({ state: "finished", sessionId: "planning", lastWords: "I asked." })
    const answers = [{ questionId: "size", selectedOptionId: "s" }]
    await w.call(w.owner, "chorus_answer_elaboration", { ideaUuid, answers })
    const again = await take()
    expect(again).toMatchObject({ uuid: plan.uuid, sessionId: "planning" })
    expect(again.prompt).toBe("What you asked has been answered:\n- How big? Small\nGo on with the plan.")
    await again.report({ state: "running" })
    const task = { key: "dig", title: "Dig", description: "Dig it.", criteria: ["it is dug"], storyPoints: 1 }
    const design = { type: "tech_design", title: "Beds", content: "Small ones, each on its own. ".repeat(5) }
    const tasks = [{ ...task, priority: "low" }]
    const proposed = { title: "Beds", description: "Small ones.", documents: [design], tasks }
    const { uuid: proposalUuid } = await w.call<{ uuid: string }>(w.pm, "chorus_submit_plan", {
      projectUuid,
      ideaUuids: [ideaUuid],
      ...proposed,
    })
    await again.report({ state: "finished", lastWords: "Planned." })
    await w.call(w.owner, "chorus_pm_reject_proposal", { proposalUuid, reviewNote: "Who waters it?" })
    const mends = await take()
    expect(mends).toMatchObject({ uuid: plan.uuid, sessionId: "planning" })
    expect(mends.prompt).toMatch(/^Your plan "Beds" was rejected by .+: Who waters it\?\n/)
    expect(toolsIn(mends.prompt, PLAN_TOOLS)).toEqual([])
    await mends.report({ state: "running" })
    await mends.report({ state: "finished", lastWords: "Planned again." })
    await ask({ work: "answer", words: "How big?" })
    const answer = await take()
    expect(answer.prompt).toMatch(/Answer the question[\s\S]*A garden[\s\S]*How big\?/)
    await answer.report({ state: "running" })
    await answer.report({ state: "finished", lastWords: "Ten metres." })
    expect(await w.call(w.owner, "chorus_get_comments", { targetType: "idea", targetUuid: ideaUuid })).toMatchObject({
      comments: [{ content: "Ten metres." }],
    })
    const { runs: listed } = await w.call<{ runs: runs.RunRow[] }>(w.owner, "chorus_list_runs", { projectUuid })
    expect(listed.map(({ work }) => work).toSorted()).toEqual(["answer", "plan"])
  })
})

describe("a yes that is kept", () => {
  const ask = (requestId: string, command: string) => ({
    requestId,
    kind: "permission",
    title: "Terminal",
    detail: {
      kind: "execute",
      input: { command },
    },
  })
  async function yes(uuid: string, remember: "run" | "project") {
    const { attentions: open } = await w.call<{ attentions: attentions.AttentionRow[] }>(
      w.owner,
      "chorus_list_attentions",
      { pageSize: 100 },
    )
    const asked = open.find(({ detail }) => detail["runUuid"] === uuid)
    const answer = { decision: "approve", data: { remember } }
    await w.call(w.owner, "chorus_answer_attention", { attentionUuid: asked?.uuid, answer })
  }
  const rules = async (projectUuid: string) =>
    (await w.call<{ rules: runPolicy.RunRule[] }>(w.owner, "chorus_list_run_rules", { projectUuid })).rules

  it("answers the same call of every run of the project, until it is taken back", async () => {
    const first = await atWork()
    await first.run.report({ state: "waiting", asks: [ask("r1", "npm test")] })
    await yes(first.uuid, "project")
    expect((await first.orders())[0]).not.toHaveProperty("data.remember")
    await first.run.report({ state: "running", asks: [ask("r2", "npm test"), ask("r3", "rm -rf /")] })
    expect(await first.orders()).toMatchObject([
      { requestId: "r1" },
      { requestId: "r2", decision: "approve", by: "Olive, once for all" },
    ])
    const [rule] = await rules(first.projectUuid)
    expect(rule).toMatchObject({ title: "npm test", kind: "execute", used: 1, by: { name: "Olive" }, runUuid: null })
    await expect(w.call(first.by, "chorus_revoke_run_rule", { ruleUuid: rule?.uuid })).rejects.toMatchObject({
      code: "forbidden",
    })
    await w.call(w.owner, "chorus_revoke_run_rule", { ruleUuid: rule?.uuid })
    await first.run.report({ asks: [ask("r4", "npm test")] })
    expect(await first.orders()).toHaveLength(2)
  })

  it("for the run is the run's alone, and a machine that wants to be asked is asked", async () => {
    const first = await atWork()
    await first.run.report({ state: "waiting", asks: [ask("r1", "ls")] })
    await yes(first.uuid, "run")
    expect(await rules(first.projectUuid)).toMatchObject([{ runUuid: first.uuid }])
    const asking = await openRunner({ programs: [{ ...CODEX, mode: "ask" }] })
    const { uuid } = await start(await w.newTask({ projectUuid: first.projectUuid }), { machine: asking.machine })
    const other = await asking.take()
    await other.report({ state: "waiting", asks: [ask("r1", "ls")] })
    expect(await asking.orders()).toEqual([])
    await yes(uuid, "project")
    await other.report({ state: "running", asks: [ask("r2", "ls")] })
    expect((await asking.orders()).map((order) => "requestId" in order && order.requestId)).toEqual(["r1"])
  })
})

describe("a run that is changed or gone on from", () => {
  it("takes another model and mode from its next turn, and a new run begins where it stood", async () => {
    const { run, uuid, orders, machine, take, taskUuid } = await atWork()
    await w.call(w.owner, "chorus_change_run", { runUuid: uuid, model: "large", mode: "ask" })
    expect(await orders()).toEqual([{ order: "set", runUuid: uuid, by: "Olive", model: "large", mode: "ask" }])
    expect(await show(uuid)).toMatchObject({ model: "large", mode: "ask" })
    await run.report({ state: "stopped" })
    const fork = (turn: number) =>
      w.call<runs.RunRow>(w.owner, "chorus_fork_run", { runUuid: uuid, turn, words: "Blue." })
    await expect(fork(2)).rejects.toMatchObject({ code: "no_checkpoint" })
    expect(await fork(1)).toMatchObject({ forkOf: uuid, forkTurn: 1, machine, model: "large", taskUuid })
    expect(await take()).toMatchObject({ from: `refs/chorus/runs/${uuid}/turn/1`, sessionId: null })
  })

  it("keeps the budget of its own in a run that begins where it stood, and agents raise none by that", async () => {
    const { run, uuid, projectUuid } = await atWork({ budgets: { run: { usd: 1 } } }, { budget: { usd: 0.5 } })
    await run.report({ state: "stopped" })
    const lead = await w.agent("Delegate of forks", { presets: ["admin"] })
    const fork = (by: Actor) => w.call<runs.RunRow>(by, "chorus_fork_run", { runUuid: uuid, turn: 1 })
    const first = await fork(lead)
    expect(first).toMatchObject({ budget: { usd: 0.5 } })
    await w.call(w.owner, "chorus_stop_run", { runUuid: first.uuid })
    await policy(projectUuid, { budgets: { run: { usd: 0.1 } } })
    await expect(fork(lead)).rejects.toMatchObject({ code: "forbidden" })
    expect(await fork(w.owner)).toMatchObject({ budget: { usd: 0.5 } })
  })

  it("is stopped with all others of its project", async () => {
    const { projectUuid, orders } = await atWork()
    const queued = await start(await w.newTask({ projectUuid }))
    expect(await w.call(w.owner, "chorus_stop_runs", { projectUuid })).toEqual({ stopped: 2 })
    expect(await orders()).toMatchObject([{ order: "stop" }])
    expect(await show(queued.uuid)).toMatchObject({ state: "stopped" })
  })
})

describe("a transcript", () => {
  it("is read from its end, page by page, then as it grows; and searched", async () => {
    const { run, uuid } = await atWork({ sameCalls: 1000 })
    await run.report({
      entries: Array.from({ length: 250 }, (_, at) => call(String(at), `step ${at}`, { text: `Out ${at}` })),
    })
    const read = (more: object) =>
      w.call<OutputOf<typeof runTranscript.getTranscript>>(w.owner, "chorus_get_transcript", { runUuid: uuid, ...more })
    const end = await read({ before: 1_000_000, limit: 100 })
    expect([end.entries[0]?.place, end.entries.at(-1)?.place, end.more, end.revision]).toEqual([150, 249, true, 250])
    const first = await read({ before: 150, limit: 200 })
    expect([first.entries[0]?.place, first.entries.at(-1)?.place, first.more]).toEqual([0, 149, false])
    await run.report({ entries: [call("7", "step 7", { text: "Grown" })] })
    expect((await read({ after: end.revision })).entries).toMatchObject([{ place: 7, text: "Grown" }])
    const found = await w.call<{ entries: runs.RunEntry[] }>(w.owner, "chorus_search_transcript", {
      runUuid: uuid,
      text: "OUT 24",
    })
    expect(found.entries.map(({ place }) => place)).toEqual([24, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249])
  })
})

describe("what a call printed", () => {
  it("is fetched whole where its entry shows a part, whatever is told of the entry afterwards", async () => {
    const { run, uuid } = await atWork({ sameCalls: 1000 })
    const get = (by: Actor, entryId: string) =>
      w.call<{ output: string | null }>(by, "chorus_get_run_output", { runUuid: uuid, entryId })
    const whole = "\u001b[32mok\u001b[0m\u0000 1\n\u001b]0;title\u0007ok 2\n"
    const [long, short] = [call("1", "make", { text: "ok …", whole }), call("2", "ls", { text: "a" })]
    await run.report({ entries: [long, short] })
    await run.report({ entries: [call("1", "make all", { text: "ok …" })] })
    expect(await get(w.owner, long.id)).toEqual({ output: "\u001b[32mok\u001b[0m 1\nok 2\n" })
    expect(await get(w.developer, long.id)).toEqual({ output: "ok 1\nok 2\n" })
    expect(await get(w.owner, short.id)).toEqual({ output: null })
    await expect(get(w.owner, "none")).rejects.toMatchObject({ code: "not_found" })
    const shown = { runUuid: uuid, before: 1_000_000 }
    const { entries } = await w.call<OutputOf<typeof runTranscript.getTranscript>>(
      w.owner,
      "chorus_get_transcript",
      shown,
    )
    expect(entries.filter((entry) => "whole" in entry)).toEqual([])
  })
})

describe("a run for which nobody chose a program", () => {
  it("is given one that its machine has, and names its task in short", async () => {
    const { machine, lease } = await openRunner({ programs: [{ ...CODEX, program: "qwen" }] })
    await lease()
    const taskUuid = await w.newTask()
    const { shortId } = await w.call<{ shortId: string }>(w.owner, "chorus_get_task", { taskUuid })
    const row = await w.call<runs.RunRow>(w.owner, "chorus_start_run", { taskUuid, machine })
    expect(row).toMatchObject({ program: "qwen", taskShortId: shortId })
  })
})

describe("building a whole proposal", () => {
  it("shows the order, places and budget, then queues each task's run in that order", async () => {
    const graph = { base: [], left: ["base"], right: ["base"], top: ["left", "right"] }
    const { uuid: proposalUuid } = await submittedPlan(w, w.pm, { tasks: graph })
    const projectUuid = w.project
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid })
    await policy(projectUuid, { work: { build: { program: "codex" } }, parallel: 3, budgets: { project: { usd: 5 } } })
    const { take, lease } = await openRunner({ slots: 4 })
    const preview = () => w.call<runBuild.BuildPreview>(w.owner, "chorus_preview_build", { proposalUuid })
    expect(await preview()).toMatchObject({
      waves: [
        [{ title: "Task base" }],
        [{ title: expect.stringMatching(/left|right/) }, { title: expect.stringMatching(/left|right/) }],
        [{ title: "Task top" }],
      ],
      program: "codex",
      slots: 3,
      obstacle: null,
      left: { usd: 5 },
    })
    const { runs: queued } = await w.call<{ runs: runs.RunRow[] }>(w.owner, "chorus_build_proposal", { proposalUuid })
    expect([0, 3].map((at) => queued[at]?.taskTitle)).toEqual(["Task base", "Task top"])
    expect(queued[3]?.reason).toMatch(/^Waits for "Task (left|right)" \(open\), "Task (left|right)" \(open\)\.$/)
    expect((await preview()).waves[0]).toMatchObject([{ runState: "queued" }])
    await expect(w.call(w.owner, "chorus_build_proposal", { proposalUuid })).rejects.toMatchObject({
      code: "nothing_to_build",
    })
    expect((await take()).taskTitle).toBe("Task base")
    await policy(projectUuid, { work: {}, parallel: null, budgets: {} })
    expect(await lease()).toBeNull()
  })

  it("gives no run more than the project allows, where an agent builds", async () => {
    const { uuid: proposalUuid } = await submittedPlan(w, w.pm)
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid })
    await policy(w.project, { budgets: { run: { usd: 1 } } })
    const lead = await w.agent("Builder", { presets: ["admin"] })
    const build = (usd: number, by: Actor) =>
      w.call<{ runs: runs.RunRow[] }>(by, "chorus_build_proposal", { proposalUuid, budget: { usd } })
    await expect(build(2, lead)).rejects.toMatchObject({ code: "forbidden" })
    const { runs: queued } = await build(0.5, lead)
    expect(queued[0]).toMatchObject({ budget: { usd: 0.5 } })
    await policy(w.project, { budgets: {} })
  })

  it("is not done before a person has approved it", async () => {
    const { uuid: proposalUuid } = await submittedPlan(w, w.pm)
    await expect(w.call(w.owner, "chorus_build_proposal", { proposalUuid })).rejects.toMatchObject({
      code: "not_approved",
    })
  })
})
