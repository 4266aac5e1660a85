import type { NavigateOptions } from "@tanstack/react-router"
import { roundMark } from "../ideas/answers.ts"
import type { Item } from "./decide.ts"

/** At what it is about; a question about nothing in particular is among the agents. */
function placeOfQuestion({ projectUuid, attention }: Item): NavigateOptions {
  if (projectUuid !== null && attention?.kind === "change") return placeOfChange(projectUuid, attention.detail)
  const taskUuid = attention?.taskUuid ?? null
  if (projectUuid === null || taskUuid === null) return { to: "/agents" }
  return { to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid, taskUuid } }
}

function placeOfChange(
  projectUuid: string,
  { targetType, targetUuid }: Readonly<Record<string, unknown>>,
): NavigateOptions {
  const uuid = String(targetUuid)
  if (targetType === "idea")
    return { to: "/projects/$projectUuid/ideas/$ideaUuid", params: { projectUuid, ideaUuid: uuid } }
  if (targetType === "document")
    return { to: "/projects/$projectUuid/documents/$documentUuid", params: { projectUuid, documentUuid: uuid } }
  if (targetType === "proposal")
    return { to: "/projects/$projectUuid/proposals/$proposalUuid", params: { projectUuid, proposalUuid: uuid } }
  return { to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid, taskUuid: uuid } }
}

/** Where a waiting item can be looked at in full. */
export function placeOf(item: Item): NavigateOptions | undefined {
  const { projectUuid } = item
  if (item.kind === "attention") return placeOfQuestion(item)
  if (item.kind === "delivery") return { to: "/settings/$section", params: { section: "undelivered" } }
  if (projectUuid === null) return undefined
  if (item.kind === "task")
    return { to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid, taskUuid: item.uuid } }
  if (item.kind === "proposal")
    return { to: "/projects/$projectUuid/proposals/$proposalUuid", params: { projectUuid, proposalUuid: item.uuid } }
  return item.ideaUuid === null
    ? undefined
    : {
        to: "/projects/$projectUuid/ideas/$ideaUuid",
        params: { projectUuid, ideaUuid: item.ideaUuid },
        hash: roundMark(item.uuid),
      }
}
