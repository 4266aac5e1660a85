import type { Migration } from "./migration.ts"

/** What waits for a person is found by what asked for it, each time that changes. */
export const needsMigration: Migration = {
  id: 18,
  name: "needs",
  statements: () => [`create index attentions_request on attentions ("requestId")`],
}
