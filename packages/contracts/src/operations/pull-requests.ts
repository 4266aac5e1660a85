import { z } from "zod"
import { line, pageInput, pageOutput, ProjectId, signature, TaskId } from "../signature.ts"
import { WebAddress } from "./references.ts"
import { RepositoryIdentity } from "../repository-identity.ts"

export const PullRequestState = z.enum(["open", "merged", "closed"])
/** What CI says of it. */
export const PullRequestChecks = z.enum(["passed", "failed", "running"])

/** The pull request, or merge request, of a task's work, as the machine that has the work sees it at its forge. */
export const PullRequestRow = z.object({
  /** The task's: each has one at most. */
  uuid: z.string(),
  projectUuid: z.string(),
  taskUuid: z.string(),
  url: z.string(),
  state: PullRequestState,
  /** Null where there is no CI. */
  checks: PullRequestChecks.nullable(),
  /** How many commits its branch has that the repository's own branch has not, and the other way round. */
  ahead: z.number().int().nullable(),
  behind: z.number().int().nullable(),
  changedAt: z.string(),
})
export type PullRequestRow = z.infer<typeof PullRequestRow>

/** As its forge tells of it. */
export const PullRequestSeen = z.object({
  url: WebAddress,
  state: PullRequestState,
  checks: PullRequestChecks.nullable(),
})
export type PullRequestSeen = z.infer<typeof PullRequestSeen>

const count = z.number().int().min(0).nullable().default(null)

export const listPullRequests = signature({
  name: "chorus_list_pull_requests",
  does: "List the pull requests of a project's tasks, or of one of them, with their state and what CI says.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ projectUuid: ProjectId, taskUuid: TaskId.optional(), ...pageInput }),
  output: z.object({ pullRequests: z.array(PullRequestRow), ...pageOutput }),
})

export const reportPullRequests = signature({
  name: "chorus_report_pull_requests",
  does: "Tell how pull requests stand at the forge, and hear which tasks of this machine are to be looked at next.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z.object({
    machine: line(120),
    seen: z
      .array(
        z.object({
          taskUuid: TaskId,
          /** Null where none was found. */
          pullRequest: PullRequestSeen.nullable(),
          ahead: count,
          behind: count,
        }),
      )
      .max(100)
      .default([]),
  }),
  output: z.object({
    /** Work on this machine that has not landed, and was not looked at for a while. */
    wanted: z.array(
      z.object({
        taskUuid: z.string(),
        runUuid: z.string().nullable(),
        /** Of work that no run did, and that was proposed: in which repository it lies, and on which branch. */
        byHand: z.object({ repository: RepositoryIdentity, branch: z.string() }).nullable(),
      }),
    ),
  }),
})
