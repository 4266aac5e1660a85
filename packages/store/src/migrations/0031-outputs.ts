import type { Migration } from "./migration.ts"

/** What a call of a run's agent printed, where its entry shows only a part; and what room a machine has. */
export const outputsMigration: Migration = {
  id: 31,
  name: "outputs",
  statements: () => [
    `alter table "runEntries" add column "output" text`,
    `alter table "runners" add column "room" text`,
  ],
}
