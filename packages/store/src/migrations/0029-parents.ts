import type { Migration } from "./migration.ts"

/** Rows that name a parent which PostgreSQL does not look up. */
export const UNCHECKED = [
  { table: "events", column: "workspaceUuid", parent: "workspaces" },
  { table: "notifications", column: "projectUuid", parent: "projects" },
  { table: "notifications", column: "workspaceUuid", parent: "workspaces" },
  { table: "receipts", column: "workspaceUuid", parent: "workspaces" },
] as const

/**
 * What nearly every change writes does not refer to its workspace and project on PostgreSQL: each such row would lock
 * its parent's, the same one for all changes, although neither is ever deleted. Of search, only passages stand in their
 * index.
 */
export const parentsMigration: Migration = {
  id: 29,
  name: "parents",
  statements: (engine) =>
    engine === "sqlite"
      ? []
      : [
          ...UNCHECKED.map(({ table, column }) => `alter table ${table} drop constraint "${table}_${column}_fkey"`),
          `drop index search_entries_of`,
          `create index search_entries_passages on "searchEntries" ("ofUuid") where "ofUuid" is not null`,
        ],
}
