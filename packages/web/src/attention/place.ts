import type { NavigateOptions } from "@tanstack/react-router"
import type { Item } from "./decide.ts"

/** Where a waiting item can be looked at in full. */
export function placeOf(item: Item): NavigateOptions | undefined {
  const { projectUuid } = item
  if (projectUuid === null) return undefined
  if (item.kind === "task") return { to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid, taskUuid: item.uuid } }
  if (item.kind === "proposal") return { to: "/projects/$projectUuid/proposals/$proposalUuid", params: { projectUuid, proposalUuid: item.uuid } }
  if (item.kind === "elaboration" && item.ideaUuid !== null) return { to: "/projects/$projectUuid/ideas/$ideaUuid", params: { projectUuid, ideaUuid: item.ideaUuid } }
  return { to: "/agents" }
}
