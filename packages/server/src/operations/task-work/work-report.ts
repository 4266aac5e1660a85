import { work } from "@chorus/contracts"
import { operation } from "../../operation.ts"
import { touchOwnSession } from "../sessions/own-session.ts"
import { assertMayWork } from "../tasks/task-rights.ts"
import { findTask } from "../tasks/task-row.ts"
import { moveOn } from "../tasks/update-task.ts"
import { addReport } from "./report-entry.ts"

export const reportWork = operation(work.reportWork, async (context, { taskUuid, report, status, sessionUuid }) => {
  if (sessionUuid !== undefined) await touchOwnSession(context, sessionUuid)
  const task = await findTask(context.db, taskUuid)
  await assertMayWork(context, task)
  const reportUuid = await addReport(context, task, report, sessionUuid ?? null)
  const after = status === undefined ? task : await moveOn(context, task, status)
  return { uuid: after.uuid, title: after.title, status: after.status, reportUuid }
})
