import type { Migration } from "./migration.ts"

export const machinesMigration: Migration = {
  id: 6,
  name: "machines",
  statements: () => [
    `create table machines (
      "uuid" text primary key,
      "agentUuid" text not null references agents("uuid"),
      "name" text not null,
      "inventory" text,
      "inventoryAt" text,
      "createdAt" text not null,
      "lastSeenAt" text not null
    )`,
    `create unique index machines_name on machines ("agentUuid", "name")`,
    `create table terminals (
      "machineUuid" text not null references machines("uuid") on delete cascade,
      "terminalId" text not null,
      "row" text not null,
      "updatedAt" text not null,
      primary key ("machineUuid", "terminalId")
    )`,
    `create table teams (
      "uuid" text primary key,
      "machineUuid" text not null references machines("uuid") on delete cascade,
      "name" text not null,
      "era" text not null,
      "description" text,
      "ledByChorus" smallint not null check ("ledByChorus" in (0, 1)),
      "createdAt" text not null,
      "lastFactAt" text not null,
      "goneAt" text
    )`,
    `create unique index teams_name on teams ("machineUuid", "name")`,
    `create table "teamMembers" (
      "teamUuid" text not null references teams("uuid") on delete cascade,
      "name" text not null,
      "state" text not null,
      "lead" smallint not null check ("lead" in (0, 1)),
      "agentType" text,
      "model" text,
      "color" text,
      "leftAt" text,
      primary key ("teamUuid", "name")
    )`,
    `create table "teamMessages" (
      "teamUuid" text not null references teams("uuid") on delete cascade,
      "id" text not null,
      "sender" text not null,
      "recipient" text not null,
      "kind" text not null,
      "text" text not null,
      "summary" text,
      "sentAt" text not null,
      primary key ("teamUuid", "id")
    )`,
    `create index team_messages_time on "teamMessages" ("teamUuid", "sentAt")`,
    `create table "teamTasks" (
      "teamUuid" text not null references teams("uuid") on delete cascade,
      "taskId" text not null,
      "task" text not null,
      "links" text not null,
      primary key ("teamUuid", "taskId")
    )`,
    `create table "teamOrders" (
      "uuid" text primary key,
      "teamUuid" text not null references teams("uuid") on delete cascade,
      "machineUuid" text not null references machines("uuid") on delete cascade,
      "decision" text not null,
      "byUuid" text not null,
      "createdAt" text not null,
      "deliveredAt" text,
      "error" text
    )`,
    `create index team_orders_waiting on "teamOrders" ("machineUuid", "deliveredAt", "createdAt")`,
    `create table "curatedSets" (
      "workspaceUuid" text primary key references workspaces("uuid"),
      "revision" bigint not null,
      "body" text not null,
      "changedByUuid" text not null,
      "changedAt" text not null
    )`,
  ],
}
