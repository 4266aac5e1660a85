import { describe, expect, it } from "vitest"
import {
  ActorKind,
  attentions,
  changes,
  channels,
  checks,
  criteria,
  deliveries,
  documents,
  drafts,
  elaboration,
  EventAction,
  ideas,
  landings,
  notifications,
  projects,
  proposals,
  references,
  pullRequests,
  reservations,
  returned,
  reviews,
  revisions,
  Role,
  runs,
  sessions,
  tasks,
  versions,
  views,
} from "@chorus/contracts"
import { memoryStore, type Memory, undoEach } from "../../test/memory.ts"
import { AT, furnish, row } from "../../test/rows.ts"

const memory = await memoryStore()
const { db } = memory
await furnish(db)
undoEach(memory)

/** The values that each column of the store is limited to, as its tables say. */
function choicesIn(database: Memory["database"]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { name, sql } of database
    .prepare("select name, sql from sqlite_master where type = 'table' and sql is not null")
    .all()) {
    for (const [, column = "", values = ""] of String(sql).matchAll(/check \("(\w+)" in \(([^)]*)\)\)/g)) {
      found.set(
        `${String(name)}.${column}`,
        values.split(",").map((value) => value.trim().replaceAll("'", "")),
      )
    }
  }
  return found
}

const ACTORS = ActorKind.options
const TARGETS = ["idea", "proposal", "task", "document"]

/**
 * Where the contracts say the same words: nobody may be promised a value that the store refuses, nor find one there
 * that has no name.
 */
const SAID_IN_CONTRACTS: Readonly<Record<string, readonly string[]>> = {
  "users.role": Role.options,
  "channels.kind": channels.ChannelKind.options,
  "changeVersions.origin": changes.ChangeRow.shape.origin.options,
  "checks.state": checks.CheckState.options,
  "checks.source": checks.CheckSource.options,
  "changeThreads.severity": changes.Severity.options,
  "changeThreads.side": changes.ThreadRow.shape.side.options,
  "changeThreads.state": changes.ThreadRow.shape.state.options,
  "projects.status": projects.ProjectRow.shape.status.options,
  "events.action": EventAction.options,
  "events.actorType": ACTORS,
  "ideas.status": ideas.IdeaStatus.options,
  "ideas.elaborationDepth": ideas.ElaborationDepth.options,
  "ideas.elaborationStatus": ideas.ElaborationStatus.options,
  "elaborationRounds.depth": ideas.ElaborationDepth.options,
  "elaborationRounds.status": elaboration.Round.shape.status.options,
  "elaborationQuestions.category": elaboration.QuestionCategory.options,
  "proposals.inputType": proposals.ProposalRow.shape.inputType.options,
  "proposals.status": proposals.ProposalStatus.options,
  "proposalRevisions.outcome": revisions.RevisionRow.shape.outcome.options,
  "documents.type": documents.DocumentRow.shape.type.options,
  "documentDrafts.type": drafts.DocumentType.options,
  "taskDrafts.priority": drafts.Priority.options,
  "referenceLinks.type": references.ReferenceType.options,
  "referenceLinks.targetType": references.ReferenceRow.shape.targetType.options,
  "attachmentFiles.targetType": TARGETS,
  "reviews.targetType": reviews.ReviewRow.shape.targetType.options,
  "reviews.verdict": reviews.ReviewVerdict.options,
  "findings.severity": reviews.FindingRow.shape.severity.options,
  "findings.state": reviews.FindingState.options,
  "handIns.outcome": returned.HandIn.shape.outcome.options,
  "textVersions.targetType": versions.VersionTarget.options,
  "notificationPreferences.digest": notifications.Digest.options,
  "views.layout": views.ViewLayout.options,
  "tasks.status": tasks.TaskStatus.options,
  "tasks.priority": tasks.TaskPriority.options,
  "criteria.status": criteria.CriterionVerdict.options,
  "criteria.devStatus": criteria.CriterionVerdict.options,
  "criterionVerdicts.status": criteria.CriterionVerdict.options,
  "criterionVerdicts.track": criteria.VerdictRow.shape.track.options,
  "reservations.releaseReason": reservations.ReservationRow.shape.releaseReason.unwrap().options,
  "attentions.kind": attentions.AttentionKind.options,
  "sessions.spawn": sessions.Spawn.options,
  "runs.program": runs.RunProgram.options,
  "runs.work": runs.RunWork.options,
  "runs.stoppedFor": ["budget", "loop"],
  "landings.act": landings.LandingAct.options,
  "landings.how": landings.LandingHow.options,
  "landings.state": landings.LandingState.options,
  "pullRequests.state": pullRequests.PullRequestState.options,
  "pullRequests.checks": pullRequests.PullRequestChecks.options,
  "runs.mode": runs.RunMode.options,
  "runs.state": runs.RunState.options,
  "comments.targetType": TARGETS,
  "notifications.recipientType": notifications.NotificationRow.shape.recipientType.options,
  "deliveries.kind": deliveries.DeliveryKind.options,
  "deliveries.state": deliveries.DeliveryState.options,
}

describe("a column with a choice", () => {
  it.each(Object.entries(SAID_IN_CONTRACTS))("%s has the words that the contracts have", (column, words) => {
    expect(choicesIn(memory.database).get(column)).toEqual(words)
  })

  it("that says who did something knows people, agents and the system", () => {
    const who = [...choicesIn(memory.database)].filter(
      ([column]) => /\.(actor|author|assignee|reviewer|\w+By)Type$/.test(column) && column !== "mentions.actorType",
    )
    expect(who.length).toBeGreaterThan(20)
    for (const [column, words] of who) expect(words, column).toEqual(["user", "agent", "system"])
  })

  it("is stated for every column that the contracts or the code know choices of", () => {
    const others = [...choicesIn(memory.database).keys()]
      .filter((column) => !(column in SAID_IN_CONTRACTS) && !column.endsWith("Type"))
      .sort()
    expect(others).toEqual([
      "attentions.answerable",
      "bridges.allowPrivate",
      "changeVersions.baseMoved",
      "channels.allowPrivate",
      "checks.decides",
      "checks.near",
      "checks.preview",
      "criteria.required",
      "draftVersions.kind",
      "elaborationQuestions.required",
      "elaborationRounds.askAgain",
      "elaborationRounds.isAppended",
      "ideas.isContainer",
      "landings.pushed",
      "sessions.status",
      "teamMembers.lead",
      "teams.ledByChorus",
      "views.shared",
      "webhooks.active",
      "webhooks.allowPrivate",
    ])
  })

  it("refuses every other word", async () => {
    await expect(
      db
        .insertInto("tasks")
        .values(row.task({ status: "lost" as never }))
        .execute(),
    ).rejects.toThrow(/CHECK constraint failed/)
    await expect(
      db
        .insertInto("users")
        .values(row.user({ uuid: "u2", role: "king" as never }))
        .execute(),
    ).rejects.toThrow(/CHECK constraint failed/)
    await expect(
      db
        .insertInto("ideas")
        .values(row.idea({ isContainer: 2 }))
        .execute(),
    ).rejects.toThrow(/CHECK constraint failed/)
  })
})

describe("what there may be only one of", () => {
  it("is a person with an address, in whatever case it is written", async () => {
    await db
      .insertInto("users")
      .values(row.user({ uuid: "u2", email: "ada@example.org" }))
      .execute()
    await expect(
      db
        .insertInto("users")
        .values(row.user({ uuid: "u3", email: "ADA@example.org" }))
        .execute(),
    ).rejects.toThrow(/UNIQUE/)
  })

  it("is not a person without an address: there may be many", async () => {
    await db
      .insertInto("users")
      .values([row.user({ uuid: "u2" }), row.user({ uuid: "u3" })])
      .execute()
    expect(await db.selectFrom("users").select("uuid").execute()).toHaveLength(3)
  })

  it("is a task of a draft, so that approving twice creates once", async () => {
    await db.insertInto("proposals").values(row.proposal()).execute()
    await db
      .insertInto("tasks")
      .values(row.task({ proposalUuid: "r1", draftUuid: "x" }))
      .execute()
    await expect(
      db
        .insertInto("tasks")
        .values(row.task({ uuid: "t2", proposalUuid: "r1", draftUuid: "x" }))
        .execute(),
    ).rejects.toThrow(/UNIQUE/)
  })

  it("is a document of a draft", async () => {
    await db.insertInto("proposals").values(row.proposal()).execute()
    await db
      .insertInto("documents")
      .values(row.document({ proposalUuid: "r1", draftUuid: "x" }))
      .execute()
    await expect(
      db
        .insertInto("documents")
        .values(row.document({ uuid: "d2", proposalUuid: "r1", draftUuid: "x" }))
        .execute(),
    ).rejects.toThrow(/UNIQUE/)
  })

  it("is an edge between two tasks", async () => {
    await db
      .insertInto("tasks")
      .values([row.task(), row.task({ uuid: "t2" })])
      .execute()
    await db.insertInto("taskEdges").values(row.edge()).execute()
    await expect(db.insertInto("taskEdges").values(row.edge()).execute()).rejects.toThrow(/UNIQUE/)
  })

  it("is an open stay of a session on a task, while closed ones may be many", async () => {
    await db.insertInto("tasks").values(row.task()).execute()
    await db
      .insertInto("sessions")
      .values({
        uuid: "s1",
        agentUuid: "a1",
        name: "saw",
        description: null,
        status: "active",
        source: null,
        externalId: null,
        machine: null,
        parentUuid: null,
        state: null,
        stateSince: null,
        stateDetail: null,
        lastWords: null,
        touching: null,
        lastActiveAt: AT,
        createdAt: AT,
        updatedAt: AT,
        closedAt: null,
      })
      .execute()
    const stay = (uuid: string, checkoutAt: string | null) =>
      db
        .insertInto("checkins")
        .values({ uuid, sessionUuid: "s1", taskUuid: "t1", checkinAt: AT, checkoutAt, checkoutReason: null })
        .execute()
    await stay("1", AT)
    await stay("2", AT)
    await stay("3", null)
    await expect(stay("4", null)).rejects.toThrow(/UNIQUE/)
  })

  it("is usage under one key of an agent, while usage without a key may be many", async () => {
    const use = (uuid: string, dedupeKey: string | null) =>
      db
        .insertInto("usages")
        .values({
          uuid,
          workspaceUuid: "w1",
          projectUuid: null,
          agentUuid: "a1",
          sessionUuid: null,
          taskUuid: null,
          dedupeKey,
          model: null,
          inputTokens: 1,
          outputTokens: 1,
          cacheReadTokens: 0,
          cacheCreationTokens: 0,
          costUsd: null,
          source: "tool",
          at: AT,
        })
        .execute()
    await use("1", null)
    await use("2", null)
    await use("3", "k")
    await expect(use("4", "k")).rejects.toThrow(/UNIQUE/)
  })
})

describe("what goes with what it belongs to", () => {
  it("is a task's edges, criteria and their verdicts", async () => {
    await db
      .insertInto("tasks")
      .values([row.task(), row.task({ uuid: "t2" })])
      .execute()
    await db.insertInto("taskEdges").values(row.edge()).execute()
    await db.insertInto("criteria").values(row.criterion()).execute()
    await db
      .insertInto("criterionVerdicts")
      .values({
        uuid: "v1",
        criterionUuid: "c1",
        track: "dev",
        status: "passed",
        evidence: null,
        exitCode: null,
        output: null,
        markedByType: "agent",
        markedByUuid: "a1",
        markedAt: AT,
      })
      .execute()
    await db.deleteFrom("tasks").where("uuid", "=", "t1").execute()
    for (const table of ["taskEdges", "criteria", "criterionVerdicts"] as const)
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
  })

  it("is an idea's standing and its place among a proposal's inputs, not the proposal", async () => {
    await db.insertInto("ideas").values(row.idea()).execute()
    await db.insertInto("ideaStandings").values({ ideaUuid: "i1", derivedStatus: "todo", badgeHint: "open" }).execute()
    await db.insertInto("proposals").values(row.proposal()).execute()
    await db
      .insertInto("proposalInputs")
      .values({ proposalUuid: "r1", position: 0, ideaUuid: "i1", documentUuid: null })
      .execute()
    await db.deleteFrom("ideas").execute()
    expect([
      await db.selectFrom("ideaStandings").selectAll().execute(),
      await db.selectFrom("proposalInputs").selectAll().execute(),
    ]).toEqual([[], []])
    expect(await db.selectFrom("proposals").select("uuid").execute()).toEqual([{ uuid: "r1" }])
  })

  it("is not a project with its group: it stays, ungrouped", async () => {
    await db.insertInto("projectGroups").values(row.group()).execute()
    await db.updateTable("projects").set({ groupUuid: "g1" }).execute()
    await db.deleteFrom("projectGroups").execute()
    expect(await db.selectFrom("projects").select(["uuid", "groupUuid"]).execute()).toEqual([
      { uuid: "p1", groupUuid: null },
    ])
  })
})

describe("what is still needed", () => {
  it.each([
    [
      "a project with tasks",
      () => db.insertInto("tasks").values(row.task()).execute(),
      () => db.deleteFrom("projects").execute(),
    ],
    [
      "an idea with children",
      () =>
        db
          .insertInto("ideas")
          .values([row.idea(), row.idea({ uuid: "i2", parentUuid: "i1" })])
          .execute(),
      () => db.deleteFrom("ideas").where("uuid", "=", "i1").execute(),
    ],
    ["a workspace with people", async () => undefined, () => db.deleteFrom("workspaces").execute()],
    [
      "a comment that was answered",
      () =>
        db
          .insertInto("comments")
          .values([row.comment(), row.comment({ uuid: "k2", parentUuid: "k1" })])
          .execute(),
      () => db.deleteFrom("comments").where("uuid", "=", "k1").execute(),
    ],
  ])("is not deleted: %s", async (_, prepare, remove) => {
    await prepare()
    await expect(remove()).rejects.toThrow(/FOREIGN KEY/)
  })
})
