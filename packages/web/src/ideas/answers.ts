import type { elaboration } from "@chorus/contracts"

export type Round = elaboration.Round
export type RoundQuestion = Round["questions"][number]

export interface Given {
  readonly option: string | null
  readonly text: string
}

export type Givens = Readonly<Record<string, Given>>

export const NOTHING_GIVEN: Given = { option: null, text: "" }

/** What has been answered already, to begin with. */
export function givenBefore(round: Round): Givens {
  return Object.fromEntries(
    round.questions.flatMap(({ questionId, answer }) =>
      answer === null ? [] : [[questionId, { option: answer.selectedOptionId, text: answer.customText ?? "" }]],
    ),
  )
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
  return round.questions.flatMap(({ questionId, answer }) => {
    const given = givens[questionId] ?? NOTHING_GIVEN
    const same =
      answer !== null && answer.selectedOptionId === given.option && (answer.customText ?? "") === given.text.trim()
    if (!isGiven(given) || same) return []
    return [
      { questionId, selectedOptionId: given.option, customText: given.text.trim() === "" ? null : given.text.trim() },
    ]
  })
}
