import { work } from "@chorus/contracts"
import { operation } from "../../operation.ts"
import { checkOutAll } from "../sessions/checkin-end.ts"
import { touchOwnSession } from "../sessions/own-session.ts"
import { criteriaOf } from "../tasks/criterion-row.ts"
import { selfCheck } from "../tasks/criterion-marks.ts"
import { submit } from "../tasks/progress.ts"
import { wrongStatus } from "../tasks/task-faults.ts"
import { assertMayWork } from "../tasks/task-rights.ts"
import { findTask } from "../tasks/task-row.ts"
import { addReport } from "./report-entry.ts"

export const finishTask = operation(work.finishTask, async (context, { taskUuid, report, criteria, sessionUuid }) => {
  const { db } = context
  const task = await findTask(db, taskUuid)
  await assertMayWork(context, task)
  if (task.status !== "in_progress") throw wrongStatus(task, "submit")
  if (sessionUuid !== undefined) await touchOwnSession(context, sessionUuid)
  if (criteria !== undefined && criteria.length > 0) await selfCheck(context, task, criteria)
  const reportUuid = await addReport(context, task, report, sessionUuid ?? null)
  const submitted = await submit(context, task)
  // The work is handed in: whoever of the holder's sessions stood at it leaves it.
  const checkedOut = await checkOutAll(context, { taskUuid }, "task_submitted")
  const unchecked = (await criteriaOf(db, taskUuid))
    .filter((item) => item.required && item.devStatus === "pending")
    .map((item) => item.description)
  return { uuid: submitted.uuid, title: submitted.title, status: submitted.status, reportUuid, unchecked, checkedOut }
})
