import { ChorusError } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import type { TaskRecord } from "./task-record.ts"

/** Work that waits for an answer is not handed in by oversight: an agent with an open question is asked whether it means it. */
export async function assertNothingAsked({ db, actor, now }: OperationContext, task: TaskRecord): Promise<void> {
  if (actor.type !== "agent") return
  const open = await db
    .selectFrom("attentions")
    .select(["uuid", "title", "taskUuid", "detail", "sessionUuid"])
    .where("agentUuid", "=", actor.uuid)
    .where("kind", "in", ["input", "change"])
    // What is asked in a terminal is answered there.
    .where("answerable", "=", 1)
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]))
    .where(({ or, eb }) => or([eb("projectUuid", "is", null), eb("projectUuid", "=", task.projectUuid)]))
    .orderBy("createdAt")
    .execute()
  const sessions = new Set(open.flatMap(({ sessionUuid }) => sessionUuid ?? []))
  const here =
    sessions.size === 0
      ? []
      : await db
          .selectFrom("checkins")
          .select("sessionUuid")
          .where("taskUuid", "=", task.uuid)
          .where("sessionUuid", "in", [...sessions])
          .execute()
  const atThisTask = new Set(here.map(({ sessionUuid }) => sessionUuid))
  const questions = open.filter(({ taskUuid, detail, sessionUuid }) => {
    const about = taskUuid ?? aboutTask(detail)
    return about === undefined ? sessionUuid === null || atThisTask.has(sessionUuid) : about === task.uuid
  })
  if (questions.length === 0) return
  throw new ChorusError(
    "open_question",
    `You asked ${questions.map(({ title }) => `"${title}"`).join(", ")}, and nobody has answered yet.`,
    {
      status: 409,
      next: "Wait for the answer, or hand in with insist: true and say in the report what you assumed.",
      details: { taskUuid: task.uuid, attentionUuids: questions.map(({ uuid }) => uuid) },
    },
  )
}

function aboutTask(detail: string): string | undefined {
  const { taskUuid, targetUuid, targetType } = JSON.parse(detail) as Record<string, unknown>
  const about = taskUuid ?? (targetType === "task" ? targetUuid : undefined)
  return typeof about === "string" ? about : undefined
}
