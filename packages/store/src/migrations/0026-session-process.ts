import type { Migration } from "./migration.ts"

/** In which process a session runs, which is said every minute to live, and by which ids it went before. */
export const sessionProcessMigration: Migration = {
  id: 26,
  name: "session-process",
  statements: () => [
    `alter table sessions add column "process" text`,
    `alter table sessions add column "formerIds" text`,
  ],
}
