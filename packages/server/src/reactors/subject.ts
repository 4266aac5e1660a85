import type { NewEvent } from "@chorus/contracts"
import type { Party } from "@chorus/core"
import { askedOften, type Db, type Schema } from "@chorus/store"
import type { OperationContext } from "../operation.ts"
import { projectReached } from "../reach.ts"

type SubjectType = "task" | "idea" | "proposal" | "document"

/** What a notification is about, and who is tied to it. */
export interface Subject {
  readonly entityType: string
  readonly entityUuid: string
  readonly title: string
  readonly projectUuid: string | null
  readonly project: Pick<Schema["projects"], "name" | "status"> | undefined
  readonly assignee: Party | undefined
  readonly creator: Party | undefined
  readonly proposalUuid: string | undefined
}

interface Reference {
  readonly type: SubjectType
  readonly uuid: string
}

/** What an event is about: its entity, or what a comment, review or file hangs on. */
export function subjectOf(event: NewEvent): Reference | undefined {
  const { entityType, entityUuid } = event
  if (isSubject(entityType)) return { type: entityType, uuid: entityUuid }
  if (
    event.kind !== "attachment.added" &&
    event.kind !== "comment.added" &&
    event.kind !== "comment.edited" &&
    event.kind !== "review.submitted"
  )
    return undefined
  const { targetType, targetUuid } = event.patch
  return targetType && targetUuid ? { type: targetType, uuid: targetUuid } : undefined
}

const known = new WeakMap<OperationContext, Map<string, Promise<Subject | undefined>>>()

/**
 * What some events of a change are about: looked up by one query per kind, each once however many reactors ask; what is
 * gone is left out.
 */
export async function findSubjects(
  context: OperationContext,
  events: readonly NewEvent[],
): Promise<ReadonlyMap<string, Subject>> {
  const wanted = new Map(events.flatMap((event) => subjectOf(event) ?? []).map(({ type, uuid }) => [uuid, type]))
  const asked = known.get(context)
  const missing = Map.groupBy(
    [...wanted.keys()].filter((uuid) => asked?.has(uuid) !== true),
    (uuid) => wanted.get(uuid),
  )
  for (const [type, uuids] of missing) if (type !== undefined) askSubjects(context, type, uuids)
  const found = await Promise.all([...wanted.keys()].map((uuid) => known.get(context)?.get(uuid)))
  return new Map(found.flatMap((subject) => (subject === undefined ? [] : [[subject.entityUuid, subject]])))
}

/**
 * Asks for what reactors will want to know of something that changes now, so that the question goes out with the
 * change.
 */
export function askSubjects(context: OperationContext, type: SubjectType, uuids: readonly string[]): void {
  const asked = known.get(context) ?? new Map<string, Promise<Subject | undefined>>()
  known.set(context, asked)
  const rows = LOOK_UP[type](context.db, ...uuids).then(
    (found) => new Map(found.map((row) => [row.uuid, subject(type, row)])),
  )
  for (const uuid of uuids) {
    const one = rows.then((found) => found.get(uuid))
    // A change that fails before anybody asks has its own error to tell.
    one.catch(() => undefined)
    asked.set(uuid, one)
  }
}

/** The same of a task that is read anyway, in a project that reach has looked up. */
export function taskIsSubject(
  context: OperationContext,
  taskUuid: string,
  reading: Promise<Omit<Row, keyof ProjectOf> | undefined>,
): void {
  const project = projectReached(context, taskUuid)
  if (project === undefined) return askSubjects(context, "task", [taskUuid])
  const one = Promise.all([reading, project]).then(
    ([row, place]) => row && place && subject("task", { ...row, name: place.name, status: place.status }),
  )
  one.catch(() => undefined)
  const asked = known.get(context) ?? new Map<string, Promise<Subject | undefined>>()
  known.set(context, asked.set(taskUuid, one))
}

/** What was asked of something before this change of it says what the change makes of it. */
export function subjectChanges(
  context: OperationContext,
  uuid: string,
  changes: Partial<Pick<Subject, "title" | "assignee">>,
): void {
  const asked = known.get(context)
  const before = asked?.get(uuid)
  if (before !== undefined)
    asked?.set(
      uuid,
      before.then((found) => found && { ...found, ...changes }),
    )
}

type ProjectOf = Pick<Schema["projects"], "name" | "status">
type Row = Pick<Schema["proposals"], "uuid" | "title" | "projectUuid" | "createdByType" | "createdByUuid"> &
  ProjectOf &
  Partial<Pick<Schema["tasks"], "assigneeType" | "assigneeUuid" | "proposalUuid">>

const COLUMNS = ["s.uuid", "s.title", "s.projectUuid", "s.createdByType", "s.createdByUuid"] as const
const PROJECT = ["p.name", "p.status"] as const
const HOLDER = ["s.assigneeType", "s.assigneeUuid"] as const

const LOOK_UP: Record<SubjectType, (db: Db, ...uuids: string[]) => Promise<Row[]>> = {
  task: askedOften((db, ...uuids) =>
    db
      .selectFrom("tasks as s")
      .innerJoin("projects as p", "p.uuid", "s.projectUuid")
      .select([...COLUMNS, ...PROJECT, ...HOLDER, "s.proposalUuid"])
      .where("s.uuid", "in", uuids),
  ).all,
  idea: askedOften((db, ...uuids) =>
    db
      .selectFrom("ideas as s")
      .innerJoin("projects as p", "p.uuid", "s.projectUuid")
      .select([...COLUMNS, ...PROJECT, ...HOLDER])
      .where("s.uuid", "in", uuids),
  ).all,
  proposal: askedOften((db, ...uuids) =>
    db
      .selectFrom("proposals as s")
      .innerJoin("projects as p", "p.uuid", "s.projectUuid")
      .select([...COLUMNS, ...PROJECT, "s.uuid as proposalUuid"])
      .where("s.uuid", "in", uuids),
  ).all,
  document: askedOften((db, ...uuids) =>
    db
      .selectFrom("documents as s")
      .innerJoin("projects as p", "p.uuid", "s.projectUuid")
      .select([...COLUMNS, ...PROJECT, "s.proposalUuid"])
      .where("s.uuid", "in", uuids),
  ).all,
}

function subject(entityType: SubjectType, row: Row): Subject {
  return {
    entityType,
    entityUuid: row.uuid,
    title: row.title,
    projectUuid: row.projectUuid,
    project: { name: row.name, status: row.status },
    assignee: party(row.assigneeType ?? null, row.assigneeUuid ?? null),
    creator: party(row.createdByType, row.createdByUuid),
    proposalUuid: row.proposalUuid ?? undefined,
  }
}

export function party(type: string | null, uuid: string | null): Party | undefined {
  return uuid !== null && (type === "user" || type === "agent") ? { type, uuid } : undefined
}

function isSubject(type: string): type is SubjectType {
  return Object.hasOwn(LOOK_UP, type)
}
