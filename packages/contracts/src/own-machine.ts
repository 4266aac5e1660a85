import { z } from "zod"
import { RunProgram } from "./operations/run-policy.ts"
import { RunnerPolicy } from "./runner-policy.ts"

/**
 * The server's own machine and the folder that lies nearest; null for whoever may not say on the page what it allows.
 */
export const OwnMachineState = z.object({
  machine: z.object({ name: z.string(), suggested: z.string().nullable() }).nullable(),
})

/** A folder of that machine, for every project or for one. */
export const FolderWish = z.object({
  folder: z.string().trim().min(1).max(4096),
  project: z.string().min(1).optional(),
  /** Also run checks that people approved, and bring verified work into branches; otherwise that stays as it is. */
  checks: z.boolean().default(false),
  land: z.boolean().default(false),
})
export type FolderWish = z.infer<typeof FolderWish>

/**
 * What the machine would allow with that folder: the repository it lies in, all that holds there, and what is still to
 * be fetched.
 */
export const FolderOutlook = z.object({
  path: z.string(),
  policy: RunnerPolicy.required(),
  /** Programs that are here but for an adapter, and that adapter with its version. */
  adapters: z.array(z.object({ program: RunProgram, adapter: z.string() })),
})
export type FolderOutlook = z.infer<typeof FolderOutlook>

/** The wish again, with what was shown for it: nothing is allowed that nobody saw. */
export const FolderConsent = FolderWish.extend({
  shown: RunnerPolicy.required(),
  fetch: z.array(z.string()).default([]),
})
export type FolderConsent = z.infer<typeof FolderConsent>
