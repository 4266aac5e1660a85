import { type Step, triggersOf } from "./0005-search.ts"
import type { Migration } from "./migration.ts"

interface Source {
  readonly noun: string
  readonly table: string
  /** What of a row the entry is made from: the thing it belongs to, its project, and the words. */
  readonly kind: (row: string) => string
  readonly of: string
  readonly project: (row: string) => string
  readonly words: (row: string) => string
  readonly changes: readonly string[]
}

const SOURCES: readonly Source[] = [
  {
    noun: "criterion",
    table: "criteria",
    kind: () => `'task'`,
    of: "taskUuid",
    project: (row) => `(select t."projectUuid" from tasks t where t."uuid" = ${row}."taskUuid")`,
    words: (row) => `case when ${row}."retiredAt" is null then ${row}."description" else '' end`,
    changes: ["description", "retiredAt"],
  },
  {
    noun: "comment",
    table: "comments",
    kind: (row) => `${row}."targetType"`,
    of: "targetUuid",
    project: inItsProject,
    words: (row) => `${row}."content"`,
    changes: ["content"],
  },
]

/**
 * Criteria, comments and reports are found as the task, idea, proposal or document they stand on (`ofUuid`), each by an entry of its own:
 * a long conversation is not indexed anew with every word that is added. What is unread about something is found by it.
 */
export const passagesMigration: Migration = {
  id: 21,
  name: "passages",
  statements: (engine) => [
    `alter table "searchEntries" add column "ofUuid" text`,
    `create index search_entries_of on "searchEntries" ("ofUuid")`,
    ...triggersOf(engine, SOURCES.flatMap(follow)),
    ...triggersOf(engine, ["tasks", "ideas", "proposals", "documents"].map(move)),
    ...fillPassages(),
    `create index notifications_unread on notifications ("entityUuid") where "readAt" is null`,
  ],
}

/** Makes the entries of passages anew from what they were made of; those of whole things have been made. */
export function fillPassages(): string[] {
  return SOURCES.map(
    ({ kind, table, of, project, words }) =>
      `insert into "searchEntries" ("entityType", "entityUuid", "ofUuid", "projectUuid", "title", "body")
        select ${kind("s")}, s."uuid", s."${of}", ${project("s")}, '', ${words("s")} from ${table} s`,
  )
}

function follow({ noun, table, kind, of, project, words, changes }: Source): Step[] {
  return [
    {
      name: `search_${noun}_added`,
      on: `insert on ${table}`,
      when: "",
      does: `insert into "searchEntries" ("entityType", "entityUuid", "ofUuid", "projectUuid", "title", "body")
        values (${kind("new")}, new."uuid", new."${of}", ${project("new")}, '', ${words("new")})`,
    },
    {
      name: `search_${noun}_changed`,
      on: `update of ${changes.map((column) => `"${column}"`).join(", ")} on ${table}`,
      when: "",
      does: `update "searchEntries" set "body" = ${words("new")} where "entityUuid" = new."uuid"`,
    },
    {
      name: `search_${noun}_removed`,
      on: `delete on ${table}`,
      when: "",
      does: `delete from "searchEntries" where "entityUuid" = old."uuid"`,
    },
  ]
}

/** What stands on a thing is found where the thing is. */
function move(table: string): Step {
  return {
    name: `search_${table}_moved`,
    on: `update of "projectUuid" on ${table}`,
    when: "",
    does: `update "searchEntries" set "projectUuid" = new."projectUuid" where "ofUuid" = new."uuid"`,
  }
}

function inItsProject(row: string): string {
  return `${row}."projectUuid"`
}
