import { z } from "zod"
import { ProjectId, signature } from "../signature.ts"

/** What a project is to one person: when they were last there, and whether they keep it at hand. */
export const ProjectVisit = z.object({
  projectUuid: z.string(),
  lastVisitedAt: z.string(),
  pinnedAt: z.string().nullable(),
})
export type ProjectVisit = z.infer<typeof ProjectVisit>

export const listVisits = signature({
  name: "chorus_get_my_projects",
  does: "The projects you pinned, then those you visited, latest first.",
  needs: "person",
  kind: "read",
  tool: "none",
  input: z.object({}),
  output: z.object({ visits: z.array(ProjectVisit) }),
})

export const visitProject = signature({
  name: "chorus_visit_project",
  does: "Remember that you were in a project just now.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ projectUuid: ProjectId }),
  output: ProjectVisit,
})

export const pinProject = signature({
  name: "chorus_pin_project",
  does: "Keep a project at hand, or no longer.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ projectUuid: ProjectId, pinned: z.boolean() }),
  output: ProjectVisit,
})
