import type { Engine } from "./migration.ts"

interface Trigger {
  readonly name: string
  readonly on: string
  /** Runs after the row change, with `new` and `old` at hand. */
  readonly does: string
  /** A lock PostgreSQL needs first; the embedded engine writes one change at a time. */
  readonly holds?: string
}

const UNFINISHED = `not in ('done', 'closed')`
const weight = (condition: string) => `case when ${condition} then 1 else 0 end`
const inForce = (row: string) => weight(`${row}."retiredAt" is null`)
const passed = (row: string, column: string) => weight(`${row}."retiredAt" is null and ${row}."${column}" = 'passed'`)

/**
 * Counts that lists and the ready query need for thousands of tasks at once, kept by the store itself so that no writer can forget them.
 * An edge insert holds the task it points to: else that task could finish unseen between the look and the count.
 */
const TRIGGERS: readonly Trigger[] = [
  {
    name: "task_edge_added",
    on: `insert on "taskEdges"`,
    holds: `perform 1 from tasks where "uuid" = new."dependsOnUuid" for share`,
    does: `update tasks set "openDependencies" = "openDependencies" + 1 where "uuid" = new."taskUuid"
      and (select "status" from tasks where "uuid" = new."dependsOnUuid") ${UNFINISHED}`,
  },
  {
    name: "task_edge_removed",
    on: `delete on "taskEdges"`,
    holds: `perform 1 from tasks where "uuid" = old."dependsOnUuid" for share`,
    does: `update tasks set "openDependencies" = "openDependencies" - 1 where "uuid" = old."taskUuid"
      and (select "status" from tasks where "uuid" = old."dependsOnUuid") ${UNFINISHED}`,
  },
  {
    name: "task_status_changed",
    on: `update of "status" on tasks`,
    does: `update tasks set "openDependencies" = "openDependencies" + ${weight(`new."status" ${UNFINISHED}`)} - ${weight(`old."status" ${UNFINISHED}`)}
      where "uuid" in (select "taskUuid" from "taskEdges" where "dependsOnUuid" = new."uuid")
      and ${weight(`new."status" ${UNFINISHED}`)} <> ${weight(`old."status" ${UNFINISHED}`)}`,
  },
  {
    name: "criterion_added",
    on: "insert on criteria",
    does: `update tasks set "criteriaTotal" = "criteriaTotal" + ${inForce("new")}, "criteriaPassed" = "criteriaPassed" + ${passed("new", "status")},
      "criteriaChecked" = "criteriaChecked" + ${passed("new", "devStatus")} where "uuid" = new."taskUuid"`,
  },
  {
    name: "criterion_changed",
    on: `update of "status", "devStatus", "retiredAt" on criteria`,
    does: `update tasks set "criteriaTotal" = "criteriaTotal" + ${inForce("new")} - ${inForce("old")},
      "criteriaPassed" = "criteriaPassed" + ${passed("new", "status")} - ${passed("old", "status")},
      "criteriaChecked" = "criteriaChecked" + ${passed("new", "devStatus")} - ${passed("old", "devStatus")} where "uuid" = new."taskUuid"`,
  },
]

export function taskCounters(engine: Engine): string[] {
  return TRIGGERS.flatMap((trigger) => (engine === "sqlite" ? embedded(trigger) : postgres(trigger)))
}

function embedded({ name, on, does }: Trigger): string[] {
  return [`create trigger ${name} after ${on} for each row begin ${does}; end`]
}

function postgres({ name, on, does, holds }: Trigger): string[] {
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${holds === undefined ? "" : `${holds};`} ${does}; return null; end $$`,
    `create trigger ${name} after ${on} for each row execute function ${name}()`,
  ]
}
