import type { elaboration } from "@chorus/contracts"

export const MAX_ROUNDS = 10

export interface AskedQuestion {
  readonly questionId: string
  readonly required: boolean
  readonly options: readonly { readonly id: string }[]
  readonly answered: boolean
}

/** What is wrong with a round of questions before it is asked; empty when nothing is. */
export function questionFaults(questions: readonly { id: string; options: readonly { id: string }[] }[]): string[] {
  const repeated = repeats(questions.map((question) => question.id)).map((id) => `the question id ${id} is used twice`)
  const options = questions.flatMap((question) =>
    repeats(question.options.map((option) => option.id)).map((id) => `question ${question.id} has two options ${id}`),
  )
  return [...repeated, ...options]
}

/** What is wrong with answers to a round; empty when nothing is. */
export function answerFaults(
  questions: readonly AskedQuestion[],
  answers: readonly elaboration.AnswerInput[],
): string[] {
  const byId = new Map(questions.map((question) => [question.questionId, question]))
  const repeated = repeats(answers.map((answer) => answer.questionId)).map((id) => `question ${id} is answered twice`)
  return [...repeated, ...answers.flatMap((answer) => answerFault(byId.get(answer.questionId), answer))]
}

function answerFault(
  question: AskedQuestion | undefined,
  { questionId, selectedOptionId, customText }: elaboration.AnswerInput,
): string[] {
  if (question === undefined) return [`this round has no question ${questionId}`]
  if (selectedOptionId === null)
    return (customText ?? "").trim() === "" ? [`question ${questionId} needs an option or some text`] : []
  return question.options.some((option) => option.id === selectedOptionId)
    ? []
    : [`question ${questionId} has no option ${selectedOptionId}`]
}

/** A round is answered once somebody answered and no required question is left. */
export function roundStatus(questions: readonly AskedQuestion[]): "pending_answers" | "answered" {
  const touched = questions.some((question) => question.answered)
  return touched && questions.every((question) => question.answered || !question.required)
    ? "answered"
    : "pending_answers"
}

/** Where an idea's elaboration stands after its rounds changed. Rounds appended to an elaborated idea never set it back. */
export function elaborationStatus(
  current: "pending_answers" | "validating" | "resolved" | null,
  rounds: readonly { status: "pending_answers" | "answered"; isAppended: boolean }[],
): "pending_answers" | "validating" | "resolved" | null {
  if (current === "resolved") return "resolved"
  const normal = rounds.filter((round) => !round.isAppended)
  if (normal.length === 0) return current
  return normal.some((round) => round.status === "pending_answers") ? "pending_answers" : "validating"
}

function repeats(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
}
