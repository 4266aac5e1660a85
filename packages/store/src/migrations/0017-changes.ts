import type { Migration } from "./migration.ts"

const ACTOR = `in ('user', 'agent', 'system')`

/** What work did to repositories, version by version, and what was said about its lines. */
export const changesMigration: Migration = {
  id: 17,
  name: "changes",
  statements: (engine) => [
    `create table "changeVersions" (
      "uuid" text primary key,
      "taskUuid" text not null references tasks("uuid") on delete cascade,
      "number" bigint not null,
      "handIn" bigint not null,
      "origin" text not null check ("origin" in ('run', 'hook', 'command', 'agent')),
      "repository" text not null,
      "branch" text,
      "baseRef" text,
      "baseCommit" text,
      "headCommit" text,
      "tree" text,
      "baseMoved" smallint not null check ("baseMoved" in (0, 1)),
      "uncommitted" bigint not null,
      "files" text not null,
      "fileCount" bigint not null,
      "additions" bigint not null,
      "deletions" bigint not null,
      "warnings" text not null,
      "points" text not null,
      "createdByType" text not null check ("createdByType" ${ACTOR}),
      "createdByUuid" text not null,
      "createdAt" text not null
    )`,
    `create unique index change_versions_number on "changeVersions" ("taskUuid", "number")`,
    `create table "changeParts" (
      "taskUuid" text not null references tasks("uuid") on delete cascade,
      "sha256" text not null,
      "content" ${engine === "sqlite" ? "blob" : "bytea"} not null,
      primary key ("taskUuid", "sha256")
    )`,
    `create table "changeThreads" (
      "uuid" text primary key,
      "taskUuid" text not null references tasks("uuid") on delete cascade,
      "version" bigint not null,
      "file" text not null,
      "side" text not null check ("side" in ('before', 'after')),
      "line" bigint not null,
      "anchor" text not null,
      "severity" text not null check ("severity" in ('blocker', 'note')),
      "suggestion" text,
      "state" text not null check ("state" in ('open', 'resolved')),
      "stateByType" text check ("stateByType" ${ACTOR}),
      "stateByUuid" text,
      "stateAt" text,
      "createdAt" text not null
    )`,
    `create index change_threads_task on "changeThreads" ("taskUuid", "createdAt")`,
    `create table "changeComments" (
      "uuid" text primary key,
      "threadUuid" text not null references "changeThreads"("uuid") on delete cascade,
      "version" bigint not null,
      "text" text not null,
      "authorType" text not null check ("authorType" ${ACTOR}),
      "authorUuid" text not null,
      "createdAt" text not null
    )`,
    `create index change_comments_thread on "changeComments" ("threadUuid", "createdAt")`,
    `create table "changeViews" (
      "taskUuid" text not null references tasks("uuid") on delete cascade,
      "userUuid" text not null references users("uuid"),
      "file" text not null,
      "patchSha" text not null,
      "version" bigint not null,
      primary key ("taskUuid", "userUuid", "file")
    )`,
  ],
}
