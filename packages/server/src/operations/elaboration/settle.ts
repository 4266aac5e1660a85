import { ChorusError, elaboration } from "@chorus/contracts"
import { lock, type Schema } from "@chorus/store"
import { operation, type OperationContext } from "../../operation.ts"
import { assertHoldsIdea, findIdea } from "../ideas/idea-record.ts"
import { elaborationOf } from "./round-row.ts"

export const getElaboration = operation(elaboration.getElaboration, async ({ db }, { ideaUuid }) =>
  elaborationOf(db, await findIdea(db, ideaUuid)),
)

/** Accepts what was answered. On an idea that is elaborated already, it accepts the rounds appended since. */
export const validateElaboration = operation(elaboration.validateElaboration, async (context, { ideaUuid }) => {
  const { db } = context
  await lock(context, `idea:${ideaUuid}`)
  const idea = await findIdea(db, ideaUuid)
  const rounds = await db.selectFrom("elaborationRounds").selectAll().where("ideaUuid", "=", ideaUuid).execute()
  const waiting = rounds.filter((round) => round.status === "pending_answers")
  if (idea.status === "open" || rounds.length === 0) throw nothingAsked(idea)
  if (waiting.length > 0) throw stillWaiting(idea, waiting)
  const settled = idea.status === "elaborated" && rounds.every((round) => round.validatedAt !== null)
  return elaborationOf(db, settled ? idea : await accept(context, idea, {}))
})

/** Closes the answered rounds of an idea that is held; the caller has made sure that none waits. */
export async function accept(
  { db, now, emit }: OperationContext,
  { uuid }: Schema["ideas"],
  how: { readonly bySending?: boolean },
): Promise<Schema["ideas"]> {
  await db
    .updateTable("elaborationRounds")
    .set({ validatedAt: now })
    .where("ideaUuid", "=", uuid)
    .where("validatedAt", "is", null)
    .execute()
  const changes = { status: "elaborated", elaborationStatus: "resolved", updatedAt: now } as const
  const row = await db
    .updateTable("ideas")
    .set(changes)
    .where("uuid", "=", uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  emit({
    kind: "elaboration.validated",
    entityType: "idea",
    entityUuid: uuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch: { title: row.title, ...changes, ...how },
  })
  return row
}

export const skipElaboration = operation(elaboration.skipElaboration, async (context, { ideaUuid, reason }) => {
  await skip(context, ideaUuid, reason)
  return { ideaUuid, action: "elaboration_skipped" as const, reason }
})

/** Settles an idea without further questions. What was asked and answered stays on it. */
export async function skip(
  { db, engine, actor, now, emit }: OperationContext,
  ideaUuid: string,
  reason: string,
): Promise<void> {
  await lock({ db, engine }, `idea:${ideaUuid}`)
  const idea = await findIdea(db, ideaUuid)
  if (idea.status !== "elaborating") throw notElaborating(idea)
  if (!actor.permissions.has("idea:admin")) await assertHoldsIdea(db, actor, idea)
  const changes = {
    status: "elaborated",
    elaborationStatus: "resolved",
    elaborationDepth: "minimal",
    updatedAt: now,
  } as const
  await db
    .updateTable("ideas")
    .set({ ...changes, elaborationReason: reason })
    .where("uuid", "=", ideaUuid)
    .execute()
  const patch = { title: idea.title, ...changes, elaborationReason: reason }
  emit({
    kind: "elaboration.skipped",
    entityType: "idea",
    entityUuid: ideaUuid,
    projectUuid: idea.projectUuid,
    action: "updated",
    patch,
  })
}

function nothingAsked(idea: Schema["ideas"]): ChorusError {
  return new ChorusError("nothing_to_validate", `No questions were asked about "${idea.title}".`, {
    status: 409,
    next: "Ask a round of questions, or skip the elaboration with a reason.",
    details: { ideaUuid: idea.uuid, status: idea.status },
  })
}

function stillWaiting(idea: Schema["ideas"], waiting: readonly Schema["elaborationRounds"][]): ChorusError {
  return new ChorusError(
    "answers_pending",
    `"${idea.title}" has ${waiting.length} round${waiting.length === 1 ? "" : "s"} waiting for answers.`,
    {
      status: 409,
      next: "Answer the required questions first, or skip the elaboration with a reason.",
      details: { ideaUuid: idea.uuid, roundUuids: waiting.map((round) => round.uuid) },
    },
  )
}

function notElaborating(idea: Schema["ideas"]): ChorusError {
  return new ChorusError(
    "wrong_status",
    `"${idea.title}" is ${idea.status}; only an idea being elaborated can skip its questions.`,
    {
      status: 409,
      next: idea.status === "open" ? "Claim the idea first." : "It is elaborated already; go on to the proposal.",
      details: { ideaUuid: idea.uuid, status: idea.status },
    },
  )
}
