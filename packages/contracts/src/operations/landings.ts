import { z } from "zod"
import {
  ActorRef,
  CriterionId,
  line,
  pageInput,
  pageOutput,
  ProjectId,
  ProposalId,
  prose,
  signature,
  TaskId,
} from "../signature.ts"
import { PullRequestSeen } from "./pull-requests.ts"
import { RepositoryIdentity } from "../repository-identity.ts"
import { TaskChange } from "./tasks.ts"

/** One commit of everything, a merge commit, or each commit anew on top of the branch. */
export const LandingHow = z.enum(["squash", "merge", "rebase"])
export type LandingHow = z.infer<typeof LandingHow>

/**
 * Bring the work into a branch, only look whether it would go in, take what the run left away, or have its forge asked
 * to take it in.
 */
export const LandingAct = z.enum(["land", "preview", "discard", "propose"])
export type LandingAct = z.infer<typeof LandingAct>

/**
 * All but the first two are ends. What conflicts, or breaks a check on the merged tree, was sent back with its landing;
 * what was refused waits for a person: a branch with uncommitted changes, a hook that said no.
 */
export const LandingState = z.enum([
  "queued",
  "at_work",
  "landed",
  "clean",
  "conflict",
  "broken",
  "refused",
  "discarded",
  "withdrawn",
  "proposed",
])
export type LandingState = z.infer<typeof LandingState>

/** One attempt to bring a task's work into its base, as lists show it and `landing.*` events patch it. */
export const LandingRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  taskUuid: z.string(),
  /** Those that were put on the way together have the same. */
  train: z.string().nullable(),
  act: LandingAct,
  how: LandingHow,
  state: LandingState,
  /** Why it is in this state, where that is not plain; of one in the queue, why it waits. */
  reason: z.string().nullable(),
  /** The files that conflict. */
  files: z.array(z.string()),
  /** Which version of the change it takes. */
  version: z.number().int().nullable(),
  /** The branch that was asked for, and once it is known the one it is. */
  branch: z.string().nullable(),
  /** What the branch stood at before, and what it stands at since. */
  onto: z.string().nullable(),
  commit: z.string().nullable(),
  pushed: z.boolean(),
  machine: z.string().nullable(),
  by: ActorRef.nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
})
export type LandingRow = z.infer<typeof LandingRow>

/** A landing as the machine that carries it out gets it. */
export const LeasedLanding = z.object({
  uuid: z.string(),
  /** Proves with every report that it is still this machine's. */
  lease: z.string(),
  act: LandingAct,
  how: LandingHow,
  branch: z.string().nullable(),
  taskUuid: z.string(),
  shortId: z.string(),
  title: z.string(),
  criteria: z.array(z.string()),
  projectName: z.string(),
  /** The run whose worktree, branch and checkpoints hold the work. */
  runUuid: z.string().nullable(),
  /** The work as it was reviewed. */
  tree: z.string().nullable(),
  headCommit: z.string().nullable(),
  baseRef: z.string().nullable(),
  baseCommit: z.string().nullable(),
  /** Of work that no run did: in which repository it was done, and which patch of each file was reviewed. */
  byHand: z
    .object({
      repository: RepositoryIdentity,
      files: z.array(z.object({ path: z.string(), patchSha: z.string().nullable() })),
    })
    .nullable(),
  /** The branch it was done on. */
  workBranch: z.string().nullable(),
  /**
   * Commands that have to hold on the merged tree: of the criteria of this task and of those before it in its train,
   * and those of its project.
   */
  checks: z.array(z.object({ criterion: z.string(), command: z.string() })),
  /** Commands that no person has approved, which no machine runs. */
  unapproved: z.array(z.string()),
})
export type LeasedLanding = z.infer<typeof LeasedLanding>

const way = { how: LandingHow.default("squash"), branch: line(300).optional() }
const landingUuid = z.uuid()

export const landChange = signature({
  name: "chorus_land_change",
  does: "Bring a task's verified work into its branch, look whether it would go in, propose it to its forge, or discard it.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    taskUuid: TaskId,
    act: LandingAct.default("land"),
    ...way,
    /** Verify it first, in the same step; `passing` as in chorus_admin_verify_task. */
    verify: z.boolean().default(false),
    passing: z.array(CriterionId).max(100).optional(),
    /** The machine that asks carries it out itself, in a checkout of its own, and gets the lease. */
    here: line(120).optional(),
  }),
  output: z.object({
    landing: LandingRow,
    leased: LeasedLanding.nullable(),
    /** As chorus_admin_verify_task gives them, where it verifies. */
    warnings: z.array(z.string()),
  }),
})

export const landProposal = signature({
  name: "chorus_land_proposal",
  does: "Bring all verified work of a proposal into its branch, in the order of its graph.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ proposalUuid: ProposalId, ...way }),
  output: z.object({
    landings: z.array(LandingRow),
    /** What stays behind, and why. */
    left: z.array(z.object({ taskUuid: z.string(), title: z.string(), why: z.string() })),
  }),
})

export const getLanding = signature({
  name: "chorus_get_landing",
  does: "Get where a task's work has landed, or why it has not.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ taskUuid: TaskId }),
  output: z.object({
    /** Newest first. */
    landings: z.array(LandingRow),
    /**
     * Whether a machine can land a version of its change: it was looked at there, has not landed, and is not on its way.
     */
    landable: z.boolean(),
    /** Whether its machine can push it and open a pull request for it, or bring the one there is up to it. */
    proposable: z.boolean(),
    /** Why no machine lands what could: the one that has it does not allow that, or none has it; and what to run. */
    obstacle: z.string().nullable(),
    /** The task that took out again what the newest of them brought in. */
    reverted: z.object({ uuid: z.string(), shortId: z.string().nullable(), title: z.string() }).nullable(),
  }),
})

export const listLandings = signature({
  name: "chorus_list_landings",
  does: "List the newest landing of each task of a project, of one of its tasks, or of one proposal with how much can land.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({
    projectUuid: ProjectId,
    taskUuid: TaskId.optional(),
    proposalUuid: ProposalId.optional(),
    ...pageInput,
  }),
  output: z.object({
    landings: z.array(LandingRow),
    /** Of one proposal: how many of its tasks have verified work that can land now. */
    landable: z.number().int().optional(),
    ...pageOutput,
  }),
})

export const revertLanding = signature({
  name: "chorus_revert_landing",
  does: "Make a task that takes what landed out of its branch again.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ landingUuid }),
  output: TaskChange,
})

export const withdrawLanding = signature({
  name: "chorus_withdraw_landing",
  does: "Take a landing back that no machine has begun.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ landingUuid }),
  output: LandingRow,
})

export const leaseLanding = signature({
  name: "chorus_lease_landing",
  does: "Take the next landing of work that lies on this machine.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z.object({
    machine: line(120),
    /** What its policy allows. */
    acts: z.array(LandingAct).min(1).default(["land", "preview", "discard"]),
  }),
  output: z.object({ landing: LeasedLanding.nullable() }),
})

export const reportLanding = signature({
  name: "chorus_report_landing",
  does: "Tell what became of a landing that this machine holds; every report prolongs the lease.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z.object({
    landingUuid,
    lease: z.uuid(),
    state: LandingState.exclude(["queued", "at_work", "withdrawn"]).optional(),
    reason: prose(4000).optional(),
    files: z.array(prose(4096)).max(500).default([]),
    branch: line(300).optional(),
    onto: line(64).optional(),
    commit: line(64).optional(),
    pushed: z.boolean().default(false),
    /** Of work that was proposed. */
    pullRequest: PullRequestSeen.optional(),
  }),
  output: LandingRow,
})
