import { z } from "zod"
import { line, ProjectId, prose, signature } from "../signature.ts"
import { LabelNames } from "./labels.ts"
import { WebAddress } from "./references.ts"
import { dueOn, storyPoints, TaskPriority } from "./tasks.ts"

/** What something is called in the tracker it comes from: `42`, `SHOP-7`, `bd-a1b2.1`. */
const ForeignKey = line(200)

export const ForeignComment = z.object({
  key: ForeignKey,
  author: line(200),
  /** When it was written there; kept in words, because here it is written now. */
  at: line(40),
  content: prose(),
})
export type ForeignComment = z.infer<typeof ForeignComment>

/** A piece of work as another tracker has it, in our words. */
export const ForeignItem = z.object({
  key: ForeignKey,
  url: WebAddress.nullable().default(null),
  title: line(),
  description: prose().nullable().default(null),
  /** What was begun there is open here: nobody here holds it. */
  status: z.enum(["open", "done", "closed"]).default("open"),
  priority: TaskPriority.default("medium"),
  storyPoints: storyPoints.nullable().default(null),
  labels: LabelNames.default([]),
  dueOn: dueOn.nullable().default(null),
  criteria: z.array(line(2000)).max(100).default([]),
  /** Keys of what has to be done before. */
  dependsOn: z.array(ForeignKey).max(200).default([]),
  comments: z.array(ForeignComment).max(500).default([]),
})
export type ForeignItem = z.infer<typeof ForeignItem>

export const ImportResult = z.object({
  key: z.string(),
  title: z.string(),
  /**
   * `kept`: it was changed there and here, or is being worked on here, so it stays as it is here. `gone`: it was brought
   * before and deleted here.
   */
  outcome: z.enum(["created", "updated", "unchanged", "kept", "gone"]),
  taskUuid: z.string().nullable(),
  shortId: z.string().nullable(),
  newComments: z.number().int(),
  warnings: z.array(z.string()),
})
export type ImportResult = z.infer<typeof ImportResult>

export const importItems = signature({
  name: "chorus_import_items",
  does: "Bring work of another tracker into a project as tasks. What was brought before is brought up to date.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    projectUuid: ProjectId,
    /** Where they come from, such as `github:octo/shop`; together with the key it tells items apart. */
    origin: line(300),
    items: z.array(ForeignItem).min(1).max(200),
    /** Says what would happen, and changes nothing. */
    preview: z.boolean().default(false),
  }),
  output: z.object({ results: z.array(ImportResult) }),
})
