import type { NewEvent } from "@chorus/contracts"
import { type Mention, mentionsIn, type Named, namedIn, preview } from "@chorus/core"
import type { Db } from "@chorus/store"
import type { Actor, OperationContext } from "../operation.ts"

/** A text of this change in which somebody is mentioned who was not before. */
export interface NewMention {
  readonly event: NewEvent
  readonly mention: Mention
  readonly preview: string
}

interface Text {
  readonly event: NewEvent
  readonly sourceType: "comment" | "task" | "idea"
  readonly text: string
}

/** Keeps who is mentioned where, and tells who is new. Whom the writer may not mention stays plain text. */
export async function newMentions(context: OperationContext, events: readonly NewEvent[]): Promise<NewMention[]> {
  const found: NewMention[] = []
  for (const source of await textsOf(context.db, events)) {
    const { event, text } = source
    const added = await keep(context, source, await mentioned(context, text))
    found.push(...added.map((mention) => ({ event, mention, preview: preview(text) })))
  }
  return found
}

async function mentioned({ db, actor }: OperationContext, text: string): Promise<Mention[]> {
  if (!text.includes("@")) return []
  const marked = mentionsIn(text)
  const called = namedIn(text, await nameable(db, actor)).filter(({ uuid }) => marked.every((one) => one.uuid !== uuid))
  return [...(await mentionable(db, actor, marked)), ...called]
}

/** Whom a writer can call by name: the people here and, for an agent, its own person as `@Owner`. Two of one name are called by neither. */
async function nameable(db: Db, actor: Actor): Promise<Named[]> {
  const people = await db
    .selectFrom("users")
    .select(["uuid", "name"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("disabledAt", "is", null)
    .execute()
  const owner = people.find(({ uuid }) => uuid === actor.ownerUuid)
  const named = [...people, ...(owner === undefined ? [] : [{ uuid: owner.uuid, name: "Owner" }])]
  const once = Map.groupBy(named, ({ name }) => name.toLowerCase())
  return [...once.values()].flatMap((same) =>
    same.length === 1 || new Set(same.map(({ uuid }) => uuid)).size === 1
      ? same.slice(0, 1).map((one): Named => ({ type: "user", ...one }))
      : [],
  )
}

/** The texts that this change wrote. */
async function textsOf(db: Db, events: readonly NewEvent[]): Promise<Text[]> {
  const texts: Text[] = []
  for (const event of events) {
    if (event.kind === "comment.added" || event.kind === "comment.edited")
      texts.push({ event, sourceType: "comment", text: event.patch.content ?? "" })
    if (event.kind === "task.updated" && event.patch.description !== undefined)
      texts.push({ event, sourceType: "task", text: event.patch.description ?? "" })
    if ((event.kind === "idea.created" || event.kind === "idea.updated") && event.patch.content !== undefined)
      texts.push({ event, sourceType: "idea", text: event.patch.content ?? "" })
  }
  const created = events.filter(({ kind }) => kind === "task.created")
  return created.length === 0 ? texts : [...texts, ...(await describedTasks(db, created))]
}

/** New tasks are announced without their descriptions; only those that may hold a mention are read. */
async function describedTasks(db: Db, created: readonly NewEvent[]): Promise<Text[]> {
  const rows = await db
    .selectFrom("tasks")
    .select(["uuid", "description"])
    .where(
      "uuid",
      "in",
      created.map(({ entityUuid }) => entityUuid),
    )
    .where("description", "like", "%@%")
    .execute()
  const descriptions = new Map(rows.map((row) => [row.uuid, row.description ?? ""]))
  return created.flatMap((event): Text[] => {
    const text = descriptions.get(event.entityUuid)
    return text === undefined ? [] : [{ event, sourceType: "task", text }]
  })
}

/** An agent may mention everybody, but of the agents only those of its own person. */
async function mentionable(db: Db, actor: Actor, mentions: readonly Mention[]): Promise<Mention[]> {
  if (mentions.length === 0) return []
  const uuids = mentions.map(({ uuid }) => uuid)
  const people = await db
    .selectFrom("users")
    .select("uuid")
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("uuid", "in", uuids)
    .where("disabledAt", "is", null)
    .execute()
  let agents = db
    .selectFrom("agents")
    .select("uuid")
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("uuid", "in", uuids)
    .where("archivedAt", "is", null)
  if (actor.type === "agent") agents = agents.where("ownerUuid", "=", actor.ownerUuid)
  const known = {
    user: new Set(people.map((row) => row.uuid)),
    agent: new Set((await agents.execute()).map((row) => row.uuid)),
  }
  return mentions.filter(({ type, uuid }) => known[type].has(uuid))
}

/** Makes the kept mentions of a source those of its text now; tells which were not there. */
async function keep(
  { db, actor, now, newId }: OperationContext,
  { event, sourceType }: Text,
  mentions: readonly Mention[],
): Promise<Mention[]> {
  const { entityUuid: sourceUuid, projectUuid } = event
  const before =
    event.action === "created"
      ? []
      : await db.selectFrom("mentions").select("mentionedUuid").where("sourceUuid", "=", sourceUuid).execute()
  const had = new Set(before.map((row) => row.mentionedUuid))
  const has = new Set(mentions.map(({ uuid }) => uuid))
  const gone = [...had].filter((uuid) => !has.has(uuid))
  if (gone.length > 0)
    await db.deleteFrom("mentions").where("sourceUuid", "=", sourceUuid).where("mentionedUuid", "in", gone).execute()
  const added = mentions.filter(({ uuid }) => !had.has(uuid))
  if (added.length === 0 || projectUuid === null) return []
  const rows = added.map(({ type, uuid }) => ({
    uuid: newId(),
    projectUuid,
    sourceType,
    sourceUuid,
    mentionedType: type,
    mentionedUuid: uuid,
    actorType: actor.type,
    actorUuid: actor.uuid,
    createdAt: now,
  }))
  const inserted = await db
    .insertInto("mentions")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["sourceUuid", "mentionedUuid"]).doNothing())
    .returning("mentionedUuid")
    .execute()
  const really = new Set(inserted.map((row) => row.mentionedUuid))
  return added.filter(({ uuid }) => really.has(uuid))
}
