import type { OperationContext } from "../../operation.ts"
import { askPeople, withdraw } from "../attentions/attentions.ts"
import { findTask } from "../tasks/task-record.ts"
import type { LandingRecord } from "./landing-record.ts"

const requestOf = ({ uuid }: LandingRecord) => `landing:${uuid}`

/**
 * Work that a machine would not land waits for a person: it is told where all that waits is. Who asked at a terminal
 * has read it there.
 */
export async function tellPeople(context: OperationContext, landing: LandingRecord, reason: string): Promise<void> {
  if (context.actor.type !== "agent") return
  const { projectUuid, shortId, title } = await findTask(context.db, landing.taskUuid)
  const name = `${shortId ?? ""} ${title}`.trim()
  const verb = landing.act === "discard" ? "could not be discarded" : "has not landed"
  const question = {
    kind: "input" as const,
    title: `${name} ${verb}`.slice(0, 300),
    detail: { reason, machine: landing.machineName },
    answerable: false,
  }
  await askPeople(context, question, null, { projectUuid, runUuid: landing.runUuid, requestId: requestOf(landing) })
}

/** Somebody has done something about it. */
export async function takeNoticeBack(context: OperationContext, landing: LandingRecord): Promise<void> {
  const open = await context.db
    .selectFrom("attentions")
    .select("uuid")
    .where("workspaceUuid", "=", landing.workspaceUuid)
    .where("requestId", "=", requestOf(landing))
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .executeTakeFirst()
  if (open !== undefined) await withdraw(context, open)
}
