import { holds } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
import { settingsOfProject } from "../work/settings.ts"
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
  const own = holds(actor, task) || (task.submittedByUuid === actor.uuid && task.submittedByType === actor.type)
  if (!own) return
  const { allowSelfVerify } = await settingsOfProject(db, task.projectUuid)
  if (!allowSelfVerify) throw selfVerification(task)
}
