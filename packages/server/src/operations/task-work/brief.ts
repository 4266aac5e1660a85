import type { work } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import { namesOf, type OperationContext } from "../../operation.ts"
import type { SessionRecord } from "../sessions/session-record.ts"
import { taskDetail } from "../tasks/task-detail.ts"
import type { TaskRecord } from "../tasks/task-record.ts"

/** Everything needed to begin, so that no further call is. */
export async function briefOf(
  context: OperationContext,
  task: TaskRecord,
  session: SessionRecord | null,
): Promise<work.TaskBrief> {
  const { db } = context
  const detail = await taskDetail(context, task)
  return {
    task: detail,
    idea: await ideaOf(db, task),
    documents: task.proposalUuid === null ? [] : await documentsOf(db, task.proposalUuid),
    dependencies: await Promise.all(
      detail.dependsOn.map(async (link) => ({ ...link, lastReport: await lastReport(db, link.uuid) })),
    ),
    reservedByOthers: await reservedByOthers(context, task),
    session: session && { uuid: session.uuid, name: session.name },
  }
}

async function ideaOf(db: Db, { proposalUuid }: TaskRecord): Promise<work.TaskBrief["idea"]> {
  if (proposalUuid === null) return null
  const idea = await db
    .selectFrom("proposalInputs as p")
    .innerJoin("ideas as i", "i.uuid", "p.ideaUuid")
    .select(["i.uuid", "i.title"])
    .where("p.proposalUuid", "=", proposalUuid)
    .orderBy("p.position")
    .executeTakeFirst()
  return idea ?? null
}

function documentsOf(db: Db, proposalUuid: string) {
  return db
    .selectFrom("documents")
    .select(["uuid", "type", "title"])
    .where("proposalUuid", "=", proposalUuid)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
}

async function lastReport(db: Db, taskUuid: string): Promise<string | null> {
  const report = await db
    .selectFrom("workReports")
    .select("content")
    .where("taskUuid", "=", taskUuid)
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
    .executeTakeFirst()
  return report?.content ?? null
}

async function reservedByOthers(
  { db, now }: OperationContext,
  task: TaskRecord,
): Promise<work.TaskBrief["reservedByOthers"]> {
  const rows = await db
    .selectFrom("reservations")
    .select(["glob", "taskUuid", "agentUuid"])
    .where("projectUuid", "=", task.projectUuid)
    .where("releasedAt", "is", null)
    .where("expiresAt", ">", now)
    .where("taskUuid", "<>", task.uuid)
    .orderBy("glob")
    .limit(100)
    .execute()
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.agentUuid),
  )
  return rows.flatMap(({ glob, taskUuid, agentUuid }) => {
    const agent = nameOf("agent", agentUuid)
    return agent === null ? [] : [{ glob, taskUuid, agent }]
  })
}
