import { array, assert, asyncProperty, constant, constantFrom, oneof, record } from "fast-check"
import { describe, expect, it } from "vitest"
import { memoryStore, undoEach } from "../../test/memory.ts"
import { AT, furnish, row } from "../../test/rows.ts"

const STATUSES = ["open", "assigned", "in_progress", "to_verify", "done", "closed"] as const
const VERDICTS = ["pending", "passed", "failed"] as const

const memory = await memoryStore()
const { db } = memory
await furnish(db)
await db
  .insertInto("tasks")
  .values(["t1", "t2", "t3"].map((uuid) => row.task({ uuid })))
  .execute()
undoEach(memory)

const depend = (taskUuid: string, dependsOnUuid: string) =>
  db.insertInto("taskEdges").values(row.edge({ taskUuid, dependsOnUuid })).execute()
const move = (uuid: string, status: (typeof STATUSES)[number]) =>
  db.updateTable("tasks").set({ status }).where("uuid", "=", uuid).execute()
const openOf = async (uuid: string) =>
  (await db.selectFrom("tasks").select("openDependencies").where("uuid", "=", uuid).executeTakeFirstOrThrow())
    .openDependencies
const criteriaOf = (uuid: string) =>
  db
    .selectFrom("tasks")
    .select(["criteriaTotal", "criteriaPassed", "criteriaChecked"])
    .where("uuid", "=", uuid)
    .executeTakeFirstOrThrow()

describe("how many unfinished tasks a task waits for", () => {
  it("is none at first", async () => expect(await openOf("t1")).toBe(0))

  it("grows with each edge, and only on the task that waits", async () => {
    await depend("t1", "t2")
    await depend("t1", "t3")
    expect([await openOf("t1"), await openOf("t2"), await openOf("t3")]).toEqual([2, 0, 0])
  })

  it.each([
    ["open", 1],
    ["assigned", 1],
    ["in_progress", 1],
    ["to_verify", 1],
    ["done", 0],
    ["closed", 0],
  ] as const)("counts an edge to a task that is %s as %i", async (status, waits) => {
    await move("t2", status)
    await depend("t1", "t2")
    expect(await openOf("t1")).toBe(waits)
  })

  it("falls when a task it waits for is done, and rises when that is reopened", async () => {
    await depend("t1", "t2")
    await move("t2", "done")
    expect(await openOf("t1")).toBe(0)
    await move("t2", "in_progress")
    expect(await openOf("t1")).toBe(1)
  })

  it("is not changed by steps that finish nothing, nor from done to closed", async () => {
    await depend("t1", "t2")
    await move("t2", "assigned")
    await move("t2", "to_verify")
    expect(await openOf("t1")).toBe(1)
    await move("t2", "done")
    await move("t2", "closed")
    expect(await openOf("t1")).toBe(0)
  })

  it("falls when an edge to an unfinished task goes, and not when one to a finished task goes", async () => {
    await depend("t1", "t2")
    await depend("t1", "t3")
    await move("t3", "done")
    await db.deleteFrom("taskEdges").where("dependsOnUuid", "=", "t3").execute()
    expect(await openOf("t1")).toBe(1)
    await db.deleteFrom("taskEdges").where("dependsOnUuid", "=", "t2").execute()
    expect(await openOf("t1")).toBe(0)
  })

  it("tells every task that waits, in one change", async () => {
    await depend("t1", "t3")
    await depend("t2", "t3")
    await move("t3", "closed")
    expect([await openOf("t1"), await openOf("t2")]).toEqual([0, 0])
  })
})

describe("how many criteria a task has, and how many passed", () => {
  it("counts those that are added with the verdicts they have", async () => {
    await db
      .insertInto("criteria")
      .values([
        row.criterion({ uuid: "c1", status: "passed" }),
        row.criterion({ uuid: "c2", devStatus: "passed" }),
        row.criterion({ uuid: "c3", status: "failed" }),
      ])
      .execute()
    expect(await criteriaOf("t1")).toEqual({ criteriaTotal: 3, criteriaPassed: 1, criteriaChecked: 1 })
  })

  it("keeps the two tracks apart", async () => {
    await db.insertInto("criteria").values(row.criterion()).execute()
    await db.updateTable("criteria").set({ devStatus: "passed" }).execute()
    expect(await criteriaOf("t1")).toEqual({ criteriaTotal: 1, criteriaPassed: 0, criteriaChecked: 1 })
    await db.updateTable("criteria").set({ status: "passed" }).execute()
    expect(await criteriaOf("t1")).toEqual({ criteriaTotal: 1, criteriaPassed: 1, criteriaChecked: 1 })
  })

  it("takes a verdict back", async () => {
    await db
      .insertInto("criteria")
      .values(row.criterion({ status: "passed" }))
      .execute()
    await db.updateTable("criteria").set({ status: "failed" }).execute()
    expect((await criteriaOf("t1")).criteriaPassed).toBe(0)
  })

  it("forgets a criterion that is retired, with its verdicts", async () => {
    await db
      .insertInto("criteria")
      .values(row.criterion({ status: "passed", devStatus: "passed" }))
      .execute()
    await db.updateTable("criteria").set({ retiredAt: AT }).execute()
    expect(await criteriaOf("t1")).toEqual({ criteriaTotal: 0, criteriaPassed: 0, criteriaChecked: 0 })
  })

  it("does not count one that was retired when it came", async () => {
    await db
      .insertInto("criteria")
      .values(row.criterion({ status: "passed", retiredAt: AT }))
      .execute()
    expect(await criteriaOf("t1")).toEqual({ criteriaTotal: 0, criteriaPassed: 0, criteriaChecked: 0 })
  })

  it("is no business of evidence", async () => {
    await db
      .insertInto("criteria")
      .values(row.criterion({ status: "passed" }))
      .execute()
    await db.updateTable("criteria").set({ evidence: "seen" }).execute()
    expect((await criteriaOf("t1")).criteriaPassed).toBe(1)
  })
})

describe("the counts of a task", () => {
  const task = constantFrom("t1", "t2", "t3")
  const step = oneof(
    record({ does: constant("depend" as const), task, on: task }),
    record({ does: constant("undepend" as const), task, on: task }),
    record({ does: constant("move" as const), task, to: constantFrom(...STATUSES) }),
    record({
      does: constant("judge" as const),
      task,
      status: constantFrom(...VERDICTS),
      devStatus: constantFrom(...VERDICTS),
    }),
    record({ does: constant("retire" as const), task }),
  )

  it("are what counting anew would give, whatever was done in whatever order", async () => {
    let criteria = 0
    await assert(
      asyncProperty(array(step, { maxLength: 12 }), async (steps) => {
        for (const one of steps) {
          if (one.does === "depend")
            await db
              .insertInto("taskEdges")
              .values(row.edge({ taskUuid: one.task, dependsOnUuid: one.on }))
              .onConflict((same) => same.doNothing())
              .execute()
          if (one.does === "undepend")
            await db
              .deleteFrom("taskEdges")
              .where("taskUuid", "=", one.task)
              .where("dependsOnUuid", "=", one.on)
              .execute()
          if (one.does === "move") await move(one.task, one.to)
          if (one.does === "judge")
            await db
              .insertInto("criteria")
              .values(
                row.criterion({
                  uuid: `c${++criteria}`,
                  taskUuid: one.task,
                  status: one.status,
                  devStatus: one.devStatus,
                }),
              )
              .execute()
          if (one.does === "retire")
            await db.updateTable("criteria").set({ retiredAt: AT }).where("taskUuid", "=", one.task).execute()
        }
        expect(await kept()).toEqual(await countedAnew())
      }),
      { numRuns: 40 },
    )
  })

  const kept = () =>
    db
      .selectFrom("tasks")
      .select(["uuid", "openDependencies", "criteriaTotal", "criteriaPassed", "criteriaChecked"])
      .orderBy("uuid")
      .execute()

  async function countedAnew() {
    const tasks = await db.selectFrom("tasks").select(["uuid", "status"]).orderBy("uuid").execute()
    const edges = await db.selectFrom("taskEdges").select(["taskUuid", "dependsOnUuid"]).execute()
    const criteria = await db.selectFrom("criteria").selectAll().where("retiredAt", "is", null).execute()
    const unfinished = new Set(
      tasks.filter(({ status }) => status !== "done" && status !== "closed").map(({ uuid }) => uuid),
    )
    return tasks.map(({ uuid }) => {
      const own = criteria.filter(({ taskUuid }) => taskUuid === uuid)
      return {
        uuid,
        openDependencies: edges.filter((edge) => edge.taskUuid === uuid && unfinished.has(edge.dependsOnUuid)).length,
        criteriaTotal: own.length,
        criteriaPassed: own.filter(({ status }) => status === "passed").length,
        criteriaChecked: own.filter(({ devStatus }) => devStatus === "passed").length,
      }
    })
  }
})
