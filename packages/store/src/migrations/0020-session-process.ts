import type { Migration } from "./migration.ts"

/** In which process a session runs; who says so says every minute that it lives. */
export const sessionProcessMigration: Migration = {
  id: 20,
  name: "session-process",
  statements: () => [`alter table sessions add column "process" text`],
}
