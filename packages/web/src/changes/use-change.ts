import type { changes, OutputOf, TaskId } from "@chorus/contracts"
import { useMemo } from "react"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"

/** The files of a change and what was said about them, kept up to date; their lines come by themselves. */
export function useChange(taskUuid: string, version: number | null = null, since: number | null = null) {
  const follow = useMemo(
    () =>
      reloadWhen<OutputOf<typeof changes.getChange>>(
        ({ kind, entityType, entityUuid, patch }) =>
          ((entityType === "change" || entityType === "change_thread") && patch.taskUuid === taskUuid) ||
          // By that one of its versions becomes a hand-in.
          (kind === "task.submitted" && entityUuid === taskUuid) ||
          // Chorus says there which other work has come to the same lines.
          (entityType === "comment" && patch.targetUuid === taskUuid && patch.author?.type === "system"),
      ),
    [taskUuid],
  )
  const wanted = { ...(version === null ? {} : { version }), ...(since === null ? {} : { since }) }
  return useOperation("chorus_get_change", { taskUuid: taskUuid as TaskId, room: 0, ...wanted }, follow)
}
