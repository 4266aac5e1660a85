import { type Step, triggersOf } from "./0005-search.ts"
import type { Engine, Migration } from "./migration.ts"

const THINGS = ["tasks", "ideas", "proposals", "documents"] as const

interface Source {
  readonly noun: string
  readonly table: string
  /** Only these rows have an entry. */
  readonly only?: (row: string) => string
  readonly changes: readonly string[]
  /** What a row is known by among the entries, what it is found as, and in which project. */
  readonly id: (row: string) => string
  readonly kind: (row: string) => string
  readonly of: (row: string) => string
  readonly project: (row: string) => string
  readonly words: (row: string) => string
}

function sourcesIn(engine: Engine): readonly Source[] {
  const field = (json: string, name: string) =>
    engine === "sqlite" ? `json_extract(${json}, '$.${name}')` : `(${json}::json ->> '${name}')`
  const labels = (json: string) =>
    engine === "sqlite"
      ? `(select group_concat(json_extract(o."value", '$.label'), ' ') from json_each(${json}) o)`
      : `(select string_agg(o ->> 'label', ' ') from json_array_elements(${json}::json) o)`
  const ideaOf = (row: string) => `(select r."ideaUuid" from "elaborationRounds" r where r."uuid" = ${row}."roundUuid")`
  return [
    {
      noun: "question",
      table: `"elaborationQuestions"`,
      changes: ["text", "options", "customText"],
      id: (row) => `${row}."uuid"`,
      kind: () => `'idea'`,
      of: ideaOf,
      project: (row) => `(select i."projectUuid" from ideas i where i."uuid" = ${ideaOf(row)})`,
      words: (row) =>
        `${row}."text" || ' ' || coalesce(${labels(`${row}."options"`)}, '') || ' ' || coalesce(${row}."customText", '')`,
    },
    {
      noun: "change_request",
      table: "attentions",
      only: (row) =>
        `${row}."kind" = 'change' and ${field(`${row}."detail"`, "targetType")} is not null
          and ${field(`${row}."detail"`, "targetUuid")} is not null`,
      changes: ["answer"],
      id: (row) => `${row}."uuid"`,
      kind: (row) => field(`${row}."detail"`, "targetType"),
      of: (row) => field(`${row}."detail"`, "targetUuid"),
      project: (row) => projectOf(field(`${row}."detail"`, "targetUuid")),
      words: (row) =>
        `coalesce(${field(`${row}."detail"`, "reason")}, '') || ' ' || coalesce(${field(`${row}."answer"`, "text")}, '')`,
    },
    {
      noun: "revision",
      table: `"proposalRevisions"`,
      only: (row) => `${row}."note" is not null`,
      changes: ["note"],
      id: (row) => `${row}."proposalUuid" || '/' || ${row}."revision"`,
      kind: () => `'proposal'`,
      of: (row) => `${row}."proposalUuid"`,
      project: (row) => `(select p."projectUuid" from proposals p where p."uuid" = ${row}."proposalUuid")`,
      words: (row) => `${row}."note"`,
    },
  ]
}

/**
 * What was asked and answered about an idea, why a change was asked for, and why any revision of a proposal was decided
 * as it was, are found as what they are about.
 */
export const askedWordsMigration: Migration = {
  id: 38,
  name: "asked-words",
  statements: (engine) => [
    ...triggersOf(engine, sourcesIn(engine).flatMap(follow)),
    ...triggersOf(engine, THINGS.map(forgetAll)),
    ...fillAskedWords(engine),
  ],
}

/** Makes these entries anew from what they were made of. */
export function fillAskedWords(engine: Engine): string[] {
  return sourcesIn(engine).map(
    (source) => `${intoEntries(source, "s")} from ${source.table} s where ${has(source, "s")}`,
  )
}

function follow(source: Source): Step[] {
  const { noun, table, changes, id } = source
  const forget = (row: string) => `delete from "searchEntries" where "entityUuid" = ${id(row)}`
  const add = `${intoEntries(source, "new")} where ${has(source, "new")}`
  return [
    { name: `search_${noun}_added`, on: `insert on ${table}`, when: "", does: add },
    {
      name: `search_${noun}_changed`,
      on: `update of ${changes.map((column) => `"${column}"`).join(", ")} on ${table}`,
      when: "",
      does: `${forget("new")}; ${add}`,
    },
    { name: `search_${noun}_removed`, on: `delete on ${table}`, when: "", does: forget("old") },
  ]
}

/** A change that was asked for outlives what it is about. */
function forgetAll(table: string): Step {
  return {
    name: `search_${table}_forgotten`,
    on: `delete on ${table}`,
    when: "",
    does: `delete from "searchEntries" where "ofUuid" = old."uuid"`,
  }
}

function projectOf(uuid: string): string {
  return `coalesce(${THINGS.map((table) => `(select t."projectUuid" from ${table} t where t."uuid" = ${uuid})`).join(", ")})`
}

function has({ only }: Source, row: string): string {
  return only?.(row) ?? "1 = 1"
}

function intoEntries({ kind, words, id, of, project }: Source, row: string): string {
  return `insert into "searchEntries" ("entityType", "entityUuid", "ofUuid", "projectUuid", "title", "body")
    select ${kind(row)}, ${id(row)}, ${of(row)}, ${project(row)}, '', ${words(row)}`
}
