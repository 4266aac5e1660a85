import { changeRequests, ChorusError, ProjectId } from "@chorus/contracts"
import { assertMayRead, forbidden, operation, type OperationContext } from "../../operation.ts"
import { askPeople } from "../attentions/attentions.ts"
import { findProposal } from "../proposals/proposal-row.ts"
import { presentText } from "../versions/text-version.ts"
import type { Request } from "./apply-change.ts"
import { requestedTasks } from "./requested-tasks.ts"

const MOST_BEFORE = 80_000

const FIELDS: Record<changeRequests.ChangeTarget, readonly (keyof changeRequests.RequestedChange)[]> = {
  idea: ["title", "content"],
  document: ["title", "content"],
  task: ["title", "content", "criteria"],
  proposal: ["tasks"],
}

/** Puts a change before people; nothing changes until one agrees. */
export const requestChange = operation(changeRequests.requestChange, async (context, input) => {
  const { actor } = context
  if (actor.type !== "agent") throw forbidden("You may change this yourself.", "Edit it directly.")
  const { targetType, targetUuid, reason, ...wanted } = input
  assertMayRead(actor, targetType)
  assertFits(targetType, wanted)
  const { tasks } = wanted
  const change = tasks === undefined ? wanted : { ...wanted, tasks: await requestedTasks(context, tasks) }
  const { projectUuid, ...about } = await subjectOf(context, targetType, targetUuid)
  const detail: Request = { targetType, targetUuid, reason, ...about, change }
  return askPeople(
    context,
    {
      kind: "change",
      title: `Change "${about.target}"`.slice(0, 300),
      projectUuid: ProjectId.parse(projectUuid),
      detail: { ...detail },
    },
    null,
  )
})

async function subjectOf({ db }: OperationContext, targetType: changeRequests.ChangeTarget, targetUuid: string) {
  if (targetType === "proposal") {
    const { title, projectUuid } = await findProposal(db, targetUuid)
    return { target: title, projectUuid }
  }
  const { title, content, version } = await presentText(db, targetType, targetUuid)
  const table = targetType === "task" ? "tasks" : targetType === "idea" ? "ideas" : "documents"
  const { projectUuid } = await db
    .selectFrom(table)
    .select("projectUuid")
    .where("uuid", "=", targetUuid)
    .executeTakeFirstOrThrow()
  return { target: title, projectUuid, version, before: `${title}\n\n${content}`.slice(0, MOST_BEFORE) }
}

function assertFits(targetType: changeRequests.ChangeTarget, change: changeRequests.RequestedChange): void {
  const given = Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : [field]))
  const fitting: readonly string[] = FIELDS[targetType]
  const stray = given.find((field) => !fitting.includes(field))
  if (stray !== undefined || given.length === 0)
    throw new ChorusError(
      "invalid_input",
      stray === undefined ? "Nothing to change was given." : `${stray} cannot be asked for of a ${targetType}.`,
      { next: `Give at least one of ${fitting.join(", ")}.` },
    )
}
