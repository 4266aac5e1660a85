import { ChorusError, elaboration } from "@chorus/contracts"
import { MAX_ROUNDS, questionFaults } from "@chorus/core"
import { lock, type Schema } from "@chorus/store"
import { notFound } from "../../faults.ts"
import { operation } from "../../operation.ts"
import { assertHoldsIdea } from "../ideas/holder.ts"
import { findIdea } from "../ideas/idea-row.ts"
import { roundsOf } from "./round-row.ts"

export const startElaboration = operation(
  elaboration.startElaboration,
  async ({ db, engine, actor, now, newId, emit }, input) => {
    const faults = questionFaults(input.questions)
    if (faults.length > 0) throw badQuestions(faults)
    await lock({ db, engine }, `idea:${input.ideaUuid}`)
    const idea = await findIdea(db, input.ideaUuid)
    if (idea.status === "open") throw notClaimed(idea)
    await assertHoldsIdea(db, actor, idea)
    const before = await db
      .selectFrom("elaborationRounds")
      .select("roundNumber")
      .where("ideaUuid", "=", idea.uuid)
      .execute()
    if (before.length >= MAX_ROUNDS) throw tooManyRounds(idea)

    const roundUuid = newId()
    const isAppended = idea.status === "elaborated"
    await db
      .insertInto("elaborationRounds")
      .values({
        uuid: roundUuid,
        ideaUuid: idea.uuid,
        roundNumber: Math.max(0, ...before.map((round) => round.roundNumber)) + 1,
        status: "pending_answers",
        isAppended: isAppended ? 1 : 0,
        depth: input.depth,
        createdByType: actor.type,
        createdByUuid: actor.uuid,
        validatedAt: null,
        createdAt: now,
      })
      .execute()
    const questions = input.questions.map((question, position): Schema["elaborationQuestions"] => ({
      uuid: newId(),
      roundUuid,
      questionId: question.id,
      position,
      text: question.text,
      category: question.category,
      options: JSON.stringify(question.options),
      required: question.required ? 1 : 0,
      selectedOptionId: null,
      customText: null,
      answeredAt: null,
      answeredByType: null,
      answeredByUuid: null,
    }))
    await db.insertInto("elaborationQuestions").values(questions).execute()
    const changes = isAppended ? {} : ({ elaborationStatus: "pending_answers", elaborationDepth: input.depth } as const)
    await db
      .updateTable("ideas")
      .set({ ...changes, updatedAt: now })
      .where("uuid", "=", idea.uuid)
      .execute()

    const round = (await roundsOf(db, idea.uuid)).find(({ uuid }) => uuid === roundUuid)
    if (round === undefined) throw notFound("round", roundUuid)
    const { projectUuid } = idea
    emit({
      kind: "elaboration.started",
      entityType: "idea",
      entityUuid: idea.uuid,
      projectUuid,
      action: "updated",
      patch: { title: idea.title, ...changes, updatedAt: now },
    })
    emit({
      kind: "round.asked",
      entityType: "round",
      entityUuid: roundUuid,
      projectUuid,
      action: "created",
      patch: round,
    })
    return round
  },
)

function badQuestions(faults: readonly string[]): ChorusError {
  return new ChorusError("invalid_input", `The questions do not fit: ${faults.join("; ")}.`, {
    next: "Give every question and option an id of its own.",
    details: { faults },
  })
}

function notClaimed(idea: Schema["ideas"]): ChorusError {
  return new ChorusError("wrong_status", `"${idea.title}" is open; questions are asked by whoever holds it.`, {
    status: 409,
    next: "Claim the idea first.",
    details: { ideaUuid: idea.uuid, status: idea.status },
  })
}

function tooManyRounds(idea: Schema["ideas"]): ChorusError {
  return new ChorusError("too_many_rounds", `"${idea.title}" has had ${MAX_ROUNDS} rounds of questions.`, {
    status: 409,
    next: "Validate what was answered, or skip the rest with a reason.",
    details: { ideaUuid: idea.uuid },
  })
}
