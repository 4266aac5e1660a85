import type { elaboration, ideas, LogEvent } from "@chorus/contracts"
import type { Follow } from "../live/live-store.ts"

/** Merges what happens to the idea itself; its lineage, proposals, reports, files and links are asked for when they change. */
export function followIdea(ideaUuid: string): Follow<ideas.IdeaDetail> {
  return {
    apply(answer, event) {
      const { entityType, entityUuid, action, patch } = event
      if (entityType === "idea" && entityUuid === ideaUuid)
        return action === "updated" && !("parentUuid" in patch) && !("assignee" in patch)
          ? { ...answer, ...patch }
          : undefined
      if (entityType === "idea") return concernsLineage(answer, event) ? undefined : answer
      if (entityType === "proposal") return concernsProposals(answer, event) ? undefined : answer
      if (entityType === "document") return concernsReports(answer, event) ? undefined : answer
      if (entityType === "reference" || entityType === "attachment")
        return patch["targetUuid"] === ideaUuid ? undefined : answer
      return answer
    },
  }
}

/** Rounds come whole with their events; the rest follows from the idea. */
export function followElaboration(ideaUuid: string): Follow<elaboration.Elaboration> {
  return {
    apply(answer, { entityType, entityUuid, patch, action }) {
      if (entityType === "idea" && entityUuid === ideaUuid) {
        const status = patch["elaborationStatus"]
        return status === undefined ? answer : undefined
      }
      if (entityType !== "round" || (patch["ideaUuid"] ?? ideaUuid) !== ideaUuid) return answer
      const at = answer.rounds.findIndex(({ uuid }) => uuid === entityUuid)
      const known = answer.rounds[at]
      if (known !== undefined) return { ...answer, rounds: answer.rounds.with(at, { ...known, ...patch }) }
      return action === "created" && patch["ideaUuid"] === ideaUuid
        ? { ...answer, rounds: [...answer.rounds, patch as unknown as elaboration.Round] }
        : answer
    },
  }
}

function concernsLineage(answer: ideas.IdeaDetail, { entityUuid, patch }: LogEvent): boolean {
  return (
    answer.parent?.uuid === entityUuid ||
    patch["parentUuid"] === answer.uuid ||
    answer.children.some(({ uuid }) => uuid === entityUuid)
  )
}

function concernsReports({ proposals, reports }: ideas.IdeaDetail, { entityUuid, patch }: LogEvent): boolean {
  return proposals.some(({ uuid }) => uuid === patch["proposalUuid"]) || reports.some(({ uuid }) => uuid === entityUuid)
}

function concernsProposals(answer: ideas.IdeaDetail, { entityUuid, action, patch }: LogEvent): boolean {
  if (action === "created") return Array.isArray(patch["inputUuids"]) && patch["inputUuids"].includes(answer.uuid)
  return (
    (patch["status"] !== undefined || patch["title"] !== undefined) &&
    answer.proposals.some(({ uuid }) => uuid === entityUuid)
  )
}
