import { z } from "zod"
import { LabelName } from "./labels.ts"
import { line, pageOutput, pagesOf, prose, signature } from "../signature.ts"

export const SearchKind = z.enum(["task", "idea", "proposal", "document", "project", "project_group"])
export type SearchKind = z.infer<typeof SearchKind>

export const SearchResult = z.object({
  entityType: SearchKind,
  uuid: z.string(),
  /** What a task or an idea is called by. */
  shortId: z.string().optional(),
  title: z.string(),
  snippet: z.string(),
  status: z.string().nullable(),
  projectUuid: z.string().nullable(),
  projectName: z.string().nullable(),
  updatedAt: z.string(),
})
export type SearchResult = z.infer<typeof SearchResult>

const count = z.number().int()

export const search = signature({
  name: "chorus_search",
  does: "Find tasks, ideas, proposals, documents, projects and groups by text or id; also by criteria and all that was said of them.",
  needs: "anyone",
  kind: "read",
  tool: "listed",
  input: z
    .object({
      query: line(400),
      scope: z.enum(["global", "group", "project"]).default("global"),
      scopeUuid: z.uuid().optional(),
      entityTypes: z.array(SearchKind).max(6).optional(),
      /** Only tasks and ideas that bear it. */
      label: LabelName.optional(),
      ...pagesOf(50),
    })
    .refine(({ scope, scopeUuid }) => scope === "global" || scopeUuid !== undefined, {
      path: ["scopeUuid"],
      message: "must name the group or project of this scope",
    }),
  output: z.object({
    results: z.array(SearchResult),
    /** How many of each kind are in `results`. */
    counts: z.object({
      tasks: count,
      ideas: count,
      proposals: count,
      documents: count,
      projects: count,
      projectGroups: count,
    }),
    /** Older texts may hold the words inside of others: only the newest were read as they stand. */
    cut: z.literal(true).optional(),
    ...pageOutput,
  }),
})

export const searchMentionables = signature({
  name: "chorus_search_mentionables",
  does: "Find people and agents to mention.",
  needs: "anyone",
  kind: "read",
  tool: "listed",
  input: z.object({
    query: prose(200),
    limit: z.coerce
      .number()
      .int()
      .catch(10)
      .transform((n) => Math.min(100, Math.max(1, n)))
      .default(10),
  }),
  output: z.object({
    results: z.array(
      z.object({
        uuid: z.string(),
        name: z.string(),
        type: z.enum(["user", "agent"]),
        /** Whether one of its sessions has shown itself lately. */
        online: z.boolean(),
        activeCount: z.number().int(),
        mention: z.string(),
      }),
    ),
    returned: z.number().int(),
  }),
})
