import { ChorusError, ideas } from "@chorus/contracts"
import { closesCircle } from "@chorus/core"
import { type Db, lock, type Schema } from "@chorus/store"
import { notFound } from "../../faults.ts"
import { operation } from "../../operation.ts"
import { insertReferences } from "../references/reference-row.ts"
import { findIdea, ideaRow } from "./idea-row.ts"

export const createIdea = operation(ideas.createIdea, async (context, input) => {
  const { db, engine, actor, now, newId, emit } = context
  const parentUuid = input.parentUuid ?? null
  if (parentUuid !== null) {
    await lock({ db, engine }, `project:${input.projectUuid}`)
    await assertParent(db, input.projectUuid, parentUuid)
  }
  const row: Schema["ideas"] = {
    uuid: newId(),
    projectUuid: input.projectUuid,
    title: input.title,
    content: input.content ?? null,
    status: "open",
    parentUuid,
    isContainer: input.isContainer ? 1 : 0,
    assigneeType: null,
    assigneeUuid: null,
    assignedAt: null,
    assignedByType: null,
    assignedByUuid: null,
    elaborationDepth: null,
    elaborationStatus: null,
    elaborationReason: null,
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

export const editIdea = operation(
  ideas.editIdea,
  async ({ db, engine, now, emit }, { ideaUuid, isContainer, ...given }) => {
    if (isContainer === undefined && Object.values(given).every((value) => value === undefined)) throw nothingToChange()
    const before = await findIdea(db, ideaUuid)
    if (given.parentUuid !== undefined || isContainer !== undefined)
      await lock({ db, engine }, `project:${before.projectUuid}`)
    if (given.parentUuid !== undefined && given.parentUuid !== null) {
      await assertParent(db, before.projectUuid, given.parentUuid)
      await assertNoCircle(db, before, given.parentUuid)
    }
    if (isContainer === true) await assertNoProposal(db, before)
    const flag = isContainer === undefined ? {} : { isContainer: isContainer ? 1 : 0 }
    const row = await db
      .updateTable("ideas")
      .set({ ...given, ...flag, updatedAt: now })
      .where("uuid", "=", ideaUuid)
      .returningAll()
      .executeTakeFirstOrThrow()
    const moved = given.parentUuid === undefined ? {} : { previousParentUuid: before.parentUuid }
    const patch = { ...given, ...(isContainer === undefined ? {} : { isContainer }), ...moved, updatedAt: now }
    emit({
      kind: "idea.updated",
      entityType: "idea",
      entityUuid: ideaUuid,
      projectUuid: row.projectUuid,
      action: "updated",
      patch,
    })
    return ideaRow(db, row)
  },
)

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
    next: "Give at least one of title, content, parentUuid, isContainer.",
  })
}
