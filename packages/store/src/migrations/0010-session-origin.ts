import type { Migration } from "./migration.ts"

const HOOKED = `"parentUuid" is not null and "source" in ('claude-code', 'codex', 'opencode')`
const BACKGROUND = " in the background"

/**
 * How a session was spawned, as what, by whom, for which task, and what superseded it. Until now that stood in the words of its
 * description and in its outside id, which are read here for the last time.
 */
export const sessionOriginMigration: Migration = {
  id: 10,
  name: "session-origin",
  statements: () => [
    `alter table sessions add column "agentType" text`,
    `alter table sessions add column "spawn" text check ("spawn" in ('foreground', 'background', 'teammate'))`,
    `alter table sessions add column "spawnedByUuid" text references sessions("uuid")`,
    `alter table sessions add column "claimedTaskUuid" text references tasks("uuid") on delete set null`,
    `alter table sessions add column "supersededByUuid" text references sessions("uuid")`,
    `update sessions set "spawn" = 'background', "description" =
      substr("description", 1, length("description") - ${BACKGROUND.length})
      where ${HOOKED} and "description" like '%${BACKGROUND}'`,
    `update sessions set "spawn" = 'foreground'
      where ${HOOKED} and "spawn" is null and "externalId" like '%/toolu_%'`,
    `update sessions set "spawn" = 'teammate' where ${HOOKED} and "externalId" like '%/a' || "name" || '-%'`,
    `update sessions set "spawnedByUuid" = "parentUuid" where ${HOOKED} and "spawn" is not null`,
    `update sessions set "agentType" = "description", "description" = null where ${HOOKED}`,
    `update sessions set "claimedTaskUuid" = (select t."uuid" from checkins c join tasks t on t."uuid" = c."taskUuid"
      where c."sessionUuid" = sessions."uuid" and c."checkoutAt" is null and t."assigneeUuid" = sessions."agentUuid"
        and t."assignedAt" = sessions."createdAt" limit 1)
      where ${HOOKED} and "status" = 'active'`,
    `update sessions set "supersededByUuid" = (select o."uuid" from sessions o
      where o."agentUuid" = sessions."agentUuid" and o."externalId" || '#superseded' = sessions."externalId" limit 1)
      where "externalId" like '%#superseded'`,
    `update sessions set "externalId" = null where "supersededByUuid" is not null`,
  ],
}
