import { z } from "zod"
import { ActorRef, pageInput, pageOutput, ProjectId, signature } from "../signature.ts"

/** One line of the log as a feed shows it. */
export const ActivityRow = z.object({
  /** The event's position in the log. */
  id: z.number().int(),
  uuid: z.string(),
  projectUuid: z.string().nullable(),
  targetType: z.string(),
  targetUuid: z.string(),
  targetTitle: z.string().nullable(),
  kind: z.string(),
  /** The verb of the kind: `claimed` of `task.claimed`. */
  action: z.string(),
  value: z.record(z.string(), z.unknown()),
  actor: ActorRef,
  actorType: z.string(),
  actorUuid: z.string(),
  actorName: z.string(),
  sessionUuid: z.string().nullable(),
  sessionName: z.string().nullable(),
  createdAt: z.string(),
})
export type ActivityRow = z.infer<typeof ActivityRow>

export const getActivity = signature({
  name: "chorus_get_activity",
  does: "List what happened in a project, newest first.",
  needs: "project:read",
  kind: "read",
  tool: "listed",
  input: z.object({
    projectUuid: ProjectId,
    entityUuid: z.uuid().optional(),
    actorUuid: z.uuid().optional(),
    /** Only what lies before this position in the log. */
    before: z.coerce.number().int().optional(),
    ...pageInput,
  }),
  output: z.object({ activities: z.array(ActivityRow), ...pageOutput }),
})
