import type { Migration } from "./migration.ts"

/** Which lines runs have changed in a turn that goes on, until its end shows them as a version; and with whom they met. */
export const looksMigration: Migration = {
  id: 46,
  name: "looks",
  statements: () => [
    `create table "changeLooks" (
      "taskUuid" text primary key references tasks("uuid") on delete cascade,
      "repository" text not null,
      "baseCommit" text,
      "files" text not null,
      "points" text not null,
      "createdAt" text not null
    )`,
  ],
}
