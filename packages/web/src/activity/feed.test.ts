import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { en } from "../i18n/en.ts"
import { translate } from "../i18n/language.ts"
import { logEvent } from "../../test/rows.ts"
import { aboutOf, byDay, deedsOf, didKey, isWorthTelling, joined, lineOf, withTitles, wordsOf } from "./feed.ts"

const event = {
  id: 7,
  at: "2026-05-01T10:00:00Z",
  kind: "session.checked_in",
  entityType: "checkin",
  entityUuid: "c1",
  projectUuid: "p",
  action: "created" as const,
  patch: { taskUuid: "t1", sessionName: "worker", sessionUuid: "s1" },
  actor: { type: "agent" as const, uuid: "a", name: "Ada" },
  requestId: null,
}

describe("the feed", () => {
  it("knows the words of a kind, and some words for kinds it does not know", () => {
    expect(didKey({ kind: "task.verified" })).toBe("activity.did.task.verified")
    expect(didKey({ kind: "task.reopened", value: {} })).toBe("activity.did.task.reopened")
    expect(didKey({ kind: "task.reopened", value: { returned: { handIn: 1 } } })).toBe("activity.did.task.sent_back")
    expect(didKey({ kind: "comet.sighted" })).toBe("activity.did.other")
  })

  it("leaves signs of life out", () => {
    expect(isWorthTelling({ kind: "session.seen" })).toBe(false)
    expect(isWorthTelling({ kind: "task.claimed" })).toBe(true)
    const changed = { kind: "task.dependencies_changed" }
    expect(isWorthTelling({ ...changed, value: { openDependencies: 1, dependsOnUuids: ["t2"] } })).toBe(true)
    expect(isWorthTelling({ ...changed, value: { openDependencies: 0 } })).toBe(false)
  })

  it("names what an event is about", () => {
    expect(lineOf(logEvent(event), new Map([["t1", "Parser"]]))).toMatchObject({
      targetTitle: "Parser",
      sessionName: "worker",
      action: "checked_in",
    })
  })

  it("joins pages without doubles, newest first, and groups by day", () => {
    const at = (id: number, createdAt: string) => ({ ...lineOf(logEvent(event), new Map()), id, createdAt })
    const lines = joined([at(3, "2026-05-02"), at(2, "2026-05-01")], [at(2, "2026-05-01"), at(1, "2026-05-01")])
    expect(lines.map(({ id }) => id)).toEqual([3, 2, 1])
    expect(byDay(lines, (iso) => iso).map(({ day, lines: members }) => [day, members.length])).toEqual([
      ["2026-05-02", 1],
      ["2026-05-01", 2],
    ])
  })
})

describe("what was said with a deed", () => {
  const said = (kind: string, value: Record<string, unknown>) =>
    wordsOf((key, parameters) => translate(en, key, parameters), { kind, value })

  it("names each verdict, each finding, the hand-in, who had the task before, and why", () => {
    const verdicts = [
      { criterion: "It opens", verdict: "passed" },
      { criterion: "It closes", verdict: "failed", evidence: "It jams." },
    ]
    expect(said("task.criteria_marked", { verdicts })).toEqual(["✓ It opens", "✗ It closes — It jams."])
    const findings = [{ key: "B1", text: "Loose." }]
    expect(said("review.submitted", { verdict: "fail", summary: "Not yet.", findings })).toEqual([
      "✗ Not yet.",
      "Loose.",
    ])
    expect(said("task.submitted", { handIn: 2 })).toEqual(["hand-in 2"])
    expect(said("session.checked_out", { checkoutReason: "session_lost" })).toEqual([
      "Its program ended without a word",
    ])
    expect(said("session.checked_out", { checkoutReason: "task_submitted" })).toEqual([])
    expect(said("task.reclaimed", { from: { name: "Ada" }, reason: "Too slow." })).toEqual(["from Ada", "Too slow."])
    expect(said("task.claimed", { status: "assigned" })).toEqual([])
  })
})

describe("a line of the feed", () => {
  const row = (changes: Parameters<typeof logEvent>[0] = {}, titles: readonly (readonly [string, string])[] = []) =>
    lineOf(logEvent({ ...event, ...changes }), new Map(titles))

  it("carries who, what and when", () => {
    expect(
      row({ kind: "task.criteria_marked", entityType: "task", entityUuid: "t1", patch: { title: "Parser" } }),
    ).toEqual({
      id: 7,
      uuid: "7",
      projectUuid: "p",
      targetType: "task",
      targetUuid: "t1",
      targetTitle: "Parser",
      kind: "task.criteria_marked",
      action: "criteria_marked",
      value: { title: "Parser" },
      actor: { type: "agent" as const, uuid: "a", name: "Ada" },
      actorType: "agent",
      actorUuid: "a",
      actorName: "Ada",
      sessionUuid: null,
      sessionName: null,
      createdAt: "2026-05-01T10:00:00Z",
    })
  })

  it.each([
    ["its own title first", { title: "Own", name: "Name", taskUuid: "t1" }, "Own"],
    ["the title of the task it is about", { name: "Name", taskUuid: "t1" }, "Known task"],
    ["the title of what a comment is about", { targetUuid: "t1" }, "Known task"],
    ["its name where nobody knows a title", { name: "Name", taskUuid: "t9" }, "Name"],
    ["nothing where there is nothing", { taskUuid: "t9" }, null],
    ["nothing where a title is no text", { title: 7 }, null],
  ])("takes %s", (_, patch, title) => {
    expect(row({ patch }, [["t1", "Known task"]]).targetTitle).toBe(title)
  })
})

describe("titles of lines", () => {
  const line = (targetUuid: string, targetTitle: string | null, value: Record<string, unknown> = {}) => ({
    ...lineOf(logEvent({ ...event, entityUuid: targetUuid, patch: value }), new Map()),
    targetTitle,
  })

  it("come from other lines of the same thing, earlier or later, and are not overwritten", () => {
    const lines = withTitles([
      line("c1", null, { taskUuid: "t1" }),
      line("t1", "Parser"),
      line("c2", "Own", { taskUuid: "t1" }),
      line("x", null),
    ])
    expect(lines.map(({ targetTitle }) => targetTitle)).toEqual(["Parser", "Parser", "Own", null])
  })
})

describe("what a line is about", () => {
  it.each([
    [{ taskUuid: "t1", targetUuid: "x" }, "t1"],
    [{ targetUuid: "x" }, "x"],
    [{}, "self"],
    [{ taskUuid: 4 }, "self"],
  ])("%o is %s", (value, about) => {
    expect(aboutOf({ value, targetUuid: "self" })).toBe(about)
  })
})

describe("what is worth telling", () => {
  it.each([
    "session.seen",
    "session.updated",
    "draft.added",
    "run.changed",
    "check.changed",
    "usage.reported",
    "idea.progressed",
    "reservation.prolonged",
    "task.dependencies_changed",
    "round.asked",
    "round.answered",
    "notification.created",
    "notification.read",
  ])("is not %s", (kind) => {
    expect(isWorthTelling({ kind })).toBe(false)
  })
})

describe("joining pages", () => {
  it("keeps every line once, newest first, and prefers the first list's word", () => {
    const lines = fc.uniqueArray(fc.nat(30), { maxLength: 12 })
    const made = (ids: readonly number[], kind: string) =>
      ids.map((id) => ({ ...lineOf(logEvent(event), new Map()), id, kind }))
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const all = joined(made(a, "a"), made(b, "b"))
        expect(all.map(({ id }) => id)).toEqual([...new Set([...a, ...b])].sort((x, y) => y - x))
        for (const { id, kind } of all) expect(kind).toBe(a.includes(id) ? "a" : "b")
      }),
    )
  })
})

describe("deeds", () => {
  let id = 0
  const line = (at: string, kind: string, patch: Record<string, unknown> = {}, entityUuid = "t1") =>
    lineOf(logEvent({ ...event, id: ++id, at, kind, entityType: "task", entityUuid, patch }), new Map())

  it("make one row of a hand-in, with its parts, and no second one of the same words", () => {
    const at = "2026-05-01T10:00:00.000Z"
    const deeds = deedsOf([
      line(at, "session.checked_out", { taskUuid: "t1" }, "c1"),
      line(at, "task.submitted"),
      line(at, "task.reported"),
      line(at, "comment.added", { targetUuid: "t1" }, "k1"),
      line(at, "task.criteria_checked"),
    ])
    expect(deeds).toHaveLength(1)
    expect(deeds[0]).toMatchObject({ line: { kind: "task.submitted" }, times: 1 })
    expect(deeds[0]?.parts.map(({ kind }) => kind)).toEqual([
      "session.checked_out",
      "task.reported",
      "task.criteria_checked",
    ])
  })

  it("tell once of what was done to many tasks in one change", () => {
    const at = "2026-05-01T10:00:00.000Z"
    const many = ["t3", "t2", "t1"].map((uuid) => ({ ...line(at, "task.updated", {}, uuid), targetType: "task" }))
    const deeds = deedsOf([...many, { ...line("2026-05-01T09:00:00.000Z", "task.updated"), targetType: "task" }])
    expect(deeds.map(({ line: { targetUuid }, others }) => [targetUuid, others])).toEqual([
      ["t3", 2],
      ["t1", 0],
    ])
  })

  it("tell of a question, and not of the comment that repeats it on its task", () => {
    const at = "2026-05-01T10:00:00.000Z"
    const deeds = deedsOf([
      line(at, "comment.added", { targetUuid: "t1" }, "k1"),
      line(at, "attention.created", { taskUuid: "t1", title: "May I?" }, "a1"),
    ])
    expect(deeds.map(({ line: { kind, targetTitle }, parts }) => [kind, targetTitle, parts])).toEqual([
      ["attention.created", "May I?", []],
    ])
  })

  it("gather the reports of each, also of agents that report in turn", () => {
    const report = (at: string, task: string, uuid: string) => ({
      ...line(`2026-05-01T${at}:00.000Z`, "task.reported", {}, task),
      actorUuid: uuid,
    })
    const deeds = deedsOf([
      report("10:05", "t1", "ada"),
      report("10:04", "t2", "bob"),
      report("10:03", "t1", "ada"),
      report("10:02", "t1", "bob"),
      report("10:01", "t2", "bob"),
      report("10:00", "t1", "ada"),
    ])
    expect(deeds.map(({ line: { targetUuid, actorUuid }, times }) => [targetUuid, actorUuid, times])).toEqual([
      ["t1", "ada", 2],
      ["t2", "bob", 2],
      ["t1", "bob", 1],
      ["t1", "ada", 1],
    ])
  })

  it("gather no reports across what was done to many tasks at once", () => {
    const many = ["t2", "t1"].map((uuid) => line("2026-05-01T10:01:00.000Z", "task.updated", {}, uuid))
    const deeds = deedsOf([
      line("2026-05-01T10:02:00.000Z", "task.reported"),
      ...many,
      line("2026-05-01T10:00:00.000Z", "task.reported"),
    ])
    expect(deeds.map(({ line: { kind }, times }) => [kind, times])).toEqual([
      ["task.reported", 1],
      ["task.updated", 1],
      ["task.reported", 1],
    ])
  })

  it("gather reports that follow each other, and nothing that was done to the task in between", () => {
    const report = (at: string) => [
      line(at, "task.reported"),
      line(at, "comment.added", { targetUuid: "t1" }, `k${at}`),
    ]
    const deeds = deedsOf([
      ...report("2026-05-01T10:03:00.000Z"),
      ...report("2026-05-01T10:02:00.000Z"),
      line("2026-05-01T10:01:00.000Z", "task.updated"),
      ...report("2026-05-01T10:00:00.000Z"),
    ])
    expect(deeds.map(({ line: { kind }, times }) => [kind, times])).toEqual([
      ["task.reported", 2],
      ["task.updated", 1],
      ["task.reported", 1],
    ])
  })

  it("leave apart what happened to different things at once", () => {
    const at = "2026-05-01T10:00:00.000Z"
    expect(deedsOf([line(at, "task.created", {}, "t1"), line(at, "task.created", {}, "t2")])).toHaveLength(2)
  })
})
