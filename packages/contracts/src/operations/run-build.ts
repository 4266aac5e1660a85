import { z } from "zod"
import { ProposalId, signature } from "../signature.ts"
import { COMMAND_FAULT, fitsCommand, RunBudget, RunChoice, RunProgram } from "./run-policy.ts"
import { RunRow, RunState } from "./runs.ts"

export const buildProposal = signature({
  name: "chorus_build_proposal",
  does: "Queue a run for each open task of an approved proposal; each starts when what it depends on is done.",
  needs: "task:admin",
  kind: "write",
  tool: "hidden",
  input: z.object({ proposalUuid: ProposalId, ...RunChoice }).refine(fitsCommand, COMMAND_FAULT),
  output: z.object({ runs: z.array(RunRow) }),
})

/** How a whole proposal would be built. */
export const BuildPreview = z.object({
  /** Tasks that can be at work at the same time, in order. */
  waves: z.array(z.array(z.object({ taskUuid: z.string(), title: z.string(), runState: RunState.nullable() }))),
  program: RunProgram,
  /** How many can run at once: free places on machines that have the program, at most what the project allows. */
  slots: z.number().int(),
  /** Nothing would start now, and why. */
  obstacle: z.string().nullable(),
  /** What is left of the narrowest budget of the project. */
  left: RunBudget,
})
export type BuildPreview = z.infer<typeof BuildPreview>

export const previewBuild = signature({
  name: "chorus_preview_build",
  does: "Show how an approved proposal would be built: order, places and budget.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ proposalUuid: ProposalId, ...RunChoice }).refine(fitsCommand, COMMAND_FAULT),
  output: BuildPreview,
})
