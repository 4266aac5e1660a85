import { type EventKind, inbox as contract, type LogEvent, type notifications } from "@chorus/contracts"
import { lastPosition } from "@chorus/store"
import { withinReach } from "../../may-see.ts"
import { operation, type OperationContext } from "../../operation.ts"
import { markDelivered } from "../attentions/attentions.ts"
import { thingsForPeople } from "../attentions/needs-you.ts"
import { focusedProjects } from "../checkin/focused-projects.ts"
import { markRead } from "../notifications/notifications.ts"
import { BEGUN, waitingFor, workFor } from "./work-for.ts"

type Waiting = contract.Waiting
type NotificationAction = notifications.NotificationAction

const MOST_WAITS = 20
const MOST_NEWS = 20
/** Who has left more than this unread hears of the oldest first. */
const MOST_UNREAD = 500
const MOST_WORDS = 2000

/** The news that the note of a kind says in full; whatever else is said about the same thing stays news. */
const TOLD_IN_FULL: Partial<Record<Waiting["kind"], NotificationAction>> = {
  answer: "attention_answered",
  returned: "task_reopened",
  revise: "proposal_rejected",
}

/** What may put something into somebody's inbox, beside a notification. */
const BRINGS_WORK: ReadonlySet<EventKind> = new Set<EventKind>([
  "attention.answered",
  "attention.created",
  "delivery.failed",
  "elaboration.validated",
  "idea.assigned",
  "idea.created",
  "idea.released",
  "proposal.rejected",
  "proposal.submitted",
  "round.asked",
  "task.assigned",
  "task.created",
  "task.reclaimed",
  "task.released",
  "task.reopened",
  "task.submitted",
  "task.unblocked",
])

/**
 * What waits for the caller stays until it is done; news stay until the caller comes back with a cursor that lies behind them, so an
 * answer that never arrived is given again.
 */
export const inbox = operation(
  contract.inbox,
  async (context, { after, projectUuid }) => {
    const { db, actor } = context
    if (after !== undefined) await acknowledge(context, after)
    // Read before everything else: what comes meanwhile is shown now or lies behind it.
    const position = await lastPosition(db, actor.workspaceUuid)
    const projectUuids = await reachedProjects(context, projectUuid)
    const waits = await waitsOf(context, projectUuids, projectUuid)
    const waitsFor = await waitingFor(context, projectUuids)
    const unread = await unreadNews(context, after)
    const shown = unread.slice(0, MOST_NEWS)
    const full = new Set(waits.map(({ kind, uuid }) => `${TOLD_IN_FULL[kind] ?? ""} ${uuid}`))
    const cut = { waits: Math.max(0, waits.length - MOST_WAITS), news: unread.length - shown.length }
    return {
      waits: waits.slice(0, MOST_WAITS),
      news: shown.filter(({ action, entityUuid }) => !full.has(`${action} ${entityUuid}`)).map(newsItem),
      waitingFor: waitsFor,
      ...(cut.waits + cut.news > 0 ? { more: cut } : {}),
      fresh: shown.length > 0 || (await isFresh(context, waits, waitsFor, after)),
      cursor: cut.news > 0 ? (shown.at(-1)?.position ?? 0) : position,
    }
  },
  {
    enough: ({ fresh }) => fresh,
    wakes: (event, actor) => isFor(event, actor.uuid) || BRINGS_WORK.has(event.kind as EventKind),
  },
)

function isFor(event: LogEvent, uuid: string): boolean {
  return event.kind === "notification.created" && event.patch.recipientUuid === uuid
}

/** All that waits for the caller, first things first. */
export async function waitsOf(
  context: OperationContext,
  projectUuids: readonly string[],
  projectUuid?: string,
): Promise<Waiting[]> {
  const own = await workFor(context, projectUuids)
  if (context.actor.type !== "user") return own
  const things = await thingsForPeople(context, projectUuid)
  return [
    ...things.map(({ kind, uuid, title, projectUuid: place, task, attention }): Waiting => ({
      kind,
      uuid,
      title,
      ...(place === null ? {} : { projectUuid: place }),
      ...noted([task === null ? "" : `About "${task.title}".`, attention?.options.join(" / ") ?? ""]),
    })),
    ...own,
  ]
}

function noted(parts: readonly string[]): Pick<Waiting, "note"> {
  const note = parts.filter((part) => part !== "").join(" ")
  return note === "" ? {} : { note }
}

async function reachedProjects(context: OperationContext, projectUuid: string | undefined): Promise<string[]> {
  const projects = await focusedProjects(context)
  return projects.map(({ uuid }) => uuid).filter((uuid) => projectUuid === undefined || uuid === projectUuid)
}

/** Whoever comes back with a cursor has read what lies before it. */
async function acknowledge(context: OperationContext, after: number): Promise<void> {
  const { db, actor } = context
  const read = await db
    .selectFrom("notifications as n")
    .innerJoin("events as e", "e.entityUuid", "n.uuid")
    .select("n.uuid")
    .where("n.recipientUuid", "=", actor.uuid)
    .where("n.readAt", "is", null)
    .where("e.kind", "=", "notification.created")
    .where("e.id", "<=", after)
    .execute()
  await markRead(
    context,
    read.map(({ uuid }) => uuid),
  )
  if (actor.type !== "agent") return
  const answered = await db
    .selectFrom("attentions as a")
    .innerJoin("events as e", "e.entityUuid", "a.uuid")
    .selectAll("a")
    .where("a.agentUuid", "=", actor.uuid)
    .where("a.answeredAt", "is not", null)
    .where("a.deliveredAt", "is", null)
    .where("a.requestId", "is", null)
    .where("e.kind", "=", "attention.answered")
    .where("e.id", "<=", after)
    .execute()
  for (const attention of answered) await markDelivered(context, attention)
}

interface News {
  readonly createdAt: string
  readonly action: string
  readonly message: string
  readonly entityType: string
  readonly entityUuid: string
  readonly position: number
}

/** Unread notifications, oldest first, each with its place in the log; one whose event is no longer kept lies before all others. */
async function unreadNews({ db, actor }: OperationContext, after: number | undefined): Promise<News[]> {
  const rows = await db
    .selectFrom("notifications as n")
    .leftJoin("events as e", (join) =>
      join.onRef("e.entityUuid", "=", "n.uuid").on("e.kind", "=", "notification.created"),
    )
    .select(["n.createdAt", "n.action", "n.message", "n.entityType", "n.entityUuid", "e.id"])
    .where("n.recipientUuid", "=", actor.uuid)
    .where(withinReach(actor, "n.projectUuid"))
    .where("n.readAt", "is", null)
    .where("n.archivedAt", "is", null)
    .orderBy("n.createdAt")
    .orderBy("n.uuid")
    .limit(MOST_UNREAD)
    .execute()
  return rows
    .map(({ id, ...row }) => ({ ...row, position: id ?? 0 }))
    .filter(({ position }) => after === undefined || position > after)
    .toSorted((one, other) => one.position - other.position)
}

function newsItem({ createdAt, action, message, entityType, entityUuid }: News): contract.NewsItem {
  return { at: createdAt, action, message: cutAt(message, MOST_WORDS, entityType), entityType, entityUuid }
}

/** Cuts a long text and says so. */
export function cutAt(text: string, most: number, where: string): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (cut: the rest stands on the ${where})`
}

/**
 * Whether anything that waits was moved by somebody else since the cursor. Without one, whether anything waits; but who waits for an
 * answer knows what they were at when they asked.
 */
async function isFresh(
  { db, actor }: OperationContext,
  waits: readonly Waiting[],
  waitsFor: readonly string[],
  after: number | undefined,
) {
  if (waits.length === 0) return false
  if (after === undefined) return waitsFor.length === 0 || waits.some(({ note }) => note !== BEGUN)
  if (waits.some(({ kind }) => kind === "answer")) return true
  const moved = await db
    .selectFrom("events")
    .select("id")
    .where(
      "entityUuid",
      "in",
      waits.map(({ uuid }) => uuid),
    )
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("id", ">", after)
    .where("actorUuid", "<>", actor.uuid)
    .executeTakeFirst()
  return moved !== undefined
}
