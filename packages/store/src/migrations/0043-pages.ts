import type { Migration } from "./migration.ts"

/**
 * Orders in which the tasks and edges of a project are read page by page: each page costs what is on it, however deep it lies.
 * And by which sessions are found that nothing holds on to any more.
 */
export const pagesMigration: Migration = {
  id: 43,
  name: "pages",
  statements: () => [
    `drop index tasks_created`,
    `create index tasks_paged on tasks ("projectUuid", "createdAt", "uuid")`,
    `drop index task_edges_project`,
    `create index task_edges_paged on "taskEdges" ("projectUuid", "taskUuid", "dependsOnUuid")`,
    `create index sessions_closed on sessions ("closedAt")`,
    `create index sessions_parent on sessions ("parentUuid") where "parentUuid" is not null`,
    `create index sessions_spawned on sessions ("spawnedByUuid") where "spawnedByUuid" is not null`,
    `create index sessions_superseded on sessions ("supersededByUuid") where "supersededByUuid" is not null`,
    `create index work_reports_session on "workReports" ("sessionUuid") where "sessionUuid" is not null`,
    `create index reservations_session on reservations ("sessionUuid") where "sessionUuid" is not null`,
  ],
}
