import type { NewEvent } from "@chorus/contracts"
import type { Party } from "@chorus/core"
import type { Db } from "@chorus/store"

type SubjectType = "task" | "idea" | "proposal" | "document"

/** What a notification is about, and who is tied to it. */
export interface Subject {
  readonly entityType: string
  readonly entityUuid: string
  readonly title: string
  readonly projectUuid: string | null
  readonly assignee: Party | undefined
  readonly creator: Party | undefined
  readonly proposalUuid: string | undefined
}

interface Reference {
  readonly type: SubjectType
  readonly uuid: string
}

const TYPES: ReadonlySet<string> = new Set<SubjectType>(["task", "idea", "proposal", "document"])

/** What an event is about: its entity, or what a comment or review hangs on. */
export function subjectOf(event: NewEvent): Reference | undefined {
  const { entityType, entityUuid } = event
  if (isSubject(entityType)) return { type: entityType, uuid: entityUuid }
  if (event.kind !== "comment.added" && event.kind !== "comment.edited" && event.kind !== "review.submitted")
    return undefined
  const { targetType, targetUuid } = event.patch
  return targetType && targetUuid ? { type: targetType, uuid: targetUuid } : undefined
}

/** Looks subjects up, one query per kind; what is gone is left out. */
export async function findSubjects(db: Db, references: readonly Reference[]): Promise<Map<string, Subject>> {
  const uuids = (type: SubjectType) => [
    ...new Set(references.filter((reference) => reference.type === type).map((reference) => reference.uuid)),
  ]
  const found = new Map<string, Subject>()
  const tasks = uuids("task")
  if (tasks.length > 0) {
    const rows = await db
      .selectFrom("tasks")
      .select([
        "uuid",
        "title",
        "projectUuid",
        "assigneeType",
        "assigneeUuid",
        "createdByType",
        "createdByUuid",
        "proposalUuid",
      ])
      .where("uuid", "in", tasks)
      .execute()
    for (const row of rows)
      found.set(row.uuid, {
        ...subject("task", row),
        assignee: party(row.assigneeType, row.assigneeUuid),
        proposalUuid: row.proposalUuid ?? undefined,
      })
  }
  const ideas = uuids("idea")
  if (ideas.length > 0) {
    const rows = await db
      .selectFrom("ideas")
      .select(["uuid", "title", "projectUuid", "assigneeType", "assigneeUuid", "createdByType", "createdByUuid"])
      .where("uuid", "in", ideas)
      .execute()
    for (const row of rows)
      found.set(row.uuid, {
        ...subject("idea", row),
        assignee: party(row.assigneeType, row.assigneeUuid),
        proposalUuid: undefined,
      })
  }
  const proposals = uuids("proposal")
  if (proposals.length > 0) {
    const rows = await db
      .selectFrom("proposals")
      .select(["uuid", "title", "projectUuid", "createdByType", "createdByUuid"])
      .where("uuid", "in", proposals)
      .execute()
    for (const row of rows)
      found.set(row.uuid, { ...subject("proposal", row), assignee: undefined, proposalUuid: row.uuid })
  }
  const documents = uuids("document")
  if (documents.length > 0) {
    const rows = await db
      .selectFrom("documents")
      .select(["uuid", "title", "projectUuid", "createdByType", "createdByUuid", "proposalUuid"])
      .where("uuid", "in", documents)
      .execute()
    for (const row of rows)
      found.set(row.uuid, {
        ...subject("document", row),
        assignee: undefined,
        proposalUuid: row.proposalUuid ?? undefined,
      })
  }
  return found
}

export function party(type: string | null, uuid: string | null): Party | undefined {
  return uuid !== null && (type === "user" || type === "agent") ? { type, uuid } : undefined
}

function subject(
  entityType: SubjectType,
  row: { uuid: string; title: string; projectUuid: string; createdByType: string; createdByUuid: string },
) {
  return {
    entityType,
    entityUuid: row.uuid,
    title: row.title,
    projectUuid: row.projectUuid,
    creator: party(row.createdByType, row.createdByUuid),
  }
}

function isSubject(type: string): type is SubjectType {
  return TYPES.has(type)
}
