import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { followAll, followOne, followRows, reloadWhen } from "./follow.ts"
import type { Follow } from "./live-store.ts"

function event(
  action: LogEvent["action"],
  entityUuid: string,
  patch: Record<string, unknown> = {},
  entityType = "task",
): LogEvent {
  return {
    id: 1,
    at: "",
    kind: `${entityType}.x`,
    entityType,
    entityUuid,
    projectUuid: "p",
    action,
    patch,
    actor: { type: "user", uuid: "u", name: "U" },
    requestId: null,
  }
}

interface Row {
  readonly uuid: string
  readonly status: string
}

const open = followRows<{ readonly rows: readonly Row[] }, Row>({
  entityType: "task",
  rowsOf: ({ rows }) => rows,
  withRows: (answer, rows) => ({ ...answer, rows }),
  belongs: ({ status }) => status === "open",
})

describe("followRows", () => {
  const answer = { rows: [{ uuid: "a", status: "open" }] }

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
      reloadWhen((each) => each.entityType === "criterion"),
    )
    expect(rule.apply({ uuid: "a", status: "open" }, event("updated", "a", { status: "done" }))).toEqual({
      uuid: "a",
      status: "done",
    })
    expect(rule.apply({ uuid: "a", status: "open" }, event("updated", "c", {}, "criterion"))).toBeUndefined()
  })
})

describe("rows that are followed", () => {
  const rule = (more: object) =>
    followRows<{ readonly rows: readonly Row[] }, Row>({
      entityType: "task",
      rowsOf: ({ rows }) => rows,
      withRows: (answer, rows) => ({ ...answer, rows }),
      ...more,
    })
  const answer = {
    rows: [
      { uuid: "a", status: "open" },
      { uuid: "b", status: "open" },
    ],
  }

  it("come first when they are new, or last where the rule says so", () => {
    const uuids = (more: object) =>
      rule(more)
        .apply(answer, event("created", "c", { status: "open" }))
        ?.rows.map(({ uuid }) => uuid)
    expect(uuids({})).toEqual(["c", "a", "b"])
    expect(uuids({ append: true })).toEqual(["a", "b", "c"])
  })

  it("have what a created row lacks, unless the event says otherwise", () => {
    const made = (patch: Record<string, unknown>) =>
      rule({ defaults: { status: "draft" } }).apply(answer, event("created", "c", patch))?.rows[0]
    expect(made({})).toEqual({ uuid: "c", status: "draft" })
    expect(made({ status: "open" })).toEqual({ uuid: "c", status: "open" })
  })

  it("keep their place when they change, and the others their very objects", () => {
    const next = rule({}).apply(answer, event("updated", "a", { status: "done" }))
    expect(next?.rows.map(({ uuid, status }) => [uuid, status])).toEqual([
      ["a", "done"],
      ["b", "open"],
    ])
    expect(next?.rows[1]).toBe(answer.rows[1])
  })

  it("ask the event too whether they belong", () => {
    const here = rule({ belongs: (_: Row, { projectUuid }: LogEvent) => projectUuid === "p" })
    expect(here.apply(answer, event("created", "c"))?.rows).toHaveLength(3)
    expect(here.apply(answer, { ...event("created", "c"), projectUuid: "q" })).toBe(answer)
  })

  it("are the same object after the end of what was never there", () => {
    expect(rule({}).apply(answer, event("deleted", "zzz"))).toBe(answer)
  })
})

describe("following one thing", () => {
  const one = { uuid: "a", status: "open" }

  it("asks anew when it is deleted, so that the page can say so", () => {
    expect(followOne<Row>("task").apply(one, event("deleted", "a"))).toBeUndefined()
  })

  it("leaves others of its kind and other kinds of its id alone", () => {
    expect(followOne<Row>("task").apply(one, event("updated", "b", { status: "done" }))).toBe(one)
    expect(followOne<Row>("task").apply(one, event("updated", "a", { status: "done" }, "idea"))).toBe(one)
  })
})

describe("several rules", () => {
  it("see each other's work in turn, and asking anew beats every change", () => {
    const shout: Follow<Row> = { apply: (row) => ({ ...row, status: `${row.status}!` }) }
    expect(followAll(shout, shout).apply({ uuid: "a", status: "open" }, event("updated", "a"))).toEqual({
      uuid: "a",
      status: "open!!",
    })
    expect(
      followAll<Row>(
        shout,
        reloadWhen(() => true),
      ).apply({ uuid: "a", status: "open" }, event("updated", "a")),
    ).toBeUndefined()
    expect(followAll<Row>().apply({ uuid: "a", status: "open" }, event("updated", "a"))).toEqual({
      uuid: "a",
      status: "open",
    })
  })

  it("may look at the answer to decide whether it is concerned", () => {
    const rule = reloadWhen<Row>((each, row) => each.entityUuid === row.uuid)
    expect(rule.apply({ uuid: "a", status: "open" }, event("updated", "a"))).toBeUndefined()
  })
})
