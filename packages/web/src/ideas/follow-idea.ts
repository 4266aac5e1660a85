import type { elaboration, EventOf, ideas } from "@chorus/contracts"
import { changesLabels } from "../items/label-names.ts"
import { followAll, followRows, reloadWhen } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"

/** Merges what happens to the idea itself; its lineage, proposals, reports, files and links are asked for when they change. */
export function followIdea(ideaUuid: string): Follow<ideas.IdeaDetail> {
  return {
    apply(answer, event) {
      if (event.projectUuid === answer.projectUuid && changesLabels(event) && answer.labels.length > 0) return undefined
      if (event.entityType === "idea" && event.entityUuid === ideaUuid) {
        const { parentUuid, assignee, ...plain } = event.patch
        const merges = event.action === "updated" && parentUuid === undefined && assignee === undefined
        return merges ? { ...answer, ...plain } : undefined
      }
      if (event.entityType === "idea") return concernsLineage(answer, event) ? undefined : answer
      if (event.entityType === "proposal") return concernsProposals(answer, event) ? undefined : answer
      if (event.entityType === "document") return concernsReports(answer, event) ? undefined : answer
      if (event.entityType === "reference" || event.entityType === "attachment")
        return event.patch.targetUuid === ideaUuid ? undefined : answer
      return answer
    },
  }
}

/** Rounds come whole with their events; the rest follows from the idea. */
export function followElaboration(ideaUuid: string): Follow<elaboration.Elaboration> {
  return followAll<elaboration.Elaboration>(
    reloadWhen(
      ({ entityType, entityUuid, patch }) =>
        entityType === "idea" && entityUuid === ideaUuid && patch.elaborationStatus !== undefined,
    ),
    followRows({ entity: "round", rows: "rounds", append: true, belongs: (round) => round.ideaUuid === ideaUuid }),
  )
}

function concernsLineage(answer: ideas.IdeaDetail, { entityUuid, patch }: EventOf<"idea">): boolean {
  return (
    answer.parent?.uuid === entityUuid ||
    patch.parentUuid === answer.uuid ||
    answer.children.some(({ uuid }) => uuid === entityUuid)
  )
}

function concernsReports(
  { proposals, reports }: ideas.IdeaDetail,
  { entityUuid, patch }: EventOf<"document">,
): boolean {
  return proposals.some(({ uuid }) => uuid === patch.proposalUuid) || reports.some(({ uuid }) => uuid === entityUuid)
}

function concernsProposals(answer: ideas.IdeaDetail, { entityUuid, action, patch }: EventOf<"proposal">): boolean {
  if (action === "created") return patch.inputUuids.includes(answer.uuid)
  return (
    (patch.status !== undefined || patch.title !== undefined) &&
    answer.proposals.some(({ uuid }) => uuid === entityUuid)
  )
}
