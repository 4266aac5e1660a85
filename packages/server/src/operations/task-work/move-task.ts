import { work } from "@chorus/contracts"
import { actionForMove, type TaskAction } from "@chorus/core"
import { forbidden } from "../../faults.ts"
import { operation, type OperationContext } from "../../operation.ts"
import { claim, release } from "../tasks/claim.ts"
import { changeOf, close, reopen, start, submit, verify } from "../tasks/progress.ts"
import { wrongMove } from "../tasks/task-faults.ts"
import { assertMayWork } from "../tasks/task-rights.ts"
import { findTask, type TaskRecord } from "../tasks/task-row.ts"

type Step = (context: OperationContext, task: TaskRecord) => Promise<TaskRecord>

const STEPS: Partial<Record<TaskAction, { needs: "task:write" | "task:admin"; take: Step }>> = {
  claim: { needs: "task:write", take: claim },
  release: {
    needs: "task:write",
    take: async (context, task) => {
      await assertMayWork(context, task)
      return release(context, task)
    },
  },
  start: { needs: "task:write", take: start },
  submit: { needs: "task:write", take: submit },
  verify: { needs: "task:admin", take: verify },
  reopen: { needs: "task:admin", take: (context, task) => reopen(context, task, { force: false }) },
  close: { needs: "task:admin", take: close },
}

export const moveTask = operation(work.moveTask, async (context, { taskUuid, status }) => {
  const task = await findTask(context.db, taskUuid)
  if (task.status === status) return changeOf(task)
  const step = STEPS[actionForMove(task.status, status) ?? "assign"]
  if (step === undefined) throw wrongMove(task, status)
  if (!context.actor.permissions.has(step.needs))
    throw forbidden(`Moving this card needs ${step.needs}.`, "Ask somebody who has it.")
  return changeOf(await step.take(context, task))
})
