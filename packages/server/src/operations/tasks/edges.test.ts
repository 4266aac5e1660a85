import type { tasks } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"

const w = embeddedWorkspace()

const add = (taskUuid: string, dependsOnTaskUuid: string, contract?: string) =>
  w.call(w.pm, "chorus_add_task_dependency", { taskUuid, dependsOnTaskUuid, ...(contract && { contract }) })
const remove = (taskUuid: string, dependsOnTaskUuid: string) =>
  w.call(w.pm, "chorus_remove_task_dependency", { taskUuid, dependsOnTaskUuid })
const detail = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })

describe("a dependency", () => {
  it("is told with all that the task now depends on", async () => {
    const { a, b, c } = await w.newTasks({ a: [], b: [], c: [] })
    await add(c, a)
    const [event, ...more] = await w.told(() => add(c, b))
    expect(event).toMatchObject({
      kind: "task.dependencies_changed",
      entityUuid: c,
      patch: { openDependencies: 2, dependsOnUuids: [a, b] },
    })
    expect(more).toEqual([])
  })

  it("carries what may be relied on, and is seen from both ends", async () => {
    const { api, page } = await w.newTasks({ api: [], page: [] })
    await add(page, api, "GET /things answers a list")
    expect((await detail(page)).dependsOn).toMatchObject([
      { uuid: api, title: "api", status: "open", contract: "GET /things answers a list" },
    ])
    expect((await detail(api)).dependedBy).toMatchObject([{ uuid: page, contract: "GET /things answers a list" }])
  })

  it("added again changes nothing, not even what may be relied on", async () => {
    const { api, page } = await w.newTasks({ api: [], page: [] })
    await add(page, api, "first")
    await add(page, api, "second")
    expect((await detail(page)).dependsOn).toMatchObject([{ contract: "first" }])
    expect((await detail(page)).openDependencies).toBe(1)
  })

  it("that was not there can be taken away without a fault", async () => {
    const { a, b } = await w.newTasks({ a: [], b: [] })
    expect(await remove(a, b)).toMatchObject({ uuid: a, status: "open" })
  })

  it("can be turned round once it is taken away", async () => {
    const { a, b } = await w.newTasks({ a: [], b: ["a"] })
    await expect(add(a, b)).rejects.toMatchObject({ code: "dependency_cycle" })
    await remove(b, a)
    await add(a, b)
    expect((await detail(a)).dependsOn).toMatchObject([{ uuid: b }])
  })

  it.each(["done", "closed"] as const)("is not added to a task that is %s", async (stage) => {
    const other = await w.newTask()
    await expect(add(await w.taskAt(stage), other)).rejects.toMatchObject({
      code: "task_finished",
      status: 409,
      next: "Reopen it first.",
    })
  })

  it("on a finished task holds nobody up", async () => {
    const taskUuid = await w.newTask()
    await add(taskUuid, await w.taskAt("done"))
    expect((await detail(taskUuid)).openDependencies).toBe(0)
  })

  it("of running work is allowed, and the caller is warned", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const { warnings } = await w.call<{ warnings: string[] }>(w.developer, "chorus_update_task", {
      taskUuid,
      addDependsOn: [await w.newTask()],
    })
    expect(warnings).toEqual(["It is in progress although 1 of the tasks it depends on are not finished."])
  })

  it("stays in its project", async () => {
    const there = await w.newTask({ projectUuid: w.otherProject, title: "there" })
    await expect(add(await w.newTask({ title: "here" }), there)).rejects.toMatchObject({
      code: "other_project",
      message: '"there" belongs to another project than "here".',
    })
  })
})

describe("a circle", () => {
  it("of one is named as what it is", async () => {
    const taskUuid = await w.newTask({ title: "lonely" })
    await expect(add(taskUuid, taskUuid)).rejects.toMatchObject({
      code: "dependency_cycle",
      message: '"lonely" cannot wait for itself.',
    })
  })

  it("says who already waits for whom", async () => {
    const { a, c } = await w.newTasks({ a: [], b: ["a"], c: ["b"] })
    await expect(add(a, c)).rejects.toMatchObject({
      code: "dependency_cycle",
      message: '"c" already waits for "a", directly or through others.',
      details: { taskUuid: a, dependsOnUuid: c },
    })
  })

  it("is not closed by two who each add one half at the same moment", async () => {
    const { a, b } = await w.newTasks({ a: [], b: [] })
    const answers = await Promise.allSettled([add(a, b), add(b, a)])
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  })

  it("never comes to be, whatever edges are asked for in whatever order", async () => {
    const nodes = ["p", "q", "r", "s", "t"]
    const edges = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })), { maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(edges, async (wanted) => {
        const made = Object.values(await w.newTasks(Object.fromEntries(nodes.map((node) => [node, []]))))
        const kept = new Map<string, Set<string>>(made.map((uuid) => [uuid, new Set()]))
        const leads = (from: string, to: string): boolean =>
          from === to || [...(kept.get(from) ?? [])].some((next) => leads(next, to))
        for (const [from, to] of wanted) {
          const [task = "", other = ""] = [made[from], made[to]]
          const added = await add(task, other).then(
            () => true,
            () => false,
          )
          expect(added).toBe(!leads(other, task))
          if (added) kept.get(task)?.add(other)
        }
        for (const uuid of made) expect((await detail(uuid)).openDependencies).toBe(kept.get(uuid)?.size)
      }),
      { numRuns: 8 },
    )
  })
})
