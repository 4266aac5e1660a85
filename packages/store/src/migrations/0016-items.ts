import type { Migration } from "./migration.ts"

/** What a team says about tasks and ideas beyond their words: labels, due days, named views; and how each hears of it all. */
export const itemsMigration: Migration = {
  id: 16,
  name: "items",
  statements: () => [
    `create table labels (
      "uuid" text primary key,
      "projectUuid" text not null references projects("uuid"),
      "name" text not null,
      "lowerName" text not null,
      "hue" bigint not null check ("hue" between 0 and 7),
      "createdAt" text not null
    )`,
    `create unique index labels_name on labels ("projectUuid", "lowerName")`,
    `alter table tasks add column "labels" text not null default '[]'`,
    `alter table tasks add column "dueOn" text`,
    `alter table ideas add column "labels" text not null default '[]'`,
    `create table views (
      "uuid" text primary key,
      "projectUuid" text not null references projects("uuid"),
      "ownerUuid" text not null references users("uuid"),
      "name" text not null,
      "layout" text not null check ("layout" in ('board', 'list', 'graph')),
      "query" text not null,
      "shared" smallint not null check ("shared" in (0, 1)),
      "updatedAt" text not null
    )`,
    `create index views_project on views ("projectUuid", "name")`,
    `alter table "notificationPreferences" add column "push" text not null default '{}'`,
    `alter table "notificationPreferences" add column "digest" text not null default 'off' check ("digest" in ('off', 'hourly', 'daily'))`,
    `alter table "notificationPreferences" add column "digestAt" text`,
    `create index views_owner on views ("ownerUuid")`,
  ],
}
