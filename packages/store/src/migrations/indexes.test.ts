import { describe, expect, it } from "vitest"
import { memoryStore } from "../../test/memory.ts"
import { migrations } from "./index.ts"

const { database } = await memoryStore()

/** How the engine would go about a question, in its own words. */
function planOf(question: string): string {
  return database
    .prepare(`explain query plan ${question}`)
    .all()
    .map((step) => String(step["detail"]))
    .join("; ")
}

/** Questions that are asked all the time, of tables that grow without end, and the index that answers each. */
const QUESTIONS: readonly [asks: string, question: string, index: string][] = [
  [
    "what happened since",
    `select * from events where "workspaceUuid" = 'w' and "id" > 7 order by "id" limit 100`,
    "sqlite_autoindex_events_1",
  ],
  [
    "what happened to one thing",
    `select * from events where "entityUuid" = 't' order by "id" desc limit 20`,
    "events_entity",
  ],
  [
    "what happened in a project",
    `select * from events where "projectUuid" = 'p' order by "id" desc limit 20`,
    "events_project",
  ],
  [
    "what happened of a kind",
    `select * from events where "workspaceUuid" = 'w' and "kind" = 'task.verified' and "id" between 7 and 9 order by "workspaceUuid", "kind", "id" desc limit 20`,
    "events_kind",
  ],
  [
    "what somebody did in a project",
    `select * from events where "projectUuid" = 'p' and "actorUuid" = 'a' order by "id" desc limit 20`,
    "events_actor",
  ],
  ["whose key this is", `select * from "apiKeys" where "hash" = 'x'`, "sqlite_autoindex_apiKeys_2"],
  ["whose sign-in this is", `select * from "signIns" where "hash" = 'x'`, "sqlite_autoindex_signIns_2"],
  [
    "who has this address",
    `select * from users where "workspaceUuid" = 'w' and lower("email") = 'ada@example.org'`,
    "users_email",
  ],
  ["the board of a project", `select * from tasks where "projectUuid" = 'p' and "status" = 'open'`, "tasks_stage"],
  [
    "the newest tasks of a project",
    `select * from tasks where "projectUuid" = 'p' order by "createdAt" desc limit 20`,
    "tasks_paged",
  ],
  [
    "the next thousand tasks of a project",
    `select * from tasks where "projectUuid" = 'p' and ("createdAt", "uuid") > ('c', 'u') order by "createdAt", "uuid" limit 1000`,
    "tasks_paged",
  ],
  [
    "the next thousand edges of a project",
    `select * from "taskEdges" where "projectUuid" = 'p' and ("taskUuid", "dependsOnUuid") > ('a', 'b') order by "taskUuid", "dependsOnUuid" limit 1000`,
    "task_edges_paged",
  ],
  [
    "which tasks can start",
    `select * from tasks where "projectUuid" = 'p' and "openDependencies" = 0 and "status" = 'open'`,
    "tasks_stage",
  ],
  [
    "what somebody holds",
    `select * from tasks where "assigneeUuid" = 'a' and "status" = 'in_progress'`,
    "tasks_assignee",
  ],
  ["who waits for a task", `select "taskUuid" from "taskEdges" where "dependsOnUuid" = 't'`, "task_edges_reverse"],
  ["the criteria of a task", `select * from criteria where "taskUuid" = 't' order by "sortOrder"`, "criteria_task"],
  ["who works on a task", `select * from checkins where "taskUuid" = 't' order by "checkinAt"`, "checkins_task"],
  [
    "which session this is",
    `select * from sessions where "agentUuid" = 'a' and "externalId" = 'x'`,
    "sessions_external",
  ],
  [
    "the thread under something",
    `select * from comments where "targetUuid" = 't' order by "createdAt"`,
    "comments_target",
  ],
  [
    "somebody's unread notifications",
    `select * from notifications where "recipientUuid" = 'u' and "readAt" is null order by "createdAt" desc`,
    "notifications_inbox",
  ],
  [
    "deliveries that are due",
    `select distinct "lane" from deliveries where "state" = 'pending' and "nextAttemptAt" < 'now'`,
    "deliveries_due",
  ],
  [
    "what waits for a machine",
    `select * from deliveries where "lane" = 'machine:m' and "state" = 'pending' order by "place"`,
    "deliveries_lane",
  ],
  ["what is on its way about something", `select * from deliveries where "tag" = 'attention:a'`, "deliveries_tag"],
  [
    "what did not arrive",
    `select * from deliveries where "workspaceUuid" = 'w' and "state" = 'dead' order by "createdAt" desc`,
    "deliveries_workspace",
  ],
  [
    "the latest words of a team",
    `select * from "teamMessages" where "teamUuid" = 't' order by "sentAt" desc limit 20`,
    "team_messages_time",
  ],
  [
    "how often somebody tried to sign in",
    `select count(*) from "signInAttempts" where "counter" = 'c' and "key" = 'k' and "at" > 'then'`,
    "sign_in_attempts_key",
  ],
  ["receipts that are old", `delete from receipts where "createdAt" < 'then'`, "receipts_age"],
  ["what a task cost", `select sum("inputTokens") from usages where "taskUuid" = 't'`, "usages_task"],
]

describe("a question asked all the time", () => {
  it.each(QUESTIONS)("is answered by an index: %s", (_, question, index) => {
    expect(planOf(question)).toContain(index)
    expect(planOf(question)).not.toMatch(/SCAN (?!CONSTANT)/)
  })

  it.each(QUESTIONS.filter(([, question]) => question.includes("order by")))("needs no sorting: %s", (_, question) => {
    expect(planOf(question)).not.toContain("TEMP B-TREE")
  })
})

describe("an index", () => {
  it("is made for every column by which rows of another table are found, or that table stays small", () => {
    const tables = database
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'search%'",
      )
      .all()
      .map(({ name }) => String(name))
    const uncovered = tables.flatMap((table) => {
      const indexed = new Set(
        database
          .prepare("select name from pragma_index_list(?)")
          .all(table)
          .map((index) =>
            String(
              database.prepare("select name from pragma_index_info(?) where seqno = 0").get(String(index["name"]))?.[
                "name"
              ],
            ),
          ),
      )
      const cascading = database
        .prepare(`select "from" from pragma_foreign_key_list(?) where on_delete = 'CASCADE'`)
        .all(table)
        .map((link) => String(link["from"]))
      return cascading.filter((column) => !indexed.has(column)).map((column) => `${table}.${column}`)
    })
    expect(uncovered.sort()).toEqual(["projectVisits.projectUuid"])
  })

  it("has a name of its own on both engines, told like its table", () => {
    for (const engine of ["sqlite", "postgres"] as const) {
      const names = migrations
        .flatMap((migration) => migration.statements(engine))
        .flatMap((statement) => /^create (?:unique )?index (\w+)/.exec(statement)?.[1] ?? [])
      expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
      for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/)
    }
  })
})
