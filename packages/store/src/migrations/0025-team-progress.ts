import type { Migration } from "./migration.ts"

/** What a member's agent said last, and what it has cost. */
export const teamProgressMigration: Migration = {
  id: 25,
  name: "team-progress",
  statements: () => [
    `alter table "teamMembers" add column "lastLine" text`,
    `alter table "teamMembers" add column "lastAt" text`,
    `alter table "teamMembers" add column "microUsd" bigint`,
    `alter table "teamMembers" add column "tokens" bigint`,
  ],
}
