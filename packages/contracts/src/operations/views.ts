import { z } from "zod"
import { line, pageOutput, pagesOf, ProjectId, signature, ViewId } from "../signature.ts"

export const ViewLayout = z.enum(["board", "list", "graph"])
export type ViewLayout = z.infer<typeof ViewLayout>

/** A way to look at a project's tasks that somebody named: theirs alone, or everybody's. */
export const ViewRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  name: z.string(),
  layout: ViewLayout,
  /** Filter, order and grouping, as the page's address writes them after its question mark. */
  query: z.string(),
  shared: z.boolean(),
  ownerUuid: z.string(),
  updatedAt: z.string(),
})
export type ViewRow = z.infer<typeof ViewRow>

const given = {
  name: line(80),
  layout: ViewLayout,
  query: z
    .string()
    .max(2000)
    .regex(/^\P{Cc}*$/u, "must be one line without control characters"),
  shared: z.boolean().default(false),
}

export const listViews = signature({
  name: "chorus_list_views",
  does: "List your saved views of a project and those shared with it, by name.",
  needs: "person",
  kind: "read",
  tool: "none",
  input: z.object({ projectUuid: ProjectId, ...pagesOf(100) }),
  output: z.object({ views: z.array(ViewRow), ...pageOutput }),
})

export const saveView = signature({
  name: "chorus_save_view",
  does: "Save how you look at a project's tasks, for yourself or for everybody in it.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ projectUuid: ProjectId, ...given }),
  output: ViewRow,
})

export const updateView = signature({
  name: "chorus_update_view",
  does: "Change a saved view of yours.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ viewUuid: ViewId, ...z.object(given).partial().shape, shared: z.boolean().optional() }),
  output: ViewRow,
})

export const deleteView = signature({
  name: "chorus_delete_view",
  does: "Delete a saved view of yours.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ viewUuid: ViewId }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})
