import { createAgent, createKey, listAgents, listKeys, revokeKey, rotateKey, updateAgent } from "./agents.ts"
import { createSignInLink, endSignIn, endSignIns, getMe, inviteMember, listSignIns, updateMe, updateMember } from "./people.ts"
import {
  createGroup,
  createProject,
  deleteGroup,
  getGroup,
  getProject,
  listGroups,
  listProjects,
  moveProject,
  updateGroup,
  updateProject,
} from "./projects.ts"
import { health, listEvents, listMembers, version, whoami } from "./workspace.ts"

/** Every operation there is, for the doors and the typed client. */
export const signatures = [
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
  listGroups,
  getGroup,
  createGroup,
  updateGroup,
  deleteGroup,
  moveProject,
] as const

type AnySignature = (typeof signatures)[number]

export type OperationName = AnySignature["name"]
export type SignatureNamed<Name extends OperationName> = Extract<AnySignature, { readonly name: Name }>
