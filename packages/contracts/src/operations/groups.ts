import { z } from "zod"
import { GroupId, signature } from "../signature.ts"
import { ActivityRow } from "./activity.ts"
import { GroupRow, ProjectRow } from "./projects.ts"

const count = z.number().int()

const GroupStats = z.object({
  totalTasks: count,
  completedTasks: count,
  /** From 0 to 100. */
  completionRate: z.number(),
  openIdeas: count,
  activeProposals: count,
})

export const getGroupDashboard = signature({
  name: "chorus_get_group_dashboard",
  does: "Get a project group's numbers and latest activity.",
  needs: "project:read",
  kind: "read",
  tool: "listed",
  input: z.object({ groupUuid: GroupId }),
  output: z.object({
    group: GroupRow,
    stats: GroupStats.extend({ projectCount: count }),
    projects: z.array(ProjectRow.extend(GroupStats.shape)),
    recentActivity: z.array(ActivityRow),
  }),
})
