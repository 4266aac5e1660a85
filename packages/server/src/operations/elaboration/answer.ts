import { ChorusError, elaboration } from "@chorus/contracts"
import { answerFaults, elaborationStatus, roundStatus } from "@chorus/core"
import { type Db, lock, type Schema } from "@chorus/store"
import { forbidden, notFound } from "../../faults.ts"
import { operation } from "../../operation.ts"
import { findIdea } from "../ideas/idea-row.ts"
import { roundsOf } from "./round-row.ts"

export const answerElaboration = operation(
  elaboration.answerElaboration,
  async ({ db, engine, actor, now, newId, emit }, input) => {
    if (actor.role === "viewer")
      throw forbidden(
        "A viewer may read the questions, not answer them.",
        "Ask somebody who runs this workspace for another role.",
      )
    await lock({ db, engine }, `idea:${input.ideaUuid}`)
    const idea = await findIdea(db, input.ideaUuid)
    const round = await openRound(db, idea, input.roundUuid)
    const questions = await db
      .selectFrom("elaborationQuestions")
      .selectAll()
      .where("roundUuid", "=", round.uuid)
      .orderBy("position")
      .execute()
    const faults = answerFaults(questions.map(asked), input.answers)
    if (faults.length > 0) throw badAnswers(faults)

    const by = { answeredAt: now, answeredByType: actor.type, answeredByUuid: actor.uuid }
    for (const { questionId, selectedOptionId, customText } of input.answers) {
      const question = questions.find((candidate) => candidate.questionId === questionId)
      if (question === undefined) continue
      const answer = { selectedOptionId, customText, ...by }
      await db.updateTable("elaborationQuestions").set(answer).where("uuid", "=", question.uuid).execute()
      await db
        .insertInto("elaborationAnswers")
        .values({ uuid: newId(), questionUuid: question.uuid, ...answer })
        .execute()
      Object.assign(question, answer)
    }
    await db
      .updateTable("elaborationRounds")
      .set({ status: roundStatus(questions.map(asked)) })
      .where("uuid", "=", round.uuid)
      .execute()

    const rounds = await roundsOf(db, idea.uuid)
    const status = elaborationStatus(idea.elaborationStatus, rounds)
    await db
      .updateTable("ideas")
      .set({ elaborationStatus: status, updatedAt: now })
      .where("uuid", "=", idea.uuid)
      .execute()
    const answered = rounds.find(({ uuid }) => uuid === round.uuid)
    if (answered === undefined) throw notFound("round", round.uuid)
    const { projectUuid } = idea
    const patch = { title: idea.title, elaborationStatus: status, updatedAt: now }
    emit({
      kind: "elaboration.answered",
      entityType: "idea",
      entityUuid: idea.uuid,
      projectUuid,
      action: "updated",
      patch,
    })
    emit({
      kind: "round.answered",
      entityType: "round",
      entityUuid: round.uuid,
      projectUuid,
      action: "updated",
      patch: answered,
    })
    return answered
  },
)

function asked(question: Schema["elaborationQuestions"]) {
  const options = JSON.parse(question.options) as { id: string }[]
  return {
    questionId: question.questionId,
    required: question.required === 1,
    options,
    answered: question.answeredAt !== null,
  }
}

/** The round that is meant: the named one, or the only one that waits. */
async function openRound(
  db: Db,
  idea: Schema["ideas"],
  roundUuid: string | undefined,
): Promise<Schema["elaborationRounds"]> {
  const rounds = await db
    .selectFrom("elaborationRounds")
    .selectAll()
    .where("ideaUuid", "=", idea.uuid)
    .orderBy("roundNumber")
    .execute()
  if (roundUuid !== undefined) {
    const named = rounds.find((round) => round.uuid === roundUuid)
    if (named === undefined) throw notFound("round", roundUuid)
    if (named.validatedAt !== null) throw roundClosed(named)
    return named
  }
  const waiting = rounds.filter((round) => round.status === "pending_answers")
  const [only] = waiting
  if (only === undefined || waiting.length > 1) throw whichRound(idea, waiting)
  return only
}

function roundClosed(round: Schema["elaborationRounds"]): ChorusError {
  return new ChorusError("round_closed", `Round ${round.roundNumber} was validated; its answers stand.`, {
    status: 409,
    next: "Write a comment, or have another round asked.",
    details: { roundUuid: round.uuid },
  })
}

function whichRound(idea: Schema["ideas"], waiting: readonly Schema["elaborationRounds"][]): ChorusError {
  const none = waiting.length === 0
  return new ChorusError(
    none ? "no_pending_round" : "several_pending_rounds",
    `"${idea.title}" has ${none ? "no round" : `${waiting.length} rounds`} waiting for answers.`,
    {
      status: 409,
      next: none
        ? "Get the elaboration to see what was answered; name a roundUuid to change an answer."
        : "Name the roundUuid you answer.",
      details: { ideaUuid: idea.uuid, roundUuids: waiting.map((round) => round.uuid) },
    },
  )
}

function badAnswers(faults: readonly string[]): ChorusError {
  return new ChorusError("invalid_answers", `The answers do not fit: ${faults.join("; ")}.`, {
    next: "Answer with one of the option ids, or with selectedOptionId null and customText. Nothing was changed.",
    details: { faults },
  })
}
