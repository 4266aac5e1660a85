import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import { activityRow, AT, groupRow, PAGE, PAGED, projectRow } from "../../test/examples.ts"
import {
  like,
  list,
  flag,
  line,
  nullable,
  oneOf,
  optional,
  OTHER,
  paging,
  position,
  PROJECT,
  prose,
  uuid,
} from "../../test/field-rule.ts"
import { getActivity, ActivityRow } from "./activity.ts"
import { getGroupDashboard } from "./groups.ts"
import { getProjectSettings, ProjectSettings, updateProjectSettings } from "./project-settings.ts"
import { listVisits, pinProject, ProjectVisit, visitProject } from "./project-visits.ts"
import {
  createGroup,
  createProject,
  deleteGroup,
  getGroup,
  getProject,
  GroupRow,
  listGroups,
  listProjects,
  moveProject,
  ProjectRow,
  updateGroup,
  updateProject,
} from "./projects.ts"

const GROUP = OTHER
const SWITCHES = [
  "allowSelfApproval",
  "allowSelfVerify",
  "requireReview",
  "requireTaskReview",
  "exclusiveWork",
  "returnFailedChecks",
]

describeInput(listProjects, {
  smallest: {},
  becomes: { ...PAGE, includeArchived: false },
  fields: { includeArchived: optional(flag), ...paging },
})

describe.each([getProject, getProjectSettings, visitProject])("an operation on one project", (signature) => {
  describeInput(signature, { smallest: { projectUuid: PROJECT }, fields: { projectUuid: uuid } })
})

describeInput(createProject, {
  smallest: { name: "House" },
  fields: { name: line(256), description: optional(prose(20_000)), groupUuid: optional(uuid) },
})

describeInput(updateProject, {
  smallest: { projectUuid: PROJECT },
  fields: {
    projectUuid: uuid,
    name: optional(line(256)),
    key: optional({
      says: "is two to ten capital letters or digits, a letter first",
      takes: ["SHOP", "A1", "ABCDEFGHIJ"],
      refuses: ["", "A", "1A", "shop", "SHOP-1", "ABCDEFGHIJK", "Ü2", 7, null],
    }),
    description: optional(nullable(prose(20_000))),
    status: optional(oneOf("active", "archived")),
  },
})

describeInput(moveProject, {
  smallest: { projectUuid: PROJECT, groupUuid: null },
  fields: { projectUuid: uuid, groupUuid: nullable(uuid) },
})

describe("chorus_admin_move_project_to_group", () => {
  it("does not take a forgotten group for none", () =>
    expect(moveProject.input.safeParse({ projectUuid: PROJECT }).success).toBe(false))
})

describeInput(listGroups, { smallest: {}, becomes: PAGE, fields: paging })

describe.each([getGroup, deleteGroup, getGroupDashboard])("an operation on one group", (signature) => {
  describeInput(signature, { smallest: { groupUuid: GROUP }, fields: { groupUuid: uuid } })
})

describeInput(createGroup, {
  smallest: { name: "Village" },
  fields: { name: line(256), description: optional(prose(20_000)) },
})

describeInput(updateGroup, {
  smallest: { groupUuid: GROUP },
  fields: { groupUuid: uuid, name: optional(line(256)), description: optional(nullable(prose(20_000))) },
})

describeInput(updateProjectSettings, {
  smallest: { projectUuid: PROJECT },
  fields: {
    projectUuid: uuid,
    ...Object.fromEntries(SWITCHES.map((name) => [name, optional(flag)])),
    checks: optional(list(like({ name: "lint", command: "npm run lint" }), 0, 20)),
    preview: optional(nullable(line(2000))),
  },
})

describe("the settings of a project", () => {
  it("are off until a person turns them on, but that failed checks send work back", () => {
    expect(ProjectSettings.parse({})).toEqual({
      allowSelfApproval: false,
      allowSelfVerify: false,
      requireReview: false,
      requireTaskReview: false,
      exclusiveWork: false,
      checks: [],
      returnFailedChecks: true,
      preview: null,
    })
  })

  it("are changed by a person, never by an agent", () => expect(updateProjectSettings.needs).toBe("person"))

  it("that a change does not name stay as they are", () => {
    expect(updateProjectSettings.input.parse({ projectUuid: PROJECT, requireReview: true })).toEqual({
      projectUuid: PROJECT,
      requireReview: true,
    })
  })
})

describeInput(listVisits, { smallest: {}, fields: {} })

describeInput(pinProject, {
  smallest: { projectUuid: PROJECT, pinned: true },
  fields: { projectUuid: uuid, pinned: flag },
})

describeInput(getActivity, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, ...PAGE },
  fields: {
    projectUuid: uuid,
    entityUuid: optional(uuid),
    actorUuid: optional(uuid),
    before: optional(position),
    ...paging,
  },
})

describeAnswer("ProjectRow", ProjectRow, projectRow, { mayBeNull: ["description", "groupUuid"] })

describeAnswer("GroupRow", GroupRow, groupRow, { mayBeNull: ["description"] })

describeAnswer(
  "ProjectVisit",
  ProjectVisit,
  { projectUuid: PROJECT, lastVisitedAt: AT, pinnedAt: AT },
  { mayBeNull: ["pinnedAt"] },
)

describeAnswer("ActivityRow", ActivityRow, activityRow, {
  mayBeNull: ["projectUuid", "targetTitle", "sessionUuid", "sessionName"],
})

describeAnswer("of chorus_list_projects", listProjects.output, {
  projects: [{ ...projectRow, _count: { ideas: 1, tasks: 5, openTasks: 2 } }],
  ...PAGED,
})

describeAnswer("of chorus_get_project_groups", listGroups.output, { groups: [groupRow], ungroupedCount: 3, ...PAGED })

describeAnswer(
  "of chorus_get_project_group",
  getGroup.output,
  { ...groupRow, projects: [{ uuid: PROJECT, name: "House", description: null }] },
  { mayBeNull: ["description"] },
)

const numbers = { totalTasks: 4, completedTasks: 1, completionRate: 25, openIdeas: 2, activeProposals: 1 }

describeAnswer("of chorus_get_group_dashboard", getGroupDashboard.output, {
  group: groupRow,
  stats: { ...numbers, projectCount: 2 },
  projects: [{ ...projectRow, ...numbers }],
  recentActivity: [activityRow],
})

describeAnswer("of chorus_get_activity", getActivity.output, { activities: [activityRow], ...PAGED })
