import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const WRITERS = 6

onEachEngineUnderStress("versions of texts", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const made = {
    idea: async () =>
      (
        await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", {
          projectUuid: w.project,
          title: "T",
          content: "one",
        })
      ).uuid,
    task: async () =>
      (
        await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_create_tasks", {
          projectUuid: w.project,
          tasks: [{ title: "T", description: "one", acceptanceCriteriaItems: [{ description: "it works" }] }],
        })
      ).tasks[0]?.uuid ?? "",
    document: async () =>
      (
        await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_document", {
          projectUuid: w.project,
          type: "prd",
          title: "T",
          content: "one",
        })
      ).uuid,
  }
  const write = {
    idea: (uuid: string, words: string, more: object = {}) =>
      w.call<{ version: number }>(w.member, "chorus_edit_idea", { ideaUuid: uuid, content: words, ...more }),
    task: (uuid: string, words: string, more: object = {}) =>
      w.call<{ version: number }>(w.member, "chorus_update_task", { taskUuid: uuid, description: words, ...more }),
    document: (uuid: string, words: string, more: object = {}) =>
      w.call<{ version: number }>(w.member, "chorus_pm_update_document", {
        documentUuid: uuid,
        content: words,
        ...more,
      }),
  }

  describe.each(["idea", "task", "document"] as const)("of a %s", (targetType) => {
    const versions = (targetUuid: string) =>
      w.call<{ versions: { version: number; changedBy: { name: string } }[] }>(w.viewer, "chorus_get_versions", {
        targetType,
        targetUuid,
      })

    it("are one at first, and each change makes the next, with a diff between any two", async () => {
      const uuid = await made[targetType]()
      expect((await versions(uuid)).versions).toMatchObject([{ version: 1, changedBy: { name: "Olive" } }])
      expect(await write[targetType](uuid, "two")).toMatchObject({ version: 2 })
      expect(await write[targetType](uuid, "two")).toMatchObject({ version: 2 })
      expect((await versions(uuid)).versions).toMatchObject([
        { version: 2, changedBy: { name: "Mia" } },
        { version: 1, changedBy: { name: "Olive" } },
      ])
      const diff = await w.call(w.viewer, "chorus_diff_versions", { targetType, targetUuid: uuid, from: 1 })
      expect(diff).toMatchObject({ from: 1, to: 2, added: 1, removed: 1 })
      expect(await w.call(w.viewer, "chorus_get_version", { targetType, targetUuid: uuid, version: 1 })).toMatchObject({
        content: expect.stringContaining("one"),
      })
    })

    it("let one of many writers win, tell the others who and which version, and lose nothing", async () => {
      const uuid = await made[targetType]()
      const tried = await Promise.allSettled(
        Array.from({ length: WRITERS }, (_, at) => write[targetType](uuid, `words ${at}`, { expectedVersion: 1 })),
      )
      const lost = tried.filter((one) => one.status === "rejected")
      expect(lost).toHaveLength(WRITERS - 1)
      for (const { reason } of lost)
        expect(reason).toMatchObject({
          code: "stale_version",
          details: { currentVersion: 2, changedBy: { name: "Mia" } },
        })
      expect((await versions(uuid)).versions).toHaveLength(2)
    })

    it("without the version they began from each write stands and none is missing", async () => {
      const uuid = await made[targetType]()
      await Promise.all(Array.from({ length: WRITERS }, (_, at) => write[targetType](uuid, `words ${at}`)))
      expect((await versions(uuid)).versions.map(({ version }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1])
    })
  })

  it("let one of two win who send back and take back the same hand-in", async () => {
    const uuid = await made.task()
    await w.call(w.developer, "chorus_start_task", { taskUuid: uuid })
    await w.call(w.developer, "chorus_finish_task", { taskUuid: uuid, report: "done" })
    const tried = await Promise.allSettled([
      w.call(w.owner, "chorus_admin_reopen_task", { taskUuid: uuid, reason: "no" }),
      w.call(w.developer, "chorus_start_task", { taskUuid: uuid, takeBack: true }),
      w.call(w.member, "chorus_admin_reopen_task", { taskUuid: uuid, reason: "not yet" }),
    ])
    expect(tried.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(1)
    const { handIns, status } = await w.call<{ handIns: { outcome: string }[]; status: string }>(
      w.owner,
      "chorus_get_task",
      { taskUuid: uuid },
    )
    expect(status).toBe("in_progress")
    expect(handIns).toHaveLength(1)
    expect(["returned", "taken_back"]).toContain(handIns[0]?.outcome)
  })
})
