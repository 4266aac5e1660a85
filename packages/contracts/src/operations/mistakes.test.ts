import { describe, expect, it } from "vitest"
import { faults } from "../../test/contract.ts"
import { OTHER, PROJECT, TASK } from "../../test/field-rule.ts"
import type { OperationName } from "./signatures.ts"
import { signatures } from "./signatures.ts"

/** What callers get wrong most, and what they read then: where it is, and what would be right. */
const MISTAKES: readonly [mistake: string, operation: OperationName, input: unknown, told: readonly string[]][] = [
  ["nothing at all", "chorus_claim_task", undefined, [": Invalid input: expected object, received undefined"]],
  ["a list in place of an object", "chorus_claim_task", [TASK], [": Invalid input: expected object, received array"]],
  ["no id", "chorus_claim_task", {}, ["taskUuid: Invalid input: expected string, received undefined"]],
  ["a title in place of an id", "chorus_claim_task", { taskUuid: "Fit the door" }, ["taskUuid: Invalid UUID"]],
  [
    "an id under another name",
    "chorus_claim_task",
    { uuid: TASK },
    ["taskUuid: Invalid input: expected string, received undefined"],
  ],
  [
    "a status there is not",
    "chorus_list_tasks",
    { projectUuid: PROJECT, status: "todo" },
    ['status: Invalid option: expected one of "open"|"assigned"|"in_progress"|"to_verify"|"done"|"closed"'],
  ],
  [
    "a status one may not set",
    "chorus_update_task",
    { taskUuid: TASK, status: "done" },
    ['status: Invalid option: expected one of "in_progress"|"to_verify"'],
  ],
  [
    "a title of nothing",
    "chorus_pm_create_idea",
    { projectUuid: PROJECT, title: "  " },
    ["title: Too small: expected string to have >=1 characters"],
  ],
  [
    "a title of two lines",
    "chorus_pm_create_idea",
    { projectUuid: PROJECT, title: "A door\nand a window" },
    ["title: must be one line without control characters"],
  ],
  [
    "a title that is too long",
    "chorus_pm_create_idea",
    { projectUuid: PROJECT, title: "x".repeat(300) },
    ["title: Too big: expected string to have <=256 characters"],
  ],
  [
    "text with colours of a terminal",
    "chorus_report_work",
    { taskUuid: TASK, report: "\u001b[31mfailed" },
    ["report: must not hold control characters"],
  ],
  [
    "a task without criteria",
    "chorus_create_tasks",
    { projectUuid: PROJECT, tasks: [{ title: "Fit", acceptanceCriteriaItems: [] }] },
    ["tasks.0.acceptanceCriteriaItems: Too small: expected array to have >=1 items"],
  ],
  [
    "criteria as texts where objects are asked for",
    "chorus_create_tasks",
    { projectUuid: PROJECT, tasks: [{ title: "Fit", acceptanceCriteriaItems: ["It opens."] }] },
    ["tasks.0.acceptanceCriteriaItems.0: Invalid input: expected object, received string"],
  ],
  [
    "no tasks to create",
    "chorus_create_tasks",
    { projectUuid: PROJECT, tasks: [] },
    ["tasks: Too small: expected array to have >=1 items"],
  ],
  [
    "points as text",
    "chorus_update_task",
    { taskUuid: TASK, storyPoints: "3" },
    ["storyPoints: Invalid input: expected number, received string"],
  ],
  [
    "points below nothing",
    "chorus_update_task",
    { taskUuid: TASK, storyPoints: -1 },
    ["storyPoints: Too small: expected number to be >=0"],
  ],
  [
    "a question with one option",
    "chorus_pm_start_elaboration",
    {
      ideaUuid: TASK,
      depth: "minimal",
      questions: [{ id: "q", text: "?", category: "scope", options: [{ id: "a", label: "A" }] }],
    },
    ["questions.0.options: Too small: expected array to have >=2 items"],
  ],
  [
    "an answer without its question",
    "chorus_answer_elaboration",
    { ideaUuid: TASK, answers: [{ selectedOptionId: "a" }] },
    ["answers.0.questionId: Invalid input: expected string, received undefined"],
  ],
  [
    "a rejection without a reason",
    "chorus_pm_reject_proposal",
    { proposalUuid: TASK, reviewNote: " " },
    ["reviewNote: must say why"],
  ],
  [
    "a verdict that is none",
    "chorus_mark_acceptance_criteria",
    { taskUuid: TASK, criteria: [{ uuid: OTHER, status: "pending" }] },
    ['criteria.0.status: Invalid option: expected one of "passed"|"failed"'],
  ],
  [
    "a finding's key in small letters",
    "chorus_submit_review",
    { targetType: "task", targetUuid: TASK, verdict: "pass", summary: "ok", resolvedKeys: ["b1"] },
    ["resolvedKeys.0: Invalid string: must match pattern /^[BN][1-9][0-9]{0,3}$/"],
  ],
  [
    "a link without a scheme",
    "chorus_add_reference",
    { targetType: "task", targetUuid: TASK, type: "docs", url: "example.org", title: "Doors" },
    ["url: Invalid URL"],
  ],
  [
    "a link that runs a script",
    "chorus_add_reference",
    { targetType: "task", targetUuid: TASK, type: "docs", url: "javascript:alert(1)", title: "Doors" },
    ["url: Invalid URL"],
  ],
  [
    "a path in place of a file's name",
    "chorus_add_attachment",
    { targetType: "task", targetUuid: TASK, name: "a/b", mediaType: "a/b", contentBase64: "" },
    ["name: must be a file name, not a path"],
  ],
  [
    "paths to reserve for too long",
    "chorus_reserve_paths",
    { taskUuid: TASK, globs: ["src/**"], ttlMinutes: 10_000 },
    ["ttlMinutes: Too big: expected number to be <=1440"],
  ],
  [
    "a search in a project that is not named",
    "chorus_search",
    { query: "door", scope: "project" },
    ["scopeUuid: must name the group or project of this scope"],
  ],
  ["nothing to mark as read", "chorus_mark_notification_read", {}, [": give notificationUuid, or all: true"]],
  [
    "an answer that says nothing",
    "chorus_answer_attention",
    { attentionUuid: OTHER, answer: {} },
    ["answer: must hold a decision or a text"],
  ],
  [
    "a webhook with a password in it",
    "chorus_create_webhook",
    { url: "https://a:b@example.org" },
    ["url: must not hold a name or password"],
  ],
  [
    "keys of a browser cut short",
    "chorus_subscribe_push",
    { endpoint: "https://push.example.org", keys: { p256dh: "AAAA", auth: "AAAA" } },
    ["keys.p256dh: must be 65 bytes in base64url", "keys.auth: must be 16 bytes in base64url"],
  ],
  ["a day in place of a moment", "chorus_get_usage", { since: "2026-03-01" }, ["since: Invalid ISO datetime"]],
  [
    "two mistakes at once",
    "chorus_pm_create_idea",
    { projectUuid: "House", title: "" },
    ["projectUuid: Invalid UUID", "title: Too small: expected string to have >=1 characters"],
  ],
]

describe("a caller who gives", () => {
  it.each(MISTAKES)("%s to %s is told where and what", (_, operation, input, told) => {
    const found = signatures.find(({ name }) => name === operation)
    expect(found && faults(found.input, input)).toEqual(told)
  })

  it("a mistake in our own words reads what must be, or what to give", () => {
    const ours = MISTAKES.flatMap(([, , , told]) => told)
      .map((line) => line.replace(/^[^:]*: /, ""))
      .filter((message) => /^[a-z]/.test(message))
    expect(ours.length).toBeGreaterThan(8)
    for (const message of ours) expect(message).toMatch(/^(must|give) /)
  })
})
