import type { Engine, Migration } from "./migration.ts"

const PLACE: Readonly<Record<Engine, string>> = {
  sqlite: `json_extract("body", '$.place')`,
  postgres: `("body"::json ->> 'place')::bigint`,
}

/** Runs on ideas, what runs use turn by turn and day by day, and what people said yes to once for all. */
export const runPolicyMigration: Migration = {
  id: 19,
  name: "run-policy",
  statements: (engine) => [
    // A run on an idea has no task. The column is made anew, as only one of the engines can take back its "not null".
    `alter table runs add column "onTask" text references tasks("uuid") on delete cascade`,
    `update runs set "onTask" = "taskUuid"`,
    `drop index runs_task`,
    `alter table runs drop column "taskUuid"`,
    `alter table runs rename column "onTask" to "taskUuid"`,
    `create index runs_of_task on runs ("taskUuid")`,
    `alter table runs add column "ideaUuid" text references ideas("uuid") on delete cascade`,
    `create index runs_idea on runs ("ideaUuid")`,
    `alter table runs add column "work" text not null default 'build' check ("work" in ('plan', 'build', 'review', 'answer'))`,
    `alter table runs add column "rank" bigint not null default 0`,
    `alter table runs add column "budget" text not null default '{}'`,
    `alter table runs add column "warning" text`,
    `alter table runs add column "stoppedFor" text check ("stoppedFor" in ('budget', 'loop'))`,
    `alter table runs add column "stopReason" text`,
    `alter table runs add column "heardAt" text`,
    `alter table runs add column "lastCall" text`,
    `alter table runs add column "tree" text`,
    `alter table runs add column "stillTurns" bigint not null default 0`,
    `alter table runs add column "forkOf" text`,
    `alter table runs add column "forkTurn" bigint`,
    `alter table "runEntries" add column "place" bigint not null default 0`,
    `update "runEntries" set "place" = ${PLACE[engine]}`,
    `create index run_entries_place on "runEntries" ("runUuid", "place")`,
    `create table "runSpend" (
      "runUuid" text not null references runs("uuid") on delete cascade,
      "turn" bigint not null,
      "day" text not null,
      "tokens" bigint not null,
      "microUsd" bigint not null,
      "ms" bigint not null,
      primary key ("runUuid", "turn", "day")
    )`,
    `create table "runRules" (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "projectUuid" text not null references projects("uuid") on delete cascade,
      "runUuid" text references runs("uuid") on delete cascade,
      "kind" text not null,
      "title" text not null,
      "byUuid" text not null,
      "createdAt" text not null,
      "used" bigint not null default 0
    )`,
    `create index run_rules_project on "runRules" ("projectUuid")`,
    `create index run_rules_run on "runRules" ("runUuid")`,
  ],
}
