import type { ActorRef, tasks } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import type { Selectable } from "kysely"
import type { Schema } from "@chorus/store"
import { notFound } from "../../faults.ts"
import { type NameOf, namesOf } from "../../names.ts"

export type TaskRecord = Selectable<Schema["tasks"]>

/** A task that nobody holds yet. */
export const NOT_BEGUN = {
  status: "open",
  acceptanceCriteria: null,
  assigneeType: null,
  assigneeUuid: null,
  assignedAt: null,
  assignedByType: null,
  assignedByUuid: null,
  startedAt: null,
  submittedAt: null,
  submittedByType: null,
  submittedByUuid: null,
  doneAt: null,
} as const

/** What a row needs; long texts are left out of lists. */
export const ROW_COLUMNS = [
  "uuid",
  "projectUuid",
  "proposalUuid",
  "title",
  "status",
  "priority",
  "storyPoints",
  "assigneeType",
  "assigneeUuid",
  "openDependencies",
  "criteriaTotal",
  "criteriaPassed",
  "criteriaChecked",
  "createdAt",
  "updatedAt",
] as const

export type RowRecord = Pick<TaskRecord, (typeof ROW_COLUMNS)[number]>

export function taskRow(record: RowRecord, nameOf: NameOf): tasks.TaskRow {
  return {
    uuid: record.uuid,
    projectUuid: record.projectUuid,
    proposalUuid: record.proposalUuid,
    title: record.title,
    status: record.status,
    priority: record.priority,
    storyPoints: record.storyPoints,
    assignee: nameOf(record.assigneeType, record.assigneeUuid),
    openDependencies: record.openDependencies,
    ac: criteriaCounts(record),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  }
}

export async function taskRows(db: Db, records: readonly RowRecord[]): Promise<tasks.TaskRow[]> {
  const nameOf = await namesOf(db, new Set(records.map((record) => record.assigneeUuid)))
  return records.map((record) => taskRow(record, nameOf))
}

export function criteriaCounts(
  record: Pick<TaskRecord, "criteriaTotal" | "criteriaPassed" | "criteriaChecked">,
): tasks.TaskRow["ac"] {
  return { total: record.criteriaTotal, passed: record.criteriaPassed, checked: record.criteriaChecked }
}

export async function findTask(db: Db, taskUuid: string): Promise<TaskRecord> {
  const record = await db.selectFrom("tasks").selectAll().where("uuid", "=", taskUuid).executeTakeFirst()
  if (record === undefined) throw notFound("task", taskUuid)
  return record
}

export async function holderOf(
  db: Db,
  task: Pick<TaskRecord, "assigneeType" | "assigneeUuid">,
): Promise<ActorRef | null> {
  const nameOf = await namesOf(db, [task.assigneeUuid])
  return nameOf(task.assigneeType, task.assigneeUuid)
}
