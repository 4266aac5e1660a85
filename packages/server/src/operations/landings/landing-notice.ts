import type { attentions, TaskId } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { askPeople } from "../attentions/attentions.ts"
import { noticeId } from "../attentions/attention-row.ts"
import { findTask } from "../tasks/task-record.ts"
import { type LandingRecord, notAllowedOn } from "./landing-record.ts"

const FAILED: Readonly<Record<LandingRecord["act"], string>> = {
  land: "has not landed",
  preview: "was not looked at",
  discard: "could not be discarded",
  propose: "was not proposed",
}

/**
 * Work that a machine did not land waits for a person: it is told where all that waits is, and to whoever wanted it
 * landed. Who asked at a terminal has read it there.
 */
export async function tellPeople(context: OperationContext, landing: LandingRecord): Promise<void> {
  if (context.actor.type !== "agent") return
  await tell(context, landing.state === "refused" ? "landing" : "conflict", landing)
}

/** One that its machine does not allow waits until somebody allows it there, so that it is told for as long. */
export async function tellNotAllowed(context: OperationContext, landing: LandingRecord, waitsFor: string | null) {
  const reason = await notAllowedOn(context, landing)
  if (reason !== null && reason === waitsFor) await tell(context, "not_allowed", { ...landing, reason })
}

async function tell(
  context: OperationContext,
  notice: attentions.AttentionNotice,
  landing: LandingRecord,
): Promise<void> {
  const { uuid, act, reason, files, machineName, runUuid, byType, byUuid } = landing
  const { shortId, title } = await findTask(context.db, landing.taskUuid)
  const what = FAILED[act]
  const question = {
    kind: "input" as const,
    title: `${`${shortId ?? ""} ${title}`.trim().slice(0, 270)} ${what}`,
    taskUuid: landing.taskUuid as TaskId,
    detail: {
      reason,
      ...(files === "[]" ? {} : { files: JSON.parse(files) as string[] }),
      machine: machineName,
      runUuid,
      personUuid: byType === "user" ? byUuid : null,
    },
    answerable: false,
  }
  await askPeople(context, question, null, { agentUuid: null, runUuid, requestId: noticeId(notice, uuid) })
}
