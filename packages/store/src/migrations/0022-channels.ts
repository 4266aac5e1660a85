import type { Migration } from "./migration.ts"

/** Where people are called besides their browsers. */
export const channelsMigration: Migration = {
  id: 22,
  name: "channels",
  statements: () => [
    `create table "channels" (
      "uuid" text primary key,
      "userUuid" text not null references users("uuid"),
      "kind" text not null check ("kind" in ('email', 'slack', 'ntfy', 'telegram')),
      "address" text not null,
      "chat" text,
      "allowPrivate" smallint not null check ("allowPrivate" in (0, 1)),
      "createdAt" text not null,
      "lastSentAt" text
    )`,
    `create index channels_user on "channels" ("userUuid", "createdAt")`,
  ],
}
