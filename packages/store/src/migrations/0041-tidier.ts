import type { Migration } from "./migration.ts"

/** How far the time has come by which what is old is judged, and indexes for questions about a log and tables that grow. */
export const tidierMigration: Migration = {
  id: 41,
  name: "tidier",
  statements: () => [
    `create table clocks ("name" text primary key, "at" text not null)`,
    `create index events_kind on events ("workspaceUuid", "kind", "id")`,
    `create index events_actor on events ("projectUuid", "actorUuid", "id")`,
  ],
}
