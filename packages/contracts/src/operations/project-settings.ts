import { z } from "zod"
import { ProjectId, signature } from "../signature.ts"

/** What a project allows and asks for. Everything is off unless a person turns it on. */
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
  }),
  output: ProjectSettings,
})
