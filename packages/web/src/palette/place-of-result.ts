import type { search } from "@chorus/contracts"
import type { NavigateOptions } from "@tanstack/react-router"

/** Where something found can be looked at. */
export function placeOfResult({ entityType, uuid, projectUuid }: search.SearchResult): NavigateOptions | undefined {
  if (entityType === "project") return { to: "/projects/$projectUuid/board", params: { projectUuid: uuid } }
  if (entityType === "project_group") return { to: "/projects" }
  if (projectUuid === null) return undefined
  if (entityType === "task")
    return { to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid, taskUuid: uuid } }
  if (entityType === "idea")
    return { to: "/projects/$projectUuid/ideas/$ideaUuid", params: { projectUuid, ideaUuid: uuid } }
  if (entityType === "proposal")
    return { to: "/projects/$projectUuid/proposals/$proposalUuid", params: { projectUuid, proposalUuid: uuid } }
  return { to: "/projects/$projectUuid/documents/$documentUuid", params: { projectUuid, documentUuid: uuid } }
}
