import type { EventOf, OutputOf, reviews, tasks, work } from "@chorus/contracts"
import { changesLabels } from "../items/label-names.ts"
import { reloadWhen } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"

type Detail = tasks.TaskDetail

/** Plain fields are merged at once; what the event does not carry in full (criteria, reports, neighbours) is asked for. */
export function followTask(taskUuid: string): Follow<Detail> {
  return {
    apply(answer, event) {
      if (event.entityType === "checkin")
        return event.patch.taskUuid !== taskUuid && !isNeighbour(answer, event.patch.taskUuid) ? answer : undefined
      if (event.projectUuid === answer.projectUuid && changesLabels(event) && answer.labels.length > 0) return undefined
      if (event.kind === "comment.added" || event.kind === "comment.deleted")
        return event.patch.targetUuid === taskUuid ? undefined : answer
      if (event.entityType === "change_thread") return event.patch.taskUuid === taskUuid ? undefined : answer
      if (event.entityType === "review" || event.entityType === "finding")
        return event.patch.targetUuid === taskUuid ? undefined : answer
      if (event.entityType === "reference") return event.patch.targetUuid === taskUuid ? undefined : answer
      if (event.entityType !== "task") return answer
      if (event.entityUuid !== taskUuid)
        return isNeighbour(answer, event.entityUuid) ? withNeighbour(answer, event) : answer
      if (event.kind !== "task.updated" && event.kind !== "task.unblocked") return undefined
      // Who holds it comes with more than the row says, and what it waits for with more than a number.
      const { assignee, openDependencies, ...plain } = event.patch
      return assignee === undefined && openDependencies === undefined ? { ...answer, ...plain } : undefined
    },
  }
}

export function followHistory(taskUuid: string): Follow<OutputOf<typeof work.getTaskHistory>> {
  return reloadWhen(({ entityType, entityUuid, patch }, answer) => {
    if (entityType === "session")
      return answer.sessions.some(({ uuid }) => uuid === entityUuid) && patch.status !== undefined
    if (entityType === "checkin" || entityType === "reservation") return patch.taskUuid === taskUuid
    return entityType === "task" && entityUuid === taskUuid
  })
}

export function followReviews(targetUuid: string): Follow<OutputOf<typeof reviews.getReviews>> {
  return reloadWhen(
    ({ entityType, patch }) => (entityType === "review" || entityType === "finding") && patch.targetUuid === targetUuid,
  )
}

function isNeighbour(answer: Detail, uuid: string | undefined): boolean {
  return [...answer.dependsOn, ...answer.dependedBy].some((link) => link.uuid === uuid)
}

function withNeighbour(answer: Detail, { entityUuid, patch, action }: EventOf<"task">): Detail | undefined {
  if (action === "deleted" || patch.status !== undefined) return undefined
  const merged = (links: readonly tasks.TaskLink[]) =>
    links.map((link) => (link.uuid === entityUuid ? { ...link, title: patch.title ?? link.title } : link))
  return { ...answer, dependsOn: merged(answer.dependsOn), dependedBy: merged(answer.dependedBy) }
}
