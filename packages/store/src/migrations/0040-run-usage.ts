import type { Engine, Migration } from "./migration.ts"

const ALONE: Readonly<Record<Engine, string>> = {
  sqlite: `json_array("words")`,
  postgres: `json_build_array("words")::text`,
}

/**
 * What runs use stands beside what others report, by turn and day; how long a run was at work and how long it waited;
 * and each thing that people said to it by itself.
 */
export const runUsageMigration: Migration = {
  id: 40,
  name: "run-usage",
  statements: (engine) => [
    `alter table usages add column "ideaUuid" text references ideas("uuid") on delete set null`,
    // What was spent outlives its run.
    `alter table usages add column "runUuid" text`,
    `alter table usages add column "turn" bigint`,
    `alter table usages add column "ms" bigint`,
    `create index usages_run on usages ("runUuid")`,
    `create index usages_idea on usages ("ideaUuid")`,
    // Until now only the sum of what went in and out was kept.
    `insert into usages ("uuid", "workspaceUuid", "projectUuid", "agentUuid", "sessionUuid", "taskUuid", "ideaUuid",
        "runUuid", "turn", "ms", "dedupeKey", "model", "inputTokens", "costUsd", "source", "at")
      select r."uuid" || ':' || s."turn" || ':' || s."day", r."workspaceUuid",
        coalesce(t."projectUuid", i."projectUuid"), r."agentUuid", r."sessionUuid", r."taskUuid", r."ideaUuid",
        r."uuid", s."turn", s."ms", 'run:' || r."uuid" || ':' || s."turn" || ':' || s."day", r."model", s."tokens",
        case when s."microUsd" = 0 then null else s."microUsd" / 1000000.0 end, 'run', s."day" || 'T00:00:00.000Z'
      from "runSpend" s
      join runs r on r."uuid" = s."runUuid"
      left join tasks t on t."uuid" = r."taskUuid"
      left join ideas i on i."uuid" = r."ideaUuid"
      where r."agentUuid" is not null`,
    `create index runs_key on runs ("keyUuid")`,
    `alter table runs add column "workMs" bigint not null default 0`,
    `alter table runs add column "waitMs" bigint not null default 0`,
    `update runs set "workMs" = coalesce((select sum(s."ms") from "runSpend" s where s."runUuid" = runs."uuid"), 0)`,
    `drop table "runSpend"`,
    `update runs set "words" = ${ALONE[engine]} where "words" is not null`,
  ],
}
