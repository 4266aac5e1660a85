import { describe, expect, it } from "vitest"
import { z } from "zod"
import { EventAction, LogEvent } from "./event.ts"
import { EVENT_KINDS } from "./event-kinds.ts"
import { signatures } from "./operations/signatures.ts"
import { TaskStatus } from "./operations/tasks.ts"

const kinds = Object.entries(EVENT_KINDS)
const nouns = [...new Set(kinds.map(([kind]) => kind.split(".")[0] ?? ""))]

describe("the kinds of events", () => {
  it.each(kinds)("%s is a noun and what happened to it", (kind) => expect(kind).toMatch(/^[a-z]+\.[a-z]+(_[a-z]+)*$/))

  it.each(kinds)("%s is told in one sentence", (_, { says }) => expect(says).toMatch(/^[A-Z][^.!?\n]*\.$/))

  it("stand in the order of the alphabet, so that each is found", () => {
    const names = kinds.map(([kind]) => kind)
    expect(names).toEqual([...names].sort())
  })

  it("are told apart: no two say the same", () =>
    expect(new Set(kinds.map(([, { says }]) => says)).size).toBe(kinds.length))

  it("are of these nouns", () => {
    expect(nouns).toEqual([
      "agent",
      "attachment",
      "attention",
      "bridge",
      "change",
      "check",
      "comment",
      "delivery",
      "document",
      "draft",
      "elaboration",
      "finding",
      "group",
      "idea",
      "key",
      "label",
      "landing",
      "machine",
      "member",
      "notification",
      "order",
      "plugins",
      "project",
      "proposal",
      "reference",
      "report",
      "reservation",
      "review",
      "round",
      "rule",
      "run",
      "runner",
      "session",
      "task",
      "team",
      "terminal",
      "usage",
      "view",
      "webhook",
      "workspace",
    ])
  })

  it("tell of making and of every ending for what can be deleted", () => {
    const deleted = kinds
      .map(([kind]) => kind)
      .filter((kind) => kind.endsWith(".deleted"))
      .map((kind) => kind.split(".")[0])
    expect(deleted).toEqual(["bridge", "comment", "document", "group", "idea", "label", "task", "webhook"])
    for (const noun of deleted)
      expect(
        nouns.filter((known) => known === noun && (`${noun}.created` in EVENT_KINDS || `${noun}.added` in EVENT_KINDS)),
      ).toEqual([noun])
  })

  it("have a word for each step into a task's statuses", () => {
    const steps = {
      open: "task.released",
      assigned: "task.assigned",
      in_progress: "task.started",
      to_verify: "task.submitted",
      done: "task.verified",
      closed: "task.closed",
    }
    expect(Object.keys(steps)).toEqual(TaskStatus.options)
    for (const kind of Object.values(steps)) expect(EVENT_KINDS).toHaveProperty([kind])
  })

  it("can each be asked for by a webhook and in the log", () => {
    const webhook = signatures.find(({ name }) => name === "chorus_create_webhook")
    const log = signatures.find(({ name }) => name === "chorus_list_events")
    for (const [kind] of kinds) {
      expect(
        webhook?.input.safeParse({ url: "https://example.org", kinds: [kind, `${kind.split(".")[0]}.*`] }).success,
        kind,
      ).toBe(true)
      expect(log?.input.safeParse({ kind }).success, kind).toBe(true)
    }
  })
})

describe("one line of the log", () => {
  const event = {
    id: 7,
    at: "2026-03-01T10:00:00.000Z",
    kind: "task.claimed",
    entityType: "task",
    entityUuid: "t1",
    projectUuid: "p1",
    action: "updated",
    patch: { a: [1, null] },
    actor: { type: "agent", uuid: "a1", name: "Bob" },
    requestId: "r1",
  }

  it("comes through as it was written", () => expect(LogEvent.parse(event)).toEqual(event))

  it("tells a reader to add, merge or drop, and nothing else", () =>
    expect(EventAction.options).toEqual(["created", "updated", "deleted"]))

  it.each([
    ["a position between two others", { id: 1.5 }],
    ["an action of its own", { action: "moved" }],
    ["a patch that is no object", { patch: [] }],
    ["nobody who did it", { actor: null }],
    ["no project, not even none", { projectUuid: undefined }],
  ])("does not have %s", (_, change) => expect(LogEvent.safeParse({ ...event, ...change }).success).toBe(false))

  it("may be of no project and of no request", () => {
    expect(LogEvent.parse({ ...event, projectUuid: null, requestId: null })).toMatchObject({
      projectUuid: null,
      requestId: null,
    })
  })

  it("can be shown to programs in other languages", () => {
    expect(z.toJSONSchema(LogEvent)).toMatchObject({
      type: "object",
      required: [
        "id",
        "at",
        "kind",
        "entityType",
        "entityUuid",
        "projectUuid",
        "action",
        "patch",
        "actor",
        "requestId",
      ],
    })
  })
})
