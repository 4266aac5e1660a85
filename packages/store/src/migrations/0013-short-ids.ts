import type { Engine, Migration } from "./migration.ts"

/** The first letters of a name that begins with four of them; anything else gets a key that only counts. */
const LETTERS: Readonly<Record<Engine, string>> = {
  sqlite: `case when substr(replace("name", ' ', ''), 1, 4) glob '[A-Za-z][A-Za-z][A-Za-z][A-Za-z]'
    then upper(substr(replace("name", ' ', ''), 1, 4)) else 'PROJ' end`,
  postgres: `case when replace("name", ' ', '') ~ '^[A-Za-z]{4}'
    then upper(substr(replace("name", ' ', ''), 1, 4)) else 'PROJ' end`,
}

/** Each project a key, each of its tasks and ideas a number in the order they came. */
export const shortIdsMigration: Migration = {
  id: 13,
  name: "short-ids",
  statements: (engine) => [
    `alter table projects add column "key" text`,
    `alter table projects add column "lastNumber" integer not null default 0`,
    `alter table tasks add column "shortId" text`,
    `alter table ideas add column "shortId" text`,
    `update projects set "key" = n."letters" || case when n."at" = 1 then '' else cast(n."at" as text) end
      from (select "uuid", "letters", row_number() over (partition by "workspaceUuid", "letters" order by "createdAt", "uuid") as "at"
        from (select "uuid", "workspaceUuid", "createdAt", ${LETTERS[engine]} as "letters" from projects) k) n
      where n."uuid" = projects."uuid"`,
    ...["tasks", "ideas"].map(
      (table) => `update ${table} set "shortId" = n."shortId"
      from (select i."uuid", p."key" || '-' || cast(row_number() over (partition by i."projectUuid" order by i."createdAt", i."uuid") as text) as "shortId"
        from (select "uuid", "projectUuid", "createdAt" from tasks union all select "uuid", "projectUuid", "createdAt" from ideas) i
        join projects p on p."uuid" = i."projectUuid") n
      where n."uuid" = ${table}."uuid"`,
    ),
    `update projects set "lastNumber" = (select count(*) from tasks t where t."projectUuid" = projects."uuid")
      + (select count(*) from ideas i where i."projectUuid" = projects."uuid")`,
    `create unique index projects_key on projects ("workspaceUuid", "key")`,
    `create unique index tasks_short on tasks ("shortId", "projectUuid")`,
    `create unique index ideas_short on ideas ("shortId", "projectUuid")`,
  ],
}
