import { EVENT_KINDS, type EventKind, notifications } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { bondsOf, NOTIFICATION_RULES, type NotificationRule, type Party, recipientsOf } from "./notification-rules.ts"

const ann: Party = { type: "user", uuid: "ann" }
const bob: Party = { type: "user", uuid: "bob" }
const bot: Party = { type: "agent", uuid: "bot" }

function rule(kind: string): NotificationRule {
  const found: NotificationRule | undefined = NOTIFICATION_RULES[kind as EventKind]
  if (found === undefined) throw new Error(`no rule for ${kind}`)
  return found
}

describe("notification rules", () => {
  it("never tell who did it, and nobody twice", () => {
    expect(recipientsOf(rule("task.started"), { assignee: [bot], creator: [ann] }, "bot")).toEqual([ann])
    expect(recipientsOf(rule("elaboration.started"), { creator: [ann], actorOwner: [ann] }, "bot")).toEqual([ann])
  })

  it("tell a person that a proposal waits, whatever happens", () => {
    expect(recipientsOf(rule("proposal.submitted"), { actorOwner: [ann], ideaPeople: [bob, bot] }, "bot")).toEqual([
      ann,
      bob,
    ])
    expect(recipientsOf(rule("proposal.submitted"), { ideaPeople: [bot], stewards: [ann] }, "bot")).toEqual([ann])
    expect(recipientsOf(rule("proposal.submitted"), { ideaPeople: [ann], stewards: [ann, bob] }, "ann")).toEqual([bob])
  })

  it("tell the agents of the same proposal about a free task only when nobody holds it", () => {
    expect(
      recipientsOf(rule("task.unblocked"), { assignee: [bot], teammates: [{ type: "agent", uuid: "other" }] }, "x"),
    ).toEqual([bot])
    expect(recipientsOf(rule("task.unblocked"), { teammates: [bot] }, "x")).toEqual([bot])
  })

  it.each(Object.keys(NOTIFICATION_RULES))("%s says what happened in one sentence", (kind) => {
    const text = rule(kind).says("Ann", "Login", {
      content: "hi",
      before: { title: "Log in", criteria: ["It opens."] },
      criteria: ["It opens and closes."],
      preview: "The table is ready.",
      to: "dependents",
      version: 2,
      reviewNote: "because",
      reason: "why",
      verdict: "pass_with_notes",
      name: "plan.txt",
      passed: 2,
      failed: 1,
    })
    expect(text).toMatch(/Login/)
    expect(text).not.toMatch(/undefined|\n/)
    expect(bondsOf(rule(kind)).size).toBeGreaterThan(0)
  })

  it("cover every kind of notification but the mention, which has its own source", () => {
    const covered = new Set(Object.values(NOTIFICATION_RULES).map(({ action }) => action))
    expect(notifications.NotificationAction.options.filter((action) => !covered.has(action))).toEqual(["mentioned"])
  })
})

/** Every event that tells somebody: as what, whom, and in which words. */
const TOLD: readonly [kind: string, action: string, to: string, says: string][] = [
  ["task.assigned", "task_assigned", "assignee", 'Ann assigned "Login" to you.'],
  ["task.claimed", "task_status_changed", "creator", 'Ann claimed "Login".'],
  ["task.started", "task_status_changed", "assignee, creator", 'Ann started "Login".'],
  ["task.released", "task_status_changed", "creator", 'Ann gave "Login" back.'],
  [
    "task.reclaimed",
    "changed",
    "previousAssignee, previousOwner, ideaHolder, creator",
    'Ann took "Login" back from its holder.',
  ],
  ["task.closed", "task_status_changed", "assignee, creator, ideaHolder", 'Ann closed "Login".'],
  [
    "task.submitted",
    "task_submitted_for_verify",
    "actorOwner, creator",
    'Ann handed in "Login"; it waits to be verified.',
  ],
  [
    "task.checked",
    "task_submitted_for_verify",
    "actorOwner, creator",
    '"Login" was handed in and waits to be verified; of its checks 2 passed and 1 failed.',
  ],
  ["task.verified", "task_verified", "assignee", 'Ann verified "Login".'],
  ["task.reopened", "task_reopened", "assignee, ideaHolder", 'Ann reopened "Login".'],
  ["task.taken_back", "task_status_changed", "actorOwner, creator", 'Ann took the hand-in of "Login" back.'],
  ["task.reported", "task_reported", "dependents", 'Ann on "Login", which your work builds on: The table is ready.'],
  ["task.updated", "changed", "assignee, creator, ideaHolder", 'Ann changed "Login", which was "Log in".'],
  [
    "task.criteria_replaced",
    "changed",
    "assignee, creator, ideaHolder",
    'Ann changed the criteria of "Login" from "It opens." to "It closes."',
  ],
  ["idea.updated", "changed", "creator, assignee, builders", 'Ann changed "Login", which was "Log in".'],
  [
    "document.updated",
    "changed",
    "creator, author, ideaPeople, ideaHolder, builders",
    'Ann changed "Login": version 2.',
  ],
  ["task.deleted", "changed", "assignee, creator, ideaHolder", 'Ann deleted "Login".'],
  ["idea.deleted", "changed", "creator, assignee", 'Ann deleted "Login".'],
  ["document.deleted", "changed", "creator, author, ideaHolder, builders", 'Ann deleted "Login".'],
  [
    "task.unblocked",
    "task_unblocked",
    "assignee, teammates",
    '"Login" can start: everything it depends on is finished.',
  ],
  [
    "proposal.submitted",
    "proposal_submitted",
    "actorOwner, ideaPeople, stewards",
    'Ann submitted "Login"; it waits for approval.',
  ],
  ["proposal.approved", "proposal_approved", "author, ideaHolder", 'Ann approved "Login".'],
  ["proposal.rejected", "proposal_rejected", "author, ideaHolder", 'Ann rejected "Login".'],
  ["proposal.revoked", "proposal_rejected", "author, ideaHolder", 'Ann revoked the approval of "Login".'],
  ["proposal.closed", "proposal_rejected", "author, ideaHolder", 'Ann closed "Login".'],
  ["idea.claimed", "idea_claimed", "creator, assignee", 'Ann took up "Login".'],
  ["idea.assigned", "idea_assigned", "assignee, creator", 'Ann assigned "Login".'],
  ["elaboration.started", "elaboration_requested", "creator, actorOwner", 'Ann has questions about "Login".'],
  [
    "elaboration.answered",
    "elaboration_answered",
    "assignee, creator, builders",
    'Ann answered questions about "Login".',
  ],
  ["elaboration.validated", "elaboration_verified", "assignee", 'Ann confirmed the answers on "Login".'],
  ["idea.progressed", "idea_done", "assignee, creator", 'Everything of "Login" is done.'],
  ["attention.answered", "attention_answered", "asker", 'Ann answered "Login".'],
  ["attention.unheard", "changed", "answerer", 'Ann went on without your answer to "Login".'],
  ["comment.added", "comment_added", "assignee, creator, threadAuthor", 'Ann on "Login": Hi.'],
  ["report.created", "report_created", "author, ideaPeople, actorOwner", 'Ann wrote the completion report "Login".'],
  [
    "review.submitted",
    "review_submitted",
    "assignee, author, actorOwner, creator",
    'Ann reviewed "Login": pass: Reads well.',
  ],
  ["attachment.added", "changed", "assignee, builders", 'Ann added the file "plan.txt" to "Login".'],
  ["attention.created", "attention_requested", "wisher, agentOwner, stewards", "Ann waits for you: Login"],
]

describe("the rule for each event", () => {
  it.each(TOLD)("%s is told as %s to %s", (kind, action, to, says) => {
    expect([
      rule(kind).action,
      [...bondsOf(rule(kind))].join(", "),
      rule(kind).says("Ann", "Login", {
        verdict: "pass",
        summary: "Reads well.",
        name: "plan.txt",
        content: "Hi.",
        before: { title: "Log in", criteria: ["It opens."] },
        criteria: ["It closes."],
        to: "dependents",
        preview: "The table is ready.",
        version: 2,
        passed: 2,
        failed: 1,
      }),
    ]).toEqual([action, to, says])
  })

  it("is in this table, and is for an event there is", () => {
    expect(Object.keys(NOTIFICATION_RULES).sort()).toEqual(TOLD.map(([kind]) => kind).sort())
    for (const [kind] of TOLD) expect(EVENT_KINDS).toHaveProperty([kind])
  })

  it.each([
    ["task.reopened", { reason: "It squeaks." }, 'Ann reopened "Login": It squeaks.'],
    ["task.reopened", { reason: "" }, 'Ann reopened "Login".'],
    ["proposal.rejected", { reviewNote: "Smaller." }, 'Ann rejected "Login": Smaller.'],
    ["proposal.revoked", { reviewNote: null }, 'Ann revoked the approval of "Login".'],
    ["review.submitted", { verdict: "pass_with_notes" }, 'Ann reviewed "Login": pass with notes.'],
    ["comment.added", { content: "Nice door." }, 'Ann on "Login": Nice door.'],
    ["task.reported", { preview: "to nobody in particular" }, undefined],
    ["task.updated", { priority: "low" }, undefined],
    ["idea.updated", { parentUuid: null }, undefined],
    [
      "idea.updated",
      { content: "In *two* clicks.", before: { content: "Soon." } },
      'Ann changed "Login": In two clicks.',
    ],
    ["task.updated", { description: null, before: { description: "Soon." } }, 'Ann changed "Login".'],
    ["attention.answered", { answer: { decision: "deny", text: "No." } }, 'Ann answered "Login": deny: No.'],
    [
      "elaboration.answered",
      { said: "Wood? — Oak (before: Pine)", changed: true },
      'Ann changed an answer about "Login":\nWood? — Oak (before: Pine)',
    ],
    [
      "elaboration.answered",
      { said: "Wood? — Oak", askAgain: true },
      'Ann answered questions about "Login" and wants to be asked further:\nWood? — Oak',
    ],
  ])("%s says with %j: %s", (kind, patch, says) => expect(rule(kind).says("Ann", "Login", patch)).toBe(says))

  it("tells people only where it is theirs to act", () => {
    expect(Object.keys(NOTIFICATION_RULES).filter((kind) => rule(kind).peopleOnly === true)).toEqual([
      "proposal.submitted",
      "attention.created",
    ])
  })

  it("tells nobody where nobody is tied to it", () => {
    for (const [kind] of TOLD) expect(recipientsOf(rule(kind), {}, "ann"), kind).toEqual([])
  })

  it("tells nobody but those who have a bond it names", () => {
    expect(recipientsOf(rule("task.assigned"), { creator: [ann], stewards: [bob] }, "x")).toEqual([])
  })
})
