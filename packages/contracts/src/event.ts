import { z } from "zod"
import { ActorRef } from "./signature.ts"

/** What happened to the entity, for a reader that keeps a copy: add it, merge the patch, or drop it. */
export const EventAction = z.enum(["created", "updated", "deleted"])
export type EventAction = z.infer<typeof EventAction>

/** One line of the log. `id` is the position in the workspace's total order and the SSE event id. */
export const LogEvent = z.object({
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
export type LogEvent = z.infer<typeof LogEvent>
