import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { agentRef, taskRow } from "../../test/rows.ts"
import { type BoardFilter, columnOf, COLUMNS, holdersOf, inColumns, inLanes, matches, type Task } from "./columns.ts"

const STATUSES = ["open", "assigned", "in_progress", "to_verify", "done", "closed"] as const
const holders = fc.constantFrom(null, agentRef("Ada"), agentRef("Bo"))

const anyTask: fc.Arbitrary<Task> = fc
  .record({
    uuid: fc.uuid(),
    status: fc.constantFrom(...STATUSES),
    priority: fc.constantFrom("low", "medium", "high"),
    openDependencies: fc.nat(2),
    proposalUuid: fc.constantFrom(null, "q1", "q2"),
    assignee: holders,
    createdAt: fc.constantFrom("2026-01-01", "2026-01-02", "2026-01-03"),
  })
  .map(taskRow)
const anyTasks = fc.uniqueArray(anyTask, { maxLength: 25, selector: ({ uuid }) => uuid })

describe("columns", () => {
  it("hold every task exactly once, each under its own status", () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const columns = inColumns(tasks)
        const shown = COLUMNS.flatMap(({ id }) => columns[id].map((task) => [id, task] as const))
        expect(shown.map(([, { uuid }]) => uuid).toSorted()).toEqual(tasks.map(({ uuid }) => uuid).toSorted())
        for (const [id, task] of shown) expect(columnOf(task.status)).toBe(id)
      }),
    )
  })

  it("stand in the same order whatever order the tasks came in", () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        expect(inColumns(tasks.toReversed())).toEqual(inColumns(tasks))
      }),
    )
  })

  it("never put what waits above what can start", () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const waits = inColumns(tasks).open.map(({ openDependencies }) => openDependencies > 0)
        expect(waits.lastIndexOf(false)).toBeLessThan(waits.includes(true) ? waits.indexOf(true) : waits.length)
      }),
    )
  })

  it.each([
    ["open", "open"],
    ["assigned", "open"],
    ["in_progress", "in_progress"],
    ["to_verify", "to_verify"],
    ["done", "done"],
    ["closed", "done"],
  ] as const)("show %s under %s", (status, column) => {
    expect(columnOf(status)).toBe(column)
  })

  it("prefer urgency to a due day, that to age, and age to the name", () => {
    const order = (...tasks: Task[]) => inColumns(tasks).in_progress.map(({ uuid }) => uuid)
    const begun = (changes: Partial<Task>) => taskRow({ status: "in_progress", ...changes })
    expect(
      order(begun({ uuid: "old", createdAt: "1" }), begun({ uuid: "urgent", createdAt: "2", priority: "high" })),
    ).toEqual(["urgent", "old"])
    expect(
      order(
        begun({ uuid: "old", createdAt: "1" }),
        begun({ uuid: "later", createdAt: "2", dueOn: "2026-02-02" }),
        begun({ uuid: "sooner", createdAt: "3", dueOn: "2026-02-01" }),
      ),
    ).toEqual(["sooner", "later", "old"])
    expect(order(begun({ uuid: "new", createdAt: "2" }), begun({ uuid: "old", createdAt: "1" }))).toEqual([
      "old",
      "new",
    ])
    expect(order(begun({ uuid: "b" }), begun({ uuid: "a" }))).toEqual(["a", "b"])
  })
})

describe("a filter", () => {
  const task = taskRow({ title: "Write the Parser", priority: "high", assignee: agentRef("Ada"), proposalUuid: "q1" })

  it.each<[string, BoardFilter, boolean]>([
    ["nothing asked", {}, true],
    ["part of a word, in any case", { find: "PARS" }, true],
    ["all the words, in any order", { find: "parser write" }, true],
    ["one word too many", { find: "parser lexer" }, false],
    ["only blanks", { find: "   " }, true],
    ["its priority", { priority: "high" }, true],
    ["another priority", { priority: "low" }, false],
    ["who holds it", { assignee: "ada" }, true],
    ["who does not", { assignee: "bo" }, false],
    ["its proposal", { proposal: "q1" }, true],
    ["another proposal", { proposal: "q2" }, false],
    [
      "several things at once",
      { find: "parser", priority: "high", assignee: "ada", proposal: "q1", ready: true },
      true,
    ],
    ["several things of which one is wrong", { find: "parser", priority: "low", assignee: "ada" }, false],
  ])("by %s", (_, filter, shown) => {
    expect(matches(filter)(task)).toBe(shown)
  })

  it.each<[Task["status"], number, boolean]>([
    ["open", 0, true],
    ["assigned", 0, true],
    ["open", 1, false],
    ["in_progress", 0, false],
    ["to_verify", 0, false],
    ["done", 0, false],
  ])("calls %s with %i open dependencies ready: %s", (status, openDependencies, ready) => {
    expect(matches({ ready: true })(taskRow({ status, openDependencies }))).toBe(ready)
  })

  it("only ever takes cards away, and says the same twice", () => {
    const filters = fc.record({
      find: fc.constantFrom(undefined, "write", "zzz"),
      priority: fc.constantFrom(undefined, "high" as const),
      assignee: fc.constantFrom(undefined, "nobody", "ada"),
      ready: fc.constantFrom(undefined, true),
    })
    fc.assert(
      fc.property(anyTasks, filters, (tasks, filter) => {
        const shown = tasks.filter(matches(filter))
        expect(tasks).toEqual(expect.arrayContaining(shown))
        expect(shown.filter(matches(filter))).toEqual(shown)
      }),
    )
  })
})

describe("lanes", () => {
  it.each(["proposal", "agent"] as const)("by %s hold every task once and count it", (by) => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const lanes = inLanes(tasks, by, (uuid) => uuid)
        const shown = lanes.flatMap(({ columns }) => COLUMNS.flatMap(({ id }) => columns[id].map(({ uuid }) => uuid)))
        expect(shown.toSorted()).toEqual(tasks.map(({ uuid }) => uuid).toSorted())
        expect(lanes.reduce((sum, { count }) => sum + count, 0)).toBe(tasks.length)
        expect(lanes.slice(0, -1).every(({ name }) => name !== undefined)).toBe(true)
      }),
    )
  })

  it("are named by who holds the tasks", () => {
    const lanes = inLanes(
      [
        taskRow({ uuid: "b", assignee: agentRef("Bo") }),
        taskRow({ uuid: "n" }),
        taskRow({ uuid: "a", assignee: agentRef("Ada") }),
      ],
      "agent",
      () => undefined,
    )
    expect(lanes.map(({ key, name }) => [key, name])).toEqual([
      ["ada", "Ada"],
      ["bo", "Bo"],
      ["nobody", undefined],
    ])
  })

  it("are named by the beginning of the id where the proposal's title is not known yet", () => {
    const [lane] = inLanes([taskRow({ proposalUuid: "0123456789abcdef" })], "proposal", () => undefined)
    expect(lane).toMatchObject({ key: "0123456789abcdef", name: "01234567" })
  })

  it("of the same name stay apart", () => {
    const lanes = inLanes(
      [taskRow({ uuid: "a", proposalUuid: "q2" }), taskRow({ uuid: "b", proposalUuid: "q1" })],
      "proposal",
      () => "Same",
    )
    expect(lanes.map(({ key }) => key)).toEqual(["q1", "q2"])
  })
})

describe("holders", () => {
  it("are sorted by name, and nobody is not one of them", () => {
    expect(
      holdersOf([taskRow({ assignee: agentRef("Zoe") }), taskRow(), taskRow({ assignee: agentRef("Ada") })]),
    ).toEqual([
      { uuid: "ada", name: "Ada" },
      { uuid: "zoe", name: "Zoe" },
    ])
  })

  it("are named as they were called last", () => {
    expect(
      holdersOf([
        taskRow({ assignee: { ...agentRef("Ada"), name: "Old" } }),
        taskRow({ assignee: { ...agentRef("Ada"), name: "New" } }),
      ]),
    ).toEqual([{ uuid: "ada", name: "New" }])
  })
})
