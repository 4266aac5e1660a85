import type { elaboration } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { namesOf } from "../../operation.ts"

type Question = Schema["elaborationQuestions"]

/** Rounds with their questions, the standing answers and the earlier ones, oldest round first. */
export async function roundsOf(db: Db, ideaUuid: string): Promise<elaboration.Round[]> {
  const rounds = await db
    .selectFrom("elaborationRounds")
    .selectAll()
    .where("ideaUuid", "=", ideaUuid)
    .orderBy("roundNumber")
    .execute()
  const roundUuids = rounds.map((round) => round.uuid)
  const questions = await db
    .selectFrom("elaborationQuestions")
    .selectAll()
    .where("roundUuid", "in", roundUuids)
    .orderBy("position")
    .execute()
  const given = await db
    .selectFrom("elaborationAnswers")
    .selectAll()
    .where(
      "questionUuid",
      "in",
      questions.map((question) => question.uuid),
    )
    .orderBy("answeredAt")
    .orderBy("uuid")
    .execute()
  const nameOf = await namesOf(db, [
    ...rounds.map((round) => round.createdByUuid),
    ...given.map((answer) => answer.answeredByUuid),
  ])
  const answers = Map.groupBy(given, (answer) => answer.questionUuid)
  const asked = Map.groupBy(questions, (question) => question.roundUuid)
  const answerRow = (answer: Schema["elaborationAnswers"]) => ({
    selectedOptionId: answer.selectedOptionId,
    customText: answer.customText,
    answeredAt: answer.answeredAt,
    answeredBy: nameOf(answer.answeredByType, answer.answeredByUuid),
  })
  const questionRow = (question: Question) => {
    const history = (answers.get(question.uuid) ?? []).map(answerRow)
    return {
      uuid: question.uuid,
      questionId: question.questionId,
      text: question.text,
      category: question.category,
      options: JSON.parse(question.options) as elaboration.QuestionOption[],
      required: question.required === 1,
      answer: history.at(-1) ?? null,
      earlier: history.slice(0, -1),
      issue: null,
    }
  }
  return rounds.map((round) => ({
    uuid: round.uuid,
    ideaUuid: round.ideaUuid,
    roundNumber: round.roundNumber,
    status: round.status,
    isAppended: round.isAppended === 1,
    depth: round.depth,
    createdBy: nameOf(round.createdByType, round.createdByUuid),
    validatedAt: round.validatedAt,
    askAgain: round.askAgain === 1,
    createdAt: round.createdAt,
    questions: (asked.get(round.uuid) ?? []).map(questionRow),
  }))
}

export async function elaborationOf(db: Db, idea: Schema["ideas"]): Promise<elaboration.Elaboration> {
  const rounds = await roundsOf(db, idea.uuid)
  const questions = rounds.flatMap((round) => round.questions)
  return {
    ideaUuid: idea.uuid,
    depth: idea.elaborationDepth,
    status: idea.elaborationStatus,
    reason: idea.elaborationReason,
    rounds,
    summary: {
      totalQuestions: questions.length,
      answeredQuestions: questions.filter((question) => question.answer !== null).length,
      validatedRounds: rounds.filter((round) => round.validatedAt !== null).length,
      pendingRound: rounds.find((round) => round.status === "pending_answers")?.roundNumber ?? null,
    },
  }
}

/** An answer as one would say it. */
export function wordsOf(answer: Pick<Question, "options" | "selectedOptionId" | "customText">): string {
  const options = JSON.parse(answer.options) as elaboration.QuestionOption[]
  const label = options.find(({ id }) => id === answer.selectedOptionId)?.label
  return [label, answer.customText].filter(Boolean).join(", ")
}
