import type { InputOf, OutputOf, taskEdits } from "@chorus/contracts"
import { canUndo } from "../board/moves.ts"

type Input = InputOf<typeof taskEdits.editTasks>
export type Change = Omit<Input, "projectUuid" | "taskUuids">
export type Result = OutputOf<typeof taskEdits.editTasks>["results"][number]

/** More than the server takes at once go in several calls. */
export const MOST = 500

/** The changes that lead back to where each task was, as few as there were different places; none where one cannot go back. */
export function wayBack(change: Change, results: readonly Result[]): { taskUuids: string[]; change: Change }[] {
  const done = results.filter(({ changed }) => changed)
  if (done.some(({ before }) => change.status !== undefined && !canUndo(before.status, change.status))) return []
  const groups = Map.groupBy(done, (result) => JSON.stringify(inverse(change, result)))
  return [...groups]
    .filter(([key]) => key !== "{}")
    .map(([key, members]) => ({ taskUuids: members.map(({ uuid }) => uuid), change: JSON.parse(key) as Change }))
}

function inverse(change: Change, { before }: Result): Change {
  const had = new Set(before.labels.map((name) => name.toLowerCase()))
  const added = (change.addLabels ?? []).filter((name) => !had.has(name.toLowerCase()))
  const removed = (change.removeLabels ?? []).filter((name) => had.has(name.toLowerCase()))
  const handed = change.agentUuid !== undefined || change.userUuid !== undefined || change.release === true
  return {
    ...(added.length === 0 ? {} : { removeLabels: added }),
    ...(removed.length === 0 ? {} : { addLabels: removed }),
    ...(change.priority === undefined ? {} : { priority: before.priority }),
    ...(change.storyPoints === undefined ? {} : { storyPoints: before.storyPoints }),
    ...(change.dueOn === undefined ? {} : { dueOn: before.dueOn }),
    ...(change.status === undefined ? {} : { status: before.status }),
    ...(handed ? holderOf(before.assignee) : {}),
  }
}

function holderOf(assignee: Result["before"]["assignee"]): Change {
  if (assignee === null) return { release: true }
  return assignee.type === "agent" ? { agentUuid: assignee.uuid } : { userUuid: assignee.uuid }
}
