import { changes } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { operation } from "../../operation.ts"
import { findTask } from "../tasks/task-record.ts"
import { keepLook } from "./look-record.ts"
import { newOverlaps, overlapPoints, tellOverlaps } from "./overlaps.ts"
import { assertHeldRun } from "./push-change.ts"

/** Two that are at work on the same lines hear of it while both can still do something about it. */
export const lookAtRun = operation(changes.lookAtRun, async (context, { taskUuid, run, repository, ...work }) => {
  const { db, engine, now } = context
  const task = await findTask(db, taskUuid)
  await assertHeldRun(context, task, run)
  await lock({ db, engine }, `overlaps:${task.projectUuid}`)
  const { baseCommit } = work
  const known = { taskUuid, repository: JSON.stringify(repository), baseCommit, files: JSON.stringify(work.files) }
  const { sameLines, news } = await newOverlaps(context, task, known)
  await keepLook(db, { ...known, points: JSON.stringify(overlapPoints(sameLines)), createdAt: now })
  await tellOverlaps(context, task, news, { isAtWork: true })
  return { told: news.flatMap(({ taskUuid: other, files }) => (files.length === 0 ? [] : [other])) }
})
