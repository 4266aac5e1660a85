import { describe, expect, it } from "vitest"
import { type IdeaFacts, ideaStanding, type ProposalFacts, type WorkState } from "./idea-status.ts"

function idea(facts: Partial<IdeaFacts>): IdeaFacts {
  return { status: "open", elaborationStatus: null, isContainer: false, proposals: [], children: [], ...facts }
}

function approved(work: WorkState): ProposalFacts {
  return { status: "approved", work }
}

function proposed(status: ProposalFacts["status"]): ProposalFacts {
  return { status, work: "none" }
}

const elaborated = (...proposals: ProposalFacts[]) =>
  idea({ status: "elaborated", elaborationStatus: "resolved", proposals })

describe("ideaStanding of a plain idea", () => {
  it.each<[string, IdeaFacts, string, string]>([
    ["open", idea({}), "todo", "open"],
    ["claimed, nothing asked yet", idea({ status: "elaborating" }), "in_progress", "researching"],
    [
      "waiting for answers",
      idea({ status: "elaborating", elaborationStatus: "pending_answers" }),
      "human_conduct_required",
      "answer_questions",
    ],
    [
      "answers being looked at",
      idea({ status: "elaborating", elaborationStatus: "validating" }),
      "in_progress",
      "researching",
    ],
    ["elaborated, no proposal", elaborated(), "in_progress", "planning"],
    ["a draft or rejected proposal", elaborated(proposed("draft")), "in_progress", "planning"],
    [
      "a draft while still elaborating",
      idea({ status: "elaborating", proposals: [proposed("draft")] }),
      "in_progress",
      "planning",
    ],
    ["a pending proposal", elaborated(proposed("pending")), "human_conduct_required", "review_proposal"],
    ["only a closed proposal", elaborated(proposed("closed")), "in_progress", "planning"],
    ["open again after its proposal was closed", idea({ proposals: [proposed("closed")] }), "todo", "open"],
    ["approved without tasks", elaborated(approved("none")), "in_progress", "building"],
    ["approved, work open", elaborated(approved("unfinished")), "in_progress", "building"],
    [
      "work open in one proposal, to verify in another",
      elaborated(approved("to_verify"), approved("unfinished")),
      "in_progress",
      "building",
    ],
    ["only verdicts are missing", elaborated(approved("to_verify")), "human_conduct_required", "verify_work"],
    ["all finished", elaborated(approved("finished")), "done", "done"],
    ["all finished, a further draft", elaborated(approved("finished"), proposed("draft")), "in_progress", "planning"],
    [
      "all finished, a further one pending",
      elaborated(approved("finished"), proposed("pending")),
      "human_conduct_required",
      "review_proposal",
    ],
    [
      "one proposal finished, another under way",
      elaborated(approved("finished"), approved("unfinished")),
      "in_progress",
      "building",
    ],
    [
      "one proposal finished, another without tasks",
      elaborated(approved("finished"), approved("none")),
      "in_progress",
      "building",
    ],
  ])("%s", (_, facts, derivedStatus, badgeHint) => {
    expect(ideaStanding(facts)).toEqual({ derivedStatus, badgeHint })
  })

  it("does not roll up the children of an idea that is no theme", () => {
    expect(ideaStanding(idea({ children: [elaborated(approved("finished"))] })).badgeHint).toBe("open")
  })
})

describe("ideaStanding of a theme", () => {
  const theme = (...children: IdeaFacts[]) => idea({ isContainer: true, children })
  const open = idea({})
  const done = elaborated(approved("finished"))
  const building = elaborated(approved("unfinished"))
  const planning = elaborated(proposed("draft"))
  const researching = idea({ status: "elaborating" })
  const reviewing = elaborated(proposed("pending"))
  const verifying = elaborated(approved("to_verify"))
  const asking = idea({ status: "elaborating", elaborationStatus: "pending_answers" })

  it.each<[string, IdeaFacts, string]>([
    ["without children it is an idea like any other", theme(), "open"],
    ["all children open", theme(open, open), "open"],
    ["all children done", theme(done, done), "done"],
    ["some done, some not begun", theme(done, open), "building"],
    ["building wins over planning", theme(planning, building, open), "building"],
    ["planning wins over researching", theme(researching, planning), "planning"],
    ["researching", theme(open, researching), "researching"],
    ["questions are asked first", theme(verifying, reviewing, asking, building), "answer_questions"],
    ["then reviews", theme(verifying, reviewing, building), "review_proposal"],
    ["then verdicts", theme(verifying, done, building), "verify_work"],
    [
      "its own questions come first",
      { ...theme(reviewing), status: "elaborating", elaborationStatus: "pending_answers" },
      "answer_questions",
    ],
    ["its own research shows while nothing below has begun", { ...theme(open), status: "elaborating" }, "researching"],
    ["nested themes", theme(theme(done), theme(theme(verifying), open)), "verify_work"],
  ])("%s", (_, facts, badgeHint) => {
    expect(ideaStanding(facts).badgeHint).toBe(badgeHint)
  })
})
