import type { Migration } from "./migration.ts"

/** What was built, started by the machine that has it: queued, held and told of like a check, and never proof. */
export const previewsMigration: Migration = {
  id: 33,
  name: "previews",
  statements: () => [
    `alter table "checks" add column "preview" smallint not null default 0 check ("preview" in (0, 1))`,
    `alter table "checks" add column "port" bigint`,
    `alter table "checks" add column "near" smallint not null default 0 check ("near" in (0, 1))`,
  ],
}
