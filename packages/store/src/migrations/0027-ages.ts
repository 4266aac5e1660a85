import type { Migration } from "./migration.ts"

/** What is kept for a time only is found by its age. */
export const agesMigration: Migration = {
  id: 27,
  name: "ages",
  statements: () => [
    `create index notifications_age on notifications ("createdAt")`,
    `create index team_messages_age on "teamMessages" ("sentAt")`,
    `create index text_versions_age on "textVersions" ("changedAt")`,
  ],
}
