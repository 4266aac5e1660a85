import { z } from "zod"
import { LandingHow } from "./operations/landings.ts"
import { TeamEra, TeamMember, TeamPermissionMode, TeamTask } from "./teams-files.ts"

/** What somebody watching a team learns, in the order in which it became true. */
export const TeamMemberState = z.enum(["working", "idle", "needsInput", "leaving", "dead", "unknown"])
export type TeamMemberState = z.infer<typeof TeamMemberState>

/** What people see of a member's agent: its last sign of life, and what it has cost. */
export const TeamProgress = z.object({
  at: z.string(),
  line: z.string().optional(),
  costUsd: z.number().optional(),
  tokens: z.number().optional(),
})
export type TeamProgress = z.infer<typeof TeamProgress>

const about = { team: z.string(), at: z.string() }

export const TeamMessageFact = z.object({
  ...about,
  fact: z.literal("message"),
  /** Stable for one message: the same message read twice gives the same id. */
  id: z.string(),
  from: z.string(),
  to: z.string(),
  kind: z.string(),
  text: z.string(),
  summary: z.string().optional(),
  sentAt: z.string(),
})
export type TeamMessageFact = z.infer<typeof TeamMessageFact>

export const TeamRequestFact = z.object({
  ...about,
  fact: z.literal("request"),
  request: z.enum(["plan", "permission", "shutdown"]),
  requestId: z.string(),
  member: z.string(),
  /** Which agent program the member is, where we started it. */
  program: z.string().optional(),
  /** The plan's text, the permission's description, or the reason to shut down. */
  text: z.string(),
  toolName: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  /** Whether a person's decision can be delivered from here; a lead that is not ours decides for its own members. */
  decidable: z.boolean(),
})
export type TeamRequestFact = z.infer<typeof TeamRequestFact>

/**
 * How a request came to its end: by a person's word, the lead's, or the member's own on a shutdown; or by itself, as the
 * member has left, has died or has asked anew.
 */
export const TeamSettledHow = z.enum(["person", "lead", "member", "left", "died", "replaced"])
export type TeamSettledHow = z.infer<typeof TeamSettledHow>

export const TeamFact = z.discriminatedUnion("fact", [
  z.object({
    ...about,
    fact: z.literal("team"),
    era: TeamEra,
    description: z.string().optional(),
    leadSessionId: z.string().optional(),
    ledByChorus: z.boolean(),
  }),
  z.object({ ...about, fact: z.literal("team_gone") }),
  z.object({
    ...about,
    fact: z.literal("member"),
    member: TeamMember,
    state: TeamMemberState,
    lead: z.boolean(),
    progress: TeamProgress.optional(),
    /** What it works on in a checkout of its own. */
    branch: z.string().optional(),
  }),
  z.object({
    ...about,
    fact: z.literal("member_left"),
    name: z.string(),
    /** Null once its branch has gone, as all of it was merged. */
    branch: z.null().optional(),
  }),
  TeamMessageFact,
  TeamRequestFact,
  z.object({
    ...about,
    fact: z.literal("request_settled"),
    request: z.enum(["plan", "permission", "shutdown"]),
    requestId: z.string(),
    member: z.string(),
    approved: z.boolean(),
    /** The reason, where one was given. */
    text: z.string().optional(),
    toolName: z.string().optional(),
    how: TeamSettledHow.optional(),
    /** The person, by name. */
    by: z.string().optional(),
    settledAt: z.string().optional(),
  }),
  z.object({ ...about, fact: z.literal("task"), task: TeamTask, links: z.array(z.string()) }),
  z.object({ ...about, fact: z.literal("task_removed"), taskId: z.string() }),
])
export type TeamFact = z.infer<typeof TeamFact>

/** What a person decided; `by` names the authenticated person and is never taken from a message. */
const decided = { team: z.string(), by: z.string().min(1) }

export const TeamDecision = z.discriminatedUnion("decision", [
  z.object({
    ...decided,
    decision: z.literal("message"),
    to: z.string(),
    text: z.string().min(1),
    summary: z.string().optional(),
  }),
  z.object({
    ...decided,
    decision: z.literal("plan"),
    member: z.string(),
    requestId: z.string(),
    approved: z.boolean(),
    feedback: z.string().optional(),
    permissionMode: TeamPermissionMode.optional(),
  }),
  z.object({
    ...decided,
    decision: z.literal("permission"),
    member: z.string(),
    requestId: z.string(),
    approved: z.boolean(),
    reason: z.string().optional(),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
  }),
  z.object({ ...decided, decision: z.literal("shutdown"), member: z.string(), reason: z.string().optional() }),
])
export type TeamDecision = z.infer<typeof TeamDecision>

/** A person brings a member's branch into the one it was begun from; carried out by git, not by the member. */
export const TeamLanding = z.object({
  ...decided,
  decision: z.literal("land"),
  member: z.string(),
  how: LandingHow,
})
export type TeamLanding = z.infer<typeof TeamLanding>

/** All that a person's word to a team can be. */
export const TeamOrder = z.union([TeamDecision, TeamLanding])
export type TeamOrder = z.infer<typeof TeamOrder>

/** Says that a decision is on disk where the member will read it. */
export const TeamDelivery = z.object({ team: z.string(), to: z.string(), entryId: z.string(), at: z.string() })
export type TeamDelivery = z.infer<typeof TeamDelivery>
