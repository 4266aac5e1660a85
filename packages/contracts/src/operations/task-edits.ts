import { z } from "zod"
import { ActorRef, AgentId, ProjectId, signature, TaskId, UserId } from "../signature.ts"
import { LabelNames } from "./labels.ts"
import { dueOn, storyPoints, TaskPriority, TaskStatus } from "./tasks.ts"

/** What stood before, so that a change of many can be taken back. */
const Before = z.object({
  status: TaskStatus,
  priority: TaskPriority,
  storyPoints: z.number().nullable(),
  labels: z.array(z.string()),
  dueOn: z.string().nullable(),
  assignee: ActorRef.nullable(),
})

export const editTasks = signature({
  name: "chorus_edit_tasks",
  does: "Change many tasks of a project in one go; each is changed wholly or not at all, and the answer says which and why.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    projectUuid: ProjectId,
    taskUuids: z.array(TaskId).min(1).max(500),
    addLabels: LabelNames.optional(),
    removeLabels: LabelNames.optional(),
    priority: TaskPriority.optional(),
    storyPoints: storyPoints.nullable().optional(),
    dueOn: dueOn.nullable().optional(),
    /** Gives them to an agent, or to a person; `release` gives them back to the open ones. */
    agentUuid: AgentId.optional(),
    userUuid: UserId.optional(),
    release: z.boolean().optional(),
    status: TaskStatus.optional(),
  }),
  output: z.object({
    results: z.array(
      z.object({
        uuid: z.string(),
        title: z.string(),
        changed: z.boolean(),
        before: Before,
        problem: z.object({ code: z.string(), message: z.string() }).optional(),
      }),
    ),
    changed: z.number().int(),
  }),
})
