import { randomUUID } from "node:crypto"
import type { Schema } from "@chorus/store"
import type { Insertable } from "kysely"
import type { Workspace } from "../packages/server/test/workspace-fixture.ts"

export const FIRST_EVENT = 1_000_000
const AT = (index: number) => new Date(Date.parse("2026-01-01T00:00:00Z") + index * 1000).toISOString()

function taskRecord({ developer, rival, pm }: Workspace, index: number, project: string): Insertable<Schema["tasks"]> {
  const finished = index % 10 < 3
  return {
    uuid: randomUUID(),
    projectUuid: project,
    title: `Task ${index} of a large project`,
    description: "What to do, in a few sentences. ".repeat(10),
    status: finished ? "done" : index % 9 === 0 ? "in_progress" : "open",
    priority: (["low", "medium", "high"] as const)[index % 3] ?? "medium",
    storyPoints: index % 5,
    acceptanceCriteria: null,
    assigneeType: finished || index % 9 === 0 ? "agent" : null,
    assigneeUuid: finished || index % 9 === 0 ? (index % 2 === 0 ? developer.uuid : rival.uuid) : null,
    assignedAt: null,
    assignedByType: null,
    assignedByUuid: null,
    proposalUuid: null,
    draftUuid: null,
    createdByType: "agent",
    createdByUuid: pm.uuid,
    startedAt: null,
    submittedAt: null,
    submittedByType: null,
    submittedByUuid: null,
    doneAt: null,
    createdAt: AT(index),
    updatedAt: AT(index),
  }
}

/** Tasks that depend on two earlier ones nearby, as in a plan; three criteria each; an event for every creation, and a notification. Gives their ids. */
export async function fillProject(workspace: Workspace, count: number): Promise<string[]> {
  const { store, workspaceUuid, owner, pm, project: projectUuid } = workspace
  const tasks = Array.from({ length: count }, (_, index) => taskRecord(workspace, index, projectUuid))
  const made = tasks.map((task) => task.uuid)
  const edges = made.flatMap((taskUuid, index) =>
    [1, 6].flatMap((back) => edge(taskUuid, made[index - back], projectUuid)),
  )
  const unmarked = {
    devEvidence: null,
    devMarkedByType: null,
    devMarkedByUuid: null,
    devMarkedAt: null,
    evidence: null,
    markedByType: null,
    markedByUuid: null,
    markedAt: null,
    retiredAt: null,
  }
  const criteria = made.flatMap((taskUuid) =>
    [0, 1, 2].map((sortOrder) => ({
      uuid: randomUUID(),
      taskUuid,
      description: "it holds",
      required: 1,
      command: null,
      sortOrder,
      devStatus: "pending" as const,
      status: "pending" as const,
      ...unmarked,
    })),
  )
  const events = made.map((entityUuid, index) => ({
    workspaceUuid,
    id: FIRST_EVENT + index,
    at: AT(index),
    kind: "task.created",
    entityType: "task",
    entityUuid,
    projectUuid,
    action: "created" as const,
    patch: JSON.stringify({ uuid: entityUuid, title: `Task ${index}`, status: "open" }),
    actorType: "agent" as const,
    actorUuid: pm.uuid,
    actorName: pm.name,
    requestId: null,
  }))
  const notifications = made.map((entityUuid, index) => ({
    uuid: randomUUID(),
    workspaceUuid,
    projectUuid,
    recipientType: "user" as const,
    recipientUuid: owner.uuid,
    entityType: "task",
    entityUuid,
    entityTitle: `Task ${index}`,
    projectName: "A large project",
    action: "task_assigned",
    message: "Somebody assigned it.",
    instructionText: null,
    actorType: "agent" as const,
    actorUuid: pm.uuid,
    actorName: pm.name,
    readAt: index % 10 === 0 ? null : AT(index),
    archivedAt: null,
    createdAt: AT(index),
  }))
  await store.write(async ({ db }) => {
    for (const part of parts(tasks)) await db.insertInto("tasks").values(part).execute()
    for (const part of parts(notifications)) await db.insertInto("notifications").values(part).execute()
    for (const part of parts(edges)) await db.insertInto("taskEdges").values(part).execute()
    for (const part of parts(criteria)) await db.insertInto("criteria").values(part).execute()
    for (const part of parts(events)) await db.insertInto("events").values(part).execute()
    await db
      .updateTable("workspaces")
      .set({ lastEvent: FIRST_EVENT + count })
      .where("uuid", "=", workspaceUuid)
      .execute()
  })
  return made
}

/** Tasks in the other project, each waiting for the one before. Gives their ids in that order. */
export async function fillChain(workspace: Workspace, length: number): Promise<string[]> {
  const { store, otherProject } = workspace
  const tasks = Array.from({ length }, (_, index) => ({
    ...taskRecord(workspace, 7, otherProject),
    createdAt: AT(index),
  }))
  const made = tasks.map((task) => task.uuid)
  const edges = made.slice(1).flatMap((taskUuid, index) => edge(taskUuid, made[index], otherProject))
  await store.write(async ({ db }) => {
    for (const part of parts(tasks)) await db.insertInto("tasks").values(part).execute()
    for (const part of parts(edges)) await db.insertInto("taskEdges").values(part).execute()
  })
  return made
}

function edge(
  taskUuid: string,
  dependsOnUuid: string | undefined,
  projectUuid: string,
): Insertable<Schema["taskEdges"]>[] {
  return dependsOnUuid === undefined ? [] : [{ taskUuid, dependsOnUuid, projectUuid, contract: null, createdAt: AT(0) }]
}

function parts<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / 500) }, (_, part) => rows.slice(part * 500, (part + 1) * 500))
}
