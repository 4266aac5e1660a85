import type { Migration } from "./migration.ts"

/**
 * How an item stood there when it was last brought, so that being reopened there is told from being finished here; and
 * both ways between a task and what it is called there.
 */
export const importedStandingMigration: Migration = {
  id: 42,
  name: "imported-standing",
  statements: () => [
    `alter table "importedItems" add column "status" text`,
    `create index imported_items_uuid on "importedItems" ("uuid")`,
    `create index imported_items_key on "importedItems" (lower("key"))`,
  ],
}
