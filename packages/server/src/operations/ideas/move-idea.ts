import { ChorusError, ideas } from "@chorus/contracts"
import { type Db, lock, type Schema } from "@chorus/store"
import { operation, type OperationContext } from "../../operation.ts"
import { documentRows } from "../documents/document-record.ts"
import { labelsIn, labelsNamed } from "../labels/labels.ts"
import { proposalRows } from "../proposals/proposal-row.ts"
import { taskRows } from "../tasks/task-record.ts"
import { findIdea, ideaRows } from "./idea-record.ts"
import { descendantsOf } from "./ideas.ts"

interface Load {
  ideas: string[]
  proposals: string[]
  documents: string[]
  tasks: string[]
}

/** Takes an idea with everything that grew from it to another project. What happened stays in the log where it happened. */
export const moveIdea = operation(ideas.moveIdea, async (context, { ideaUuid, targetProjectUuid }) => {
  const { db, engine } = context
  const { projectUuid } = await findIdea(db, ideaUuid)
  for (const uuid of [projectUuid, targetProjectUuid].sort()) await lock({ db, engine }, `project:${uuid}`)
  const idea = await findIdea(db, ideaUuid)
  if (idea.projectUuid === targetProjectUuid) throw alreadyThere(idea)
  if (idea.projectUuid !== projectUuid) throw movedMeanwhile(idea)
  const load = await loadOf(db, idea)
  await assertNothingLeftBehind(db, load)
  await moveRows(context, idea, load, targetProjectUuid)
  await tellReaders(context, idea, targetProjectUuid, load)
  const { ideas, proposals, documents, tasks } = load
  return {
    uuid: ideaUuid,
    project: await db
      .selectFrom("projects")
      .select(["uuid", "name"])
      .where("uuid", "=", targetProjectUuid)
      .executeTakeFirstOrThrow(),
    moved: {
      ideas: ideas.length,
      proposals: proposals.length,
      documents: documents.length,
      tasks: tasks.length,
      activities: 0,
    },
  }
})

async function loadOf(db: Db, idea: Schema["ideas"]): Promise<Load> {
  const ideas = [idea.uuid, ...(await descendantsOf(db, idea))]
  const fed = await db
    .selectFrom("proposalInputs")
    .select("proposalUuid")
    .distinct()
    .where("ideaUuid", "in", ideas)
    .execute()
  const proposals = fed.map((row) => row.proposalUuid)
  const made = proposals
  const documents = await db.selectFrom("documents").select("uuid").where("proposalUuid", "in", made).execute()
  const tasks = await db.selectFrom("tasks").select("uuid").where("proposalUuid", "in", made).execute()
  return { ideas, proposals, documents: documents.map((row) => row.uuid), tasks: tasks.map((row) => row.uuid) }
}

async function assertNothingLeftBehind(db: Db, load: Load): Promise<void> {
  const shared = await db
    .selectFrom("proposalInputs as i")
    .innerJoin("proposals as p", "p.uuid", "i.proposalUuid")
    .select(["p.uuid", "p.title"])
    .where("p.uuid", "in", load.proposals)
    .where("i.ideaUuid", "not in", load.ideas)
    .execute()
  const built = await db
    .selectFrom("proposalInputs as i")
    .innerJoin("proposals as p", "p.uuid", "i.proposalUuid")
    .select(["p.uuid", "p.title"])
    .where("i.documentUuid", "in", load.documents)
    .where("p.uuid", "not in", load.proposals)
    .where("p.status", "<>", "closed")
    .execute()
  const edges = await db
    .selectFrom("taskEdges")
    .select(["taskUuid", "dependsOnUuid"])
    .where((where) => where.or([where("taskUuid", "in", load.tasks), where("dependsOnUuid", "in", load.tasks)]))
    .execute()
  const moving = new Set(load.tasks)
  const crossing = edges.filter((edge) => !moving.has(edge.taskUuid) || !moving.has(edge.dependsOnUuid))
  const tied = [...new Map([...shared, ...built].map((proposal) => [proposal.uuid, proposal])).values()]
  if (tied.length === 0 && crossing.length === 0) return
  throw new ChorusError("move_crosses_projects", "Something that would move is tied to something that would stay.", {
    status: 409,
    next: "Move the other ideas of these proposals along (under one theme), close those made from its documents, or remove these dependencies first.",
    details: { proposals: tied, dependencies: crossing },
  })
}

async function moveRows(
  context: OperationContext,
  idea: Schema["ideas"],
  load: Load,
  projectUuid: string,
): Promise<void> {
  const { db, now } = context
  await takeLabelsAlong(context, load, projectUuid)
  const all = [...load.ideas, ...load.proposals, ...load.documents, ...load.tasks]
  await db.updateTable("ideas").set({ projectUuid, updatedAt: now }).where("uuid", "in", load.ideas).execute()
  await db.updateTable("usages").set({ projectUuid }).where("ideaUuid", "in", load.ideas).execute()
  await db.updateTable("ideas").set({ parentUuid: null }).where("uuid", "=", idea.uuid).execute()
  if (load.proposals.length > 0)
    await db.updateTable("proposals").set({ projectUuid, updatedAt: now }).where("uuid", "in", load.proposals).execute()
  if (load.documents.length > 0)
    await db.updateTable("documents").set({ projectUuid, updatedAt: now }).where("uuid", "in", load.documents).execute()
  if (load.tasks.length > 0) {
    await db.updateTable("tasks").set({ projectUuid, updatedAt: now }).where("uuid", "in", load.tasks).execute()
    await db.updateTable("taskEdges").set({ projectUuid }).where("taskUuid", "in", load.tasks).execute()
    await db.updateTable("reservations").set({ projectUuid }).where("taskUuid", "in", load.tasks).execute()
    await db.updateTable("usages").set({ projectUuid }).where("taskUuid", "in", load.tasks).execute()
  }
  for (const table of ["referenceLinks", "attachmentFiles", "reviews", "comments"] as const) {
    await db.updateTable(table).set({ projectUuid }).where("targetUuid", "in", all).execute()
  }
  const comments = await db.selectFrom("comments").select("uuid").where("targetUuid", "in", all).execute()
  await db
    .updateTable("mentions")
    .set({ projectUuid })
    .where("sourceUuid", "in", [...all, ...comments.map((comment) => comment.uuid)])
    .execute()
  const { name: projectName } = await db
    .selectFrom("projects")
    .select("name")
    .where("uuid", "=", projectUuid)
    .executeTakeFirstOrThrow()
  await db.updateTable("notifications").set({ projectUuid, projectName }).where("entityUuid", "in", all).execute()
}

/** What bears a label bears it in the new project too, as that spells it. */
async function takeLabelsAlong(context: OperationContext, load: Load, projectUuid: string): Promise<void> {
  const { db } = context
  for (const table of ["tasks", "ideas"] as const) {
    const rows = await db
      .selectFrom(table)
      .select(["uuid", "labels"])
      .where("uuid", "in", load[table])
      .where("labels", "<>", "[]")
      .execute()
    for (const { uuid, labels } of rows) {
      const spelt = JSON.stringify(await labelsNamed(context, projectUuid, labelsIn(labels)))
      await db.updateTable(table).set({ labels: spelt }).where("uuid", "=", uuid).execute()
    }
  }
}

/** In the old project the things go, in the new one they come, each in the shape its lists carry. */
async function tellReaders(
  { db, emit }: OperationContext,
  root: Schema["ideas"],
  to: string,
  load: Load,
): Promise<void> {
  const rows = {
    idea: await ideaRows(db, await db.selectFrom("ideas").selectAll().where("uuid", "in", load.ideas).execute()),
    proposal: await proposalRows(
      db,
      await db.selectFrom("proposals").selectAll().where("uuid", "in", load.proposals).execute(),
    ),
    document: await documentRows(
      db,
      await db.selectFrom("documents").selectAll().where("uuid", "in", load.documents).execute(),
    ),
    task: await taskRows(db, await db.selectFrom("tasks").selectAll().where("uuid", "in", load.tasks).execute()),
  }
  const moved = [
    ...rows.idea.map((patch) => ({ kind: "idea.moved", entityType: "idea", patch }) as const),
    ...rows.proposal.map((patch) => ({ kind: "proposal.moved", entityType: "proposal", patch }) as const),
    ...rows.document.map((patch) => ({ kind: "document.moved", entityType: "document", patch }) as const),
    ...rows.task.map((patch) => ({ kind: "task.moved", entityType: "task", patch }) as const),
  ]
  for (const event of moved) {
    const { uuid, title } = event.patch
    const left = uuid === root.uuid ? { previousParentUuid: root.parentUuid } : {}
    const patch = { title, projectUuid: to, ...left }
    emit({ ...event, entityUuid: uuid, projectUuid: root.projectUuid, action: "deleted", patch })
    emit({ ...event, entityUuid: uuid, projectUuid: to, action: "created" })
  }
}

function movedMeanwhile(idea: Schema["ideas"]): ChorusError {
  return new ChorusError("changed_meanwhile", `"${idea.title}" was moved by somebody else at the same moment.`, {
    status: 409,
    next: "Get the idea and decide again.",
    details: { ideaUuid: idea.uuid },
  })
}

function alreadyThere(idea: Schema["ideas"]): ChorusError {
  return new ChorusError("already_there", `"${idea.title}" is in that project already.`, {
    status: 409,
    next: "Nothing needs to be done.",
  })
}
