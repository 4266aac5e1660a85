import type { LogEvent, tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { logEvent, taskRow } from "../../test/rows.ts"
import { followAll, followOne, followRows, reloadWhen } from "./follow.ts"
import type { Follow } from "./live-store.ts"

function event(
  action: LogEvent["action"],
  entityUuid: string,
  patch: Record<string, unknown> = {},
  entityType = "task",
): LogEvent {
  return logEvent({
    kind: `${entityType}.x`,
    entityType,
    entityUuid,
    projectUuid: "p",
    action,
    patch,
  })
}

type Row = tasks.TaskRow
type Answer = { rows: Row[] }

const a = taskRow({ uuid: "a" })
const b = taskRow({ uuid: "b" })

const open = followRows<Answer>({ entity: "task", rows: "rows", belongs: ({ status }) => status === "open" })

describe("followRows", () => {
  const answer = { rows: [a] }

  it("adds, merges and drops", () => {
    expect(open.apply(answer, event("created", "b", { status: "open" }))?.rows.map(({ uuid }) => uuid)).toEqual([
      "b",
      "a",
    ])
    expect(open.apply(answer, event("deleted", "a"))?.rows).toEqual([])
    expect(open.apply(answer, event("updated", "a", { status: "done" }))?.rows).toEqual([])
  })

  it("does not double a row that was already in the answer", () => {
    expect(open.apply(answer, event("created", "a", { status: "open" }))?.rows).toHaveLength(1)
  })

  it("gives the same object back when it is not concerned", () => {
    expect(open.apply(answer, event("updated", "zzz", { status: "done" }))).toBe(answer)
    expect(open.apply(answer, event("created", "a", { status: "open", title: "as it began" }))).toBe(answer)
    expect(open.apply(answer, event("created", "b", { status: "done" }))).toBe(answer)
    expect(open.apply(answer, event("created", "b", { status: "open" }, "idea"))).toBe(answer)
  })

  it("asks for a row that comes back, of which the event does not say enough", () => {
    expect(open.apply(answer, event("updated", "zzz", { status: "open" }))).toBeUndefined()
  })
})

describe("followOne and followAll", () => {
  it("merge one entity and reload on what they cannot follow", () => {
    const rule = followAll<Row>(
      followOne("task"),
      reloadWhen((each) => each.entityType === "finding"),
    )
    expect(rule.apply(a, event("updated", "a", { status: "done" }))).toEqual({ ...a, status: "done" })
    expect(rule.apply(a, event("updated", "c", {}, "finding"))).toBeUndefined()
  })
})

describe("rows that are followed", () => {
  const rows = followRows<Answer>({ entity: "task", rows: "rows" })
  const answer = { rows: [a, b] }

  it("come first when they are new, or last where the rule says so", () => {
    const uuids = (append: boolean) =>
      followRows<Answer>({ entity: "task", rows: "rows", append })
        .apply(answer, event("created", "c", taskRow()))
        ?.rows.map(({ uuid }) => uuid)
    expect(uuids(false)).toEqual(["c", "a", "b"])
    expect(uuids(true)).toEqual(["a", "b", "c"])
  })

  it("have what the list shows beside the row", () => {
    const rule = followRows<{ rows: (Row & { wave: number })[] }>({ entity: "task", rows: "rows", extra: { wave: 3 } })
    expect(rule.apply({ rows: [] }, event("created", "a", taskRow()))?.rows).toEqual([{ ...a, wave: 3 }])
  })

  it("keep a total in step, where the answer has one", () => {
    const rule = followRows<{ rows: Row[]; total: number }>({ entity: "task", rows: "rows" })
    expect(rule.apply({ rows: [a, b], total: 7 }, event("created", "c", taskRow()))?.total).toBe(8)
    expect(rule.apply({ rows: [a, b], total: 7 }, event("updated", "b", { title: "New" }))?.total).toBe(7)
    expect(rule.apply({ rows: [a, b], total: 7 }, event("deleted", "b"))?.total).toBe(6)
  })

  it("keep their place when they change, and the others their very objects", () => {
    const next = rows.apply(answer, event("updated", "a", { status: "done" }))
    expect(next?.rows.map(({ uuid, status }) => [uuid, status])).toEqual([
      ["a", "done"],
      ["b", "open"],
    ])
    expect(next?.rows[1]).toBe(answer.rows[1])
  })

  it("ask the event too whether they belong", () => {
    const here = followRows<Answer>({
      entity: "task",
      rows: "rows",
      belongs: (_, { projectUuid }) => projectUuid === "p",
    })
    expect(here.apply(answer, event("created", "c"))?.rows).toHaveLength(3)
    expect(here.apply(answer, logEvent({ action: "created", entityUuid: "c", projectUuid: "q" }))).toBe(answer)
  })

  it("are the same object after the end of what was never there", () => {
    expect(rows.apply(answer, event("deleted", "zzz"))).toBe(answer)
  })
})

describe("following one thing", () => {
  it("asks anew when it is deleted, so that the page can say so", () => {
    expect(followOne<Row>("task").apply(a, event("deleted", "a"))).toBeUndefined()
  })

  it("leaves others of its kind and other kinds of its id alone", () => {
    expect(followOne<Row>("task").apply(a, event("updated", "b", { status: "done" }))).toBe(a)
    expect(followOne<Row>("task").apply(a, event("updated", "a", { status: "done" }, "idea"))).toBe(a)
  })
})

describe("several rules", () => {
  it("see each other's work in turn, and asking anew beats every change", () => {
    const shout: Follow<Row> = { apply: (row) => ({ ...row, title: `${row.title}!` }) }
    expect(followAll(shout, shout).apply(a, event("updated", "a"))).toEqual({ ...a, title: `${a.title}!!` })
    const anew = reloadWhen<Row>(() => true)
    expect(followAll(shout, anew).apply(a, event("updated", "a"))).toBeUndefined()
    expect(followAll<Row>().apply(a, event("updated", "a"))).toBe(a)
  })

  it("may look at the answer to decide whether it is concerned", () => {
    const rule = reloadWhen<Row>((each, row) => each.entityUuid === row.uuid)
    expect(rule.apply(a, event("updated", "a"))).toBeUndefined()
  })
})

describe("what a rule may say", () => {
  it("is held to the rows of the log by the compiler", () => {
    // @ts-expect-error A list of tasks cannot follow ideas.
    followRows<Answer>({ entity: "idea", rows: "rows" })
    // @ts-expect-error The answer has no such list.
    followRows<Answer>({ entity: "task", rows: "tasks" })
    // @ts-expect-error A row has no such field; so is one that was renamed.
    followRows<Answer>({ entity: "task", rows: "rows", belongs: (row) => row.titel === "" })
    // @ts-expect-error What the list shows beside the row has to come from somewhere.
    followRows<{ rows: (Row & { wave: number })[] }>({ entity: "task", rows: "rows" })
    // @ts-expect-error The holder of a task on show has more to it than the log tells.
    followOne<tasks.TaskDetail>("task")
    // @ts-expect-error The patch is read only where it is known what it is about.
    reloadWhen(({ patch }) => patch.taskUuid === "t1")
    // @ts-expect-error A task is not checked out; only its stay is.
    reloadWhen((event) => event.entityType === "task" && event.patch.checkoutAt !== null)
    // @ts-expect-error There is no such kind.
    reloadWhen((event) => event.kind === "task.verifed")
    expect(true).toBe(true)
  })
})
