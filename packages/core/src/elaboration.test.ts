import { describe, expect, it } from "vitest"
import { answerFaults, type AskedQuestion, elaborationStatus, questionFaults, roundStatus } from "./elaboration.ts"

function asked(questionId: string, facts: Partial<AskedQuestion> = {}): AskedQuestion {
  return { questionId, required: true, answered: false, options: [{ id: "x" }, { id: "y" }], ...facts }
}

const answer = (questionId: string, selectedOptionId: string | null, customText: string | null = null) => ({
  questionId,
  selectedOptionId,
  customText,
})

describe("questionFaults", () => {
  it("takes distinct ids, also when two questions share option ids", () => {
    expect(
      questionFaults([
        { id: "q1", options: [{ id: "a" }, { id: "b" }] },
        { id: "q2", options: [{ id: "a" }, { id: "b" }] },
      ]),
    ).toEqual([])
  })

  it("names repeated questions and options", () => {
    expect(
      questionFaults([
        { id: "q1", options: [{ id: "a" }, { id: "a" }] },
        { id: "q1", options: [{ id: "a" }, { id: "b" }] },
      ]),
    ).toEqual(["the question id q1 is used twice", "question q1 has two options a"])
  })
})

describe("answerFaults", () => {
  const questions = [asked("q1"), asked("q2")]

  it("takes an option, free text, or both", () => {
    expect(answerFaults(questions, [answer("q1", "x"), answer("q2", null, "something else")])).toEqual([])
    expect(answerFaults(questions, [answer("q1", "y", "because")])).toEqual([])
  })

  it.each([
    ["an unknown question", [answer("q9", "x")], "this round has no question q9"],
    ["an unknown option", [answer("q1", "z")], "question q1 has no option z"],
    ["nothing at all", [answer("q1", null)], "question q1 needs an option or some text"],
    ["blank text", [answer("q1", null, "  \n")], "question q1 needs an option or some text"],
    ["one question twice", [answer("q1", "x"), answer("q1", "y")], "question q1 is answered twice"],
  ])("refuses %s", (_, answers, fault) => {
    expect(answerFaults(questions, answers)).toEqual([fault])
  })
})

describe("roundStatus", () => {
  it("waits for every required question", () => {
    expect(roundStatus([asked("q1", { answered: true }), asked("q2")])).toBe("pending_answers")
    expect(roundStatus([asked("q1", { answered: true }), asked("q2", { answered: true })])).toBe("answered")
    expect(roundStatus([asked("q1", { answered: true }), asked("q2", { required: false })])).toBe("answered")
  })

  it("does not call a round answered that nobody touched, even when nothing in it is required", () => {
    expect(roundStatus([asked("q1", { required: false })])).toBe("pending_answers")
    expect(roundStatus([asked("q1", { required: false, answered: true }), asked("q2", { required: false })])).toBe(
      "answered",
    )
  })
})

describe("elaborationStatus", () => {
  const pending = { status: "pending_answers", isAppended: false } as const
  const answered = { status: "answered", isAppended: false } as const

  it("follows the rounds", () => {
    expect(elaborationStatus(null, [])).toBe(null)
    expect(elaborationStatus(null, [pending])).toBe("pending_answers")
    expect(elaborationStatus("pending_answers", [answered, pending])).toBe("pending_answers")
    expect(elaborationStatus("pending_answers", [answered, answered])).toBe("validating")
    expect(elaborationStatus("validating", [answered, pending])).toBe("pending_answers")
  })

  it("stays resolved whatever is asked afterwards", () => {
    expect(elaborationStatus("resolved", [answered, { ...pending, isAppended: true }])).toBe("resolved")
  })
})
