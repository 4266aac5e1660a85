import { type ActorKind, ChorusError, type versions } from "@chorus/contracts"
import { type Db, lock, type Schema, writtenOften } from "@chorus/store"
import { namesOf, notFound, type OperationContext } from "../../operation.ts"

/** An idea, task or document as its history keeps it. */
export interface Text {
  readonly targetType: versions.VersionTarget
  readonly targetUuid: string
  readonly version: number
  readonly title: string
  readonly content: string
}

export interface Author {
  readonly type: ActorKind
  readonly uuid: string
}

/** Whoever changes a text holds it first, so that of two writers one wins and the other is told. */
export async function holdText({ db, engine }: OperationContext, targetUuid: string): Promise<void> {
  await lock({ db, engine }, `text:${targetUuid}`)
}

/** Keeps a text as it is now among its versions, under the name of whoever wrote it. */
export function keepText(context: OperationContext, text: Text, by: Author = context.actor): void {
  keep(context, [versionOf(text, by, context.now)])
}

type Written = Text & Pick<Schema["ideas"], "createdByType" | "createdByUuid" | "createdAt">

/** Keeps what a change made of a text; what nobody had changed before gets its first version too. */
export function keepChange(
  context: OperationContext,
  before: Written,
  after: Text,
  author: Author = context.actor,
): void {
  const { createdByType: type, createdByUuid: uuid, createdAt } = before
  const first = before.version === 1 ? [versionOf(before, { type, uuid }, createdAt)] : []
  keep(context, [...first, versionOf(after, author, context.now)])
}

function versionOf({ targetType, targetUuid, version, title, content }: Text, by: Author, changedAt: string) {
  const text = { targetType, targetUuid, version, title, content }
  return { ...text, changedByType: by.type, changedByUuid: by.uuid, changedAt }
}

function keep({ db, later }: OperationContext, versions: Schema["textVersions"][]): void {
  later(kept(db, versions))
}

const kept = writtenOften((db, versions: Schema["textVersions"][]) =>
  db
    .insertInto("textVersions")
    .values(versions)
    .onConflict((conflict) => conflict.columns(["targetUuid", "version"]).doNothing()),
)

/** A task in words: its description and, below, what it is measured by. */
export function taskText(description: string | null, criteria: readonly Measure[]): string {
  const listed = criteria.map((item) => `- ${measureText(item)}`).join("\n")
  return [description ?? "", listed].filter((part) => part !== "").join("\n\n")
}

/** A criterion in words. What is run for it decides as much as what it says. */
export function measureText({ description, command }: Measure): string {
  return (command ?? null) === null ? description : `${description} (\`${command}\`)`
}

interface Measure {
  readonly description: string
  readonly command?: string | null | undefined
}

/** The present text of something, whether or not its history has begun. */
export async function presentText(db: Db, targetType: versions.VersionTarget, targetUuid: string): Promise<Written> {
  const row =
    targetType === "task"
      ? await db.selectFrom("tasks").selectAll().where("uuid", "=", targetUuid).executeTakeFirst()
      : targetType === "idea"
        ? await db.selectFrom("ideas").selectAll().where("uuid", "=", targetUuid).executeTakeFirst()
        : await db.selectFrom("documents").selectAll().where("uuid", "=", targetUuid).executeTakeFirst()
  if (row === undefined) throw notFound(targetType, targetUuid)
  const { title, version, createdByType, createdByUuid, createdAt } = row
  const content = "content" in row ? (row.content ?? "") : taskText(row.description, await inForce(db, targetUuid))
  return { targetType, targetUuid, title, version, content, createdByType, createdByUuid, createdAt }
}

/** Refuses a writer who began from an older version, and says who wrote the newer one. */
export async function assertVersion(
  db: Db,
  { targetType, targetUuid, title, version }: Omit<Text, "content">,
  expectedVersion: number | undefined,
): Promise<void> {
  if (expectedVersion === undefined || expectedVersion === version) return
  const newest = await db
    .selectFrom("textVersions")
    .select(["changedByType", "changedByUuid", "changedAt"])
    .where("targetUuid", "=", targetUuid)
    .orderBy("version", "desc")
    .executeTakeFirst()
  const nameOf = await namesOf(db, [newest?.changedByUuid ?? null])
  const changedBy = newest === undefined ? null : nameOf(newest.changedByType, newest.changedByUuid)
  throw new ChorusError(
    "stale_version",
    `"${title}" is at version ${version}, not ${expectedVersion}: ${changedBy?.name ?? "somebody"} changed it meanwhile.`,
    {
      status: 409,
      next: `Get the ${targetType}, put your change on top of it and call again with its version. Nothing was changed.`,
      details: {
        targetType,
        targetUuid,
        expectedVersion,
        currentVersion: version,
        changedBy,
        changedAt: newest?.changedAt ?? null,
      },
    },
  )
}

function inForce(db: Db, taskUuid: string) {
  return db
    .selectFrom("criteria")
    .select(["description", "command"])
    .where("taskUuid", "=", taskUuid)
    .where("retiredAt", "is", null)
    .orderBy("sortOrder")
    .orderBy("uuid")
    .execute()
}
