import { z } from "zod"
import { prose } from "./signature.ts"

export const ObjectId = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
/** Control characters in a name are written out by whoever sends it. */
export const RepositoryPath = prose(4096).min(1)

/** By which a repository is known again wherever it is checked out. */
export const RepositoryIdentity = z.object({
  roots: z.array(ObjectId).max(100),
  remotes: z.array(prose(1000)).max(20),
  /** Where the work lies: on which machine, in which checkout, of the repository in which folder. */
  checkout: z.object({ machine: prose(120), folder: RepositoryPath, repository: RepositoryPath }).optional(),
})
export type RepositoryIdentity = z.infer<typeof RepositoryIdentity>
