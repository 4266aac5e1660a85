import { z } from "zod"
import { GroupId, line, pageInput, pageOutput, ProjectId, prose, signature } from "../signature.ts"

export const ProjectRow = z.object({
  uuid: z.string(),
  name: z.string(),
  /** What the short ids of its tasks and ideas begin with. */
  key: z.string(),
  description: z.string().nullable(),
  status: z.enum(["active", "archived"]),
  groupUuid: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type ProjectRow = z.infer<typeof ProjectRow>

export const GroupRow = z.object({
  uuid: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  projectCount: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type GroupRow = z.infer<typeof GroupRow>

export const listProjects = signature({
  name: "chorus_list_projects",
  does: "List projects you can see.",
  needs: "project:read",
  kind: "read",
  tool: "listed",
  input: z.object({ ...pageInput, includeArchived: z.boolean().default(false) }),
  output: z.object({
    projects: z.array(
      ProjectRow.extend({
        _count: z.object({ ideas: z.number().int(), tasks: z.number().int(), openTasks: z.number().int() }),
      }),
    ),
    ...pageOutput,
  }),
})

export const getProject = signature({
  name: "chorus_get_project",
  does: "Get one project.",
  needs: "project:read",
  kind: "read",
  tool: "listed",
  input: z.object({ projectUuid: ProjectId }),
  output: ProjectRow,
})

export const createProject = signature({
  name: "chorus_admin_create_project",
  does: "Create a project.",
  needs: "project:write",
  kind: "write",
  tool: "listed",
  input: z.object({ name: line(), description: prose(20_000).optional(), groupUuid: GroupId.optional() }),
  output: ProjectRow,
})

export const updateProject = signature({
  name: "chorus_update_project",
  does: "Rename, describe, archive or restore a project, or change its key.",
  needs: "project:write",
  kind: "write",
  tool: "none",
  input: z.object({
    projectUuid: ProjectId,
    name: line().optional(),
    key: z
      .string()
      .regex(/^[A-Z][A-Z0-9]{1,9}$/, "must be two to ten capital letters or digits and begin with a letter")
      .optional(),
    description: prose(20_000).nullable().optional(),
    status: z.enum(["active", "archived"]).optional(),
  }),
  output: ProjectRow,
})

export const listGroups = signature({
  name: "chorus_get_project_groups",
  does: "List project groups.",
  needs: "project:read",
  kind: "read",
  tool: "listed",
  input: z.object(pageInput),
  output: z.object({ groups: z.array(GroupRow), ungroupedCount: z.number().int(), ...pageOutput }),
})

export const getGroup = signature({
  name: "chorus_get_project_group",
  does: "Get one project group with its projects.",
  needs: "project:read",
  kind: "read",
  tool: "listed",
  input: z.object({ groupUuid: GroupId }),
  output: GroupRow.extend({ projects: z.array(ProjectRow.pick({ uuid: true, name: true, description: true })) }),
})

export const createGroup = signature({
  name: "chorus_admin_create_project_group",
  does: "Create a project group.",
  needs: "project:write",
  kind: "write",
  tool: "listed",
  input: z.object({ name: line(), description: prose(20_000).optional() }),
  output: GroupRow,
})

export const updateGroup = signature({
  name: "chorus_admin_update_project_group",
  does: "Rename or describe a project group.",
  needs: "project:write",
  kind: "write",
  tool: "listed",
  input: z.object({ groupUuid: GroupId, name: line().optional(), description: prose(20_000).nullable().optional() }),
  output: GroupRow,
})

export const deleteGroup = signature({
  name: "chorus_admin_delete_project_group",
  does: "Delete a project group; its projects stay, ungrouped.",
  needs: "project:write",
  kind: "write",
  tool: "listed",
  input: z.object({ groupUuid: GroupId }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})

export const moveProject = signature({
  name: "chorus_admin_move_project_to_group",
  does: "Move a project into a group, or out of any with null.",
  needs: "project:write",
  kind: "write",
  tool: "listed",
  input: z.object({ projectUuid: ProjectId, groupUuid: GroupId.nullable() }),
  output: ProjectRow,
})
