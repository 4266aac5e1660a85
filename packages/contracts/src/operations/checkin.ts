import { z } from "zod"
import { DerivedStatus } from "./ideas.ts"
import { Waiting } from "./inbox.ts"
import { signature } from "../signature.ts"

const count = z.number().int()

const TrackedIdea = z.object({
  uuid: z.string(),
  shortId: z.string(),
  title: z.string(),
  status: z.string(),
  derivedStatus: DerivedStatus,
  badgeHint: z.string(),
  proposals: count,
  tasks: count,
})

const TrackedTask = z.object({
  uuid: z.string(),
  shortId: z.string(),
  title: z.string(),
  status: z.string(),
  priority: z.string(),
  storyPoints: z.number().nullable(),
  proposalUuid: z.string().nullable(),
  openDependencies: count,
  assignedAt: z.string().nullable(),
  ac: z.object({ passed: count, total: count }),
})

const IdeaTracker = z.record(z.string(), z.object({ name: z.string(), ideas: z.array(TrackedIdea) }))
const TaskTracker = z.record(z.string(), z.object({ name: z.string(), tasks: z.array(TrackedTask) }))

export const checkin = signature({
  name: "chorus_checkin",
  does: "Say hello: who you are, what you hold, what to do next. Call first.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({}),
  output: z.object({
    checkinTime: z.string(),
    agent: z.object({
      uuid: z.string(),
      name: z.string(),
      type: z.string(),
      roles: z.array(z.string()),
      /** Each resource with the actions allowed on it. */
      permissions: z.record(z.string(), z.array(z.string())),
      persona: z.string().nullable(),
      systemPrompt: z.string().nullable(),
      owner: z.object({ uuid: z.string(), name: z.string(), email: z.string().nullable() }).nullable(),
    }),
    ideaTracker: IdeaTracker,
    taskTracker: TaskTracker,
    activeProjects: z.array(
      z.object({ uuid: z.string(), name: z.string(), activeIdeas: count, activeIdeaCount: count, openTasks: count }),
    ),
    assignments: z.object({ ideas: count, tasks: count }),
    notifications: z.object({
      unread: count,
      recent: z.array(
        z.object({
          uuid: z.string(),
          action: z.string(),
          entity: z.string(),
          entityUuid: z.string(),
          title: z.string(),
          actor: z.string(),
          at: z.string(),
          message: z.string(),
        }),
      ),
    }),
    /** What to take up, first things first; chorus_inbox has all of it. */
    next: z.array(Waiting),
    /** From here on chorus_inbox tells what is new. */
    cursor: count,
  }),
})

export const getMyAssignments = signature({
  name: "chorus_get_my_assignments",
  does: "List the unfinished ideas and tasks you hold, by project.",
  needs: "anyone",
  kind: "read",
  tool: "listed",
  input: z.object({}),
  output: z.object({
    ideaTracker: IdeaTracker,
    taskTracker: TaskTracker,
    ideas: z.array(TrackedIdea.extend({ projectUuid: z.string() })),
    tasks: z.array(TrackedTask.extend({ projectUuid: z.string() })),
  }),
})
