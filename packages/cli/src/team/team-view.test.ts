import { stripVTControlCharacters } from "node:util"
import type { TeamFact, TeamTask } from "@chorus/contracts"
import { expect, test } from "vitest"
import { columnsOf } from "../output.ts"
import { TeamView } from "./team-view.ts"

const about = { team: "t", at: "2026-01-01T10:00:00.000Z" }
const task = (id: string, more: Partial<TeamTask> = {}): TeamFact => ({
  ...about,
  fact: "task",
  links: [],
  task: { id, subject: `task ${id}`, description: "", status: "pending", blocks: [], blockedBy: [], ...more },
})
const message = (text: string, sentAt: string, kind = "message"): TeamFact => ({
  ...about,
  fact: "message",
  id: text,
  from: "alice",
  to: "team-lead",
  kind,
  text,
  sentAt,
})

function drawn(facts: readonly TeamFact[], size = { columns: 80, rows: 30 }): string[] {
  const view = new TeamView()
  for (const fact of facts) view.hear(fact)
  return view.lines("t", size).map((line) => stripVTControlCharacters(line))
}

test("tasks stand under what they wait for", () => {
  const lines = drawn([
    task("1", { status: "completed" }),
    task("2", { blockedBy: ["1"], owner: "alice", status: "in_progress" }),
    task("3", { blockedBy: ["2"] }),
  ])
  expect(lines).toContain("✔ #1 task 1")
  expect(lines).toContain("  └ ◼ #2 task 2 alice")
  expect(lines).toContain("    └ ◻ #3 task 3 waits for #2")
})

test("a circle that another program wrote does not hang the view", () => {
  expect(drawn([task("1", { blockedBy: ["2"] }), task("2", { blockedBy: ["1"] })]).join("\n")).toContain("#2 task 2")
})

test("messages are in order of sending, harmless, and never wider than the screen", () => {
  const lines = drawn([
    message("later", "2026-01-01T10:00:02.000Z"),
    message(`first \u001b]0;title\u0007\n${"x".repeat(300)}`, "2026-01-01T10:00:01.000Z"),
  ])
  const shown = lines.filter((line) => line.includes("→"))
  expect(shown[0]).toMatch(/first +x/)
  expect(shown[1]).toContain("later")
  expect(lines.every((line) => [...line].length <= 80)).toBe(true)
})

const member = (name: string, more: object = {}, state: "working" | "idle" | "needsInput" = "working"): TeamFact => ({
  ...about,
  fact: "member",
  lead: name === "team-lead",
  state,
  member: { agentId: `${name}@t`, name, joinedAt: 1, agentType: "Explore", backendType: "process", ...more } as never,
})

test("a member is shown with what it does, the lead as the lead", () => {
  const lines = drawn([
    member("team-lead"),
    member("ann"),
    member("bob", {}, "needsInput"),
    task("1", { owner: "ann", status: "in_progress", activeForm: "Digging" }),
  ])
  expect(lines[0]).toBe("t 3 members · 1 open tasks")
  expect(lines.slice(2, 5)).toEqual([
    "● team-lead  lead        ",
    "● ann        working     #1 Digging",
    "◐ bob        needs input Explore process",
  ])
})

test("a member that left, a task that was removed and a team that is gone are not shown as if they were there", () => {
  const lines = drawn([
    member("ann"),
    task("1"),
    { ...about, fact: "member_left", name: "ann" },
    { ...about, fact: "task_removed", taskId: "1" },
    { ...about, fact: "team_gone" },
  ])
  expect(lines).toEqual(["t is gone", "", "q to leave"])
})

test("a team that comes back is there again", () => {
  expect(
    drawn([{ ...about, fact: "team_gone" }, { ...about, fact: "team", era: "inbox", ledByChorus: true } as never])[0],
  ).toBe("t 0 members · 0 open tasks")
})

test("what Claude Code keeps for itself is no task on the screen", () => {
  expect(drawn([task("1", { metadata: { _internal: true } })]).join("\n")).not.toContain("#1")
})

test("more tasks than fit are counted", () => {
  const lines = drawn(
    Array.from({ length: 30 }, (_, n) => task(String(n + 1))),
    { columns: 60, rows: 20 },
  )
  expect(lines).toContain("  and 24 more")
  expect(lines.filter((line) => line.includes("◻"))).toHaveLength(6)
})

test("of many messages the newest are shown, and protocol is named instead of spelled out", () => {
  const many = Array.from({ length: 300 }, (_, n) =>
    message(
      `m${n}`,
      `2026-01-01T10:${String(Math.floor(n / 60)).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}.000Z`,
    ),
  )
  const lines = drawn(
    [...many, message('{"type":"idle_notification"}', "2026-01-01T11:00:00.000Z", "idle_notification")],
    { columns: 80, rows: 12 },
  )
  expect(lines.at(-2)).toBe("11:00:00 alice → team-lead  idle notification")
  expect(lines.at(-3)).toContain("m299")
})

test("no line is wider than the screen, whoever wrote what into it", () => {
  const long = "项目🎨x".repeat(60)
  const facts: TeamFact[] = [
    member(long),
    member("ann", { agentType: long }),
    task("1", { subject: long, owner: long, blockedBy: ["2"] }),
    task("2", { subject: long }),
    message(long, "2026-01-01T10:00:00.000Z"),
    {
      ...about,
      fact: "message",
      id: "m",
      from: long,
      to: long,
      kind: long,
      text: long,
      sentAt: "2026-01-01T10:00:00.000Z",
    },
    {
      ...about,
      fact: "request",
      request: "permission",
      requestId: "r",
      member: long,
      text: long,
      toolName: long,
      decidable: true,
    },
  ]
  for (const columns of [20, 40, 80, 200])
    for (const line of drawn(facts, { columns, rows: 40 })) expect(columnsOf(line)).toBeLessThanOrEqual(columns)
})

test("what waits for a person is shown until it is settled, and the screen is never overfull", () => {
  const request: TeamFact = {
    ...about,
    fact: "request",
    request: "permission",
    requestId: "r",
    member: "alice",
    input: { command: "rm -r till", description: "List" },
    text: "List",
    toolName: "Bash",
    decidable: true,
  }
  expect(drawn([request]).join("\n")).toContain("? alice Bash rm -r till")
  expect(
    drawn([
      request,
      { ...about, fact: "request_settled", request: "permission", requestId: "r", member: "alice", approved: true },
    ]).join("\n"),
  ).not.toContain("Bash")
  const many = Array.from({ length: 100 }, (_, n) => task(String(n + 1)))
  expect(drawn(many, { columns: 60, rows: 20 }).length).toBeLessThanOrEqual(20)
})
