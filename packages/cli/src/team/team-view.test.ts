import { stripVTControlCharacters } from "node:util"
import type { TeamFact, TeamTask } from "@chorus/contracts"
import { expect, test } from "vitest"
import { TeamView } from "./team-view.ts"

const about = { team: "t", at: "2026-01-01T10:00:00.000Z" }
const task = (id: string, more: Partial<TeamTask> = {}): TeamFact => ({ ...about, fact: "task", links: [], task: { id, subject: `task ${id}`, description: "", status: "pending", blocks: [], blockedBy: [], ...more } })
const message = (text: string, sentAt: string, kind = "message"): TeamFact => ({ ...about, fact: "message", id: text, from: "alice", to: "team-lead", kind, text, sentAt })

function drawn(facts: readonly TeamFact[], size = { columns: 80, rows: 30 }): string[] {
  const view = new TeamView()
  for (const fact of facts) view.hear(fact)
  return view.lines("t", size).map((line) => stripVTControlCharacters(line))
}

test("tasks stand under what they wait for", () => {
  const lines = drawn([task("1", { status: "completed" }), task("2", { blockedBy: ["1"], owner: "alice", status: "in_progress" }), task("3", { blockedBy: ["2"] })])
  expect(lines).toContain("✔ #1 task 1")
  expect(lines).toContain("  └ ◼ #2 task 2 alice")
  expect(lines).toContain("    └ ◻ #3 task 3 waits for #2")
})

test("a circle that another program wrote does not hang the view", () => {
  expect(drawn([task("1", { blockedBy: ["2"] }), task("2", { blockedBy: ["1"] })]).join("\n")).toContain("#2 task 2")
})

test("messages are in order of sending, harmless, and never wider than the screen", () => {
  const lines = drawn([message("later", "2026-01-01T10:00:02.000Z"), message(`first \u001b]0;title\u0007\n${"x".repeat(300)}`, "2026-01-01T10:00:01.000Z")])
  const shown = lines.filter((line) => line.includes("→"))
  expect(shown[0]).toMatch(/first +x/)
  expect(shown[1]).toContain("later")
  expect(lines.every((line) => [...line].length <= 80)).toBe(true)
})

test("what waits for a person is shown until it is settled, and the screen is never overfull", () => {
  const request: TeamFact = { ...about, fact: "request", request: "permission", requestId: "r", member: "alice", text: "List", toolName: "Bash", decidable: true }
  expect(drawn([request]).join("\n")).toContain("? alice Bash List")
  expect(drawn([request, { ...about, fact: "request_settled", request: "permission", requestId: "r", member: "alice", approved: true }]).join("\n")).not.toContain("Bash")
  const many = Array.from({ length: 100 }, (_, n) => task(String(n + 1)))
  expect(drawn(many, { columns: 60, rows: 20 }).length).toBeLessThanOrEqual(20)
})
