import type { Migration } from "./migration.ts"

export const conversationMigration: Migration = {
  id: 4,
  name: "conversation",
  statements: () => [
    `create table comments (
      "uuid" text primary key,
      "projectUuid" text not null references projects("uuid"),
      "targetType" text not null check ("targetType" in ('idea', 'proposal', 'task', 'document')),
      "targetUuid" text not null,
      "parentUuid" text references comments("uuid"),
      "content" text not null,
      "authorType" text not null check ("authorType" in ('user', 'agent', 'system')),
      "authorUuid" text not null,
      "createdAt" text not null,
      "editedAt" text,
      "deletedAt" text
    )`,
    `create index comments_target on comments ("targetUuid", "createdAt")`,
    `create index comments_parent on comments ("parentUuid")`,
    `create table mentions (
      "uuid" text primary key,
      "projectUuid" text not null references projects("uuid"),
      "sourceType" text not null check ("sourceType" in ('comment', 'task', 'idea')),
      "sourceUuid" text not null,
      "mentionedType" text not null check ("mentionedType" in ('user', 'agent')),
      "mentionedUuid" text not null,
      "actorType" text not null check ("actorType" in ('user', 'agent', 'system')),
      "actorUuid" text not null,
      "createdAt" text not null
    )`,
    `create unique index mentions_once on mentions ("sourceUuid", "mentionedUuid")`,
    `create table notifications (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "projectUuid" text references projects("uuid"),
      "recipientType" text not null check ("recipientType" in ('user', 'agent')),
      "recipientUuid" text not null,
      "entityType" text not null,
      "entityUuid" text not null,
      "entityTitle" text not null,
      "projectName" text,
      "action" text not null,
      "message" text not null,
      "instructionText" text,
      "actorType" text not null check ("actorType" in ('user', 'agent', 'system')),
      "actorUuid" text not null,
      "actorName" text not null,
      "readAt" text,
      "archivedAt" text,
      "createdAt" text not null
    )`,
    `create index notifications_inbox on notifications ("recipientUuid", "readAt", "createdAt")`,
    `create table "notificationPreferences" (
      "ownerType" text not null check ("ownerType" in ('user', 'agent')),
      "ownerUuid" text not null,
      "preferences" text not null,
      "updatedAt" text not null,
      primary key ("ownerType", "ownerUuid")
    )`,
    `create table "projectVisits" (
      "userUuid" text not null references users("uuid") on delete cascade,
      "projectUuid" text not null references projects("uuid") on delete cascade,
      "lastVisitedAt" text not null,
      "pinnedAt" text,
      primary key ("userUuid", "projectUuid")
    )`,
    `create table webhooks (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "projectUuid" text references projects("uuid"),
      "url" text not null,
      "secret" text not null,
      "kinds" text not null,
      "active" smallint not null check ("active" in (0, 1)),
      "allowPrivate" smallint not null check ("allowPrivate" in (0, 1)),
      "createdByUuid" text not null,
      "createdAt" text not null,
      "updatedAt" text not null
    )`,
    `create index webhooks_workspace on webhooks ("workspaceUuid", "active")`,
    `create table "webhookDeliveries" (
      "uuid" text primary key,
      "webhookUuid" text not null references webhooks("uuid") on delete cascade,
      "eventId" bigint not null,
      "status" text not null check ("status" in ('pending', 'delivered', 'failed')),
      "attempts" bigint not null default 0,
      "nextAttemptAt" text,
      "responseStatus" bigint,
      "error" text,
      "createdAt" text not null,
      "deliveredAt" text
    )`,
    `create unique index webhook_deliveries_event on "webhookDeliveries" ("webhookUuid", "eventId")`,
    `create index webhook_deliveries_due on "webhookDeliveries" ("status", "nextAttemptAt")`,
  ],
}
