import type { Migration } from "./migration.ts"

/** How the work of a task stands at its forge. */
export const pullRequestsMigration: Migration = {
  id: 28,
  name: "pull-requests",
  statements: () => [
    `create table "pullRequests" (
      "taskUuid" text primary key references tasks("uuid") on delete cascade,
      "url" text,
      "state" text check ("state" in ('open', 'merged', 'closed')),
      "checks" text check ("checks" in ('passed', 'failed', 'running')),
      "ahead" bigint,
      "behind" bigint,
      "lookedAt" text not null,
      "changedAt" text not null
    )`,
  ],
}
