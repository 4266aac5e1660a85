import { z } from "zod"
import { line, ProjectId, signature } from "../signature.ts"

/** A command that every piece of work must pass, beside its own criteria. */
const ProjectChecks = z.array(z.object({ name: line(80), command: line(2000) })).max(20)

/** What a project allows and asks for. What is not said here is off unless a person turns it on. */
export const ProjectSettings = z.object({
  /** The author of a proposal may approve it. */
  allowSelfApproval: z.boolean().default(false),
  /** Whoever did a task may verify it. */
  allowSelfVerify: z.boolean().default(false),
  /** Approving asks for a passed review of the submitted revision. */
  requireReview: z.boolean().default(false),
  /** Verifying asks for a passed review of the submitted work. */
  requireTaskReview: z.boolean().default(false),
  /** An agent holds at most one task in progress. */
  exclusiveWork: z.boolean().default(false),
  /** What is run on whatever is handed in: build, tests, lint. */
  checks: ProjectChecks.default([]),
  /** Work whose checks fail goes back before a person is asked; on unless a person turns it off. */
  returnFailedChecks: z.boolean().default(true),
  /** What starts the built thing, listening on `PORT`, for whoever wants to try it before they verify. */
  preview: line(2000).nullable().default(null),
})
export type ProjectSettings = z.infer<typeof ProjectSettings>

export const getProjectSettings = signature({
  name: "chorus_get_project_settings",
  does: "Get what a project allows and asks for.",
  needs: "project:read",
  kind: "read",
  tool: "none",
  input: z.object({ projectUuid: ProjectId }),
  output: ProjectSettings,
})

export const updateProjectSettings = signature({
  name: "chorus_update_project_settings",
  does: "Change what a project allows and asks for.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    projectUuid: ProjectId,
    allowSelfApproval: z.boolean().optional(),
    allowSelfVerify: z.boolean().optional(),
    requireReview: z.boolean().optional(),
    requireTaskReview: z.boolean().optional(),
    exclusiveWork: z.boolean().optional(),
    checks: ProjectChecks.optional(),
    returnFailedChecks: z.boolean().optional(),
    preview: line(2000).nullable().optional(),
  }),
  output: ProjectSettings,
})
