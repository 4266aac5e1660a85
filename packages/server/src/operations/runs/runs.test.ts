import type { attentions, OutputOf, runs, runTranscript, tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { settledIdea, submittedPlan } from "../../../test/plan-fixture.ts"
import type { Actor } from "../../operation.ts"

const MINUTE = 60_000
const w = embeddedWorkspace()
const start = async (more: object = {}, by: Actor = w.owner) =>
  w.call<runs.RunRow>(by, "chorus_start_run", { taskUuid: await w.newTask(), program: "codex", ...more })
const lease = async (by: Actor, machine: string, more: object = {}) => {
  const programs = [{ program: "codex", version: "1", missing: null }]
  const able = { machine, programs, folders: ["/shop"], slots: 64, busy: 0, ...more }
  return (await w.call<{ run: runs.LeasedRun | null }>(by, "chorus_lease_run", able)).run
}
const report = (by: Actor, { uuid: runUuid, lease: held }: runs.LeasedRun, more: object = {}) =>
  w.call<{ state: string }>(by, "chorus_report_run", { runUuid, lease: held, ...more })
const show = (runUuid: string) => w.call<runs.RunRow>(w.owner, "chorus_get_run", { runUuid })
const must = (run: runs.LeasedRun | null) => {
  if (run === null) throw new Error("no run was leased")
  return run
}

it("stands first in the list as long as it has not ended, however many have ended since", async () => {
  const projectUuid = await w.newProject()
  const runIn = async () => start({ taskUuid: await w.newTask({ projectUuid }) })
  const [live, ended] = [await runIn(), await runIn()]
  w.clock.advance(MINUTE)
  const newest = await runIn()
  const stop = ({ uuid }: runs.RunRow) => w.call(w.owner, "chorus_stop_run", { runUuid: uuid })
  for (const run of [ended, newest]) await stop(run)
  const list = await w.call<{ runs: runs.RunRow[] }>(w.owner, "chorus_list_runs", { projectUuid })
  expect(list.runs.map(({ uuid }) => uuid)).toEqual([live, newest, ended].map(({ uuid }) => uuid))
  await stop(live)
})

describe("a run that waits", () => {
  it("is won by one of many runners, each of which may ask as often as it likes", async () => {
    const runners = await Promise.all(["A", "B", "C"].map((name) => w.agent(`Runner ${name}`)))
    const queued = await Promise.all(Array.from({ length: 6 }, () => start()))
    const asked = await Promise.all(
      Array.from({ length: 15 }, (_, at) => {
        const by = runners[at % 3] ?? w.developer
        return lease(by, `machine ${at % 3}`)
      }),
    )
    const won = asked.flatMap((run) => (run === null ? [] : [run.uuid]))
    expect(won.toSorted()).toEqual(queued.map(({ uuid }) => uuid).toSorted())
  })

  it("goes only to the machine that was asked for, and to one that has its program and a free place", async () => {
    const runner = await w.agent("Choosy")
    const { uuid } = await start({ machine: "desk" })
    expect(await lease(runner, "lap")).toBeNull()
    expect(await lease(runner, "desk", { programs: [{ program: "claude", version: "1", missing: null }] })).toBeNull()
    expect(
      await lease(runner, "desk", { programs: [{ program: "codex", version: null, missing: "codex" }] }),
    ).toBeNull()
    expect(await lease(runner, "desk", { slots: 1, busy: 1 })).toBeNull()
    expect(await lease(runner, "desk")).toMatchObject({ uuid, prompt: expect.stringContaining("A task") })
  })

  it("fails, and says why, where its task cannot be started", async () => {
    const runner = await w.agent("Late")
    const taskUuid = await w.taskAt("assigned")
    const { uuid } = await w.call<runs.RunRow>(w.owner, "chorus_start_run", {
      taskUuid,
      program: "codex",
      machine: "late",
    })
    expect(await lease(runner, "late")).toBeNull()
    expect(await show(uuid)).toMatchObject({ state: "failed", reason: "Not started: Dev holds it." })
  })

  it("gives its task back where its program never began", async () => {
    const runner = await w.agent("Broken")
    const taskUuid = await w.newTask()
    const { uuid } = await start({ taskUuid, machine: "broken" })
    await report(runner, must(await lease(runner, "broken")), { state: "failed", reason: "There is no codex." })
    const task = () => w.call(w.owner, "chorus_get_task", { taskUuid })
    expect(await task()).toMatchObject({ status: "open", assignee: null })
    await w.call(w.owner, "chorus_resume_run", { runUuid: uuid })
    const again = must(await lease(runner, "broken"))
    expect(again.prompt).toContain("A task")
    await report(runner, again, { state: "running", turns: 1 })
    await report(runner, again, { state: "failed", reason: "Its model is away." })
    expect(await task()).toMatchObject({ status: "in_progress" })
  })

  it("is started by people, and by agents only where they may delegate", async () => {
    await expect(start({}, w.developer)).rejects.toMatchObject({ code: "forbidden" })
    expect(await start({ machine: "none" }, w.admin)).toMatchObject({ state: "queued", startedBy: { name: "Ada" } })
  })
})

describe("the machines that run agents", () => {
  it("are kept from whoever is kept to some projects, save those it runs itself", async () => {
    const kept = await w.agent("Kept", { presets: ["admin"], projectUuids: [w.otherProject] })
    const names = async (by: Actor) =>
      (await w.call<{ runners: { machine: string }[] }>(by, "chorus_list_runners")).runners.map(
        ({ machine }) => machine,
      )
    await lease(await w.agent("Elsewhere"), "secret desk")
    await lease(kept, "own desk")
    expect(await names(w.admin)).toEqual(expect.arrayContaining(["secret desk", "own desk"]))
    expect(await names(kept)).toEqual(["own desk"])
  })
})

describe("a task whose run has ended without handing in", () => {
  const cards = async (taskUuid: string) =>
    (await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you", {})).items
      .filter(({ task }) => task?.uuid === taskUuid)
      .map(({ attention }) => ({ notice: attention?.notice, ...attention?.detail }))

  it("waits for a person, until it is taken up, started anew or given back; one that was stopped by somebody does not", async () => {
    const runner = await w.agent("Quitter")
    const taskUuid = await w.newTask()
    const { uuid } = await start({ taskUuid, machine: "quitting" })
    const begun = async () => {
      const held = must(await lease(runner, "quitting"))
      await report(runner, held, { state: "running", turns: 1 })
      return held
    }
    await report(runner, await begun(), { state: "finished", lastWords: "UNFINISHED: the door is locked." })
    expect(await cards(taskUuid)).toMatchObject([{ notice: "ended", runUuid: uuid, held: true, machine: "quitting" }])
    await w.call(w.owner, "chorus_resume_run", { runUuid: uuid })
    expect(await cards(taskUuid)).toEqual([])
    await report(runner, await begun(), { state: "failed", reason: "Its model is away." })
    expect(await cards(taskUuid)).toMatchObject([{ notice: "ended", reason: "Its model is away." }])
    await start({ taskUuid, machine: "quitting" })
    expect(await cards(taskUuid)).toEqual([])
    await begun()
    w.clock.advance(2 * MINUTE)
    await w.call(w.owner, "chorus_sweep_runs", {})
    expect(await cards(taskUuid)).toMatchObject([{ notice: "ended" }])
    await w.call(w.owner, "chorus_release_task", { taskUuid })
    expect(await cards(taskUuid)).toEqual([])
    await start({ taskUuid, machine: "quitting" })
    await report(runner, await begun(), { state: "stopped" })
    expect(await cards(taskUuid)).toEqual([])
  })

  it.each([
    ["plan", "failed"],
    ["plan", "lost"],
    ["review", "stopped"],
    ["answer", "failed"],
  ] as const)(
    "is not alone in that: a run to %s that is %s is told of, until it is left or goes on",
    async (work, state) => {
      const runner = await w.agent(`Breaks off ${work} ${state}`)
      const machine = `breaking-${work}-${state}`
      const on = work === "plan" ? { ideaUuid: await w.newIdea() } : { taskUuid: await w.taskAt("to_verify") }
      const wanted = { ...on, work, machine, program: "codex" }
      const { uuid: runUuid } = await w.call<runs.RunRow>(w.owner, "chorus_start_run", wanted)
      const used = { outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: null }
      const told = async () =>
        (await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you", {})).items.flatMap((item) =>
          item.attention?.detail["runUuid"] === runUuid ? [item.attention] : [],
        )
      const breaksOff = async () => {
        const held = must(await lease(runner, machine))
        await report(runner, held, { state: "running", turns: 1, usage: { ...used, inputTokens: 9 } })
        await report(runner, held, { state, reason: "Its model is away." })
      }
      if (state === "stopped") await w.call(w.owner, "chorus_change_run", { runUuid, budget: { tokens: 5 } })
      await breaksOff()
      const [notice, ...more] = await told()
      expect([notice?.notice, notice?.detail["work"], more]).toEqual(["broken_off", work, []])
      await w.call(w.owner, "chorus_resume_run", {
        runUuid,
        ...(state === "stopped" ? { budget: { tokens: 50 } } : {}),
      })
      expect(await told()).toEqual([])
      if (state === "stopped") return
      await breaksOff()
      const attentionUuid = (await told())[0]?.uuid
      await expect(w.call(w.viewer, "chorus_withdraw_attention", { attentionUuid })).rejects.toThrow()
      await w.call(w.owner, "chorus_withdraw_attention", { attentionUuid })
      expect(await told()).toEqual([])
    },
  )

  it("is told of where planning ended with neither a proposal nor a question, and why", async () => {
    const runner = await w.agent("Plans nothing")
    const ideaUuid = await settledIdea(w, w.pm)
    const wanted = { ideaUuid, work: "plan", machine: "planning-nothing", program: "codex" }
    const { uuid: runUuid } = await w.call<runs.RunRow>(w.owner, "chorus_start_run", wanted)
    const told = async () =>
      (await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you", {})).items.flatMap((item) =>
        item.attention?.detail["runUuid"] === runUuid ? [item.attention] : [],
      )
    const ends = async (entries: object[] = []) => {
      const held = must(await lease(runner, "planning-nothing"))
      await report(runner, held, { state: "running", turns: 1, entries })
      await report(runner, held, { state: "finished", lastWords: "I planned one task." })
    }
    const failed = { turn: 1, child: null, status: "failed", data: {}, at: w.clock.now().toISOString() }
    await ends([
      {
        ...failed,
        id: "a",
        place: 1,
        kind: "tool",
        title: "mcp__chorus__chorus_submit_plan",
        text: "proposal_invalid: no criteria",
      },
      { ...failed, id: "b", place: 2, kind: "tool", title: "grep door", text: "" },
    ])
    expect(await told()).toMatchObject([{ notice: "broken_off", detail: { work: "plan" } }])
    expect((await told())[0]?.detail["reason"]).toBe(
      "It ended without a proposal and without a question. chorus_submit_plan failed: proposal_invalid: no criteria",
    )
    await w.call(w.owner, "chorus_resume_run", { runUuid })
    expect(await told()).toEqual([])
    await submittedPlan(w, w.pm, { ideaUuid, tasks: { a: [] } })
    await ends()
    expect(await told()).toEqual([])
    const asking = await w.newIdea()
    const other = { ...wanted, ideaUuid: asking }
    const asked = await w.call<runs.RunRow>(w.owner, "chorus_start_run", other)
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid: asking })
    const options = [
      { id: "a", label: "A" },
      { id: "b", label: "B" },
    ]
    const questions = [{ id: "q", text: "Which?", category: "scope", options }]
    await w.call(w.pm, "chorus_pm_start_elaboration", { ideaUuid: asking, depth: "minimal", questions })
    await ends()
    const all = (await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you", {})).items
    expect(all.filter((item) => item.attention?.detail["runUuid"] === asked.uuid)).toEqual([])
  })

  it("or waits without a question is told of as well, with its session, until it goes on", async () => {
    const runner = await w.agent("Waits")
    const taskUuid = await w.newTask()
    await start({ taskUuid, machine: "waiting" })
    const held = must(await lease(runner, "waiting"))
    await report(runner, held, { state: "running", turns: 1 })
    await report(runner, held, { state: "waiting", reason: "Sign in to the program on its machine." })
    const [card] = (await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you", {})).items.filter(
      ({ task }) => task?.uuid === taskUuid,
    )
    expect(card).toMatchObject({
      attention: { notice: "waits", answerable: false, sessionUuid: expect.any(String) },
      session: { name: expect.stringContaining("run") },
    })
    expect(await cards(taskUuid)).toMatchObject([{ reason: "Sign in to the program on its machine." }])
    await report(runner, held, { state: "running", reason: null })
    expect(await cards(taskUuid)).toEqual([])
  })

  it("waits for a person too where it was sent back after that, and nobody goes on with it", async () => {
    const runner = await w.agent("Forgotten")
    const taskUuid = await w.newTask()
    const { uuid } = await start({ taskUuid, machine: "forgetful" })
    const held = must(await lease(runner, "forgetful"))
    await report(runner, held, { state: "running", turns: 1 })
    await report(runner, held, { state: "finished", lastWords: "DONE painted." })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, reason: "It is blue." })
    const swept = async () => {
      await w.call(w.owner, "chorus_sweep_runs", {})
      return cards(taskUuid)
    }
    // Whoever sent it back may let it go on in the next moment.
    expect(await swept()).toEqual([])
    w.clock.advance(MINUTE)
    const card = { notice: "returned", runUuid: uuid, held: true, machine: "forgetful" }
    expect(await swept()).toMatchObject([card])
    expect(await swept()).toHaveLength(1)
    await w.call(w.owner, "chorus_resume_run", { runUuid: uuid })
    expect(await swept()).toEqual([])
  })

  it("waits for the answer where its agent has asked something", async () => {
    const runner = await w.agent("Wonderer")
    const taskUuid = await w.newTask()
    await start({ taskUuid, machine: "wondering" })
    const held = must(await lease(runner, "wondering"))
    await report(runner, held, { state: "running", turns: 1 })
    await w.call(runner, "chorus_create_attention", { title: "Left or right?", taskUuid })
    await report(runner, held, { state: "finished" })
    expect(await cards(taskUuid)).toMatchObject([{ notice: null }])
  })
})

describe("a run that is held", () => {
  it("is lost after a minute of silence; who held it is heard no more, and its key is worth nothing", async () => {
    // Those that other tests left behind.
    w.clock.advance(2 * MINUTE)
    await w.call(w.owner, "chorus_sweep_runs", {})
    const runner = await w.agent("Sleeper")
    const { uuid } = await start({ machine: "sleepy" })
    const held = must(await lease(runner, "sleepy"))
    w.clock.advance(50_000)
    await report(runner, held, { state: "running" })
    w.clock.advance(50_000)
    expect(await w.call(w.owner, "chorus_sweep_runs", {})).toEqual({ lost: 0 })
    w.clock.advance(MINUTE)
    expect(await w.call(w.owner, "chorus_sweep_runs", {})).toEqual({ lost: 1 })
    expect(await show(uuid)).toMatchObject({ state: "lost" })
    await expect(report(runner, held, { state: "running" })).rejects.toMatchObject({ code: "run_not_held" })
    await w.call(w.owner, "chorus_resume_run", { runUuid: uuid })
    const again = must(await lease(runner, "sleepy"))
    expect(again.uuid).toBe(uuid)
    expect(again.lease).not.toBe(held.lease)
    await expect(report(runner, held)).rejects.toMatchObject({ code: "run_not_held" })
    await report(runner, again, { state: "stopped" })
    const { keys } = await w.call<{ keys: { name: string; revokedAt: string | null }[] }>(w.owner, "chorus_list_keys", {
      agentUuid: runner.uuid,
    })
    expect(keys.filter(({ revokedAt }) => revokedAt === null)).toEqual([])
  })

  it("taken up after its work was sent back is told why, before anything else that is said to it", async () => {
    const runner = await w.agent("Mender")
    const taskUuid = await w.newTask()
    const { uuid } = await start({ taskUuid, machine: "mending" })
    const held = must(await lease(runner, "mending"))
    await report(runner, held, { state: "running", sessionId: "conversation" })
    await w.call(runner, "chorus_submit_for_verify", { taskUuid, summary: "Done." })
    await report(runner, held, { state: "finished" })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, reason: "It is blue." })
    await w.call(w.owner, "chorus_resume_run", { runUuid: uuid, text: "Take the red one." })
    const { prompt } = must(await lease(runner, "mending"))
    expect(prompt).toBe("SENT BACK by Olive (hand-in 1): It is blue.\n\nTake the red one.")
  })

  it("leaves no call at work behind whose process has ended, told or not", async () => {
    const runner = await w.agent("Victim")
    const { uuid } = await start({ machine: "falling" })
    const held = must(await lease(runner, "falling"))
    const made = { turn: 1, kind: "tool", title: "make", status: "in_progress", at: "2026-01-01T00:00:00.000Z" }
    const tool = (id: string, place: number) => ({ ...made, id, place, child: null, text: null, data: {} })
    const calls = async () =>
      (
        await w.call<OutputOf<typeof runTranscript.getTranscript>>(w.owner, "chorus_get_transcript", { runUuid: uuid })
      ).entries.map(({ id, status }) => `${id} ${status}`)
    await report(runner, held, { state: "running", entries: [tool("a", 1)] })
    expect(await calls()).toEqual(["a in_progress"])
    await report(runner, held, { state: "starting" })
    expect(await calls()).toEqual(["a ended"])
    await report(runner, held, { state: "running", entries: [tool("b", 2)] })
    w.clock.advance(2 * MINUTE)
    await w.call(w.owner, "chorus_sweep_runs", {})
    expect((await calls()).toSorted()).toEqual(["a ended", "b ended"])
  })

  it("answers a word after its hand-in, which stays handed in; words for work that is over are refused at once", async () => {
    const runner = await w.agent("Painter")
    const taskUuid = await w.newTask()
    const { uuid } = await start({ taskUuid, machine: "painting" })
    const task = () => w.call<OutputOf<typeof tasks.getTask>>(w.owner, "chorus_get_task", { taskUuid })
    const say = (text: string) => w.call<runs.RunRow>(w.owner, "chorus_send_to_run", { runUuid: uuid, text })
    const first = must(await lease(runner, "painting"))
    await report(runner, first, { state: "running", sessionId: "talk", turns: 1 })
    await report(runner, first, { state: "finished", lastWords: "DONE It is red." })
    expect(await task()).toMatchObject({ status: "to_verify", handIns: [{ outcome: "pending" }] })

    expect(await say("Which red?")).toMatchObject({ state: "queued" })
    const again = must(await lease(runner, "painting"))
    expect(again.prompt).toBe("Which red?")
    await report(runner, again, { state: "running", turns: 2 })
    await report(runner, again, { state: "finished", lastWords: "Ruby red." })
    expect(await show(uuid)).toMatchObject({ state: "finished", reason: null })
    const { status, handIns, reports } = await task()
    expect({ status, handIns }).toMatchObject({ status: "to_verify", handIns: [{ outcome: "pending" }] })
    expect(reports.map(({ content }) => content).toSorted()).toEqual(["DONE It is red.", "Ruby red."])

    await w.passCriteria(taskUuid)
    await w.call(w.owner, "chorus_admin_verify_task", { taskUuid })
    await expect(say("Another coat?")).rejects.toMatchObject({ code: "task_finished" })
    expect(await show(uuid)).toMatchObject({ state: "finished", reason: null })
  })

  it("is not taken up again for a task that somebody else holds by now", async () => {
    const runner = await w.agent("Former")
    const taskUuid = await w.newTask()
    const { uuid } = await start({ taskUuid, machine: "former" })
    await report(runner, must(await lease(runner, "former")), { state: "stopped", turns: 1 })
    await w.call(w.owner, "chorus_release_task", { taskUuid })
    await w.call(w.developer, "chorus_claim_task", { taskUuid })
    const said = w.call(w.owner, "chorus_send_to_run", { runUuid: uuid, text: "Go on." })
    await expect(said).rejects.toMatchObject({ code: "already_claimed", message: expect.stringContaining("Dev holds") })
    expect(await show(uuid)).toMatchObject({ state: "stopped" })
  })

  it("asks people through its runner alone, once for each request, and takes back what is over", async () => {
    const runner = await w.agent("Asker")
    const { uuid } = await start({ machine: "asking" })
    const held = must(await lease(runner, "asking"))
    const ask = { requestId: "1-r0", kind: "permission", title: "rm -rf build", detail: { tool: "rm" } }
    await report(runner, held, { state: "waiting", asks: [ask, ask] })
    const open = async () =>
      (await w.call<{ attentions: attentions.AttentionRow[] }>(runner, "chorus_list_attentions", {})).attentions
    const [asked] = await open()
    expect(await open()).toMatchObject([
      { title: "rm -rf build", detail: { runUuid: uuid, requestId: "1-r0", machine: "asking" } },
    ])
    const waiting = await w.call<{ items: { uuid: string; task: object | null }[] }>(w.owner, "chorus_needs_you", {})
    expect(waiting.items.find((item) => item.uuid === asked?.uuid)?.task).toMatchObject({ title: "A task" })
    const forged = await w.call<attentions.AttentionRow>(runner, "chorus_create_attention", {
      title: "Nothing much",
      kind: "permission",
      detail: { runUuid: uuid, requestId: "1-r0", tool: "none" },
    })
    expect(forged.detail).not.toHaveProperty("runUuid")
    const yes = (attentionUuid: string) =>
      w.call(w.owner, "chorus_answer_attention", { attentionUuid, answer: { decision: "approve" } })
    const fetch = async () =>
      (await w.call<{ deliveries: object[] }>(runner, "chorus_fetch_deliveries", { machine: "asking", to: "runner" }))
        .deliveries
    await yes(forged.uuid)
    expect(await fetch()).toEqual([])
    await yes(asked?.uuid ?? "")
    expect(await fetch()).toMatchObject([
      { kind: "answer", payload: { run: { order: "answer", requestId: "1-r0", decision: "approve", by: "Olive" } } },
    ])
    await report(runner, held, { asks: [{ ...ask, requestId: "1-r1" }] })
    expect(await open()).toHaveLength(1)
    await report(runner, held, { state: "failed", reason: "gone" })
    expect(await open()).toEqual([])
  })
})
