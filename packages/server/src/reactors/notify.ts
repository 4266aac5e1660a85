import type { NewEvent, notifications } from "@chorus/contracts"
import { type Bond, bondsOf, NOTIFICATION_RULES, type NotificationRule, type Party, recipientsOf } from "@chorus/core"
import type { Db } from "@chorus/store"
import type { Actor, OperationContext } from "../operation.ts"
import { notificationRow } from "../operations/notifications/notifications.ts"
import { audience } from "./audience.ts"
import { bondFinder } from "./bonds.ts"
import { type NewMention, newMentions } from "./mention.ts"
import type { Reactor } from "./reactor.ts"
import { findSubjects, type Subject, subjectOf } from "./subject.ts"

/** Reasons and answers are told whole: whoever must act on one reads it here. */
const MOST_WORDS = 24_000
const MOST_ROWS_PER_STATEMENT = 200

interface Note {
  readonly to: Party
  readonly action: notifications.NotificationAction
  readonly subject: Subject
  readonly message: string
}

/** Writes notifications for what changed, by the rules, in the same change: who is told and that it happened stand or fall together. */
export const notify: Reactor = async (context, events) => {
  const ruled = events.flatMap((event) => {
    const rule: NotificationRule | undefined = NOTIFICATION_RULES[event.kind]
    return rule === undefined || !applies(rule, event) ? [] : [{ event, rule }]
  })
  const mentioned = await newMentions(context, events)
  if (ruled.length === 0 && mentioned.length === 0) return
  const { db, actor } = context
  const subjects = await findSubjects(
    db,
    [...ruled, ...mentioned].flatMap(({ event }) => subjectOf(event) ?? []),
  )
  const notes = [...(await byRule(context, ruled, subjects)), ...byMention(context, mentioned, subjects)]
  const reaches = await audience(
    db,
    actor.workspaceUuid,
    notes.map((note) => note.to),
  )
  await write(
    context,
    unique(
      notes.filter(({ to, action, subject }) =>
        reaches(to, { action, entityType: subject.entityType, projectUuid: subject.projectUuid }),
      ),
    ),
  )
}

type Ruled = readonly { event: NewEvent; rule: NotificationRule }[]

async function byRule(
  { db, actor }: OperationContext,
  ruled: Ruled,
  subjects: ReadonlyMap<string, Subject>,
): Promise<Note[]> {
  const find = bondFinder(db, actor)
  const notes: Note[] = []
  for (const { event, rule } of ruled) {
    const about = subjectOf(event)
    const subject = about === undefined ? standalone(event) : (subjects.get(about.uuid) ?? standalone(event))
    if (subject === undefined) continue
    const said = rule.says(actor.name, subject.title, event.patch)
    if (said === undefined) continue
    const bonds: Partial<Record<Bond, Party[]>> = {}
    for (const bond of bondsOf(rule)) bonds[bond] = await find(bond, event, subject)
    notes.push(
      ...recipientsOf(rule, bonds, actor.uuid).map((to) => ({ to, action: rule.action, subject, message: said })),
    )
  }
  return notes
}

function byMention(
  { actor }: OperationContext,
  mentioned: readonly NewMention[],
  subjects: ReadonlyMap<string, Subject>,
): Note[] {
  return mentioned.flatMap(({ event, mention, preview: words }): Note[] => {
    const about = subjectOf(event)
    const subject = about && subjects.get(about.uuid)
    if (subject === undefined || mention.uuid === actor.uuid) return []
    return [
      {
        to: mention,
        action: "mentioned",
        subject,
        message: `${actor.name} mentioned you on "${subject.title}": ${words}`,
      },
    ]
  })
}

function applies(rule: NotificationRule, { patch }: NewEvent): boolean {
  return rule.only?.(patch) ?? true
}

/** Something that is its own subject: an agent's question to a person, and the answer. */
function standalone({ kind, entityType, entityUuid, projectUuid, patch }: NewEvent): Subject | undefined {
  if ((kind !== "attention.created" && kind !== "attention.answered") || patch.title === undefined) return undefined
  return {
    entityType,
    entityUuid,
    projectUuid,
    title: patch.title,
    assignee: undefined,
    creator: undefined,
    proposalUuid: undefined,
  }
}

/** One change tells one person one thing once, by its last word; who is mentioned in a comment is not told of the comment as well. */
function unique(notes: readonly Note[]): Note[] {
  const key = ({ to, action, subject }: Note) => `${to.uuid} ${subject.entityUuid} ${action}`
  const last = new Map(notes.map((note) => [key(note), note]))
  return [...last.values()].filter(
    (note) => note.action !== "comment_added" || !last.has(key({ ...note, action: "mentioned" })),
  )
}

async function write(context: OperationContext, notes: readonly Note[]): Promise<void> {
  if (notes.length === 0) return
  const { db, actor, now, newId, emit } = context
  const projectNames = await namesOfProjects(db, notes)
  const rows = notes.map(({ to, action, subject, message }) => ({
    uuid: newId(),
    workspaceUuid: actor.workspaceUuid,
    projectUuid: subject.projectUuid,
    recipientType: to.type,
    recipientUuid: to.uuid,
    entityType: subject.entityType,
    entityUuid: subject.entityUuid,
    entityTitle: subject.title,
    projectName: (subject.projectUuid !== null && projectNames.get(subject.projectUuid)) || null,
    action,
    message: message.length > MOST_WORDS ? `${[...message].slice(0, MOST_WORDS).join("")}… (cut)` : message,
    instructionText: null,
    actorType: actor.type,
    actorUuid: actor.uuid,
    actorName: actor.name,
    readAt: null,
    archivedAt: null,
    createdAt: now,
  }))
  for (let from = 0; from < rows.length; from += MOST_ROWS_PER_STATEMENT) {
    await db
      .insertInto("notifications")
      .values(rows.slice(from, from + MOST_ROWS_PER_STATEMENT))
      .execute()
  }
  // Without a project, so that a project's activity does not fill up with who was told of it.
  for (const row of rows)
    emit({
      kind: "notification.created",
      entityType: "notification",
      entityUuid: row.uuid,
      projectUuid: null,
      action: "created",
      patch: notificationRow(row),
    })
}

async function namesOfProjects(db: Db, notes: readonly Note[]): Promise<Map<string, string>> {
  const uuids = [...new Set(notes.flatMap(({ subject }) => subject.projectUuid ?? []))]
  if (uuids.length === 0) return new Map()
  const rows = await db.selectFrom("projects").select(["uuid", "name"]).where("uuid", "in", uuids).execute()
  return new Map(rows.map((row) => [row.uuid, row.name]))
}
