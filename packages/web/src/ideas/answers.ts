import type { elaboration } from "@chorus/contracts"

export type Round = elaboration.Round

/** What a round is called in an address that leads to it. */
export const roundMark = (roundUuid: string) => `round-${roundUuid}`
export type RoundQuestion = Round["questions"][number]

export interface Given {
  readonly option: string | null
  readonly text: string
}

export type Givens = Readonly<Record<string, Given>>

/** What somebody has begun to answer on this device, and the answer that stood there then. */
export type Unsent = Readonly<Record<string, Given & { readonly since?: string | null }>>

export const NOTHING_GIVEN: Given = { option: null, text: "" }

/** What the form holds: what was begun here, unless somebody has answered since, and else what has been answered. */
export function givensOf(round: Round, unsent: Unsent): Givens {
  return Object.fromEntries(
    round.questions.flatMap((question) => {
      const begun = unsent[question.questionId]
      if (begun !== undefined && !isOvertaken(question, unsent)) return [[question.questionId, begun]]
      const { answer, questionId } = question
      return answer === null ? [] : [[questionId, { option: answer.selectedOptionId, text: answer.customText ?? "" }]]
    }),
  )
}

/** With this given for a question as it stands; what says no more than the answer that is there is not kept. */
export function begin(unsent: Unsent, question: RoundQuestion, given: Given): Unsent {
  const { option, text } = given
  const saysNothing = question.answer === null ? option === null && text === "" : isSame(question, given)
  const since = question.answer?.answeredAt ?? null
  return saysNothing ? forget(unsent, question) : { ...unsent, [question.questionId]: { option, text, since } }
}

export function forget(unsent: Unsent, { questionId }: RoundQuestion): Unsent {
  return Object.fromEntries(Object.entries(unsent).filter(([id]) => id !== questionId))
}

/** What was begun here and says something else than the answer that is there. */
export function unsentOf(question: RoundQuestion, unsent: Unsent): Given | undefined {
  const begun = unsent[question.questionId]
  return begun === undefined || !isGiven(begun) || isSame(question, begun) ? undefined : begun
}

/** Whether somebody, or oneself elsewhere, has answered after this was begun here. */
export function isOvertaken({ questionId, answer }: RoundQuestion, unsent: Unsent): boolean {
  const begun = unsent[questionId]
  return begun !== undefined && (begun.since ?? null) !== (answer?.answeredAt ?? null)
}

function isSame({ answer }: RoundQuestion, { option, text }: Given): boolean {
  return answer !== null && answer.selectedOptionId === option && (answer.customText ?? "") === text.trim()
}

export function isGiven({ option, text }: Given): boolean {
  return option !== null || text.trim() !== ""
}

/** Required questions nobody has answered. */
export function stillAsked(round: Round, givens: Givens): RoundQuestion[] {
  return round.questions.filter(({ questionId, required }) => required && !isGiven(givens[questionId] ?? NOTHING_GIVEN))
}

/** The answers that differ from what was there, as the server takes them. */
export function answersOf(round: Round, givens: Givens): elaboration.AnswerInput[] {
  return round.questions.flatMap((question) => {
    const { questionId } = question
    const given = givens[questionId] ?? NOTHING_GIVEN
    if (!isGiven(given) || isSame(question, given)) return []
    return [
      { questionId, selectedOptionId: given.option, customText: given.text.trim() === "" ? null : given.text.trim() },
    ]
  })
}
