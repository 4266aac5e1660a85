import type { Migration } from "./migration.ts"

/** Which tasks and comments came from which other tracker, so that bringing them again makes none twice. */
export const importsMigration: Migration = {
  id: 20,
  name: "imports",
  statements: () => [
    `create table "importedItems" (
      "projectUuid" text not null references projects("uuid") on delete cascade,
      "origin" text not null,
      "key" text not null,
      "uuid" text not null,
      "fingerprint" text not null,
      "version" bigint not null,
      "importedAt" text not null,
      primary key ("projectUuid", "origin", "key")
    )`,
  ],
}
