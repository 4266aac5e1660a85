import type { Migration } from "./migration.ts"

/** Bringing verified work into its branch, and which machines may. */
export const landingsMigration: Migration = {
  id: 23,
  name: "landings",
  statements: () => [
    `create table landings (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "taskUuid" text not null references tasks("uuid") on delete cascade,
      "train" text,
      "rank" bigint not null,
      "act" text not null check ("act" in ('land', 'preview', 'discard')),
      "how" text not null check ("how" in ('squash', 'merge', 'rebase')),
      "state" text not null check ("state" in ('queued', 'at_work', 'landed', 'clean', 'conflict', 'broken', 'refused',
        'discarded', 'withdrawn')),
      "reason" text,
      "files" text not null,
      "version" bigint,
      "branch" text,
      "onto" text,
      "commit" text,
      "pushed" smallint not null check ("pushed" in (0, 1)),
      "runUuid" text references runs("uuid") on delete set null,
      "machineUuid" text,
      "machineName" text,
      "byType" text not null check ("byType" in ('user', 'agent', 'system')),
      "byUuid" text not null,
      "lease" text,
      "leaseUntil" text,
      "createdAt" text not null,
      "endedAt" text
    )`,
    `create index landings_task on landings ("taskUuid", "createdAt")`,
    `create index landings_run on landings ("runUuid")`,
    `create index landings_waiting on landings ("workspaceUuid", "state")`,
    `alter table runners add column "landsAt" text`,
  ],
}
