import { ChorusError, ideas } from "@chorus/contracts"
import { asForest, closesCircle } from "@chorus/core"
import { type Db, lock, type Schema } from "@chorus/store"
import { type SelectQueryBuilder } from "kysely"
import { namesOf, notFound, operation, type OperationContext, type PageInput, readPage } from "../../operation.ts"
import { attachmentsOf } from "../attachments/attachment-row.ts"
import { assertMayRewrite } from "../change-requests/rewrite.ts"
import { insertReferences, referencesOf } from "../references/reference-row.ts"
import { bearing, labelsNamed } from "../labels/labels.ts"
import { nextShortIds } from "../projects/short-ids.ts"
import { type Author, assertVersion, holdText, keepChange } from "../versions/text-version.ts"
import { findIdea, ideaRow, ideaRows } from "./idea-record.ts"

export const createIdea = operation(ideas.createIdea, async (context, input) => {
  const { db, engine, actor, now, newId, emit } = context
  const parentUuid = input.parentUuid ?? null
  if (parentUuid !== null) {
    await lock({ db, engine }, `project:${input.projectUuid}`)
    await assertParent(db, input.projectUuid, parentUuid)
  }
  const [shortId = null] = await nextShortIds(db, input.projectUuid, 1)
  const row: Schema["ideas"] = {
    uuid: newId(),
    projectUuid: input.projectUuid,
    shortId,
    title: input.title,
    content: input.content ?? null,
    status: "open",
    parentUuid,
    isContainer: input.isContainer ? 1 : 0,
    labels: JSON.stringify(await labelsNamed(context, input.projectUuid, input.labels ?? [])),
    assigneeType: null,
    assigneeUuid: null,
    assignedAt: null,
    assignedByType: null,
    assignedByUuid: null,
    elaborationDepth: null,
    elaborationStatus: null,
    elaborationReason: null,
    version: 1,
    createdByType: actor.type,
    createdByUuid: actor.uuid,
    createdAt: now,
    updatedAt: now,
  }
  await db.insertInto("ideas").values(row).execute()
  const idea = await ideaRow(db, row)
  emit({
    kind: "idea.created",
    entityType: "idea",
    entityUuid: row.uuid,
    projectUuid: row.projectUuid,
    action: "created",
    patch: { ...idea, content: row.content },
  })
  await insertReferences(
    context,
    { projectUuid: row.projectUuid, targetType: "idea", targetUuid: row.uuid },
    input.references ?? [],
  )
  return idea
})

export const editIdea = operation(ideas.editIdea, async (context, { ideaUuid, expectedVersion, ...given }) => {
  if (Object.values(given).every((value) => value === undefined)) throw nothingToChange()
  const { title, content, parentUuid, isContainer, labels } = given
  await rewriteIdea(context, ideaUuid, { title, content }, { expectedVersion })
  if (parentUuid !== undefined || isContainer !== undefined) await place(context, ideaUuid, { parentUuid, isContainer })
  if (labels !== undefined) await label(context, ideaUuid, labels)
  return ideaRow(context.db, await findIdea(context.db, ideaUuid))
})

/** What an idea is filed under; no word of it changes. */
async function label(context: OperationContext, ideaUuid: string, names: readonly string[]): Promise<void> {
  const { db, now, emit } = context
  const { projectUuid } = await findIdea(db, ideaUuid)
  const labels = await labelsNamed(context, projectUuid, names)
  await db
    .updateTable("ideas")
    .set({ labels: JSON.stringify(labels), updatedAt: now })
    .where("uuid", "=", ideaUuid)
    .execute()
  emit({
    kind: "idea.updated",
    entityType: "idea",
    entityUuid: ideaUuid,
    projectUuid,
    action: "updated",
    patch: { labels, updatedAt: now },
  })
}

/** Changes the words of an idea, which makes a version; a person's own are not for an agent to rewrite. */
export async function rewriteIdea(
  context: OperationContext,
  ideaUuid: string,
  { title, content }: { title?: string | undefined; content?: string | null | undefined },
  { expectedVersion, author }: { expectedVersion?: number | undefined; author?: Author | undefined } = {},
): Promise<void> {
  const { db, now, emit } = context
  await holdText(context, ideaUuid)
  const idea = await findIdea(db, ideaUuid)
  const about = { targetType: "idea", targetUuid: ideaUuid, uuid: ideaUuid } as const
  await assertVersion(db, { ...about, title: idea.title, version: idea.version }, expectedVersion)
  const words = {
    ...(title === undefined || title === idea.title ? {} : { title }),
    ...(content === undefined || content === idea.content ? {} : { content }),
  }
  if (Object.keys(words).length === 0) return
  await assertMayRewrite(context, { ...idea, ...about })
  const version = idea.version + 1
  const row = await db
    .updateTable("ideas")
    .set({ ...words, version, updatedAt: now })
    .where("uuid", "=", ideaUuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  keepChange(
    context,
    { ...idea, ...about, content: idea.content ?? "" },
    { ...about, version, title: row.title, content: row.content ?? "" },
    author,
  )
  const before = {
    ...("title" in words ? { title: idea.title } : {}),
    ...("content" in words ? { content: idea.content } : {}),
  }
  emit({
    kind: "idea.updated",
    entityType: "idea",
    entityUuid: ideaUuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch: { ...words, version, before, updatedAt: now },
  })
}

/** Where an idea stands among the others; no word of it changes. */
async function place(
  { db, engine, now, emit }: OperationContext,
  ideaUuid: string,
  { parentUuid, isContainer }: { parentUuid: string | null | undefined; isContainer: boolean | undefined },
): Promise<void> {
  const before = await findIdea(db, ideaUuid)
  await lock({ db, engine }, `project:${before.projectUuid}`)
  if (parentUuid !== undefined && parentUuid !== null) {
    await assertParent(db, before.projectUuid, parentUuid)
    await assertNoCircle(db, before, parentUuid)
  }
  if (isContainer === true) await assertNoProposal(db, before)
  await db
    .updateTable("ideas")
    .set({
      ...(parentUuid === undefined ? {} : { parentUuid }),
      ...(isContainer === undefined ? {} : { isContainer: isContainer ? 1 : 0 }),
      updatedAt: now,
    })
    .where("uuid", "=", ideaUuid)
    .execute()
  emit({
    kind: "idea.updated",
    entityType: "idea",
    entityUuid: ideaUuid,
    projectUuid: before.projectUuid,
    action: "updated",
    patch: {
      ...(parentUuid === undefined ? {} : { parentUuid, previousParentUuid: before.parentUuid }),
      ...(isContainer === undefined ? {} : { isContainer }),
      updatedAt: now,
    },
  })
}

async function assertParent(db: Db, projectUuid: string, parentUuid: string): Promise<void> {
  const parent = await db.selectFrom("ideas").select("projectUuid").where("uuid", "=", parentUuid).executeTakeFirst()
  if (parent?.projectUuid !== projectUuid) throw notFound("parent idea", parentUuid)
}

async function assertNoCircle(db: Db, idea: Schema["ideas"], parentUuid: string): Promise<void> {
  const rows = await db
    .selectFrom("ideas")
    .select(["uuid", "parentUuid"])
    .where("projectUuid", "=", idea.projectUuid)
    .execute()
  const parents = new Map(rows.map((row) => [row.uuid, row.parentUuid]))
  if (!closesCircle(idea.uuid, parentUuid, (uuid) => parents.get(uuid))) return
  throw new ChorusError("lineage_circle", `"${idea.title}" cannot stand below itself.`, {
    status: 409,
    next: "Choose a parent that is not among its descendants.",
  })
}

async function assertNoProposal(db: Db, idea: Schema["ideas"]): Promise<void> {
  const used = await db
    .selectFrom("proposalInputs as i")
    .innerJoin("proposals as p", "p.uuid", "i.proposalUuid")
    .select(["p.uuid", "p.title"])
    .where("i.ideaUuid", "=", idea.uuid)
    .where("p.status", "<>", "closed")
    .executeTakeFirst()
  if (used === undefined) return
  throw new ChorusError(
    "idea_in_use",
    `"${idea.title}" feeds the proposal "${used.title}", so it cannot become a theme.`,
    {
      status: 409,
      next: "Close that proposal first, or make a new theme and put this idea below it.",
      details: { proposalUuid: used.uuid },
    },
  )
}

function nothingToChange(): ChorusError {
  return new ChorusError("invalid_input", "Nothing to change was given.", {
    next: "Give at least one of title, content, labels, parentUuid, isContainer.",
  })
}

export const getIdeas = operation(ideas.getIdeas, async ({ db }, input) => {
  let query = db.selectFrom("ideas").where("projectUuid", "=", input.projectUuid)
  if (input.status !== undefined) query = query.where("status", "=", input.status)
  if (input.assigneeUuid !== undefined) query = query.where("assigneeUuid", "=", input.assigneeUuid)
  if (input.label !== undefined) query = query.where(await bearing(db, input.projectUuid, input.label))
  return pageOfIdeas(db, query, input)
})

export const getAvailableIdeas = operation(ideas.getAvailableIdeas, async ({ db }, { projectUuid, ...page }) =>
  pageOfIdeas(db, db.selectFrom("ideas").where("projectUuid", "=", projectUuid).where("status", "=", "open"), page),
)

async function pageOfIdeas(db: Db, query: SelectQueryBuilder<Schema, "ideas", object>, page: PageInput) {
  const { rows, page: paging } = await readPage(query.selectAll().orderBy("createdAt", "desc").orderBy("uuid"), page)
  return { ideas: await ideaRows(db, rows), ...paging }
}

export const getIdeaTree = operation(ideas.getIdeaTree, async ({ db }, { projectUuid }) => {
  const rows = await db
    .selectFrom("ideas")
    .selectAll()
    .where("projectUuid", "=", projectUuid)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  return { ideas: asForest(await ideaRows(db, rows)) }
})

export const getIdea = operation(ideas.getIdea, async ({ db }, { ideaUuid }) => {
  const row = await findIdea(db, ideaUuid)
  const children = await db
    .selectFrom("ideas")
    .selectAll()
    .where("parentUuid", "=", ideaUuid)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  const parent = row.parentUuid === null ? null : await findIdea(db, row.parentUuid)
  const nameOf = await namesOf(db, [row.assigneeUuid, row.assignedByUuid])
  const assignee = nameOf(row.assigneeType, row.assigneeUuid)
  return {
    ...(await ideaRow(db, row)),
    content: row.content,
    elaborationReason: row.elaborationReason,
    assignee: assignee && {
      ...assignee,
      assignedAt: row.assignedAt,
      assignedBy: nameOf(row.assignedByType, row.assignedByUuid),
    },
    attachments: await attachmentsOf(db, ideaUuid),
    references: await referencesOf(db, ideaUuid),
    project: await db
      .selectFrom("projects")
      .select(["uuid", "name"])
      .where("uuid", "=", row.projectUuid)
      .executeTakeFirstOrThrow(),
    parent: parent && (await ideaRow(db, parent)),
    children: await ideaRows(db, children),
    descendantUuids: await descendantsOf(db, row),
    ...(await proposalsAndReports(db, ideaUuid)),
  }
})

/** Every idea below one, in no particular order. */
export async function descendantsOf(
  db: Db,
  { uuid, projectUuid }: Pick<Schema["ideas"], "uuid" | "projectUuid">,
): Promise<string[]> {
  const rows = await db
    .selectFrom("ideas")
    .select(["uuid", "parentUuid"])
    .where("projectUuid", "=", projectUuid)
    .execute()
  const below = Map.groupBy(rows, (row) => row.parentUuid)
  const walk = (parent: string): string[] => (below.get(parent) ?? []).flatMap((row) => [row.uuid, ...walk(row.uuid)])
  return walk(uuid)
}

async function proposalsAndReports(db: Db, ideaUuid: string) {
  const proposals = await db
    .selectFrom("proposals as p")
    .innerJoin("proposalInputs as i", "i.proposalUuid", "p.uuid")
    .select(["p.uuid", "p.title", "p.status"])
    .where("i.ideaUuid", "=", ideaUuid)
    .orderBy("p.createdAt")
    .execute()
  const reports = await db
    .selectFrom("documents")
    .select(["uuid", "title", "proposalUuid", "createdAt"])
    .where("type", "=", "report")
    .where(
      "proposalUuid",
      "in",
      proposals.map((proposal) => proposal.uuid),
    )
    .orderBy("createdAt")
    .execute()
  return { proposals, reports }
}
