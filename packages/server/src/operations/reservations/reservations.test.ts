import type { reservations } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const MINUTE = 60_000
const w = embeddedWorkspace()
let projectUuid: string
let mine: string
let theirs: string
beforeEach(async () => {
  projectUuid = await w.newProject()
  mine = await w.taskAt("in_progress", { projectUuid, title: "mine" })
  theirs = await w.taskAt("in_progress", { projectUuid, title: "theirs", holder: w.rival })
})

const reserve = async (actor: Actor, taskUuid: string, globs: string[], more: object = {}) =>
  (
    await w.call<{ reservations: reservations.ReservationRow[] }>(actor, "chorus_reserve_paths", {
      taskUuid,
      globs,
      ...more,
    })
  ).reservations
const held = async (path?: string) =>
  (
    await w.call<{ reservations: reservations.ReservationRow[] }>(w.viewer, "chorus_list_reservations", {
      projectUuid,
      ...(path && { path }),
    })
  ).reservations
    .map(({ glob }) => glob)
    .sort()

describe("reserving paths", () => {
  it("keeps who, for which task, why and until when; an hour unless told otherwise", async () => {
    const sessionUuid = await w.newSession()
    const [row] = await reserve(w.developer, mine, ["src/a.ts"], { reason: "a rename", sessionUuid })
    expect(row).toMatchObject({
      taskUuid: mine,
      projectUuid,
      agent: { name: "Dev" },
      sessionUuid,
      glob: "src/a.ts",
      reason: "a rename",
      releasedAt: null,
      releaseReason: null,
    })
    expect(Date.parse(row?.expiresAt ?? "") - Date.parse(row?.createdAt ?? "")).toBe(60 * MINUTE)
  })

  it.each([
    ["src/**", "src/deep/file.ts"],
    ["src", "src/file.ts"],
    ["src/*.ts", "src/a.*"],
    ["docs/Guide.md", "docs/guide.md"],
    ["./lib//x.ts", "lib/x.ts"],
  ])("%s keeps %s from another task", async (first, second) => {
    await reserve(w.developer, mine, [first])
    await expect(reserve(w.rival, theirs, [second])).rejects.toMatchObject({
      code: "paths_reserved",
      status: 409,
      details: { holder: { name: "Dev" }, taskUuid: mine },
    })
  })

  it.each([
    ["src/a.ts", "src/b.ts"],
    ["src/*.ts", "src/deep/a.ts"],
    ["docs", "src/docs"],
  ])("%s and %s go side by side", async (first, second) => {
    await reserve(w.developer, mine, [first])
    expect(await reserve(w.rival, theirs, [second])).toHaveLength(1)
  })

  it.each(["/etc/passwd", "../secrets", "a/../../b", "~/x", "C:\\x", "."])(
    "refuses %j, which is not inside the repository",
    async (glob) => {
      await expect(reserve(w.developer, mine, ["src/fine.ts", glob])).rejects.toMatchObject({
        code: "invalid_glob",
        next: expect.stringContaining("relative to the repository"),
      })
      expect(await held()).toEqual([])
    },
  )

  it("takes the same path named twice for one", async () => {
    expect(await reserve(w.developer, mine, ["src/a.ts", "./src/a.ts"])).toHaveLength(1)
  })

  it("of which one is taken reserves none", async () => {
    await reserve(w.developer, mine, ["taken"])
    await expect(reserve(w.rival, theirs, ["free", "taken"])).rejects.toMatchObject({
      details: { glob: "taken", reserved: "taken" },
    })
    expect(await held()).toEqual(["taken"])
  })

  it("again only prolongs, and says so", async () => {
    const [first] = await reserve(w.developer, mine, ["src/a.ts"], { ttlMinutes: 5 })
    const events = await w.told(() => reserve(w.developer, mine, ["src/a.ts", "src/b.ts"], { ttlMinutes: 90 }))
    expect(events.map(({ kind, entityUuid }) => [kind, entityUuid === first?.uuid])).toEqual([
      ["reservation.prolonged", true],
      ["reservation.created", false],
    ])
    expect(events[0]?.patch).toEqual({ expiresAt: expect.any(String) })
    expect(await held()).toEqual(["src/a.ts", "src/b.ts"])
  })

  it("by two at once is won by one", async () => {
    const answers = await Promise.allSettled([
      reserve(w.developer, mine, ["hot/**"]),
      reserve(w.rival, theirs, ["hot/file"]),
    ])
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })

  it("is for the agent that holds the task", async () => {
    await expect(reserve(w.rival, mine, ["x"])).rejects.toMatchObject({ code: "not_holder" })
    await expect(reserve(w.owner, mine, ["x"])).rejects.toMatchObject({ code: "not_holder" })
  })

  it("ends with the work: not for a task that was handed in", async () => {
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid: mine })
    await expect(reserve(w.developer, mine, ["x"])).rejects.toMatchObject({ code: "wrong_status" })
  })
})

describe("reserved paths", () => {
  it("are free again the moment their time is over, without anybody sweeping", async () => {
    await reserve(w.developer, mine, ["src/**"], { ttlMinutes: 10 })
    w.clock.advance(10 * MINUTE)
    expect(await held()).toEqual([])
    const events = await w.told(() => reserve(w.rival, theirs, ["src/x.ts"]))
    expect(events.map(({ kind }) => kind)).toEqual(["reservation.expired", "reservation.created"])
    expect(events[0]?.patch).toMatchObject({ glob: "src/**", releaseReason: "expired" })
  })

  it("are marked with the time they ran out, not with the time somebody noticed", async () => {
    w.clock.advance(24 * 60 * MINUTE)
    await w.call(w.owner, "chorus_sweep_reservations")
    const [row] = await reserve(w.developer, mine, ["late"], { ttlMinutes: 10 })
    w.clock.advance(300 * MINUTE)
    expect(await w.call(w.owner, "chorus_sweep_reservations")).toMatchObject({ expired: 1 })
    expect(await w.call(w.owner, "chorus_sweep_reservations")).toMatchObject({ expired: 0 })
    const { reservations: past } = await w.call<{ reservations: reservations.ReservationRow[] }>(
      w.owner,
      "chorus_get_task_history",
      { taskUuid: mine },
    )
    expect(past).toMatchObject([{ releasedAt: row?.expiresAt, releaseReason: "expired" }])
  })

  it("are swept in one's own workspace only", async () => {
    await reserve(w.developer, mine, ["ours"], { ttlMinutes: 1 })
    w.clock.advance(2 * MINUTE)
    expect(await w.call(w.stranger, "chorus_sweep_reservations")).toEqual({ expired: 0 })
    expect(await w.call(w.owner, "chorus_sweep_reservations")).toEqual({ expired: 1 })
  })

  it("are released one by one or all together; a second time there is nothing left", async () => {
    await reserve(w.developer, mine, ["a", "b", "c"])
    const release = (globs?: string[]) =>
      w.call(w.developer, "chorus_release_paths", { taskUuid: mine, ...(globs && { globs }) })
    expect(await release(["./b", "unknown"])).toEqual({ released: 1 })
    expect(await held()).toEqual(["a", "c"])
    expect(await release([])).toEqual({ released: 0 })
    expect(await release()).toEqual({ released: 2 })
    expect(await release()).toEqual({ released: 0 })
  })

  it("are found by a path they cover", async () => {
    await reserve(w.developer, mine, ["src/**", "docs/a.md"])
    expect(await held("src/deep/x.ts")).toEqual(["src/**"])
    expect(await held("docs/*.md")).toEqual(["docs/a.md"])
    expect(await held("test/x.ts")).toEqual([])
  })

  it("of another project do not count", async () => {
    await reserve(w.developer, mine, ["src/**"])
    const elsewhere = await w.taskAt("in_progress", { projectUuid: await w.newProject(), holder: w.rival })
    expect(await reserve(w.rival, elsewhere, ["src/**"])).toHaveLength(1)
  })
})
