import type { notifications } from "@chorus/contracts"
import type { NavigateOptions } from "@tanstack/react-router"

/** Where what a notification is about can be looked at. */
export function placeOfNotification({
  entityType,
  entityUuid,
  projectUuid,
}: notifications.NotificationRow): NavigateOptions | undefined {
  if (entityType === "attention") return { to: "/" }
  if (projectUuid === null) return undefined
  if (entityType === "task")
    return { to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid, taskUuid: entityUuid } }
  if (entityType === "idea")
    return { to: "/projects/$projectUuid/ideas/$ideaUuid", params: { projectUuid, ideaUuid: entityUuid } }
  if (entityType === "proposal")
    return { to: "/projects/$projectUuid/proposals/$proposalUuid", params: { projectUuid, proposalUuid: entityUuid } }
  if (entityType === "document")
    return { to: "/projects/$projectUuid/documents/$documentUuid", params: { projectUuid, documentUuid: entityUuid } }
  return { to: "/projects/$projectUuid/activity", params: { projectUuid } }
}
