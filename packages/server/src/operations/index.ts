import type { Operation } from "../operation.ts"
import { createAgent, listAgents, updateAgent } from "./agents/agents.ts"
import { createKey, listKeys, revokeKey, rotateKey } from "./agents/keys.ts"
import { endSignIn, endSignIns, getMe, listSignIns, updateMe } from "./people/me.ts"
import { createSignInLink, inviteMember, updateMember } from "./people/members.ts"
import { createGroup, deleteGroup, getGroup, listGroups, updateGroup } from "./projects/groups.ts"
import { createProject, getProject, listProjects, moveProject, updateProject } from "./projects/projects.ts"
import { health, listEvents, listMembers, version, whoami } from "./workspace/workspace.ts"

/** Everything the platform can do; a new operation is one file and its line here. */
export const operations: readonly Operation[] = [
  health,
  version,
  whoami,
  listEvents,
  listMembers,
  inviteMember,
  updateMember,
  createSignInLink,
  getMe,
  updateMe,
  listSignIns,
  endSignIn,
  endSignIns,
  createAgent,
  updateAgent,
  listAgents,
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  listProjects,
  getProject,
  createProject,
  updateProject,
  moveProject,
  listGroups,
  getGroup,
  createGroup,
  updateGroup,
  deleteGroup,
]
