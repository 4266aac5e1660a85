import type { Migration } from "./migration.ts"

/** How people are called who do not look at the page: their browsers' push addresses, what is on its way there, and when they last looked. */
export const pushMigration: Migration = {
  id: 8,
  name: "push",
  statements: () => [
    `create table "pushSubscriptions" (
      "uuid" text primary key,
      "userUuid" text not null references users("uuid") on delete cascade,
      "endpoint" text not null unique,
      "p256dh" text not null,
      "auth" text not null,
      "browser" text,
      "createdAt" text not null,
      "lastSentAt" text
    )`,
    `create index push_subscriptions_user on "pushSubscriptions" ("userUuid")`,
    `create table "pushMessages" (
      "uuid" text primary key,
      "subscriptionUuid" text not null references "pushSubscriptions"("uuid") on delete cascade,
      "tag" text not null,
      "payload" text not null,
      "status" text not null check ("status" in ('pending', 'sent', 'failed')),
      "attempts" integer not null,
      "nextAttemptAt" text,
      "responseStatus" integer,
      "error" text,
      "createdAt" text not null,
      "sentAt" text
    )`,
    `create index push_messages_due on "pushMessages" ("status", "nextAttemptAt")`,
    `create index push_messages_subscription on "pushMessages" ("subscriptionUuid", "tag")`,
    `create table "personPresence" (
      "userUuid" text primary key references users("uuid") on delete cascade,
      "visibleAt" text not null
    )`,
  ],
}
