import { z } from "zod"
import { ActorRef, line, pageOutput, pagesOf, ProjectId, SessionId, signature, TaskId } from "../signature.ts"

/** Paths an agent works on, and what `reservation.*` events patch. */
export const ReservationRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  taskUuid: z.string(),
  agent: ActorRef,
  sessionUuid: z.string().nullable(),
  glob: z.string(),
  reason: z.string().nullable(),
  createdAt: z.string(),
  expiresAt: z.string(),
  releasedAt: z.string().nullable(),
  releaseReason: z.enum(["released", "expired", "task_ended"]).nullable(),
})
export type ReservationRow = z.infer<typeof ReservationRow>

export const reservePaths = signature({
  name: "chorus_reserve_paths",
  does: "Reserve repository path globs for a task you hold, all or none.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    taskUuid: TaskId,
    globs: z.array(line(200)).min(1).max(50),
    ttlMinutes: z.number().int().min(1).max(1440).optional(),
    sessionUuid: SessionId.optional(),
    reason: line(500).optional(),
  }),
  output: z.object({ reservations: z.array(ReservationRow) }),
})

export const releasePaths = signature({
  name: "chorus_release_paths",
  does: "Release a task's reserved paths; all of them without globs.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({ taskUuid: TaskId, globs: z.array(line(200)).max(50).optional() }),
  output: z.object({ released: z.number().int() }),
})

export const listReservations = signature({
  name: "chorus_list_reservations",
  does: "List the paths reserved in a project right now.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ projectUuid: ProjectId, path: line(500).optional(), ...pagesOf(100) }),
  output: z.object({ reservations: z.array(ReservationRow), ...pageOutput }),
})

export const sweepReservations = signature({
  name: "chorus_sweep_reservations",
  does: "Mark reservations whose time is over as expired.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({}),
  output: z.object({ expired: z.number().int() }),
})
