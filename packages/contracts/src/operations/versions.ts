import { z } from "zod"
import { ActorRef, pageInput, pageOutput, signature } from "../signature.ts"

/** What is kept version by version. A task's text is its description with its criteria below. */
export const VersionTarget = z.enum(["idea", "task", "document"])
export type VersionTarget = z.infer<typeof VersionTarget>

/** Refused with stale_version when somebody was faster; without it the last write stands, and every version is kept. */
export const expectedVersion = z.number().int().min(1).optional()

const VersionRow = z.object({
  version: z.number().int(),
  title: z.string(),
  contentLength: z.number().int(),
  changedBy: ActorRef.nullable(),
  changedAt: z.string(),
})

const target = { targetType: VersionTarget, targetUuid: z.uuid() }
const number = z.coerce.number().int().min(1)

export const getVersions = signature({
  name: "chorus_get_versions",
  does: "List the versions of an idea, task or document, newest first.",
  needs: "anyone",
  kind: "read",
  tool: "hidden",
  input: z.object({ ...target, ...pageInput }),
  output: z.object({ versions: z.array(VersionRow), ...pageOutput }),
})

export const getVersion = signature({
  name: "chorus_get_version",
  does: "Get an idea, task or document as it was in one version.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({ ...target, version: number }),
  output: VersionRow.omit({ contentLength: true }).extend({ content: z.string() }),
})

export const diffVersions = signature({
  name: "chorus_diff_versions",
  does: "Compare two versions of an idea, task or document; without `to`, with the present one.",
  needs: "anyone",
  kind: "read",
  tool: "hidden",
  input: z.object({ ...target, from: number, to: number.optional() }),
  output: z.object({
    from: z.number().int(),
    to: z.number().int(),
    title: z.object({ before: z.string(), after: z.string() }),
    added: z.number().int(),
    removed: z.number().int(),
    lines: z.array(z.object({ kind: z.enum(["same", "added", "removed"]), text: z.string() })),
    patch: z.string(),
  }),
})
