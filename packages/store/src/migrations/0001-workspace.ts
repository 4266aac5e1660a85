import type { Migration } from "./migration.ts"

export const workspaceMigration: Migration = {
  id: 1,
  name: "workspace",
  statements: () => [
    `create table workspaces (
      "uuid" text primary key,
      "name" text not null,
      "lastEvent" bigint not null default 0,
      "settings" text not null default '{}',
      "createdAt" text not null
    )`,
    `create table users (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "name" text not null,
      "email" text,
      "role" text not null check ("role" in ('owner','admin','member','viewer')),
      "passwordHash" text,
      "oidcSubject" text,
      "createdAt" text not null,
      "disabledAt" text
    )`,
    `create unique index users_email on users ("workspaceUuid", lower("email"))`,
    `create unique index users_subject on users ("workspaceUuid", "oidcSubject")`,
    `create table "signInLinks" (
      "hash" text primary key,
      "userUuid" text not null references users("uuid"),
      "createdAt" text not null,
      "expiresAt" text not null,
      "usedAt" text
    )`,
    `create table "signIns" (
      "uuid" text primary key,
      "hash" text not null unique,
      "previousHash" text unique,
      "userUuid" text not null references users("uuid"),
      "userAgent" text,
      "createdAt" text not null,
      "rotatedAt" text not null,
      "lastUsedAt" text not null,
      "expiresAt" text not null,
      "revokedAt" text
    )`,
    `create index sign_ins_user on "signIns" ("userUuid")`,
    `create table agents (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "ownerUuid" text references users("uuid"),
      "name" text not null,
      "persona" text,
      "systemPrompt" text,
      "presets" text not null,
      "permissions" text not null,
      "projectUuids" text,
      "lastActiveAt" text,
      "createdAt" text not null,
      "archivedAt" text
    )`,
    `create index agents_workspace on agents ("workspaceUuid", "createdAt")`,
    `create table "apiKeys" (
      "uuid" text primary key,
      "agentUuid" text not null references agents("uuid"),
      "name" text not null,
      "prefix" text not null,
      "hash" text not null unique,
      "createdAt" text not null,
      "expiresAt" text,
      "lastUsedAt" text,
      "revokedAt" text
    )`,
    `create index api_keys_agent on "apiKeys" ("agentUuid")`,
    `create table "projectGroups" (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "name" text not null,
      "description" text,
      "createdAt" text not null,
      "updatedAt" text not null
    )`,
    `create index project_groups_workspace on "projectGroups" ("workspaceUuid", "createdAt")`,
    `create table projects (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "groupUuid" text references "projectGroups"("uuid") on delete set null,
      "name" text not null,
      "description" text,
      "status" text not null check ("status" in ('active','archived')),
      "settings" text not null default '{}',
      "createdAt" text not null,
      "updatedAt" text not null
    )`,
    `create index projects_workspace on projects ("workspaceUuid", "createdAt")`,
    `create index projects_group on projects ("groupUuid")`,
    `create table events (
      "workspaceUuid" text not null references workspaces("uuid"),
      "id" bigint not null,
      "at" text not null,
      "kind" text not null,
      "entityType" text not null,
      "entityUuid" text not null,
      "projectUuid" text,
      "action" text not null check ("action" in ('created','updated','deleted')),
      "patch" text not null,
      "actorType" text not null check ("actorType" in ('user','agent','system')),
      "actorUuid" text not null,
      "actorName" text not null,
      "requestId" text,
      primary key ("workspaceUuid", "id")
    )`,
    `create index events_project on events ("projectUuid", "id")`,
    `create index events_entity on events ("entityUuid", "id")`,
    `create table receipts (
      "workspaceUuid" text not null references workspaces("uuid"),
      "actorUuid" text not null,
      "key" text not null,
      "operation" text not null,
      "inputHash" text not null,
      "answer" text not null,
      "createdAt" text not null,
      primary key ("workspaceUuid", "actorUuid", "key")
    )`,
    `create index receipts_age on receipts ("createdAt")`,
  ],
}
