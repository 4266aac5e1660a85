import type { tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { submittedPlan } from "../../../test/plan-fixture.ts"

const w = embeddedWorkspace()

interface Page {
  readonly tasks: tasks.TaskRow[]
  readonly total: number
  readonly returned: number
}

const list = (name: string, input: object) => w.call<Page>(w.viewer, name, input)
const titles = async (name: string, input: object) => (await list(name, input)).tasks.map(({ title }) => title)

/** Tasks made one after the other, so that their age tells them apart. */
async function inOrder(
  projectUuid: string,
  wanted: readonly (readonly [title: string, priority: string])[],
): Promise<string[]> {
  const made: string[] = []
  for (const [title, priority] of wanted) made.push(await w.newTask({ projectUuid, title, priority }))
  return made
}

describe("the list of a project's tasks", () => {
  it("is newest first, by status and priority, and counts what it holds back", async () => {
    const projectUuid = await w.newProject()
    await inOrder(projectUuid, [
      ["a", "low"],
      ["b", "high"],
      ["c", "low"],
    ])
    await w.taskAt("done", { projectUuid, title: "d" })
    expect(await titles("chorus_list_tasks", { projectUuid })).toEqual(["d", "c", "b", "a"])
    expect(await titles("chorus_list_tasks", { projectUuid, priority: "low" })).toEqual(["c", "a"])
    expect(await titles("chorus_list_tasks", { projectUuid, status: "done" })).toEqual(["d"])
    expect(await list("chorus_list_tasks", { projectUuid, pageSize: 2, page: 2 })).toMatchObject({
      returned: 2,
      total: 4,
      tasks: [{ title: "b" }, { title: "a" }],
    })
  })

  it("counts anew whatever came, went or changed", async () => {
    const projectUuid = await w.newProject()
    const totals = async () => {
      const all = await list("chorus_list_tasks", { projectUuid, pageSize: 1 })
      const open = await list("chorus_list_tasks", { projectUuid, pageSize: 1, status: "open" })
      return [all.total, open.total]
    }
    const made = await inOrder(projectUuid, [
      ["a", "low"],
      ["b", "low"],
    ])
    expect(await totals()).toEqual([2, 2])
    await w.call(w.developer, "chorus_claim_task", { taskUuid: made[0] })
    expect(await totals()).toEqual([2, 1])
    await w.call(w.owner, "chorus_admin_delete_task", { taskUuid: made[1] })
    expect(await totals()).toEqual([1, 0])
    await w.newTask({ projectUuid })
    expect(await totals()).toEqual([2, 1])
  })

  it("is narrowed to plans; to no plan at all it is empty", async () => {
    const plan = await submittedPlan(w, w.pm, { tasks: { a: [] } })
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid: plan.uuid })
    await w.newTask({ title: "by hand" })
    for (const name of ["chorus_list_tasks", "chorus_get_available_tasks", "chorus_get_unblocked_tasks"]) {
      expect(await titles(name, { projectUuid: w.project, proposalUuids: [plan.uuid] })).toEqual(["Task a"])
      expect(await titles(name, { projectUuid: w.project, proposalUuids: [] })).toEqual([])
    }
  })
})

describe("available tasks", () => {
  it("are open ones, blocked or not, the most urgent and then the oldest first", async () => {
    const projectUuid = await w.newProject()
    const [low] = await inOrder(projectUuid, [
      ["old low", "low"],
      ["old high", "high"],
      ["medium", "medium"],
      ["new high", "high"],
    ])
    await w.newTask({ projectUuid, title: "blocked", priority: "high", dependsOnTaskUuids: [low] })
    await w.taskAt("assigned", { projectUuid })
    expect(await titles("chorus_get_available_tasks", { projectUuid })).toEqual([
      "old high",
      "new high",
      "blocked",
      "medium",
      "old low",
    ])
  })

  it("are fifty at most, and say how many there are", async () => {
    const projectUuid = await w.newProject()
    const many = Array.from({ length: 51 }, (_, n) => ({
      title: `t${n}`,
      acceptanceCriteriaItems: [{ description: "x" }],
    }))
    await w.call(w.pm, "chorus_create_tasks", { projectUuid, tasks: many })
    expect(await list("chorus_get_available_tasks", { projectUuid })).toMatchObject({ returned: 50, total: 51 })
  })
})

describe("tasks that can start", () => {
  it("wait for nothing and have not begun", async () => {
    const projectUuid = await w.newProject()
    const base = await w.taskAt("in_progress", { projectUuid, title: "begun" })
    await w.newTask({ projectUuid, title: "blocked", dependsOnTaskUuids: [base] })
    await w.newTask({ projectUuid, title: "free" })
    await w.taskAt("assigned", { projectUuid, title: "held" })
    await w.taskAt("done", { projectUuid })
    expect(await titles("chorus_get_unblocked_tasks", { projectUuid })).toEqual(["free", "held"])
    await w.call(w.admin, "chorus_admin_close_task", { taskUuid: base })
    expect(await titles("chorus_get_unblocked_tasks", { projectUuid })).toEqual(["blocked", "free", "held"])
  })
})
