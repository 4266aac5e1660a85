import type { Migration } from "./migration.ts"

/** What several servers on one store must know together. */
export const sharingMigration: Migration = {
  id: 7,
  name: "sharing",
  statements: () => [
    `create table "sharedSecrets" (
      "name" text primary key,
      "value" text not null
    )`,
    `create table "signInAttempts" (
      "uuid" text primary key,
      "counter" text not null,
      "key" text not null,
      "at" text not null
    )`,
    `create index sign_in_attempts_key on "signInAttempts" ("counter", "key", "at")`,
    `create index sign_in_attempts_at on "signInAttempts" ("at")`,
  ],
}
