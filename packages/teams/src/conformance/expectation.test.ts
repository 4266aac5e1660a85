import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../../test/scratch-team.ts"
import { check, type Expectation } from "./expectation.ts"

let root: string
beforeEach(() => {
  root = scratchFolder()
  put("teams/t/config.json", { members: [{ name: "team-lead" }, { name: "bob", color: "blue" }] })
  put("teams/t/inboxes/bob.json", [
    { from: "x", text: "old", timestamp: "2026-01-01T00:00:00.000Z", read: true },
    {
      from: "x",
      text: '{"type":"shutdown_request","requestId":"r-1","timestamp":"2026-01-01T00:00:00.000Z"}',
      timestamp: "2026-01-01T00:00:00.000Z",
    },
  ])
  put("tasks/t/1.json", { id: "1", status: "pending" })
  put("tasks/t/.highwatermark", "3\n")
})

function put(path: string, value: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), typeof value === "string" ? value : JSON.stringify(value))
}

const saved = new Map([["first", "r-1"]])
const holds = (step: Expectation) => () => check(root, "t", step, saved)
const old = { from: "x", text: "old", timestamp: "$time", read: true }
const request = {
  from: "x",
  text: { type: "shutdown_request", requestId: "$first", timestamp: "$time" },
  timestamp: "$time",
}

describe("an expectation of a trace", () => {
  it.each<[string, Expectation]>([
    ["an inbox, with times and saved ids filled in", { expect: "inbox", agent: "bob", entries: [old, request] }],
    ["what is unread", { expect: "unread", agent: "bob", entries: [request] }],
    ["a task", { expect: "task", id: "1", equals: { id: "1", status: "pending" } }],
    ["no task", { expect: "no_task", id: "2" }],
    ["a file, but for the line's end", { expect: "file", path: "tasks/t/.highwatermark", equals: "3" }],
    ["no file", { expect: "no_file", path: "tasks/t/2.json" }],
    ["members", { expect: "members", names: ["team-lead", "bob"] }],
    ["members with colours", { expect: "members", names: ["team-lead", "bob"], colors: [null, "blue"] }],
    ["two that differ", { expect: "differ", one: "$first", other: "r-2" }],
  ])("holds for %s", (_, step) => {
    expect(holds(step)).not.toThrow()
  })

  it.each<[string, Expectation]>([
    ["a message too few", { expect: "inbox", agent: "bob", entries: [request] }],
    ["messages in another order", { expect: "inbox", agent: "bob", entries: [request, old] }],
    ["a field too many", { expect: "unread", agent: "bob", entries: [{ ...request, color: "blue" }] }],
    [
      "another id",
      { expect: "unread", agent: "bob", entries: [{ ...request, text: { ...request.text, requestId: "r-9" } }] },
    ],
    ["an inbox that is not there", { expect: "inbox", agent: "carol", entries: [] }],
    ["another task", { expect: "task", id: "1", equals: { id: "1", status: "completed" } }],
    ["a task that should be gone", { expect: "no_task", id: "1" }],
    ["other content of a file", { expect: "file", path: "tasks/t/.highwatermark", equals: "33" }],
    ["a file that should be gone", { expect: "no_file", path: "tasks/t/1.json" }],
    ["a member too few", { expect: "members", names: ["team-lead"] }],
    ["members with other colours", { expect: "members", names: ["team-lead", "bob"], colors: [null, "green"] }],
    ["two that are the same", { expect: "differ", one: "$first", other: "r-1" }],
    ["a word nobody knows", { expect: "miracle" }],
  ])("fails for %s", (_, step) => {
    expect(holds(step)).toThrow()
  })

  it("does not take any text for a time", () => {
    put("teams/t/inboxes/bob.json", [{ from: "x", text: "y", timestamp: "yesterday" }])
    expect(holds({ expect: "inbox", agent: "bob", entries: [{ from: "x", text: "y", timestamp: "$time" }] })).toThrow()
  })
})
