import type { Migration } from "./migration.ts"

/** When a newer link took the place of one that was still good; one that only expired has none. */
export const replacedLinksMigration: Migration = {
  id: 37,
  name: "replaced-links",
  statements: () => [`alter table "signInLinks" add column "replacedAt" text`],
}
