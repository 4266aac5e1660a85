import type { Migration } from "./migration.ts"

/**
 * One index says what stage a project's tasks are at and which of them can start. No index holds when a task was last
 * changed: with room left on its page, PostgreSQL then changes a task's words without touching any of its indexes. The
 * events of a change are appended by a statement, not by a function.
 */
export const lighterChangesMigration: Migration = {
  id: 35,
  name: "lighter changes",
  statements: (engine) => [
    `drop index tasks_board`,
    `drop index tasks_ready`,
    `create index tasks_stage on tasks ("projectUuid", "status", "openDependencies")`,
    ...(engine === "sqlite"
      ? []
      : [`alter table tasks set (fillfactor = 80)`, `drop function chorus_append(text, json)`]),
  ],
}
