import { apart } from "./0030-signs.ts"
import type { Migration } from "./migration.ts"

const ACTOR = ["user", "agent", "system"]

/** The values that columns of tables which nearly every change writes are limited to. */
const LIMITED: readonly { table: string; columns: readonly { name: string; values: readonly string[] }[] }[] = [
  {
    table: "tasks",
    columns: [
      { name: "status", values: ["open", "assigned", "in_progress", "to_verify", "done", "closed"] },
      { name: "priority", values: ["low", "medium", "high"] },
      ...["assigneeType", "assignedByType", "createdByType", "submittedByType"].map((name) => ({
        name,
        values: ACTOR,
      })),
    ],
  },
  {
    table: "notifications",
    columns: [
      { name: "recipientType", values: ["user", "agent"] },
      { name: "actorType", values: ACTOR },
    ],
  },
  {
    table: "textVersions",
    columns: [
      { name: "targetType", values: ["idea", "task", "document"] },
      { name: "changedByType", values: ACTOR },
    ],
  },
]

const SOURCES = [
  { kind: "task", table: "tasks", body: "description" },
  { kind: "idea", table: "ideas", body: "content" },
  { kind: "proposal", table: "proposals", body: "description" },
  { kind: "document", table: "documents", body: "content" },
] as const

/** What PostgreSQL looks words up in; a query must say it in exactly these words to use the index. */
export const SEARCH_WORDS = `(to_tsvector('simple', ${apart(`"title"`)}) || "bodyWords")`

/**
 * PostgreSQL reads the checks and conditions of a table anew for each statement that changes a row of it, however few
 * of its columns that changes. As types of their own, limits are read once by a connection and looked at where a value
 * is given. The log keeps its checks: a round reads them once for many rows, and it may be too long to be written anew.
 * And the words of a long text are told apart when it changes, not whenever its title does.
 */
export const lighterWordsMigration: Migration = {
  id: 44,
  name: "lighter words",
  statements: (engine) =>
    engine === "sqlite"
      ? []
      : [
          // What looks at a column has to go before its type changes.
          `drop trigger task_status_changed on tasks`,
          ...LIMITED.flatMap(limitedByType),
          `create trigger task_status_changed after update of "status" on tasks for each row
            when (old."status" in ('done', 'closed') <> (new."status" in ('done', 'closed')))
            execute function task_status_changed()`,
          `drop index search_entries_signs`,
          // Of a very long text only the first part is in it.
          `alter table "searchEntries" add column "bodyWords" tsvector
            generated always as (to_tsvector('simple', ${apart(`left("body", 200000)`)})) stored`,
          `create index search_entries_kept on "searchEntries" using gin ((${SEARCH_WORDS}))`,
          ...SOURCES.flatMap(follow),
        ],
}

function limitedByType({ table, columns }: (typeof LIMITED)[number]): string[] {
  const typeOf = (column: string) => `"${table}_${column}"`
  return [
    ...columns.map(
      ({ name, values }) =>
        `create domain ${typeOf(name)} as text check (value in (${values.map((value) => `'${value}'`).join(", ")}))`,
    ),
    `alter table "${table}" ${columns
      .flatMap(({ name }) => [
        `drop constraint "${table}_${name}_check"`,
        `alter column "${name}" type ${typeOf(name)}`,
      ])
      .join(", ")}`,
  ]
}

function follow({ kind, table, body }: (typeof SOURCES)[number]): string[] {
  const changed = (column: string) => `old."${column}" is distinct from new."${column}"`
  const entry = `update "searchEntries" set "projectUuid" = new."projectUuid", "title" = new."title"`
  const here = `where "entityUuid" = new."uuid"`
  return [
    `create or replace function search_${kind}_changed() returns trigger language plpgsql as $$ begin
      if ${changed(body)} then ${entry}, "body" = coalesce(new."${body}", '') ${here};
      elsif ${changed("title")} or ${changed("projectUuid")} then ${entry} ${here};
      end if;
      return null;
    end $$`,
    `drop trigger search_${kind}_changed on ${table}`,
    `create trigger search_${kind}_changed after update of "title", "${body}", "projectUuid" on ${table}
      for each row execute function search_${kind}_changed()`,
  ]
}
