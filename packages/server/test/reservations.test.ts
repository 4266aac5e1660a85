import type { reservations, tasks } from "@chorus/contracts"
import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const MINUTE = 60_000

onEachEngineUnderStress("reservations", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const started = async (title: string, by = w.developer, projectUuid = w.project) => {
    const input = { projectUuid, tasks: [{ title, acceptanceCriteriaItems: [{ description: "x" }] }] }
    const taskUuid = (await w.call<{ tasks: tasks.TaskRow[] }>(w.pm, "chorus_create_tasks", input)).tasks[0]?.uuid ?? ""
    await w.call(by, "chorus_start_task", { taskUuid })
    return taskUuid
  }
  const reserve = (taskUuid: string, globs: string[], more: object = {}, by = w.developer) =>
    w.call<{ reservations: reservations.ReservationRow[] }>(by, "chorus_reserve_paths", { taskUuid, globs, ...more })
  const held = async (path?: string) =>
    (
      await w.call<{ reservations: reservations.ReservationRow[] }>(w.owner, "chorus_list_reservations", {
        projectUuid: w.project,
        ...(path && { path }),
      })
    ).reservations
  const kinds = async (entityUuid: string) =>
    (await w.call<{ events: { kind: string }[] }>(w.owner, "chorus_list_events", { entityUuid })).events.map(
      (event) => event.kind,
    )

  it("refuse paths another task has, naming the holder, and reserve none of the call", async () => {
    const mine = await started("mine")
    const theirs = await started("theirs", w.rival)
    await reserve(mine, ["src/server/**", "docs"])
    const call = reserve(theirs, ["src/web/**", "src/server/index.ts"], {}, w.rival)
    await expect(call).rejects.toMatchObject({
      code: "paths_reserved",
      status: 409,
      details: { reserved: "src/server/**", holder: { name: "Dev" }, taskUuid: mine },
    })
    expect(await held("src/web/page.ts")).toEqual([])
    await reserve(theirs, ["src/web/**"], {}, w.rival)
    expect((await held("src/web/page.ts")).map((each) => each.agent.name)).toEqual(["Rival"])
    const brief = await w.call<{ reservedByOthers: { glob: string }[] }>(w.rival, "chorus_start_task", {
      taskUuid: theirs,
    })
    expect(brief.reservedByOthers.map((each) => each.glob)).toEqual(["docs", "src/server/**"])
  })

  it("keep two tasks of one agent apart, and are prolonged by asking again", async () => {
    const first = await started("first")
    const second = await started("second")
    const { reservations: before } = await reserve(first, ["lib/a.ts"], { ttlMinutes: 10 })
    await expect(reserve(second, ["lib/*.ts"])).rejects.toMatchObject({ code: "paths_reserved" })
    const { reservations: after } = await reserve(first, ["./lib//a.ts"], { ttlMinutes: 30 })
    expect(after[0]?.uuid).toBe(before[0]?.uuid)
    expect(after[0]?.expiresAt).not.toBe(before[0]?.expiresAt)
    expect(await kinds(before[0]?.uuid ?? "")).toEqual(["reservation.prolonged", "reservation.created"])
  })

  it("end by release, with the task, or with their time, each an event", async () => {
    const [a, b, c] = [await started("a"), await started("b"), await started("c")]
    const uuidOf = async (taskUuid: string, glob: string, more: object = {}) =>
      (await reserve(taskUuid, [glob], more)).reservations[0]?.uuid ?? ""
    const [released, ended, expired, swept] = [
      await uuidOf(a, "one"),
      await uuidOf(b, "two"),
      await uuidOf(c, "three", { ttlMinutes: 5 }),
      await uuidOf(c, "four", { ttlMinutes: 20 }),
    ]
    expect(await w.call(w.developer, "chorus_release_paths", { taskUuid: a })).toEqual({ released: 1 })
    await w.call(w.developer, "chorus_finish_task", { taskUuid: b, report: "done" })
    w.clock.advance(6 * MINUTE)
    expect(await held("three")).toEqual([])
    await reserve(a, ["three"])
    expect(await kinds(released)).toEqual(["reservation.released", "reservation.created"])
    expect(await kinds(ended)).toEqual(["reservation.released", "reservation.created"])
    expect(await kinds(expired)).toEqual(["reservation.expired", "reservation.created"])
    w.clock.advance(20 * MINUTE)
    const { expired: count } = await w.call<{ expired: number }>(w.owner, "chorus_sweep_reservations")
    expect(count).toBeGreaterThanOrEqual(1)
    expect((await kinds(swept))[0]).toBe("reservation.expired")
    const { reservations: past } = await w.call<{ reservations: reservations.ReservationRow[] }>(
      w.owner,
      "chorus_get_task_history",
      { taskUuid: b },
    )
    expect(past).toMatchObject([{ releaseReason: "task_ended" }])
  })

  it("are for whoever holds the task, inside the repository", async () => {
    const taskUuid = await started("held")
    await expect(reserve(taskUuid, ["x"], {}, w.rival)).rejects.toMatchObject({ code: "not_holder" })
    await expect(reserve(taskUuid, ["x"], {}, w.owner)).rejects.toMatchObject({ code: "not_holder" })
    for (const glob of ["/etc/passwd", "../x", "a/../../b", "~/x"])
      await expect(reserve(taskUuid, [glob])).rejects.toMatchObject({ code: "invalid_glob" })
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
    await expect(reserve(taskUuid, ["x"])).rejects.toMatchObject({ code: "wrong_status" })
  })
})
