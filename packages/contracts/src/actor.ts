import { z } from "zod"

export const ActorKind = z.enum(["user", "agent", "system"])
export type ActorKind = z.infer<typeof ActorKind>

/** Who did it, as events and answers name them. */
export const ActorRef = z.object({ type: ActorKind, uuid: z.string(), name: z.string() })
export type ActorRef = z.infer<typeof ActorRef>
