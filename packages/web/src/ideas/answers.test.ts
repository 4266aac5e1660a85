import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { answersOf, type Given, givensOf, isGiven, NOTHING_GIVEN, type Round, stillAsked } from "./answers.ts"

type Answer = Round["questions"][number]["answer"]

function question(questionId: string, { required = true, answer = null as Answer } = {}): Round["questions"][number] {
  return {
    uuid: questionId,
    questionId,
    text: "?",
    category: "scope",
    options: [
      { id: "x", label: "X" },
      { id: "y", label: "Y" },
    ],
    required,
    answer,
    earlier: [],
    issue: null,
  }
}

function round(...questions: Round["questions"]): Round {
  return {
    uuid: "r",
    ideaUuid: "i",
    roundNumber: 1,
    status: "pending_answers",
    isAppended: false,
    depth: "minimal",
    createdBy: null,
    validatedAt: null,
    askAgain: false,
    createdAt: "",
    questions,
  }
}

const answered = (selectedOptionId: string | null, customText: string | null): Answer => ({
  selectedOptionId,
  customText,
  answeredAt: "",
  answeredBy: null,
})

describe("an answer", () => {
  it.each([
    [{ option: null, text: "" }, false],
    [{ option: null, text: " \n\t" }, false],
    [{ option: "x", text: "" }, true],
    [{ option: null, text: "words" }, true],
    [{ option: "x", text: "and words" }, true],
  ])("%o is one: %s", (given, is) => {
    expect(isGiven(given)).toBe(is)
  })
})

describe("what a round begins with", () => {
  it("is what was answered before, and nothing for the rest", () => {
    expect(
      givensOf(
        round(
          question("q1", { answer: answered("x", null) }),
          question("q2", { answer: answered(null, "words") }),
          question("q3"),
        ),
        {},
      ),
    ).toEqual({
      q1: { option: "x", text: "" },
      q2: { option: null, text: "words" },
    })
  })
})

describe("what is sent", () => {
  const one = round(question("q1", { answer: answered("x", "because") }))

  it.each<[string, Given, unknown[]]>([
    ["nothing where nothing changed", { option: "x", text: "because" }, []],
    ["nothing where only spaces came", { option: "x", text: " because  " }, []],
    [
      "another option with the same words",
      { option: "y", text: "because" },
      [{ questionId: "q1", selectedOptionId: "y", customText: "because" }],
    ],
    ["words that went", { option: "x", text: "" }, [{ questionId: "q1", selectedOptionId: "x", customText: null }]],
    [
      "an option that went",
      { option: null, text: "because" },
      [{ questionId: "q1", selectedOptionId: null, customText: "because" }],
    ],
    ["no answer that is none", NOTHING_GIVEN, []],
  ])("is %s", (_, given, sent) => {
    expect(answersOf(one, { q1: given })).toEqual(sent)
  })

  const given = fc.record({
    option: fc.constantFrom(null, "x", "y"),
    text: fc.constantFrom("", " ", "words", " more words "),
  })
  const rounds = fc
    .array(fc.record({ required: fc.boolean(), before: fc.option(given) }), { minLength: 1, maxLength: 5 })
    .map((questions) =>
      round(
        ...questions.map(({ required, before }, at) =>
          question(`q${at}`, {
            required,
            answer: before === null || !isGiven(before) ? null : answered(before.option, before.text.trim() || null),
          }),
        ),
      ),
    )

  it("is never anything for a round that is left as it was", () => {
    fc.assert(fc.property(rounds, (drawn) => answersOf(drawn, givensOf(drawn, {})).length === 0))
  })

  it("once kept leaves nothing to send, and asks for no more than what is required and has no answer", () => {
    fc.assert(
      fc.property(rounds, fc.array(given, { minLength: 5, maxLength: 5 }), (drawn, givens) => {
        const typed = Object.fromEntries(
          drawn.questions.map(({ questionId }, at) => [questionId, givens[at] ?? NOTHING_GIVEN]),
        )
        const sent = new Map(answersOf(drawn, typed).map((answer) => [answer.questionId, answer]))
        const after = round(
          ...drawn.questions.map((asked) => {
            const now = sent.get(asked.questionId)
            return now === undefined
              ? asked
              : { ...asked, answer: answered(now.selectedOptionId ?? null, now.customText ?? null) }
          }),
        )
        expect(answersOf(after, typed)).toEqual([])
        expect(stillAsked(drawn, typed).map(({ questionId }) => questionId)).toEqual(
          drawn.questions
            .filter(({ required }, at) => required && !isGiven(givens[at] ?? NOTHING_GIVEN))
            .map(({ questionId }) => questionId),
        )
      }),
    )
  })
})
