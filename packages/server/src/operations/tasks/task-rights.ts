import { holds } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import { notHolder, selfVerification } from "./task-faults.ts"
import type { TaskRecord } from "./task-row.ts"

/** Only who holds a task works on it; a person who may judge tasks may also move somebody else's along. */
export async function assertMayWork({ db, actor }: OperationContext, task: TaskRecord): Promise<void> {
  if (holds(actor, task)) return
  if (actor.type !== "agent" && actor.permissions.has("task:admin")) return
  throw await notHolder(db, task)
}

/** Nobody judges their own work, unless the project allows it; who owns an agent may judge the agent's. */
export async function assertMayJudge({ db, actor }: OperationContext, task: TaskRecord): Promise<void> {
  if (!didTheWork(actor, task)) return
  const { allowSelfVerify } = await settingsOfProject(db, task.projectUuid)
  if (!allowSelfVerify) throw selfVerification(task)
}

/** Whoever handed it in; an agent also where it holds the task. A person to whom it is assigned may judge what their agent did with it. */
function didTheWork(actor: OperationContext["actor"], task: TaskRecord): boolean {
  if (task.submittedByUuid !== null && actor.type === "user") return task.submittedByUuid === actor.uuid
  return task.submittedByUuid === actor.uuid || holds(actor, task)
}
