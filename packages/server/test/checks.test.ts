import type { attentions, changes, checks, OutputOf, tasks } from "@chorus/contracts"
import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

type Leased = OutputOf<typeof checks.leaseCheck>["check"]

const END = {
  exitCode: 0,
  reason: null,
  durationMs: 5,
  output: "",
  outputBytes: 0,
  touched: [],
  environment: "e",
  tree: null,
}
const CHANGE = {
  repository: { roots: [], remotes: [] },
  branch: "chorus/work",
  baseRef: null,
  baseCommit: null,
  headCommit: null,
  uncommitted: 0,
  files: [],
  warnings: [],
}

onEachEngineUnderStress("a check", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const machine = "den"
  const ask = (checksAllowed: boolean) => ({
    machine,
    programs: [{ program: "claude", version: null, missing: null }],
    folders: ["/shop"],
    slots: 1,
    busy: 0,
    checks: checksAllowed,
  })
  const lease = async () => (await w.call<{ check: Leased }>(w.developer, "chorus_lease_check", { machine })).check
  const report = (held: Leased, more: object) =>
    w.call(w.developer, "chorus_report_check", { checkUuid: held?.uuid ?? "", lease: held?.lease ?? "", ...more })
  const taskOf = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
  const waits = async (taskUuid: string) =>
    (await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you")).items.some(
      ({ uuid }) => uuid === taskUuid,
    )

  /** Made by a person with two commands, done by a run, and handed in at its end. */
  async function handedIn() {
    const { tasks: made } = await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_create_tasks", {
      projectUuid: w.project,
      tasks: [
        {
          title: "A task",
          acceptanceCriteriaItems: [
            { description: "it builds", command: "make" },
            { description: "it is tested", command: "make test" },
          ],
        },
      ],
    })
    const taskUuid = made[0]?.uuid ?? ""
    const { uuid: runUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_start_run", {
      taskUuid,
      program: "claude",
      machine,
    })
    const begin = async () => {
      const { run } = await w.call<{ run: { lease: string; key: string } }>(w.developer, "chorus_lease_run", ask(true))
      const held = { runUuid, lease: run.lease }
      await w.call(w.developer, "chorus_report_run", { ...held, state: "running", worktree: "/w", sessionId: "s" })
      // As the runner does it at the end of a turn, where the work has become this tree.
      const ends = async (tree?: string) => {
        if (tree !== undefined)
          await w.call(w.developer, "chorus_send_change", {
            taskUuid,
            origin: "run",
            run: held,
            change: { ...CHANGE, tree },
          })
        return w.call(w.developer, "chorus_report_run", { ...held, state: "finished", lastWords: "DONE." })
      }
      return ends
    }
    return { taskUuid, runUuid, begin }
  }

  it("of a hand-in is held by one runner, comes back to another that asks when that falls silent, and decides", async () => {
    const { taskUuid, runUuid, begin } = await handedIn()
    const end = await begin()
    expect(await lease()).toBeNull()
    await end()
    expect(await waits(taskUuid)).toBe(false)
    const first = await lease()
    expect(first).toMatchObject({ runUuid })
    // One at a time in a worktree.
    expect(await lease()).toBeNull()
    await report(first, { tail: "so far" })
    w.clock.advance(61_000)
    await w.call(w.developer, "chorus_lease_run", ask(true))
    const again = await lease()
    expect(again?.uuid).toBe(first?.uuid)
    await expect(report(first, { end: END })).rejects.toMatchObject({ code: "check_not_held" })
    await report(again, { end: END })
    expect((await taskOf(taskUuid)).status).toBe("to_verify")
    await report(await lease(), { end: { ...END, exitCode: 2, output: "boom\n" } })
    const task = await taskOf(taskUuid)
    expect(task).toMatchObject({ status: "in_progress", returned: { by: { name: "Chorus" } } })
    expect(task.returned?.failed).toHaveLength(1)
    expect(task.returned?.failed[0]?.evidence).toContain("boom")
    expect(await w.call(w.owner, "chorus_get_run", { runUuid })).toMatchObject({ state: "queued" })
    // It mends it, and both hold: now a person is asked.
    await (
      await begin()
    )()
    for (let held = await lease(); held !== null; held = await lease()) await report(held, { end: END })
    expect(await waits(taskUuid)).toBe(true)
    await expect(
      w.call(w.admin, "chorus_admin_verify_task", {
        taskUuid,
        passing: (await taskOf(taskUuid)).acceptanceCriteriaItems.map(({ uuid }) => uuid),
      }),
    ).resolves.toMatchObject({ status: "done" })
  })

  it("whose machine goes away is not waited for", async () => {
    const { taskUuid, begin } = await handedIn()
    await (
      await begin()
    )()
    expect(await waits(taskUuid)).toBe(false)
    w.clock.advance(120_000)
    await w.call({ ...w.owner, type: "system" }, "chorus_sweep_runs")
    expect(await waits(taskUuid)).toBe(true)
    expect((await taskOf(taskUuid)).acceptanceCriteriaItems[0]?.check).toMatchObject({ state: "not_run" })
  })

  it("is of the tree it ran on: where a word changed the work after its hand-in, it is run again before a person is asked", async () => {
    const { taskUuid, runUuid, begin } = await handedIn()
    const [one, two] = ["1".repeat(40), "2".repeat(40)]
    const read = () => w.call<OutputOf<typeof checks.getChecks>>(w.owner, "chorus_get_checks", { taskUuid })
    const passAll = async (tree: string) => {
      for (let held = await lease(); held !== null; held = await lease()) await report(held, { end: { ...END, tree } })
    }
    await (
      await begin()
    )(one)
    await passAll(one)
    expect((await read()).checks).toMatchObject([
      { version: 1, outdated: false },
      { version: 1, outdated: false },
    ])
    // What is said after the hand-in and changes nothing asks for no second look.
    await w.call(w.owner, "chorus_resume_run", { runUuid, text: "Why red?" })
    await (
      await begin()
    )(one)
    expect([await lease(), await waits(taskUuid)]).toEqual([null, true])
    await w.call(w.owner, "chorus_resume_run", { runUuid, text: "Rather blue." })
    await (
      await begin()
    )(two)
    expect((await taskOf(taskUuid)).status).toBe("to_verify")
    expect(await waits(taskUuid)).toBe(false)
    const { checks: rows } = await read()
    expect(rows.map(({ state, version, outdated }) => [state, version, outdated])).toEqual([
      ["queued", null, false],
      ["queued", null, false],
      ["passed", 1, true],
      ["passed", 1, true],
    ])
    await passAll(two)
    expect(await waits(taskUuid)).toBe(true)
    const task = await taskOf(taskUuid)
    expect(task.acceptanceCriteriaItems.map(({ check }) => [check?.state, check?.trusted, check?.outdated])).toEqual([
      ["passed", true, false],
      ["passed", true, false],
    ])
    // A machine that is away cannot run it again: then it counts as what it is, of other work, also for an agent that judges.
    await w.call(w.owner, "chorus_resume_run", { runUuid, text: "Or green." })
    const ends = await begin()
    await w.call(w.developer, "chorus_lease_run", ask(false))
    await ends("3".repeat(40))
    expect((await read()).checks.slice(0, 2)).toMatchObject([
      { state: "passed", version: 2, outdated: true },
      { state: "passed", version: 2, outdated: true },
    ])
    const [item] = (await taskOf(taskUuid)).acceptanceCriteriaItems
    expect(item?.check).toMatchObject({ state: "passed", outdated: true, trusted: false })
    const passing = { taskUuid, criteria: [{ uuid: item?.uuid, status: "passed" }] }
    await expect(w.call(w.admin, "chorus_mark_acceptance_criteria", passing)).rejects.toMatchObject({
      code: "exit_code_missing",
    })
    const { checks: seen } = await w.call<OutputOf<typeof changes.getChange>>(w.admin, "chorus_get_change", {
      taskUuid,
    })
    expect(seen.map(({ outdated }) => outdated)).toEqual([true, true])
  })

  it("is not run by who did the work: the key of a run does not take it", async () => {
    const { begin } = await handedIn()
    await begin()
    const run = await w.store.db
      .selectFrom("runs")
      .select("keyUuid")
      .where("keyUuid", "is not", null)
      .executeTakeFirstOrThrow()
    const inside = { ...w.developer, keyUuid: run.keyUuid ?? "" }
    await expect(w.call(inside, "chorus_lease_check", { machine })).rejects.toMatchObject({ status: 403 })
  })

  it("of work that no run did is its machine's once it was shown, is held once, and does not trust the agent's own key", async () => {
    const shop = { machine, folder: "/shop-2", repository: "/shop" }
    const shows = (tree: string, more: object = {}) => ({
      ...CHANGE,
      repository: { ...CHANGE.repository, checkout: { ...shop, ...more } },
      tree,
    })
    const item = { description: "it builds", command: "make" }
    const begun = async (actor = w.rival) => {
      const { tasks: made } = await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_create_tasks", {
        projectUuid: w.project,
        tasks: [{ title: "By hand", acceptanceCriteriaItems: [item] }],
      })
      const taskUuid = made[0]?.uuid ?? ""
      await w.call(actor, "chorus_claim_task", { taskUuid })
      await w.call(actor, "chorus_update_task", { taskUuid, status: "in_progress" })
      return taskUuid
    }
    const handIn = (taskUuid: string, actor = w.rival) =>
      w.call(actor, "chorus_submit_for_verify", { taskUuid, insist: true })
    const show = (taskUuid: string, change: object, actor = w.rival) =>
      w.call(actor, "chorus_send_change", { taskUuid, origin: "hook", change })
    const obstacle = async (taskUuid: string) =>
      (await w.call<OutputOf<typeof checks.getChecks>>(w.owner, "chorus_get_checks", { taskUuid })).obstacle
    await w.call(w.developer, "chorus_lease_run", ask(true))
    const [one, two] = [await begun(), await begun()]
    for (const taskUuid of [one, two]) {
      await handIn(taskUuid)
      expect(await obstacle(taskUuid)).toMatch(/has not been shown yet/)
      expect(await waits(taskUuid)).toBe(true)
      await show(taskUuid, shows("1".repeat(40)))
      expect(await obstacle(taskUuid)).toBeNull()
      expect(await waits(taskUuid)).toBe(false)
    }
    const held = await lease()
    expect(held).toMatchObject({
      runUuid: null,
      command: "make",
      byHand: { tree: "1".repeat(40), repository: { checkout: shop } },
    })
    // They may lie in the same checkout.
    expect(await lease()).toBeNull()
    await report(held, { end: { ...END, exitCode: 2, tree: "1".repeat(40) } })
    expect(await taskOf(one)).toMatchObject({ status: "in_progress", returned: { by: { name: "Chorus" } } })
    // What it was sent back for has not been mended by handing it in.
    await handIn(one)
    expect(await obstacle(one)).toMatch(/has not been shown yet/)
    await report(await lease(), { end: { ...END, tree: "1".repeat(40) } })
    expect(await waits(two)).toBe(true)
    expect(await lease()).toBeNull()
    await show(one, shows("2".repeat(40)))
    // Shown once more it is checked once more, as it is by then.
    await show(one, shows("3".repeat(40)))
    const last = await lease()
    expect(last).toMatchObject({ byHand: { tree: "3".repeat(40) } })
    await report(last, { end: { ...END, tree: "3".repeat(40) } })
    expect(await lease()).toBeNull()
    expect(await waits(one)).toBe(true)
    const { acceptanceCriteriaItems } = await taskOf(one)
    expect(acceptanceCriteriaItems).toMatchObject([{ check: { state: "passed", source: "chorus", trusted: true } }])
    const own = await begun(w.developer)
    await handIn(own, w.developer)
    await show(own, shows("4".repeat(40)), w.developer)
    expect(await obstacle(own)).toMatch(/has the key of the agent that did the work/)
    const afar = await begun()
    await handIn(afar)
    await show(afar, shows("5".repeat(40), { repository: "/barn" }))
    expect(await obstacle(afar)).toMatch(/^No runner may work where this lies/)
    expect(await lease()).toBeNull()
    // A machine that goes away in the middle of it holds nobody up.
    const lost = await begun()
    await handIn(lost)
    await show(lost, shows("6".repeat(40)))
    expect(await waits(lost)).toBe(false)
    w.clock.advance(120_000)
    await w.call({ ...w.owner, type: "system" }, "chorus_sweep_runs")
    expect(await waits(lost)).toBe(true)
  })

  it("is not what a person starts to try the work: that is no proof, hides nothing, and ends with the click or the next turn", async () => {
    const { taskUuid, runUuid, begin } = await handedIn()
    await (
      await begin()
    )()
    for (let held = await lease(); held !== null; held = await lease()) await report(held, { end: END })
    const start = (actor = w.owner) => w.call<checks.CheckRow>(actor, "chorus_start_preview", { taskUuid })
    const stop = () => w.call<checks.CheckRow>(w.owner, "chorus_stop_preview", { taskUuid })
    const read = () => w.call<OutputOf<typeof checks.getChecks>>(w.owner, "chorus_get_checks", { taskUuid })
    const take = (more: object) =>
      w.call<OutputOf<typeof checks.leaseCheck>>(w.developer, "chorus_lease_check", { machine, ...more })
    await expect(start()).rejects.toMatchObject({ code: "no_preview_command" })
    const settings = { projectUuid: w.project, preview: "make serve" }
    await w.call(w.owner, "chorus_update_project_settings", settings)
    await expect(start(w.developer)).rejects.toMatchObject({ status: 403 })
    const before = await read()
    expect(before.preview).toEqual({ command: "make serve", latest: null, obstacle: null })
    const begun = await start()
    expect((await start()).uuid).toBe(begun.uuid)
    // A runner that knows nothing of previews is not given one.
    expect(await lease()).toBeNull()
    const { check } = await take({ kinds: ["check", "preview"] })
    expect(check).toMatchObject({ uuid: begun.uuid, command: "make serve", preview: true, runUuid })
    await report(check, { tail: "at your service", listens: { port: 42_000, near: true } })
    const now = await read()
    expect(now.preview?.latest).toMatchObject({
      state: "running",
      tail: "at your service",
      preview: { port: 42_000, near: true },
    })
    expect(now.checks).toEqual(before.checks)
    expect(await waits(taskUuid)).toBe(true)
    // What is checked meanwhile waits for nobody.
    await w.call(w.owner, "chorus_run_checks", { taskUuid, command: "make" })
    const beside = await take({ kinds: ["check"], previews: [begun.uuid] })
    expect(beside).toMatchObject({ check: { command: "make", preview: false }, over: [] })
    await report(beside.check, { end: END })
    expect(await stop()).toMatchObject({ state: "not_run", reason: `${w.owner.name} stopped it.` })
    expect(await take({ kinds: [], previews: [begun.uuid] })).toEqual({ check: null, over: [begun.uuid] })
    await expect(report(check, { tail: "late" })).rejects.toMatchObject({ code: "check_not_held" })
    const again = await start()
    await take({ kinds: ["preview"] })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, force: true, reason: "It creaks." })
    await w.call(w.owner, "chorus_resume_run", { runUuid, text: "Mend it." })
    expect((await take({ previews: [again.uuid] })).over).toEqual([again.uuid])
    const { preview } = await read()
    expect(preview).toMatchObject({
      obstacle: "Its agent is at work on it again.",
      latest: { reason: "Its agent went on with the work." },
    })
    await expect(start()).rejects.toMatchObject({ code: "no_machine_for_preview" })
    await w.call(w.owner, "chorus_update_project_settings", { ...settings, preview: null })
  })
})
