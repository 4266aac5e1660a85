import type { Migration } from "./migration.ts"

const ACTOR = `in ('user', 'agent', 'system')`

/** Commands that machines run on what was handed in, and whose approval each has. */
export const checksMigration: Migration = {
  id: 24,
  name: "checks",
  statements: () => [
    `alter table criteria add column "approvedByUuid" text`,
    `alter table runners add column "checks" smallint not null default 0`,
    `create table "checks" (
      "uuid" text primary key,
      "taskUuid" text not null references tasks("uuid") on delete cascade,
      "criterionUuid" text references criteria("uuid") on delete cascade,
      "name" text not null,
      "command" text not null,
      "state" text not null check ("state" in ('queued', 'running', 'passed', 'failed', 'not_run')),
      "exitCode" bigint,
      "reason" text,
      "durationMs" bigint,
      "output" text not null,
      "outputBytes" bigint not null,
      "touched" text not null,
      "source" text not null check ("source" in ('chorus', 'person', 'agent')),
      "byType" text not null check ("byType" ${ACTOR}),
      "byUuid" text not null,
      "machineUuid" text references machines("uuid") on delete cascade,
      "machine" text,
      "environment" text,
      "tree" text,
      "runUuid" text references runs("uuid") on delete cascade,
      "handIn" bigint not null,
      "decides" smallint not null check ("decides" in (0, 1)),
      "lease" text,
      "leaseUntil" text,
      "attempts" bigint not null,
      "createdAt" text not null,
      "endedAt" text
    )`,
    `create index checks_task on "checks" ("taskUuid", "createdAt")`,
    `create index checks_criterion on "checks" ("criterionUuid")`,
    `create index checks_machine on "checks" ("machineUuid", "state")`,
    `create index checks_run on "checks" ("runUuid")`,
  ],
}
