import { describe, expect, it } from "vitest"
import { acceptanceStatus, acceptanceSummary, type MarkedCriterion, maySucceed } from "./acceptance.ts"

const VERDICTS = ["pending", "passed", "failed"] as const
const item = (
  required: boolean,
  status: MarkedCriterion["status"],
  devStatus: MarkedCriterion["devStatus"] = "pending",
): MarkedCriterion => ({ required, status, devStatus })

describe("acceptance", () => {
  it("counts each track of the verifier by what is required", () => {
    expect(
      acceptanceSummary([item(true, "passed"), item(true, "failed"), item(false, "pending"), item(false, "passed")]),
    ).toEqual({
      total: 4,
      required: 2,
      passed: 2,
      failed: 1,
      pending: 1,
      requiredPassed: 1,
      requiredFailed: 1,
      requiredPending: 0,
    })
  })

  it("lets a failed required criterion decide, and an optional one not", () => {
    expect(acceptanceStatus([item(true, "passed"), item(true, "failed")])).toBe("failed")
    expect(acceptanceStatus([item(true, "passed"), item(false, "failed")])).toBe("passed")
  })

  it("is in progress from the first mark on either track", () => {
    expect(acceptanceStatus([item(true, "pending"), item(true, "pending")])).toBe("not_started")
    expect(acceptanceStatus([item(true, "pending", "passed"), item(true, "pending")])).toBe("in_progress")
    expect(acceptanceStatus([item(false, "passed")])).toBe("in_progress")
    expect(acceptanceStatus([])).toBe("not_started")
  })

  it("opens the gate only when every required criterion passed, for every combination of two", () => {
    for (const first of VERDICTS) {
      for (const second of VERDICTS) {
        expect(maySucceed([item(true, first), item(true, second)])).toBe(first === "passed" && second === "passed")
        expect(maySucceed([item(true, first), item(false, second)])).toBe(first === "passed")
      }
    }
    expect(maySucceed([])).toBe(true)
  })

  it("takes no developer's word for a verdict", () => {
    expect(maySucceed([item(true, "pending", "passed")])).toBe(false)
  })
})
