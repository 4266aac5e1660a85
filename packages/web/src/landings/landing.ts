import type { landings, OutputOf, ProjectId, ProposalId, TaskId } from "@chorus/contracts"
import { useMemo } from "react"
import type { Tone } from "../design/index.ts"
import { followRows, reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"

export type Landing = landings.LandingRow

export const LANDING_TONE: Record<landings.LandingState, Tone> = {
  queued: "todo",
  at_work: "progress",
  landed: "done",
  clean: "done",
  conflict: "failed",
  broken: "failed",
  refused: "waiting",
  discarded: "todo",
  withdrawn: "todo",
  proposed: "done",
}

function isLanding({ act, state }: Landing): boolean {
  return act === "land" && state !== "withdrawn"
}

/** The newest landing of each task; of several of a task the newest comes first. */
export const followLandings = followRows<OutputOf<typeof landings.listLandings>>({
  entity: "landing",
  rows: "landings",
  belongs: isLanding,
})

/**
 * The newest landing of a task. All that are looked at together ask once; what is not among the newest of its project
 * asks for itself.
 */
export function useNewestLanding(projectUuid: string, taskUuid: string): Landing | undefined {
  const asked = { projectUuid: projectUuid as ProjectId, pageSize: 100 }
  const { answer } = useOperation("chorus_list_landings", asked, followLandings)
  const among = answer?.landings.find((one) => one.taskUuid === taskUuid)
  const follow = useMemo(
    () =>
      followRows<OutputOf<typeof landings.listLandings>>({
        entity: "landing",
        rows: "landings",
        belongs: (row) => row.taskUuid === taskUuid && isLanding(row),
      }),
    [taskUuid],
  )
  const alone = among === undefined && isPartOf(answer) ? { ...asked, taskUuid: taskUuid as TaskId, pageSize: 1 } : null
  const own = useOperation("chorus_list_landings", alone, follow).answer
  return among ?? own?.landings[0]
}

/** Whether there are more rows than the answer has. */
export function isPartOf(answer: { readonly returned: number; readonly total: number } | undefined): boolean {
  return answer !== undefined && answer.total > answer.returned
}

/** What became of a task's work; why something waits changes with machines and other tasks. */
export function useLandings(taskUuid: string) {
  const follow = useMemo(
    () =>
      reloadWhen<OutputOf<typeof landings.getLanding>>(
        ({ entityType, entityUuid, patch }, { landings: rows, landable, obstacle }) => {
          // What took it out again lands with a task of its own.
          if (entityType === "landing" && patch.state === "landed" && rows[0]?.state === "landed") return true
          if (entityType === "landing" || entityType === "change" || entityType === "pull_request")
            return patch.taskUuid === taskUuid
          if (entityType === "task" && entityUuid === taskUuid) return true
          const waits = landable || obstacle !== null || rows.some(({ state }) => state === "queued")
          return waits && (entityType === "task" || entityType === "runner")
        },
      ),
    [taskUuid],
  )
  return useOperation("chorus_get_landing", { taskUuid: taskUuid as TaskId }, follow)
}

/** What to say of a landing that was asked for with the verdict. */
export function mergedSoon({ landing }: OutputOf<typeof landings.landChange>) {
  return landing.reason === null ? "landings.verifiedAndMerging" : "landings.verifiedAndWaits"
}

const followLandable = reloadWhen<OutputOf<typeof landings.listLandings>>(
  ({ entityType }) => entityType === "landing" || entityType === "change" || entityType === "task",
)

/** How much of a proposal is verified and could land. */
export function useLandable({ uuid, projectUuid }: { readonly uuid: string; readonly projectUuid: string }) {
  const asked = { projectUuid: projectUuid as ProjectId, proposalUuid: uuid as ProposalId, pageSize: 1 }
  return useOperation("chorus_list_landings", asked, followLandable).answer?.landable ?? 0
}
