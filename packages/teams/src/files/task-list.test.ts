import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { TeamTask } from "@chorus/contracts"
import { array, assert, asyncProperty, constantFrom, oneof, record, constant } from "fast-check"
import { describe, expect, it } from "vitest"
import { codeOf, jsonIn, scratchTeam } from "../../test/scratch-team.ts"
import {
  claimNext,
  claimTask,
  createTask,
  getTask,
  listTasks,
  releaseTasksOf,
  type TaskPatch,
  updateTask,
} from "./task-list.ts"
import type { TeamPaths } from "./team-paths.ts"

async function listOf(...subjects: string[]): Promise<TeamPaths> {
  const { paths } = await scratchTeam()
  for (const subject of subjects) await createTask(paths, { subject, description: "" })
  return paths
}

const put = (paths: TeamPaths, file: string, value: unknown) =>
  writeFileSync(join(paths.tasks, file), typeof value === "string" ? value : JSON.stringify(value))
const task = (id: string, more: Partial<TeamTask> = {}): TeamTask => ({
  id,
  subject: `task ${id}`,
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...more,
})

describe("a new task", () => {
  it("has the next number and the fields of the original, in their order", async () => {
    const paths = await listOf()
    const made = await createTask(paths, {
      subject: "Build",
      description: "all of it",
      activeForm: "Building",
      metadata: { priority: 1 },
    })
    expect(made.id).toBe("1")
    expect(readFileSync(paths.task("1"), "utf8")).toBe(
      JSON.stringify(
        {
          id: "1",
          subject: "Build",
          description: "all of it",
          activeForm: "Building",
          status: "pending",
          blocks: [],
          blockedBy: [],
          metadata: { priority: 1 },
        },
        null,
        2,
      ),
    )
  })

  it("writes both ends of what it waits for", async () => {
    const paths = await listOf("a", "b")
    expect((await createTask(paths, { subject: "c", description: "", blockedBy: ["1", "2"] })).blockedBy).toEqual([
      "1",
      "2",
    ])
    expect((await listTasks(paths)).map(({ blocks }) => blocks)).toEqual([["3"], ["3"], []])
  })

  it("is not made, and nothing else is changed, when it waits for a task that is not there", async () => {
    const paths = await listOf("a")
    expect(await codeOf(createTask(paths, { subject: "b", description: "", blockedBy: ["1", "9"] }))).toBe(
      "no_such_task",
    )
    expect(await listTasks(paths)).toEqual([task("1", { subject: "a" })])
  })

  it("never gets a number that was given before, also when the highest was deleted", async () => {
    const paths = await listOf("a", "b", "c")
    await updateTask(paths, "3", { status: "deleted" })
    await updateTask(paths, "2", { status: "deleted" })
    expect((await createTask(paths, { subject: "d", description: "" })).id).toBe("4")
    expect(readFileSync(paths.highwatermark, "utf8")).toBe("3")
  })

  it("is counted in a file that a reader finds whole, also where its writer is killed", async () => {
    const paths = await listOf("a", "b", "c")
    await updateTask(paths, "2", { status: "deleted" })
    const opened = `${paths.highwatermark}.opened`
    linkSync(paths.highwatermark, opened)
    await createTask(paths, { subject: "d", description: "" })
    await updateTask(paths, "4", { status: "deleted" })
    expect([opened, paths.highwatermark].map((path) => readFileSync(path, "utf8"))).toEqual(["3", "4"])
  })

  it("gets numbers of its own for each of many that are made at once", async () => {
    const paths = await listOf()
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, n) => createTask(paths, { subject: `t${n}`, description: "" })),
    )
    expect(made.map(({ id }) => Number(id)).sort((one, other) => one - other)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
    ])
    expect(new Set((await listTasks(paths)).map(({ subject }) => subject)).size).toBe(12)
  })

  it.each([
    ["7", "8"],
    ["not a number", "2"],
    ["-3", "2"],
    ["", "2"],
    ["99999999999999999999", "2"],
  ])("goes on after a high-water mark of %j with %s", async (mark, id) => {
    const paths = await listOf("a")
    writeFileSync(paths.highwatermark, mark)
    expect((await createTask(paths, { subject: "b", description: "" })).id).toBe(id)
  })

  it("does not overwrite another when a file has a number beyond counting", async () => {
    const paths = await listOf()
    put(paths, "99999999999999999999.json", task("99999999999999999999"))
    put(paths, "999999999999999.json", task("999999999999999"))
    const first = await createTask(paths, { subject: "one", description: "" })
    const second = await createTask(paths, { subject: "two", description: "" })
    expect([first.id, second.id]).toEqual(["1", "2"])
    expect((await getTask(paths, "1")).subject).toBe("one")
  })
})

describe("the list", () => {
  it("is in the order of the numbers, not of the names", async () => {
    const paths = await listOf()
    for (const id of ["10", "9", "2"]) put(paths, `${id}.json`, task(id))
    expect((await listTasks(paths)).map(({ id }) => id)).toEqual(["2", "9", "10"])
  })

  it("passes over what is no task", async () => {
    const paths = await listOf("a")
    put(paths, "2.json", { id: "2", subject: "no status" })
    put(paths, "3.json", "null")
    put(paths, "notes.json", task("4"))
    put(paths, "5.json.tmp.ab12cd34", task("5"))
    mkdirSync(join(paths.tasks, "6.json"))
    expect((await listTasks(paths)).map(({ id }) => id)).toEqual(["1"])
    expect((await createTask(paths, { subject: "next", description: "" })).id).toBe("7")
  })

  it("goes by the name of the file, so a change never lands in another task's", async () => {
    const paths = await listOf("mine")
    put(paths, "2.json", task("1", { subject: "says it is 1" }))
    put(paths, "3.json", task("../../teams/t/config", { subject: "wants out" }))
    await updateTask(paths, "2", { status: "completed" })
    await updateTask(paths, "3", { status: "completed" })
    expect(await getTask(paths, "1")).toEqual(task("1", { subject: "mine" }))
    expect((await listTasks(paths)).map(({ id, status }) => [id, status])).toEqual([
      ["1", "pending"],
      ["2", "completed"],
      ["3", "completed"],
    ])
  })

  it("is empty without its folder, and is not read through a link", async () => {
    const { paths } = await scratchTeam()
    rmSync(paths.tasks, { recursive: true })
    expect(await listTasks(paths)).toEqual([])
    mkdirSync(join(paths.root, "elsewhere"))
    symlinkSync(join(paths.root, "elsewhere"), paths.tasks)
    expect(await codeOf(listTasks(paths))).toBe("symlink_refused")
    expect(await codeOf(createTask(paths, { subject: "a", description: "" }))).toBe("symlink_refused")
    expect(readdirSync(join(paths.root, "elsewhere"))).toEqual([])
  })

  it("outlives the roster, but a list that is gone does not come back", async () => {
    const paths = await listOf("a")
    renameSync(paths.directory, `${paths.directory}-away`)
    expect((await createTask(paths, { subject: "b", description: "" })).id).toBe("2")
    rmSync(paths.tasks, { recursive: true })
    expect(await codeOf(createTask(paths, { subject: "c", description: "" }))).toBe("team_gone")
    expect(existsSync(paths.tasks)).toBe(false)
  })
})

describe("changing a task", () => {
  it.each<[string, TaskPatch, Partial<TeamTask>]>([
    [
      "its words",
      { subject: "S", description: "D", activeForm: "A" },
      { subject: "S", description: "D", activeForm: "A" },
    ],
    ["its owner", { owner: "bob" }, { owner: "bob" }],
    ["one key of its metadata", { metadata: { b: 2 } }, { metadata: { a: 1, b: 2 } }],
    ["nothing", {}, {}],
  ])("changes %s and keeps the rest, unknown fields too", async (_, patch, change) => {
    const paths = await listOf()
    const before = task("1", { metadata: { a: 1 }, somebodyElses: { deep: [1] } })
    put(paths, "1.json", before)
    expect(await updateTask(paths, "1", patch)).toEqual({ ...before, ...change })
    expect(jsonIn(paths.task("1"))).toEqual({ ...before, ...change })
  })

  it("takes an owner and a key of metadata away with null", async () => {
    const paths = await listOf()
    put(paths, "1.json", task("1", { owner: "bob", metadata: { a: 1, b: 2 } }))
    await updateTask(paths, "1", { owner: null, metadata: { a: null } })
    expect(jsonIn(paths.task("1"))).toEqual(task("1", { metadata: { b: 2 } }))
  })

  it("deletes the file and every link to it", async () => {
    const paths = await listOf("a", "b", "c")
    await updateTask(paths, "2", { addBlockedBy: ["1"], addBlocks: ["3"] })
    expect(await updateTask(paths, "2", { status: "deleted" })).toMatchObject({ id: "2", status: "deleted" })
    expect(existsSync(paths.task("2"))).toBe(false)
    expect((await listTasks(paths)).map(({ blocks, blockedBy }) => [blocks, blockedBy])).toEqual([
      [[], []],
      [[], []],
    ])
  })

  it("writes nothing at all when one of several links would close a circle", async () => {
    const paths = await listOf("a", "b", "c")
    await updateTask(paths, "2", { addBlockedBy: ["1"] })
    expect(await codeOf(updateTask(paths, "1", { subject: "changed", addBlocks: ["3"], addBlockedBy: ["2"] }))).toBe(
      "task_cycle",
    )
    expect((await listTasks(paths)).map(({ subject, blocks }) => [subject, blocks])).toEqual([
      ["a", ["2"]],
      ["b", []],
      ["c", []],
    ])
  })

  it("refuses a step back from completed and a task that is not there", async () => {
    const paths = await listOf("a")
    await updateTask(paths, "1", { status: "completed" })
    expect(await codeOf(updateTask(paths, "1", { status: "in_progress" }))).toBe("bad_transition")
    expect(await codeOf(updateTask(paths, "2", { subject: "x" }))).toBe("no_such_task")
    expect(await codeOf(getTask(paths, "../1"))).toBe("no_such_task")
  })

  it("keeps every change of many that are made at once on one task", async () => {
    const paths = await listOf("a")
    await Promise.all(Array.from({ length: 10 }, (_, n) => updateTask(paths, "1", { metadata: { [`key${n}`]: n } })))
    expect(Object.keys((await getTask(paths, "1")).metadata ?? {})).toHaveLength(10)
  })
})

describe("claiming", () => {
  it("has one winner, and every loser learns who it is", async () => {
    const paths = await listOf("a")
    const claims = await Promise.allSettled(["ann", "bob", "cem", "dee"].map((agent) => claimTask(paths, "1", agent)))
    const won = claims.filter((claim) => claim.status === "fulfilled").map((claim) => claim.value.owner)
    expect(won).toHaveLength(1)
    for (const claim of claims.filter((one) => one.status === "rejected"))
      expect(claim.reason).toMatchObject({ code: "already_claimed", details: { owner: won[0] } })
  })

  it("is repeated by the owner without harm", async () => {
    const paths = await listOf("a")
    await claimTask(paths, "1", "bob")
    expect(await claimTask(paths, "1", "bob")).toMatchObject({ owner: "bob", status: "in_progress" })
  })

  it("lets an agent hold one task, or several when told so", async () => {
    const paths = await listOf("a", "b")
    await claimTask(paths, "1", "bob")
    expect(await codeOf(claimTask(paths, "2", "bob"))).toBe("agent_busy")
    expect(await claimTask(paths, "2", "bob", { several: true })).toMatchObject({ owner: "bob" })
  })

  it("of the next free task passes over blocked, owned, internal and finished ones", async () => {
    const paths = await listOf()
    put(paths, "1.json", task("1", { status: "completed" }))
    put(paths, "2.json", task("2", { owner: "ann" }))
    put(paths, "3.json", task("3", { blockedBy: ["2"] }))
    put(paths, "4.json", task("4", { metadata: { _internal: true } }))
    put(paths, "10.json", task("10"))
    put(paths, "9.json", task("9", { blockedBy: ["1", "77"] }))
    expect((await claimNext(paths, "bob"))?.id).toBe("9")
    expect(await codeOf(claimNext(paths, "bob"))).toBe("agent_busy")
    expect((await claimNext(paths, "cem"))?.id).toBe("10")
    expect(await claimNext(paths, "dee")).toBeUndefined()
  })

  it("is given back for what is not completed, and only by the one that is gone", async () => {
    const paths = await listOf()
    put(paths, "1.json", task("1", { owner: "bob", status: "completed" }))
    put(paths, "2.json", task("2", { owner: "bob", status: "in_progress" }))
    put(paths, "3.json", task("3", { owner: "bobby", status: "in_progress" }))
    put(paths, "4.json", task("4", { owner: "bob" }))
    expect((await releaseTasksOf(paths, "bob")).map(({ id }) => id)).toEqual(["2", "4"])
    expect((await listTasks(paths)).map(({ owner, status }) => [owner, status])).toEqual([
      ["bob", "completed"],
      [undefined, "pending"],
      ["bobby", "in_progress"],
      [undefined, "pending"],
    ])
  })

  it("never leaves a task with an owner and no work, or two tasks in one hand, whatever the order of calls", async () => {
    const agent = constantFrom("ann", "bob")
    const id = constantFrom("1", "2", "3")
    const step = oneof(
      record({ do: constant("claim" as const), id, agent }),
      record({ do: constant("complete" as const), id, agent }),
      record({ do: constant("leave" as const), id, agent }),
    )
    await assert(
      asyncProperty(array(step, { maxLength: 8 }), async (steps) => {
        const paths = await listOf("a", "b", "c")
        for (const { do: what, id: on, agent: who } of steps) {
          const work =
            what === "claim"
              ? claimTask(paths, on, who)
              : what === "leave"
                ? releaseTasksOf(paths, who)
                : updateTask(paths, on, { status: "completed" })
          await work.catch(() => undefined)
        }
        const tasks = await listTasks(paths)
        for (const who of ["ann", "bob"])
          expect(tasks.filter((one) => one.owner === who && one.status === "in_progress").length).toBeLessThan(2)
        for (const one of tasks)
          expect(one.status === "in_progress").toBe(one.owner !== undefined && one.status !== "completed")
      }),
      { numRuns: 12 },
    )
  })
})
