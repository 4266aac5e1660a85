import { describe, expect, it } from "vitest"
import { assert, constantFrom, property, string } from "fast-check"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import { ada, AT, criterionRow, taskDetail } from "../../test/examples.ts"
import {
  like,
  list,
  oneOf,
  optional,
  OTHER,
  prose,
  TASK,
  uuid,
  whole,
  type FieldRule,
  chars,
} from "../../test/field-rule.ts"
import {
  AcceptanceStatus,
  AcceptanceSummary,
  CriterionRow,
  CriterionVerdict,
  markCriteria,
  reportSelfCheck,
  SelfCheck,
  VerdictRow,
} from "./criteria.ts"

/** What a program printed: nothing of it is refused but too much. */
const printed: FieldRule = {
  says: "is what a program printed, up to 100000 characters",
  takes: ["", "\u001b[31mred\u001b[0m", chars(100_000)],
  refuses: [chars(100_001), 7, null],
}
const commandFields = { "criteria.0.exitCode": optional(whole(-1, 255)), "criteria.0.output": optional(printed) }

describe("the words for criteria", () => {
  it("are three verdicts and four standings of all of them", () => {
    expect(CriterionVerdict.options).toEqual(["pending", "passed", "failed"])
    expect(AcceptanceStatus.options).toEqual(["not_started", "in_progress", "passed", "failed"])
  })
})

describeInput(reportSelfCheck, {
  smallest: { taskUuid: TASK, criteria: [{ uuid: OTHER, devStatus: "passed" }] },
  fields: {
    taskUuid: uuid,
    criteria: list(like({ uuid: OTHER, devStatus: "failed" }), 1, 100),
    "criteria.0.uuid": uuid,
    "criteria.0.devStatus": oneOf("passed", "failed"),
    "criteria.0.devEvidence": optional(prose(20_000)),
    ...commandFields,
  },
})

describeInput(markCriteria, {
  smallest: { taskUuid: TASK, criteria: [{ uuid: OTHER, status: "passed" }] },
  fields: {
    taskUuid: uuid,
    criteria: list(like({ uuid: OTHER, status: "failed" }), 1, 100),
    "criteria.0.uuid": uuid,
    "criteria.0.status": oneOf("passed", "failed"),
    "criteria.0.evidence": optional(prose(20_000)),
    ...commandFields,
    sendBack: optional(prose(4000)),
  },
})

describe("a verdict", () => {
  it("is never given as pending: that is what there was before", () => {
    expect(
      markCriteria.input.safeParse({ taskUuid: TASK, criteria: [{ uuid: OTHER, status: "pending" }] }).success,
    ).toBe(false)
    expect(
      reportSelfCheck.input.safeParse({ taskUuid: TASK, criteria: [{ uuid: OTHER, devStatus: "pending" }] }).success,
    ).toBe(false)
  })
})

describe("what a criterion's command printed", () => {
  const kept = (output: string) => SelfCheck.parse({ uuid: OTHER, devStatus: "passed", output }).output

  /** Made of what escape codes are made of, so that whole and broken ones come about. */
  const printable = string({
    unit: constantFrom(..."\u001b\u001b[[?;031mKhl a門\n\t\r\u0000\u0007\u007f"),
    maxLength: 30,
  })

  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["cursor moves", "\u001b[2K\u001b[1Gline", "line"],
    ["private modes", "\u001b[?25lhidden\u001b[?25h", "hidden"],
    ["bells and nulls", "a\u0007b\u0000c", "abc"],
    ["carriage returns", "10%\r100%\r\n", "10%100%\n"],
    ["a lone escape", "a\u001bb", "ab"],
  ])("loses its %s", (_, output, words) => expect(kept(output)).toBe(words))

  it("keeps line breaks, tabs and every script", () => {
    expect(kept("12 passed\n\t✓ дверь 門 🚪\n")).toBe("12 passed\n\t✓ дверь 門 🚪\n")
  })

  it("holds no control character any more, whatever was printed", () => {
    assert(
      property(printable, (output) => {
        // oxlint-disable-next-line no-control-regex
        expect(kept(output)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/)
      }),
    )
  })

  it("is left as it is, once it was cleaned", () => {
    assert(
      property(printable, (output) => {
        const once = kept(output)
        expect(kept(once ?? "")).toBe(once)
      }),
    )
  })
})

describeAnswer("CriterionRow", CriterionRow, criterionRow, {
  mayBeNull: [
    "command",
    "devEvidence",
    "devMarkedByType",
    "devMarkedBy",
    "devMarkedAt",
    "evidence",
    "markedByType",
    "markedBy",
    "markedAt",
  ],
})

describeAnswer("AcceptanceSummary", AcceptanceSummary, taskDetail.acceptanceSummary)

describeAnswer(
  "VerdictRow",
  VerdictRow,
  {
    uuid: OTHER,
    criterionUuid: OTHER,
    criterion: "It opens.",
    track: "admin",
    status: "failed",
    evidence: "It sticks.",
    exitCode: 1,
    handIn: 1,
    observed: false,
    output: "1 failed",
    markedBy: ada,
    markedAt: AT,
  },
  { mayBeNull: ["evidence", "exitCode", "output", "markedBy"] },
)

describeAnswer("of chorus_mark_acceptance_criteria", markCriteria.output, {
  items: [criterionRow],
  status: "in_progress",
  summary: taskDetail.acceptanceSummary,
})
