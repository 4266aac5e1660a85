import { type Step, triggersOf } from "./0005-search.ts"
import type { Migration } from "./migration.ts"

interface Source {
  readonly noun: string
  readonly table: string
  readonly kind: "task" | "proposal"
  /** The column that holds the words; a row without them has no entry. */
  readonly words: string
  /** What a row is known by among the entries, what it is found as, and in which project. */
  readonly id: (row: string) => string
  readonly of: (row: string) => string
  readonly project: (row: string) => string
}

const taskOf = (row: string) => `(select c."taskUuid" from criteria c where c."uuid" = ${row}."criterionUuid")`

const SOURCES: readonly Source[] = [
  {
    noun: "verdict",
    table: `"criterionVerdicts"`,
    kind: "task",
    words: "evidence",
    id: (row) => `${row}."uuid"`,
    of: taskOf,
    project: (row) => `(select t."projectUuid" from tasks t where t."uuid" = ${taskOf(row)})`,
  },
  {
    noun: "hand_in",
    table: `"handIns"`,
    kind: "task",
    words: "reason",
    id: (row) => `${row}."taskUuid" || '/' || ${row}."number"`,
    of: (row) => `${row}."taskUuid"`,
    project: (row) => `(select t."projectUuid" from tasks t where t."uuid" = ${row}."taskUuid")`,
  },
  {
    noun: "review_note",
    table: "proposals",
    kind: "proposal",
    words: "reviewNote",
    id: (row) => `${row}."uuid" || '/note'`,
    of: (row) => `${row}."uuid"`,
    project: (row) => `${row}."projectUuid"`,
  },
]

/**
 * What was said with a verdict, when work was sent back and when a proposal was rejected is found as what it was said
 * of.
 */
export const verdictWordsMigration: Migration = {
  id: 36,
  name: "verdict-words",
  statements: (engine) => [...triggersOf(engine, SOURCES.flatMap(follow)), ...fillVerdictWords()],
}

/** Makes these entries anew from what they were made of. */
export function fillVerdictWords(): string[] {
  return SOURCES.map(
    (source) => `${intoEntries(source, "s")} from ${source.table} s where s."${source.words}" is not null`,
  )
}

function follow(source: Source): Step[] {
  const { noun, table, words, id } = source
  const forget = (row: string) => `delete from "searchEntries" where "entityUuid" = ${id(row)}`
  return [
    {
      name: `search_${noun}_added`,
      on: `insert on ${table}`,
      when: `when (new."${words}" is not null)`,
      does: intoEntries(source, "new"),
    },
    {
      name: `search_${noun}_changed`,
      on: `update of "${words}" on ${table}`,
      when: `when (old."${words}" is not null or new."${words}" is not null)`,
      does: `${forget("new")}; ${intoEntries(source, "new")} where new."${words}" is not null`,
    },
    {
      name: `search_${noun}_removed`,
      on: `delete on ${table}`,
      when: `when (old."${words}" is not null)`,
      does: forget("old"),
    },
  ]
}

function intoEntries({ kind, words, id, of, project }: Source, row: string): string {
  return `insert into "searchEntries" ("entityType", "entityUuid", "ofUuid", "projectUuid", "title", "body")
    select '${kind}', ${id(row)}, ${of(row)}, ${project(row)}, '', ${row}."${words}"`
}
