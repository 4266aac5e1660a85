import { z } from "zod"
import { ActorRef, ProjectId, signature } from "../signature.ts"
import { TaskStatus } from "./tasks.ts"

const count = z.number().int()
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)

/** How long finished tasks took from their first start to done, in hours. */
export const CycleTime = z.object({
  count,
  medianHours: z.number().nullable(),
  p85Hours: z.number().nullable(),
  longestHours: z.number().nullable(),
})
export type CycleTime = z.infer<typeof CycleTime>

export const getFlow = signature({
  name: "chorus_get_flow",
  does: "Get throughput, cycle time, cumulative flow and burn-up per day.",
  needs: "project:read",
  kind: "read",
  tool: "none",
  input: z.object({
    projectUuid: ProjectId,
    days: z.coerce.number().int().min(1).max(366).default(30),
    /** Where the day begins: minutes east of UTC. */
    offsetMinutes: z.coerce.number().int().min(-840).max(840).default(0),
  }),
  output: z.object({
    /** Tasks done per day, and their story points. */
    throughput: z.array(z.object({ day, tasks: count, points: z.number() })),
    cycleTime: CycleTime,
    /** How many tasks stood in each status when the day ended. */
    cumulativeFlow: z.array(z.object({ day, counts: z.record(TaskStatus, count) })),
    /** All tasks there were when the day ended (closed ones left out) and those done. */
    burnUp: z.array(z.object({ day, scope: count, done: count, scopePoints: z.number(), donePoints: z.number() })),
  }),
})

export const getSessionTimeline = signature({
  name: "chorus_get_session_timeline",
  does: "Get who worked on which task when.",
  needs: "project:read",
  kind: "read",
  tool: "none",
  input: z.object({ projectUuid: ProjectId, since: z.iso.datetime().optional(), until: z.iso.datetime().optional() }),
  output: z.object({
    since: z.string(),
    until: z.string(),
    lanes: z.array(
      z.object({
        sessionUuid: z.string(),
        sessionName: z.string(),
        agent: ActorRef,
        stays: z.array(
          z.object({
            taskUuid: z.string(),
            taskTitle: z.string(),
            from: z.string(),
            to: z.string().nullable(),
            hours: z.number(),
          }),
        ),
        hours: z.number(),
      }),
    ),
  }),
})
