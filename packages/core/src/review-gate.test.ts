import { describe, expect, it } from "vitest"
import { type GivenReview, nextFindingKey, type RaisedFinding, reviewGate, verdictFault } from "./review-gate.ts"

function review(reviewerUuid: string, round: number, verdict: GivenReview["verdict"], createdAt: string): GivenReview {
  return { reviewerUuid, round, verdict, createdAt }
}

const blocker = (state: RaisedFinding["state"]): RaisedFinding => ({ key: "B1", severity: "blocker", state })

describe("reviewGate", () => {
  it.each<[string, GivenReview[], RaisedFinding[], string | undefined]>([
    ["nobody reviewed", [], [], "nobody has reviewed this submission yet"],
    [
      "only an earlier submission was reviewed",
      [review("r", 1, "pass", "2026-01-01")],
      [],
      "nobody has reviewed this submission yet",
    ],
    ["passed", [review("r", 1, "pass", "2026-01-03")], [], undefined],
    ["passed at the very time of submission", [review("r", 1, "pass", "2026-01-02")], [], undefined],
    [
      "passed with notes",
      [review("r", 1, "pass_with_notes", "2026-01-03")],
      [{ key: "N1", severity: "note", state: "open" }],
      undefined,
    ],
    [
      "failed, then passed by the same reviewer",
      [review("r", 2, "pass", "2026-01-04"), review("r", 1, "fail", "2026-01-03")],
      [blocker("resolved")],
      undefined,
    ],
    [
      "one passed, another failed",
      [review("r", 1, "pass", "2026-01-03"), review("s", 1, "fail", "2026-01-03")],
      [],
      "a reviewer's newest verdict is fail",
    ],
    [
      "passed, but a blocker was reopened",
      [review("r", 1, "pass", "2026-01-03")],
      [blocker("open")],
      "blockers are open: B1",
    ],
    ["passed, the blocker dismissed", [review("r", 1, "pass", "2026-01-03")], [blocker("dismissed")], undefined],
  ])("%s", (_, given, findings, reason) => {
    expect(reviewGate(given, findings, "2026-01-02")).toBe(reason)
  })
})

describe("verdictFault", () => {
  it("ties fail to open blockers and pass to none", () => {
    expect(verdictFault("fail", ["B1"])).toBeUndefined()
    expect(verdictFault("fail", [])).toBe("a failed review names at least one blocker")
    expect(verdictFault("pass", [])).toBeUndefined()
    expect(verdictFault("pass_with_notes", ["B2"])).toBe("a passed review leaves no blocker open (B2)")
  })
})

describe("nextFindingKey", () => {
  it("counts each severity on its own and never reuses a number", () => {
    expect(nextFindingKey("blocker", [])).toBe("B1")
    expect(nextFindingKey("blocker", ["B1", "B9", "N3"])).toBe("B10")
    expect(nextFindingKey("note", ["B1", "N3"])).toBe("N4")
  })
})
