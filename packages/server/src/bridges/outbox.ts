import { randomUUID } from "node:crypto"
import type { LogEvent } from "@chorus/contracts"
import { type Db, eventsAfter, type Schema, type Store } from "@chorus/store"
import { newDelivery } from "../deliveries/outbox.ts"

export type Bridge = Schema["bridges"]

/** What a bridge has to do: look how an issue stands there, or tell there what became of its task here. */
export type Crossing =
  | { readonly issue: string; readonly told: "there" }
  | { readonly issue: string; readonly told: "status" | "text" }
  | { readonly issue: string; readonly told: "comment"; readonly commentUuid: string }

const BATCH = 500
const STATUS_KINDS: readonly string[] = ["task.verified", "task.closed", "task.reopened"]

/** The lane of what crosses this bridge. */
export function bridgeLane(uuid: string): string {
  return `bridge:${uuid}`
}

/** Makes out what the log has gained for the trackers that want to know, once each however many servers do it. */
export async function makeOutCrossings(store: Store, now: Date): Promise<void> {
  const behind = await store.db
    .selectFrom("bridges as b")
    .innerJoin("workspaces as w", "w.uuid", "b.workspaceUuid")
    .selectAll("b")
    .whereRef("b.lastEvent", "<", "w.lastEvent")
    .execute()
  for (const bridge of behind) while (await makeOutSome(store, bridge.uuid, now));
}

/** Tells whether there may be more. */
async function makeOutSome(store: Store, bridgeUuid: string, now: Date): Promise<boolean> {
  const bridge = await store.db.selectFrom("bridges").selectAll().where("uuid", "=", bridgeUuid).executeTakeFirst()
  if (bridge === undefined) return false
  const events = await eventsAfter(store.db, bridge.workspaceUuid, bridge.lastEvent, BATCH)
  const last = events.at(-1)
  if (last === undefined) return false
  const crossings = await crossingsOf(store.db, bridge, events)
  await store.write(async ({ db }) => {
    const moved = await db
      .updateTable("bridges")
      .set({ lastEvent: last.id })
      .where("uuid", "=", bridge.uuid)
      .where("lastEvent", "=", bridge.lastEvent)
      .returning("uuid")
      .executeTakeFirst()
    if (moved === undefined || crossings.length === 0) return
    const rows = crossings.map(({ place, ...crossing }) => crossingDelivery(bridge, crossing, place, now))
    await db.insertInto("deliveries").values(rows).execute()
  })
  return events.length === BATCH
}

export function crossingDelivery(
  { workspaceUuid, uuid, origin }: Bridge,
  { title, crossing }: { title: string; crossing: Crossing },
  place: number,
  now: Date,
): Schema["deliveries"] {
  return newDelivery(
    {
      workspaceUuid,
      lane: bridgeLane(uuid),
      kind: "event",
      title: `${title} (${origin} ${crossing.issue})`,
      payload: crossing,
    },
    { uuid: randomUUID(), place, now: now.toISOString() },
  )
}

interface Told {
  readonly place: number
  readonly title: string
  readonly crossing: Crossing
}

/** Of the tasks that came over this bridge: whether they are done, what they say, and what people say about them. */
async function crossingsOf(db: Db, { projectUuid, origin }: Bridge, events: readonly LogEvent[]): Promise<Told[]> {
  const wanted = events.filter((event) => event.projectUuid === projectUuid && subjectOf(event) !== undefined)
  if (wanted.length === 0) return []
  const subjects = wanted.flatMap((event) => [event.entityUuid, subjectOf(event) ?? []]).flat()
  const rows = await db
    .selectFrom("importedItems")
    .select(["uuid", "key"])
    .where("projectUuid", "=", projectUuid)
    .where("origin", "=", origin)
    .where("uuid", "in", subjects)
    .execute()
  const keys = new Map(rows.map(({ uuid, key }) => [uuid, key]))
  return wanted.flatMap((event): Told[] => {
    const issue = keys.get(subjectOf(event) ?? "")
    if (issue === undefined) return []
    const about = { place: event.id, title: event.kind }
    if (STATUS_KINDS.includes(event.kind)) return [{ ...about, crossing: { issue, told: "status" } }]
    if (event.kind === "task.updated") return [{ ...about, crossing: { issue, told: "text" } }]
    // What was brought from there is not sent back.
    if (keys.has(event.entityUuid)) return []
    return [{ ...about, crossing: { issue, told: "comment", commentUuid: event.entityUuid } }]
  })
}

/** The task an event is about, where a tracker wants to know of it. What agents write stays here. */
function subjectOf(event: LogEvent): string | undefined {
  if (event.entityType === "comment" && event.action === "created")
    return event.actor.type === "user" && event.patch.targetType === "task" ? event.patch.targetUuid : undefined
  if (event.entityType !== "task" || event.action !== "updated") return undefined
  if (STATUS_KINDS.includes(event.kind)) return event.entityUuid
  const { title, description } = event.patch
  return event.kind === "task.updated" && (title !== undefined || description !== undefined)
    ? event.entityUuid
    : undefined
}
