import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput, faults } from "../../test/contract.ts"
import { ada, AT, builder } from "../../test/examples.ts"
import {
  filled,
  flag,
  key,
  like,
  line,
  list,
  nullable,
  oneOf,
  optional,
  OTHER,
  prose,
  TASK,
  uuid,
} from "../../test/field-rule.ts"
import {
  answerElaboration,
  Elaboration,
  getAlignmentAnchor,
  getElaboration,
  QuestionCategory,
  Round,
  skipElaboration,
  startElaboration,
  validateElaboration,
} from "./elaboration.ts"

const IDEA = TASK
const CATEGORIES = ["functional", "non_functional", "business_context", "technical_context", "user_scenario", "scope"]
const option = { id: "a", label: "Oak" }
const question = {
  id: "q1",
  text: "Which wood?",
  category: "functional" as const,
  options: [option, { id: "b", label: "Pine" }],
}

const round: Round = {
  uuid: OTHER,
  ideaUuid: IDEA,
  roundNumber: 1,
  status: "answered",
  isAppended: false,
  depth: "standard",
  createdBy: builder,
  askAgain: false,
  validatedAt: AT,
  createdAt: AT,
  questions: [
    {
      uuid: OTHER,
      questionId: "q1",
      text: "Which wood?",
      category: "functional",
      options: [option],
      required: true,
      answer: { selectedOptionId: "a", customText: null, answeredAt: AT, answeredBy: ada },
      earlier: [{ selectedOptionId: null, customText: "Any", answeredAt: AT, answeredBy: null }],
      issue: null,
    },
  ],
}

describe("the categories of questions", () => {
  it("are these six", () => expect(QuestionCategory.options).toEqual(CATEGORIES))
})

describeInput(startElaboration, {
  smallest: { ideaUuid: IDEA, depth: "standard", questions: [question] },
  becomes: { ideaUuid: IDEA, depth: "standard", questions: [{ ...question, required: true }] },
  fields: {
    ideaUuid: uuid,
    depth: oneOf("minimal", "standard", "comprehensive"),
    questions: list(like(question), 1, 15),
    "questions.0.id": line(64),
    "questions.0.text": filled(prose(2000)),
    "questions.0.category": oneOf(...CATEGORIES),
    "questions.0.options": list(like(option), 2, 5),
    "questions.0.options.0.id": line(64),
    "questions.0.options.0.label": line(200),
    "questions.0.options.0.description": optional(prose(1000)),
    "questions.0.required": optional(flag),
  },
})

describeInput(answerElaboration, {
  smallest: { ideaUuid: IDEA, answers: [{ questionId: "q1" }] },
  becomes: { ideaUuid: IDEA, answers: [{ questionId: "q1", selectedOptionId: null, customText: null }] },
  fields: {
    ideaUuid: uuid,
    roundUuid: optional(uuid),
    answers: list(like({ questionId: "q1", selectedOptionId: "a" }), 1, 15),
    askAgain: optional(flag),
    "answers.0.questionId": line(64),
    "answers.0.selectedOptionId": optional(nullable(key(64))),
    "answers.0.customText": optional(nullable(prose(10_000))),
  },
})

describe("a question", () => {
  it("offers a choice: one option is none", () => {
    expect(
      faults(startElaboration.input, {
        ideaUuid: IDEA,
        depth: "minimal",
        questions: [{ ...question, options: [option] }],
      }),
    ).toHaveLength(1)
  })

  it("that is blank is refused in words", () => {
    expect(
      faults(startElaboration.input, { ideaUuid: IDEA, depth: "minimal", questions: [{ ...question, text: "\n" }] }),
    ).toEqual(["questions.0.text: must not be blank"])
  })
})

describe.each([getElaboration, validateElaboration])("an operation on an idea's questions", (signature) => {
  describeInput(signature, { smallest: { ideaUuid: IDEA }, fields: { ideaUuid: uuid } })
})

describeInput(skipElaboration, {
  smallest: { ideaUuid: IDEA, reason: "It is clear." },
  fields: { ideaUuid: uuid, reason: filled(prose(2000)) },
})

describe("skipping the questions", () => {
  it("asks for the reason in words", () => {
    expect(faults(skipElaboration.input, { ideaUuid: IDEA, reason: "" })).toEqual(["reason: must say why"])
  })
})

describeInput(getAlignmentAnchor, {
  smallest: { entityType: "task", entityUuid: TASK },
  fields: { entityType: oneOf("idea", "proposal", "task", "document"), entityUuid: uuid },
})

describeAnswer("Round", Round, round, { mayBeNull: ["createdBy", "validatedAt"] })

describeAnswer(
  "Elaboration",
  Elaboration,
  {
    ideaUuid: IDEA,
    depth: "standard",
    status: "validating",
    reason: "small",
    rounds: [round],
    summary: { totalQuestions: 1, answeredQuestions: 1, validatedRounds: 0, pendingRound: null },
  },
  { mayBeNull: ["depth", "status", "reason"] },
)

describe("a question in a round", () => {
  it("waits for an answer as null", () => {
    const waiting = { ...round, questions: round.questions.map((one) => ({ ...one, answer: null, earlier: [] })) }
    expect(Round.parse(waiting)).toEqual(waiting)
  })

  it("has no issue: those are told when the answers are judged", () => {
    const flawed = { ...round, questions: round.questions.map((one) => ({ ...one, issue: "unclear" })) }
    expect(Round.safeParse(flawed).success).toBe(false)
  })
})

describeAnswer("of chorus_pm_skip_elaboration", skipElaboration.output, {
  ideaUuid: IDEA,
  action: "elaboration_skipped",
  reason: "It is clear.",
})

describeAnswer(
  "of chorus_get_alignment_anchor",
  getAlignmentAnchor.output,
  {
    anchorAvailable: true,
    directIdeaUuid: IDEA,
    rootIdeaUuid: OTHER,
    lineageTitles: ["Pets", "A house for cats"],
    ideas: [
      {
        uuid: IDEA,
        title: "A house for cats",
        content: null,
        createdBy: ada,
        words: [],
        decisions: [{ question: "Which wood?", answer: "Oak", answeredBy: ada, answeredAt: AT }],
        comments: [{ content: "Hurry.", authorType: "user", author: ada, createdAt: AT }],
      },
    ],
  },
  { mayBeNull: ["directIdeaUuid", "rootIdeaUuid"] },
)
