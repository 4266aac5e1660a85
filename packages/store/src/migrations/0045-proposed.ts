import type { Engine, Migration } from "./migration.ts"

const ACTS = `check ("act" in ('land', 'preview', 'discard', 'propose'))`
const STATES = `check ("state" in ('queued', 'at_work', 'landed', 'clean', 'conflict', 'broken', 'refused', 'discarded',
  'withdrawn', 'proposed'))`

/** Work is proposed to its forge from the page, by the machine that has it and may push. */
export const proposedMigration: Migration = {
  id: 45,
  name: "proposed",
  statements: (engine) => [`alter table runners add column "pushesAt" text`, ...newAct(engine)],
}

/** The embedded engine cannot change a check of a column, so the table is written anew there. */
function newAct(engine: Engine): string[] {
  if (engine === "postgres")
    return [
      `alter table landings drop constraint "landings_act_check"`,
      `alter table landings add constraint "landings_act_check" ${ACTS}`,
      `alter table landings drop constraint "landings_state_check"`,
      `alter table landings add constraint "landings_state_check" ${STATES}`,
      `alter index landings_task rename to landings_of_task`,
      `alter index landings_run rename to landings_of_run`,
      `alter index landings_waiting rename to landings_in_state`,
    ]
  return [
    `alter table landings rename to "landingsBefore"`,
    `create table landings (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "taskUuid" text not null references tasks("uuid") on delete cascade,
      "train" text,
      "rank" bigint not null,
      "act" text not null ${ACTS},
      "how" text not null check ("how" in ('squash', 'merge', 'rebase')),
      "state" text not null ${STATES},
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
    `insert into landings select * from "landingsBefore"`,
    `drop table "landingsBefore"`,
    `create index landings_of_task on landings ("taskUuid", "createdAt")`,
    `create index landings_of_run on landings ("runUuid")`,
    `create index landings_in_state on landings ("workspaceUuid", "state")`,
  ]
}
