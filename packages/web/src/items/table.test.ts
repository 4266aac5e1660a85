import { describe, expect, it } from "vitest"
import { agentRef, taskRow } from "../../test/rows.ts"
import { type Change, type Result, wayBack } from "./bulk.ts"
import { isLate, today } from "./due.ts"
import { inGroups, inOrder, orderIn } from "./table.ts"

const task = (shortId: string, changes: Parameters<typeof taskRow>[0] = {}) =>
  taskRow({ uuid: shortId, shortId, title: shortId, ...changes })
const ids = (rows: readonly { readonly shortId: string }[]) => rows.map(({ shortId }) => shortId).join(" ")

describe("the order of a list", () => {
  const tasks = [
    task("A-10", { dueOn: "2026-02-01", priority: "low", labels: ["b"], storyPoints: 3 }),
    task("A-9", { priority: "high", assignee: agentRef("Zoe"), updatedAt: "2026-03-01T00:00:00.000Z" }),
    task("A-1", { dueOn: "2026-01-01", status: "done", assignee: agentRef("Ada") }),
  ]
  it.each([
    ["id", "A-1 A-9 A-10"],
    ["-id", "A-10 A-9 A-1"],
    ["due", "A-1 A-10 A-9"],
    ["-due", "A-10 A-1 A-9"],
    ["priority", "A-10 A-1 A-9"],
    ["assignee", "A-1 A-9 A-10"],
    ["state", "A-9 A-10 A-1"],
    ["labels", "A-10 A-1 A-9"],
    ["estimate", "A-10 A-1 A-9"],
    [undefined, "A-9 A-1 A-10"],
  ])("by %s counts numbers as numbers and leaves what has nothing to the end", (sort, expected) => {
    expect(ids(inOrder(tasks, orderIn(sort)))).toBe(expected)
  })
})

describe("the groups of a list", () => {
  it("stand in the order of work, or of their names, with what has none last", () => {
    const all = [task("1", { status: "done" }), task("2", { labels: ["y", "x"] }), task("3", { labels: ["x"] })]
    const heads = (by: "state" | "label") =>
      inGroups(all, by, (key) => key).flatMap((row) =>
        row.kind === "group" ? [`${row.name ?? "-"} ${row.count}`] : [],
      )
    expect(heads("state")).toEqual(["open 2", "done 1"])
    expect(heads("label")).toEqual(["x 2", "y 1", "- 1"])
    const keys = inGroups(all, "label", (key) => key).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe("the way back from a change of many", () => {
  const result = (uuid: string, before: Partial<Result["before"]> = {}, changed = true): Result => ({
    uuid,
    title: uuid,
    changed,
    before: { status: "open", priority: "low", storyPoints: null, labels: [], dueOn: null, assignee: null, ...before },
  })
  const back = (change: Change, ...results: Result[]) => wayBack(change, results)

  it("gathers those that go back to the same", () => {
    expect(
      back({ priority: "high" }, result("a"), result("b", { priority: "medium" }), result("c"), result("d", {}, false)),
    ).toEqual([
      { taskUuids: ["a", "c"], change: { priority: "low" } },
      { taskUuids: ["b"], change: { priority: "medium" } },
    ])
  })

  it("takes off only what was put on, and leaves alone what nothing was done to", () => {
    expect(back({ addLabels: ["New"] }, result("a", { labels: ["new"] }), result("b"))).toEqual([
      { taskUuids: ["b"], change: { removeLabels: ["New"] } },
    ])
  })

  it("gives back to who had it", () => {
    expect(back({ userUuid: "u" }, result("a"), result("b", { assignee: agentRef("Ada") }))).toEqual([
      { taskUuids: ["a"], change: { release: true } },
      { taskUuids: ["b"], change: { agentUuid: "ada" } },
    ])
  })

  it("is offered for a status only where one step leads back", () => {
    expect(back({ status: "closed" }, result("a"))).toEqual([{ taskUuids: ["a"], change: { status: "open" } }])
    expect(back({ status: "closed" }, result("a"), result("b", { status: "in_progress" }))).toEqual([])
  })
})

describe("a day", () => {
  it("is late once it has passed where the reader is, and never for what is finished", () => {
    expect(today(new Date(2026, 2, 5, 23, 59))).toBe("2026-03-05")
    expect(isLate({ dueOn: "2026-03-05", status: "open" }, "2026-03-05")).toBe(false)
    expect(isLate({ dueOn: "2026-03-04", status: "open" }, "2026-03-05")).toBe(true)
    expect(isLate({ dueOn: "2026-03-04", status: "done" }, "2026-03-05")).toBe(false)
  })
})
