import type { ideas } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { LONG, settledIdea, submittedPlan, type Uuid } from "../../../test/plan-fixture.ts"

const w = embeddedWorkspace()

const move = (ideaUuid: string, targetProjectUuid = w.otherProject) =>
  w.call<{ moved: object }>(w.pm, "chorus_move_idea", { ideaUuid, targetProjectUuid })
const get = (ideaUuid: string) => w.call<ideas.IdeaDetail>(w.viewer, "chorus_get_idea", { ideaUuid })

/** An idea whose plan was approved: documents and tasks have grown from it. */
async function grownIdea(): Promise<{
  ideaUuid: string
  proposalUuid: string
  taskUuid: string
  documentUuid: string
}> {
  const ideaUuid = await settledIdea(w, w.pm)
  const { uuid: proposalUuid } = await submittedPlan(w, w.pm, { ideaUuid, tasks: { a: [] } })
  const made = await w.call<{
    materializedTasks: { taskUuid: string }[]
    materializedDocuments: { documentUuid: string }[]
  }>(w.owner, "chorus_admin_approve_proposal", { proposalUuid })
  return {
    ideaUuid,
    proposalUuid,
    taskUuid: made.materializedTasks[0]?.taskUuid ?? "",
    documentUuid: made.materializedDocuments[0]?.documentUuid ?? "",
  }
}

describe("moving an idea", () => {
  it("takes along what hangs on anything that moves", async () => {
    const { ideaUuid, taskUuid, documentUuid } = await grownIdea()
    await w.call(w.owner, "chorus_add_comment", {
      targetType: "task",
      targetUuid: taskUuid,
      content: `@[Mia](user:${w.member.uuid})`,
    })
    await w.call(w.owner, "chorus_add_reference", {
      targetType: "document",
      targetUuid: documentUuid,
      type: "docs",
      url: "https://example.test/",
      title: "d",
    })
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    await w.call(w.developer, "chorus_reserve_paths", { taskUuid, globs: ["src/**"] })
    await w.call(w.developer, "chorus_report_usage", { taskUuid, inputTokens: 1 })
    await move(ideaUuid)
    const there = { projectUuid: w.otherProject }
    const { db } = w.store
    expect(await db.selectFrom("comments").select("projectUuid").where("targetUuid", "=", taskUuid).execute()).toEqual([
      there,
    ])
    expect(
      await db.selectFrom("mentions").select("projectUuid").where("mentionedUuid", "=", w.member.uuid).execute(),
    ).toEqual([there])
    expect(
      await db.selectFrom("referenceLinks").select("projectUuid").where("targetUuid", "=", documentUuid).execute(),
    ).toEqual([there])
    expect(
      await db.selectFrom("reservations").select("projectUuid").where("taskUuid", "=", taskUuid).execute(),
    ).toEqual([there])
    expect(await db.selectFrom("usages").select("projectUuid").where("taskUuid", "=", taskUuid).execute()).toEqual([
      there,
    ])
    expect(
      await db
        .selectFrom("notifications")
        .select(["projectUuid", "projectName"])
        .distinct()
        .where("entityUuid", "=", taskUuid)
        .execute(),
    ).toEqual([{ ...there, projectName: "Second" }])
  })

  it("is told as a going in the old project and a coming in the new one, for everything that moves", async () => {
    const { ideaUuid, proposalUuid, taskUuid, documentUuid } = await grownIdea()
    const events = (await w.told(() => move(ideaUuid))).filter(({ kind }) => kind.endsWith(".moved"))
    expect(
      events.map(({ kind, action, projectUuid, entityUuid }) => [
        kind,
        action,
        projectUuid === w.project ? "old" : "new",
        entityUuid,
      ]),
    ).toEqual([
      ["idea.moved", "deleted", "old", ideaUuid],
      ["idea.moved", "created", "new", ideaUuid],
      ["proposal.moved", "deleted", "old", proposalUuid],
      ["proposal.moved", "created", "new", proposalUuid],
      ["document.moved", "deleted", "old", documentUuid],
      ["document.moved", "created", "new", documentUuid],
      ["task.moved", "deleted", "old", taskUuid],
      ["task.moved", "created", "new", taskUuid],
    ])
    expect(events[1]?.patch).toMatchObject({ uuid: ideaUuid, projectUuid: w.otherProject, badgeHint: "building" })
  })

  it("leaves its parent behind and takes all its descendants along", async () => {
    const parent = await w.newIdea()
    const ideaUuid = await w.newIdea({ parentUuid: parent })
    const grandchild = await w.newIdea({ parentUuid: await w.newIdea({ parentUuid: ideaUuid }) })
    const events = await w.told(() => move(ideaUuid))
    expect(events).toContainEqual(
      expect.objectContaining({
        entityUuid: ideaUuid,
        action: "deleted",
        patch: expect.objectContaining({ previousParentUuid: parent }),
      }),
    )
    expect(await get(ideaUuid)).toMatchObject({ parentUuid: null })
    expect(await get(grandchild)).toMatchObject({ projectUuid: w.otherProject })
    expect(await get(parent)).toMatchObject({ projectUuid: w.project, children: [] })
  })

  it("is refused while a dependency would cross projects, in either direction", async () => {
    for (const inward of [true, false]) {
      const { ideaUuid, taskUuid } = await grownIdea()
      const outside = await w.newTask()
      const [task, on] = inward ? [outside, taskUuid] : [taskUuid, outside]
      await w.call(w.pm, "chorus_add_task_dependency", { taskUuid: task, dependsOnTaskUuid: on })
      await expect(move(ideaUuid)).rejects.toMatchObject({
        code: "move_crosses_projects",
        details: { proposals: [], dependencies: [{ taskUuid: task, dependsOnUuid: on }] },
      })
      expect(await get(ideaUuid)).toMatchObject({ projectUuid: w.project })
    }
  })

  it("is refused while a proposal that stays is made from a document that would go", async () => {
    const { ideaUuid, documentUuid } = await grownIdea()
    const { uuid } = await w.call<Uuid>(w.pm, "chorus_pm_create_proposal", {
      projectUuid: w.project,
      title: "Follow-up",
      description: LONG,
      inputType: "document",
      inputUuids: [documentUuid],
    })
    await expect(move(ideaUuid)).rejects.toMatchObject({
      code: "move_crosses_projects",
      details: { proposals: [{ uuid, title: "Follow-up" }] },
    })
    await w.call(w.owner, "chorus_admin_close_proposal", { proposalUuid: uuid, reviewNote: "not now" })
    expect(await move(ideaUuid)).toMatchObject({ moved: { ideas: 1, proposals: 1, documents: 1, tasks: 1 } })
  })

  it("to where it is already is refused", async () => {
    await expect(move(await w.newIdea({ title: "Home" }), w.project)).rejects.toMatchObject({
      code: "already_there",
      message: '"Home" is in that project already.',
    })
  })

  it("twice at the same moment happens once", async () => {
    const ideaUuid = await w.newIdea()
    const answers = await Promise.allSettled([move(ideaUuid), move(ideaUuid)])
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  })
})
