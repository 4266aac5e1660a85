import { ChorusError, labels } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { type RawBuilder, sql } from "kysely"
import { notFound, operation, type OperationContext, readPage } from "../../operation.ts"

const HUES = 8

export const listLabels = operation(labels.listLabels, async ({ db }, input) => {
  const all = db.selectFrom("labels").where("projectUuid", "=", input.projectUuid)
  const { rows, page } = await readPage(all.selectAll().orderBy("lowerName"), input)
  return { labels: rows.map(labelRow), ...page }
})

export const updateLabel = operation(labels.updateLabel, async ({ db, emit }, { labelUuid, name, hue }) => {
  const before = await findLabel(db, labelUuid)
  const lowerName = (name ?? before.name).toLowerCase()
  const other = await labelCalled(db, before.projectUuid, lowerName)
  if (other !== undefined && other.uuid !== labelUuid) throw alreadyCalled(other)
  const row = await db
    .updateTable("labels")
    .set({ name: name ?? before.name, lowerName, hue: hue ?? before.hue })
    .where("uuid", "=", labelUuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (row.name !== before.name) {
    const renamed = sql<string>`replace("labels", ${JSON.stringify(before.name)}, ${JSON.stringify(row.name)})`
    await rewriteLabels(db, before, renamed)
  }
  emit({
    kind: "label.updated",
    entityType: "label",
    entityUuid: labelUuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch: { ...labelRow(row), before: { name: before.name } },
  })
  return labelRow(row)
})

export const deleteLabel = operation(labels.deleteLabel, async ({ db, emit }, { labelUuid }) => {
  const label = await findLabel(db, labelUuid)
  const word = JSON.stringify(label.name)
  const without = sql<string>`replace(replace(replace("labels", ${`${word},`}, ''), ${`,${word}`}, ''), ${word}, '')`
  await rewriteLabels(db, label, without)
  await db.deleteFrom("labels").where("uuid", "=", labelUuid).execute()
  emit({
    kind: "label.deleted",
    entityType: "label",
    entityUuid: labelUuid,
    projectUuid: label.projectUuid,
    action: "deleted",
    patch: { name: label.name },
  })
  return { uuid: labelUuid, deleted: true as const }
})

/** The labels as their project spells them, each once; those it does not have yet are made. */
export async function labelsNamed(
  context: OperationContext,
  projectUuid: string,
  names: readonly string[],
): Promise<string[]> {
  const wanted = new Map<string, string>()
  for (const name of names) if (!wanted.has(name.toLowerCase())) wanted.set(name.toLowerCase(), name)
  if (wanted.size === 0) return []
  const { db } = context
  const known = await db.selectFrom("labels").select("lowerName").where("projectUuid", "=", projectUuid).execute()
  const keys = new Set(known.map((label) => label.lowerName))
  const missing = [...wanted].filter(([key]) => !keys.has(key))
  for (const [at, [, name]] of missing.entries()) await makeLabel(context, projectUuid, name, (keys.size + at) % HUES)
  const rows = await db
    .selectFrom("labels")
    .select(["lowerName", "name"])
    .where("projectUuid", "=", projectUuid)
    .where("lowerName", "in", [...wanted.keys()])
    .execute()
  const spelt = new Map(rows.map(({ lowerName, name }) => [lowerName, name]))
  return [...wanted].map(([key, name]) => spelt.get(key) ?? name)
}

/** What a task or idea bears, out of its column. */
export function labelsIn(column: string): string[] {
  return JSON.parse(column) as string[]
}

/** A condition on rows of one project that bear a label, whichever way its name was written. */
export async function bearing(db: Db, projectUuid: string, name: string): Promise<RawBuilder<boolean>> {
  return bears((await labelCalled(db, projectUuid, name.toLowerCase()))?.name ?? name)
}

/** How projects spell a label, whichever way its name was written. */
export async function spellings(db: Db, name: string): Promise<string[]> {
  const rows = await db
    .selectFrom("labels")
    .select("name")
    .distinct()
    .where("lowerName", "=", name.toLowerCase())
    .execute()
  return rows.map((row) => row.name)
}

/** A condition on rows that bear a label spelt exactly so. */
export function bears(name: string): RawBuilder<boolean> {
  const pattern = `%${JSON.stringify(name).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<boolean>`"labels" like ${pattern} escape '\\'`
}

function labelCalled(db: Db, projectUuid: string, lowerName: string): Promise<Schema["labels"] | undefined> {
  return db
    .selectFrom("labels")
    .selectAll()
    .where("projectUuid", "=", projectUuid)
    .where("lowerName", "=", lowerName)
    .executeTakeFirst()
}

async function makeLabel(
  { db, now, newId, emit }: OperationContext,
  projectUuid: string,
  name: string,
  hue: number,
): Promise<void> {
  // Somebody else may be making the same one; then theirs is taken.
  const row = await db
    .insertInto("labels")
    .values({ uuid: newId(), projectUuid, name, lowerName: name.toLowerCase(), hue, createdAt: now })
    .onConflict((conflict) => conflict.columns(["projectUuid", "lowerName"]).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return
  emit({
    kind: "label.created",
    entityType: "label",
    entityUuid: row.uuid,
    projectUuid,
    action: "created",
    patch: labelRow(row),
  })
}

/** Names stand in the rows as JSON, whose quotes tell a whole name from a part of one. */
async function rewriteLabels(db: Db, label: Schema["labels"], rewritten: RawBuilder<string>): Promise<void> {
  for (const table of ["tasks", "ideas"] as const)
    await db
      .updateTable(table)
      .set({ labels: rewritten })
      .where("projectUuid", "=", label.projectUuid)
      .where(bears(label.name))
      .execute()
}

async function findLabel(db: Db, uuid: string): Promise<Schema["labels"]> {
  const row = await db.selectFrom("labels").selectAll().where("uuid", "=", uuid).executeTakeFirst()
  if (row === undefined) throw notFound("label", uuid)
  return row
}

function labelRow({ uuid, projectUuid, name, hue, createdAt }: Schema["labels"]): labels.LabelRow {
  return { uuid, projectUuid, name, hue, createdAt }
}

function alreadyCalled({ name, uuid }: Schema["labels"]): ChorusError {
  return new ChorusError("label_exists", `There is a label called "${name}" already.`, {
    status: 409,
    next: "Choose another name, or delete one of the two.",
    details: { labelUuid: uuid },
  })
}
