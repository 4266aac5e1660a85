import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { followAll, followOne, followRows, reloadWhen } from "./follow.ts"

function event(action: LogEvent["action"], entityUuid: string, patch: Record<string, unknown> = {}, entityType = "task"): LogEvent {
  return { id: 1, at: "", kind: `${entityType}.x`, entityType, entityUuid, projectUuid: "p", action, patch, actor: { type: "user", uuid: "u", name: "U" }, requestId: null }
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
    expect(open.apply(answer, event("created", "b", { status: "open" }))?.rows.map(({ uuid }) => uuid)).toEqual(["b", "a"])
    expect(open.apply(answer, event("deleted", "a"))?.rows).toEqual([])
    expect(open.apply(answer, event("updated", "a", { status: "done" }))?.rows).toEqual([])
  })

  it("does not double a row that was already in the answer", () => {
    expect(open.apply(answer, event("created", "a", { status: "open" }))?.rows).toHaveLength(1)
  })

  it("gives the same object back when it is not concerned", () => {
    expect(open.apply(answer, event("updated", "zzz", { status: "open" }))).toBe(answer)
    expect(open.apply(answer, event("created", "b", { status: "done" }))).toBe(answer)
    expect(open.apply(answer, event("created", "b", { status: "open" }, "idea"))).toBe(answer)
  })
})

describe("followOne and followAll", () => {
  it("merge one entity and reload on what they cannot follow", () => {
    const rule = followAll<Row>(
      followOne("task"),
      reloadWhen((each) => each.entityType === "criterion"),
    )
    expect(rule.apply({ uuid: "a", status: "open" }, event("updated", "a", { status: "done" }))).toEqual({ uuid: "a", status: "done" })
    expect(rule.apply({ uuid: "a", status: "open" }, event("updated", "c", {}, "criterion"))).toBeUndefined()
  })
})
