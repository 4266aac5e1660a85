import { z } from "zod"
import type { EVENT_KINDS, EventKind } from "./event-kinds.ts"
import type { Entity, RowOf } from "./event-rows.ts"
import { ActorRef } from "./signature.ts"

/** What happened to the entity, for a reader that keeps a copy: add it, merge the patch, or drop it. */
export const EventAction = z.enum(["created", "updated", "deleted"])
export type EventAction = z.infer<typeof EventAction>

const EventLine = z.object({
  id: z.number().int(),
  at: z.string(),
  kind: z.string(),
  entityType: z.string(),
  entityUuid: z.string(),
  projectUuid: z.string().nullable(),
  action: EventAction,
  patch: z.record(z.string(), z.unknown()),
  actor: ActorRef,
  requestId: z.string().nullable(),
})
type EventLine = z.infer<typeof EventLine>

/** One line of the log. `id` is the position in the workspace's total order and the SSE event id. */
export const LogEvent = EventLine as z.ZodType<LogEvent, EventLine>

/**
 * A line of the log as its readers take it: which entity it is about says what its patch holds. A newer server may tell of
 * more than this one knows; so the type of the entity has to be asked for before the patch can be read.
 */
export type LogEvent = { [E in Entity]: EventOf<E> }[Entity] | UnknownEvent

/** A line about one entity. Its kind may be newer than this program; its patch is of the row all the same. */
export type EventOf<E extends Entity> = { [A in EventAction]: EventWith<E, A> }[EventAction]

interface EventWith<E extends Entity, A extends EventAction> extends Omit<
  EventLine,
  "kind" | "entityType" | "action" | "patch"
> {
  readonly kind: KindAbout<E, A> | Unknown
  readonly entityType: E
  readonly action: A
  readonly patch: A extends "created" ? RowOf<E> & Partial<ExtraOf<E>> : Partial<RowOf<E> & ExtraOf<E>>
}

/** A line about something that this program has never heard of. */
export interface UnknownEvent extends Omit<EventLine, "kind" | "entityType" | "patch"> {
  readonly kind: Unknown
  readonly entityType: Unknown
  readonly patch: object
}

/** Any word but those this program knows. None is spelled like this; it keeps the known ones apart from the rest. */
type Unknown = `unknown ${string}`

/** What may be written to the log: its kind says which entity it is about and what the patch must hold. */
export type NewEvent = { [K in EventKind]: { [A in ActionOf<K>]: NewEventWith<K, A> }[ActionOf<K>] }[EventKind]

interface NewEventWith<K extends EventKind, A extends EventAction> {
  readonly kind: K
  readonly entityType: Kinds[K]["entity"]
  readonly entityUuid: string
  readonly projectUuid: string | null
  readonly action: A
  readonly patch: PatchOf<K, A>
}

/** What the patch of one kind of event carries. */
export type PatchOf<K extends EventKind, A extends EventAction = ActionOf<K>> = {
  created: RowOf<Kinds[K]["entity"]> & Extra<K>
  updated: Changes<RowOf<Kinds[K]["entity"]>> & Extra<K>
  deleted: Extra<K>
}[A]

/**
 * Refuses what no patch of the event's kind holds, also where the patch was put together elsewhere:
 * `emit<E extends NewEvent>(event: E & Exactly<E>)`. What is a `NewEvent` already was held to its kind where it was made.
 */
export type Exactly<E extends NewEvent> = NewEvent extends E
  ? unknown
  : { readonly patch: { readonly [Stray in Exclude<keyof E["patch"], PatchKey<E["kind"]>>]?: never } }

type Kinds = typeof EVENT_KINDS
type ActionOf<K extends EventKind> = Kinds[K]["actions"][number]
type Extra<K extends EventKind> = K extends unknown
  ? keyof Kinds[K]["extra"] extends never
    ? object
    : z.infer<z.ZodObject<Kinds[K]["extra"]>>
  : never
type PatchKey<K extends EventKind> = K extends unknown ? FieldOf<PatchOf<K>> : never

/** A field that stays as it was may be left out or undefined: neither is written. */
type Changes<Row> = { [Field in keyof Row]?: Row[Field] | undefined }

/** The kinds of events about an entity that add, merge or drop it. */
export type KindAbout<E extends Entity, A extends EventAction = EventAction> = {
  [K in EventKind]: Kinds[K]["entity"] extends E ? (A extends ActionOf<K> ? K : never) : never
}[EventKind]

/** Whatever the kinds of events about an entity carry beside its row. */
type ExtraOf<E extends Entity, K extends EventKind = KindAbout<E>> = {
  [Field in FieldOf<Extra<K>>]: Exclude<ValueOf<Extra<K>, Field>, undefined>
}
type FieldOf<T> = T extends unknown ? keyof T : never
type ValueOf<T, Field extends PropertyKey> = T extends unknown ? (Field extends keyof T ? T[Field] : never) : never
