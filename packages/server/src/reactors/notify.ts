import type { NewEvent, notifications } from "@chorus/contracts"
import {
  type Bond,
  bondsOf,
  NOTIFICATION_RULES,
  type NotificationRule,
  type Party,
  pathOfCall,
  plainWords,
  preview,
  recipientsOf,
  settledBy,
} from "@chorus/core"
import { type Db, type Schema, writtenOften } from "@chorus/store"
import type { Insertable } from "kysely"
import type { OperationContext } from "../operation.ts"
import { notificationRow } from "../operations/notifications/notifications.ts"
import { callPerson } from "../push/notice.ts"
import { type Audience, audience } from "./audience.ts"
import { bondFinder } from "./bonds.ts"
import { type NewMention, newMentions } from "./mention.ts"
import type { Reactor } from "./reactor.ts"
import { putAway, readSettled } from "./settled.ts"
import { findSubjects, type Subject, subjectOf } from "./subject.ts"

/** Reasons and answers are told whole: whoever must act on one reads it here. */
const MOST_WORDS = 24_000
const MOST_ROWS_PER_STATEMENT = 200

interface Note {
  readonly to: Party
  readonly action: notifications.NotificationAction
  readonly subject: Subject
  readonly message: string
  /** Whether it tells of a report on work that goes on. */
  readonly report?: boolean
}

/** Writes notifications for what changed, by the rules, in the same change: who is told and that it happened stand or fall together. */
export const notify: Reactor = async (context, events) => {
  await readSettled(context, events)
  const ruled = events.flatMap((event, at) => {
    const rule: NotificationRule | undefined = NOTIFICATION_RULES[event.kind]
    const isSettled = events
      .slice(at + 1)
      .some((later) => later.entityUuid === event.entityUuid && rule && settledBy(later).includes(rule.action))
    return rule === undefined || isSettled || !applies(rule, event) ? [] : [{ event, rule }]
  })
  const mentioned = await newMentions(context, events)
  if (ruled.length === 0 && mentioned.length === 0) return
  const subjects = await findSubjects(
    context,
    [...ruled, ...mentioned].map(({ event }) => event),
  )
  const reports = new Set(events.flatMap((event) => (event.kind === "task.reported" ? [event.patch.commentUuid] : [])))
  const notes = [...(await byRule(context, ruled, subjects, reports)), ...byMention(context, mentioned, subjects)]
  const hearers = await audience(
    context,
    notes.map((note) => note.to),
  )
  const told = unique(
    notes.filter(({ to, action, subject }) =>
      hearers.reaches(to, { action, entityType: subject.entityType, projectUuid: subject.projectUuid }),
    ),
  )
  await putAwayEarlierReports(context, told)
  await write(context, hearers, told)
}

type Ruled = readonly { event: NewEvent; rule: NotificationRule }[]

async function byRule(
  { db, actor }: OperationContext,
  ruled: Ruled,
  subjects: ReadonlyMap<string, Subject>,
  reports: ReadonlySet<unknown>,
): Promise<Note[]> {
  const find = bondFinder(db, actor)
  const notes: Note[] = []
  for (const { event, rule } of ruled) {
    const about = subjectOf(event)
    const subject = about === undefined ? standalone(event) : (subjects.get(about.uuid) ?? standalone(event))
    if (subject === undefined) continue
    const report = event.kind === "comment.added" && reports.has(event.entityUuid)
    const message = report
      ? reported(actor.name, subject.title) + preview(event.patch.content)
      : rule.says(actor.name, subject.title, event.patch)
    if (message === undefined) continue
    const bonds: Partial<Record<Bond, Party[]>> = {}
    for (const bond of bondsOf(rule)) bonds[bond] = await find(bond, event, subject)
    notes.push(
      ...recipientsOf(rule, bonds, actor.uuid).map((to) => ({ to, action: rule.action, subject, message, report })),
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

/** Something that is its own subject: an agent's question to a person, and what became of the answer. */
function standalone({ kind, entityType, entityUuid, projectUuid, patch }: NewEvent): Subject | undefined {
  if (kind !== "attention.created" && kind !== "attention.answered" && kind !== "attention.unheard") return undefined
  if (patch.title === undefined) return undefined
  return {
    entityType,
    entityUuid,
    projectUuid,
    title: patch.title,
    project: undefined,
    assignee: undefined,
    creator: undefined,
    proposalUuid: undefined,
  }
}

/**
 * One change tells one person one thing once, by its last word; who is mentioned in a comment, or told that the work was handed in
 * with it, is not told of the comment as well. Nor is whoever is asked, or answered, in the words that the comment keeps.
 */
function unique(notes: readonly Note[]): Note[] {
  const key = ({ to, action, subject }: Note) => `${to.uuid} ${subject.entityUuid} ${action}`
  const last = new Map(notes.map((note) => [key(note), note]))
  const says = (note: Note, action: Note["action"]) => last.has(key({ ...note, action }))
  const asked = new Set(notes.flatMap(({ to, action }) => (action.startsWith("attention_") ? [to.uuid] : [])))
  return [...last.values()].filter(
    (note) =>
      note.action !== "comment_added" ||
      !(says(note, "mentioned") || says(note, "task_submitted_for_verify") || asked.has(note.to.uuid)),
  )
}

function unreadOf(db: Db, entityUuid: string) {
  return db
    .selectFrom("notifications")
    .select(["uuid", "recipientUuid", "message"])
    .where("entityUuid", "=", entityUuid)
    .where("readAt", "is", null)
    .where("archivedAt", "is", null)
}

/** Reports on one task gather: whoever has not read the last one has only the newest of them to read. */
async function putAwayEarlierReports(context: OperationContext, notes: readonly Note[]): Promise<void> {
  const { db, actor, now } = context
  for (const { to, subject } of notes.filter((note) => note.report && note.to.type === "user")) {
    const unread = await unreadOf(db, subject.entityUuid)
      .where("recipientUuid", "=", to.uuid)
      .where("actorUuid", "=", actor.uuid)
      .where("action", "=", "comment_added")
      .execute()
    for (const row of unread.filter(({ message }) => message.startsWith(reported(actor.name, subject.title))))
      await putAway(context, row, { archivedAt: now, readAt: now })
  }
}

function reported(actor: string, title: string): string {
  return `${actor} reported on "${title}": `
}

async function write(context: OperationContext, hearers: Audience, notes: readonly Note[]): Promise<void> {
  if (notes.length === 0) return
  const { db, actor, now, newId, emit, later } = context
  const rows = notes.map(({ to, action, subject, message }) => ({
    uuid: newId(),
    workspaceUuid: actor.workspaceUuid,
    projectUuid: subject.projectUuid,
    recipientType: to.type,
    recipientUuid: to.uuid,
    entityType: subject.entityType,
    entityUuid: subject.entityUuid,
    entityTitle: subject.title,
    projectName: subject.project?.name ?? null,
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
    later(added(db, rows.slice(from, from + MOST_ROWS_PER_STATEMENT)))
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
  await push(context, hearers, rows)
}

const added = writtenOften((db, rows: Insertable<Schema["notifications"]>[]) =>
  db.insertInto("notifications").values(rows),
)

/** Calls whoever wants to be called for such a thing, one by one unless they asked for summaries. Questions have a call of their own. */
async function push(
  context: OperationContext,
  hearers: Audience,
  rows: readonly notifications.NotificationRow[],
): Promise<void> {
  for (const row of rows) {
    const { recipientType, recipientUuid, action, entityUuid, entityTitle, message } = row
    if (recipientType !== "user" || action === "attention_requested" || !hearers.calls(recipientUuid, action)) continue
    await callPerson(context, recipientUuid, {
      tag: `notification:${entityUuid}`,
      title: entityTitle,
      body: plainWords(message).slice(0, 300),
      path: pathOfCall(row),
    })
  }
}
