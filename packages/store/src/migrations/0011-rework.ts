import type { Engine, Migration } from "./migration.ts"

const ACTOR = `in ('user', 'agent', 'system')`

/**
 * What came back and why: every hand-in of a task with its outcome. One history of texts for ideas, tasks and documents. What a
 * dependent may rely on stands on drafts too, and a request to change what was approved waits for a person like any question.
 */
export const reworkMigration: Migration = {
  id: 11,
  name: "rework",
  statements: (engine) => [
    `alter table ideas add column "version" bigint not null default 1`,
    `alter table tasks add column "version" bigint not null default 1`,
    `alter table tasks add column "returnedAt" text`,
    `alter table tasks add column "briefedAt" text`,
    `alter table "taskDrafts" add column "contracts" text not null default '{}'`,
    `create table "textVersions" (
      "targetType" text not null check ("targetType" in ('idea', 'task', 'document')),
      "targetUuid" text not null,
      "version" bigint not null,
      "title" text not null,
      "content" text not null,
      "changedByType" text not null check ("changedByType" ${ACTOR}),
      "changedByUuid" text not null,
      "changedAt" text not null,
      primary key ("targetUuid", "version")
    )`,
    `insert into "textVersions" select 'document', "documentUuid", "version", "title", "content", "changedByType",
      "changedByUuid", "changedAt" from "documentVersions"`,
    `drop table "documentVersions"`,
    `create table "handIns" (
      "taskUuid" text not null references tasks("uuid") on delete cascade,
      "number" bigint not null,
      "outcome" text not null check ("outcome" in ('pending', 'accepted', 'returned', 'taken_back', 'closed')),
      "submittedByType" text check ("submittedByType" ${ACTOR}),
      "submittedByUuid" text,
      "submittedAt" text not null,
      "reason" text,
      "said" text not null,
      "decidedByType" text check ("decidedByType" ${ACTOR}),
      "decidedByUuid" text,
      "decidedAt" text,
      primary key ("taskUuid", "number")
    )`,
    `insert into "handIns" select "uuid", 1, case "status" when 'done' then 'accepted' else 'pending' end,
      "submittedByType", "submittedByUuid", coalesce("submittedAt", "updatedAt"), null, '{}', null, null, null
      from tasks where "status" in ('to_verify', 'done')`,
    ...newAttentionKind(engine),
  ],
}

const KINDS = `check ("kind" in ('permission', 'input', 'plan', 'shutdown', 'change'))`

/** The embedded engine cannot change a check of a column, so the table is written anew there. */
function newAttentionKind(engine: Engine): string[] {
  if (engine === "postgres")
    return [
      `alter table attentions drop constraint "attentions_kind_check"`,
      `alter table attentions add constraint "attentions_kind_check" ${KINDS}`,
      `alter index attentions_open rename to attentions_waiting`,
      `alter index attentions_session rename to attentions_of_session`,
    ]
  return [
    `alter table attentions rename to "attentionsBefore"`,
    `create table attentions (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "projectUuid" text references projects("uuid"),
      "agentUuid" text references agents("uuid"),
      "sessionUuid" text references sessions("uuid"),
      "kind" text not null ${KINDS},
      "title" text not null,
      "detail" text not null,
      "answerable" smallint not null check ("answerable" in (0, 1)),
      "createdAt" text not null,
      "expiresAt" text,
      "answer" text,
      "answeredByType" text check ("answeredByType" ${ACTOR}),
      "answeredByUuid" text,
      "answeredAt" text,
      "deliveredAt" text,
      "withdrawnAt" text
    )`,
    `insert into attentions select * from "attentionsBefore"`,
    `drop table "attentionsBefore"`,
    `create index attentions_waiting on attentions ("workspaceUuid", "answeredAt", "withdrawnAt", "createdAt")`,
    `create index attentions_of_session on attentions ("sessionUuid")`,
  ]
}
