import type { ideas } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { settledIdea, submittedPlan } from "../../../test/plan-fixture.ts"
import { withAncestors } from "./standings.ts"

const w = embeddedWorkspace()

const get = (ideaUuid: string) => w.call<ideas.IdeaDetail>(w.viewer, "chorus_get_idea", { ideaUuid })
const claim = (ideaUuid: string) => w.call(w.pm, "chorus_claim_idea", { ideaUuid })

describe("a project's ideas", () => {
  it("are listed newest first, by status, page by page", async () => {
    const projectUuid = await w.newProject()
    const made: string[] = []
    for (const title of ["a", "b", "c"]) made.push(await w.newIdea({ projectUuid, title }))
    await claim(made[1] ?? "")
    const titles = async (more: object = {}) =>
      (await w.call<{ ideas: ideas.IdeaRow[] }>(w.viewer, "chorus_get_ideas", { projectUuid, ...more })).ideas.map(
        ({ title }) => title,
      )
    expect(await titles()).toEqual(["c", "b", "a"])
    expect(await titles({ status: "elaborating" })).toEqual(["b"])
    expect(await titles({ pageSize: 1, page: 3 })).toEqual(["a"])
    expect(await titles({ pageSize: 1, page: 4 })).toEqual([])
  })

  it("that are available are open, and fifty at most", async () => {
    const projectUuid = await w.newProject()
    for (let n = 0; n < 51; n++) await w.newIdea({ projectUuid })
    const available = () =>
      w.call<{ ideas: ideas.IdeaRow[]; total: number; returned: number }>(w.viewer, "chorus_get_available_ideas", {
        projectUuid,
      })
    const before = await available()
    expect(before).toMatchObject({ total: 51, returned: 50 })
    await claim(before.ideas[0]?.uuid ?? "")
    expect((await available()).total).toBe(50)
  })

  it("stand in the tree below their parents, siblings oldest first", async () => {
    const projectUuid = await w.newProject()
    const root = await w.newIdea({ projectUuid, title: "root" })
    const first = await w.newIdea({ projectUuid, title: "first", parentUuid: root })
    await w.newIdea({ projectUuid, title: "second", parentUuid: root })
    await w.newIdea({ projectUuid, title: "below first", parentUuid: first })
    const { ideas: tree } = await w.call<{ ideas: (ideas.IdeaRow & { depth: number; childUuids: string[] })[] }>(
      w.viewer,
      "chorus_get_idea_tree",
      { projectUuid },
    )
    expect(tree.map(({ title, depth, childUuids }) => [title, depth, childUuids.length])).toEqual([
      ["root", 0, 2],
      ["first", 1, 1],
      ["below first", 2, 0],
      ["second", 1, 0],
    ])
  })

  it("know everything above them, each once", async () => {
    const root = await w.newIdea()
    const child = await w.newIdea({ parentUuid: root })
    const grandchild = await w.newIdea({ parentUuid: child })
    expect((await withAncestors(w.store.db, [grandchild, child])).sort()).toEqual([root, child, grandchild].sort())
    expect(await withAncestors(w.store.db, [root])).toEqual([root])
  })
})

describe("one idea", () => {
  it("shows children, descendants, proposals and reports", async () => {
    const ideaUuid = await settledIdea(w, w.pm)
    const child = await w.newIdea({ parentUuid: ideaUuid })
    const grandchild = await w.newIdea({ parentUuid: child })
    const plan = await submittedPlan(w, w.pm, { ideaUuid })
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid: plan.uuid })
    const report = await w.call<{ documentUuid: string }>(w.pm, "chorus_create_report", {
      proposalUuid: plan.uuid,
      title: "Report",
      content: "done",
    })
    const idea = await get(ideaUuid)
    expect(idea).toMatchObject({
      children: [{ uuid: child }],
      proposals: [{ uuid: plan.uuid, status: "approved" }],
      reports: [{ uuid: report.documentUuid, proposalUuid: plan.uuid }],
      reportCount: 1,
    })
    expect(idea.descendantUuids.sort()).toEqual([child, grandchild].sort())
  })
})

describe("where an idea stands", () => {
  const question = {
    id: "q",
    text: "Which?",
    category: "scope",
    options: [
      { id: "a", label: "A" },
      { id: "b", label: "B" },
    ],
  }

  it("follows what happens to it, step by step", async () => {
    const ideaUuid = await w.newIdea()
    const standing = async () => {
      const { derivedStatus, badgeHint } = await get(ideaUuid)
      return [derivedStatus, badgeHint]
    }
    expect(await standing()).toEqual(["todo", "open"])
    await claim(ideaUuid)
    expect(await standing()).toEqual(["in_progress", "researching"])
    await w.call(w.pm, "chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions: [question] })
    expect(await standing()).toEqual(["human_conduct_required", "answer_questions"])
    await w.call(w.owner, "chorus_answer_elaboration", {
      ideaUuid,
      answers: [{ questionId: "q", selectedOptionId: "a" }],
    })
    await w.call(w.owner, "chorus_pm_validate_elaboration", { ideaUuid })
    expect(await standing()).toEqual(["in_progress", "planning"])
    const plan = await submittedPlan(w, w.pm, { ideaUuid, tasks: { a: [] } })
    expect(await standing()).toEqual(["human_conduct_required", "review_proposal"])
    const { materializedTasks } = await w.call<{ materializedTasks: { taskUuid: string }[] }>(
      w.owner,
      "chorus_admin_approve_proposal",
      { proposalUuid: plan.uuid },
    )
    expect(await standing()).toEqual(["in_progress", "building"])
    const taskUuid = materializedTasks[0]?.taskUuid ?? ""
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
    expect(await standing()).toEqual(["human_conduct_required", "verify_work"])
    await w.passCriteria(taskUuid)
    await w.call(w.owner, "chorus_admin_verify_task", { taskUuid })
    expect(await standing()).toEqual(["done", "done"])
  })

  it("is not held up by a rejected plan that another one followed", async () => {
    const ideaUuid = await settledIdea(w, w.pm)
    const plan = () => submittedPlan(w, w.pm, { ideaUuid, tasks: { a: [] } })
    const rejected = await plan()
    await w.call(w.owner, "chorus_pm_reject_proposal", { proposalUuid: rejected.uuid, reviewNote: "Too big." })
    expect(await get(ideaUuid)).toMatchObject({ badgeHint: "planning" })
    const { materializedTasks } = await w.call<{ materializedTasks: { taskUuid: string }[] }>(
      w.owner,
      "chorus_admin_approve_proposal",
      { proposalUuid: (await plan()).uuid },
    )
    const taskUuid = materializedTasks[0]?.taskUuid ?? ""
    await w.call(w.owner, "chorus_admin_close_task", { taskUuid })
    expect(await get(ideaUuid)).toMatchObject({ derivedStatus: "done" })
    // A new one is being planned.
    await w.call(w.pm, "chorus_pm_create_proposal", {
      projectUuid: w.project,
      title: "More",
      inputType: "idea",
      inputUuids: [ideaUuid],
    })
    expect(await get(ideaUuid)).toMatchObject({ badgeHint: "planning" })
  })

  it("is told when it changes, up to the root, and not when it does not", async () => {
    const theme = await w.newIdea({ isContainer: true })
    const ideaUuid = await w.newIdea({ parentUuid: theme })
    const events = await w.told(() => claim(ideaUuid))
    expect(
      events
        .filter(({ kind }) => kind === "idea.progressed")
        .map(({ entityUuid }) => entityUuid)
        .sort(),
    ).toEqual([theme, ideaUuid].sort())
    expect(await w.kinds(() => w.call(w.pm, "chorus_edit_idea", { ideaUuid, title: "renamed" }))).toEqual([
      "idea.updated",
    ])
  })

  it("of a theme changes when a child leaves it", async () => {
    const theme = await w.newIdea({ isContainer: true })
    const ideaUuid = await w.newIdea({ parentUuid: theme })
    await claim(ideaUuid)
    expect((await get(theme)).derivedStatus).toBe("in_progress")
    const events = await w.told(() => w.call(w.pm, "chorus_edit_idea", { ideaUuid, parentUuid: null }))
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: "idea.progressed",
        entityUuid: theme,
        patch: { derivedStatus: "todo", badgeHint: "open" },
      }),
    )
  })
})
