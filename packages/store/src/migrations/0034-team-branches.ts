import type { Migration } from "./migration.ts"

/** The branch of a member's own checkout. */
export const teamBranchesMigration: Migration = {
  id: 34,
  name: "team-branches",
  statements: () => [`alter table "teamMembers" add column "branch" text`],
}
