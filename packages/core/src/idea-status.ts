import type { ideas } from "@chorus/contracts"

/** What an idea's standing is computed from. Closed proposals and tasks of proposals that are not approved are left out by the rule. */
export interface IdeaFacts {
  readonly status: ideas.IdeaStatus
  readonly elaborationStatus: "pending_answers" | "validating" | "resolved" | null
  readonly isContainer: boolean
  readonly proposals: readonly ProposalFacts[]
  readonly children: readonly IdeaFacts[]
}

export interface ProposalFacts {
  readonly status: "draft" | "pending" | "approved" | "closed"
  readonly work: WorkState
}

/** The least finished state among a proposal's tasks: one is still to be done, one waits for a verdict, all are done or closed, there are none. */
export type WorkState = "unfinished" | "to_verify" | "finished" | "none"

export interface Standing {
  readonly derivedStatus: ideas.DerivedStatus
  readonly badgeHint: ideas.IdeaBadge
}

const STANDING: Record<ideas.IdeaBadge, Standing> = {
  open: { derivedStatus: "todo", badgeHint: "open" },
  researching: { derivedStatus: "in_progress", badgeHint: "researching" },
  answer_questions: { derivedStatus: "human_conduct_required", badgeHint: "answer_questions" },
  planning: { derivedStatus: "in_progress", badgeHint: "planning" },
  review_proposal: { derivedStatus: "human_conduct_required", badgeHint: "review_proposal" },
  building: { derivedStatus: "in_progress", badgeHint: "building" },
  verify_work: { derivedStatus: "human_conduct_required", badgeHint: "verify_work" },
  done: { derivedStatus: "done", badgeHint: "done" },
}

/** Where an idea stands. What a person must do comes first; a theme with children stands where they stand. */
export function ideaStanding(idea: IdeaFacts): Standing {
  return STANDING[idea.isContainer && idea.children.length > 0 ? themeBadge(idea) : badge(idea)]
}

function badge({ status, elaborationStatus, proposals }: IdeaFacts): ideas.IdeaBadge {
  if (status === "elaborating" && elaborationStatus === "pending_answers") return "answer_questions"
  const live = proposals.filter((proposal) => proposal.status !== "closed")
  if (live.some((proposal) => proposal.status === "pending")) return "review_proposal"
  const approved = live.filter((proposal) => proposal.status === "approved")
  if (approved.length > 0) return workBadge(approved, live.length > approved.length)
  if (live.length > 0) return "planning"
  if (status === "open") return "open"
  return status === "elaborating" ? "researching" : "planning"
}

function workBadge(approved: readonly ProposalFacts[], hasDraft: boolean): ideas.IdeaBadge {
  const work = new Set(approved.map((proposal) => proposal.work))
  if (work.has("unfinished") || work.has("none")) return "building"
  if (work.has("to_verify")) return "verify_work"
  return hasDraft ? "planning" : "done"
}

const ASKING: readonly ideas.IdeaBadge[] = ["answer_questions", "review_proposal", "verify_work"]
const WORKING: readonly ideas.IdeaBadge[] = ["building", "planning", "researching"]

function themeBadge(theme: IdeaFacts): ideas.IdeaBadge {
  const own = badge(theme)
  if (own === "answer_questions") return own
  const below = new Set(theme.children.map((child) => ideaStanding(child).badgeHint))
  const asked = ASKING.find((candidate) => below.has(candidate))
  if (asked !== undefined) return asked
  const working = WORKING.find((candidate) => below.has(candidate))
  if (working !== undefined) return working
  if (!below.has("open")) return "done"
  if (below.has("done")) return "building"
  return own
}
