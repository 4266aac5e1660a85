import type { Migration } from "./migration.ts"

/** Which projects are kept in step with which repositories' issues. */
export const bridgesMigration: Migration = {
  id: 32,
  name: "bridges",
  statements: () => [
    `create table "bridges" (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "projectUuid" text not null references projects("uuid") on delete cascade,
      "origin" text not null,
      "api" text not null,
      "token" text not null,
      "secret" text not null,
      "allowPrivate" smallint not null check ("allowPrivate" in (0, 1)),
      "lastEvent" bigint not null,
      "createdByUuid" text not null references users("uuid"),
      "createdAt" text not null,
      "updatedAt" text not null
    )`,
    `create unique index bridges_origin on "bridges" ("projectUuid", "origin")`,
    `create index bridges_workspace on "bridges" ("workspaceUuid", "createdAt")`,
  ],
}
