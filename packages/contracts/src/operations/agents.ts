import { z } from "zod"
import { AgentId, KeyId, line, pageInput, pageOutput, prose, signature, UserId } from "../signature.ts"
import { Permission, Preset } from "../permission.ts"

export const AgentRow = z.object({
  uuid: z.string(),
  name: z.string(),
  persona: z.string().nullable(),
  systemPrompt: z.string().nullable(),
  ownerUuid: z.string().nullable(),
  presets: z.array(Preset),
  permissions: z.array(Permission),
  projectUuids: z.array(z.string()).nullable(),
  lastActiveAt: z.string().nullable(),
  createdAt: z.string(),
  archivedAt: z.string().nullable(),
})
export type AgentRow = z.infer<typeof AgentRow>

export const KeyRow = z.object({
  uuid: z.string(),
  agentUuid: z.string(),
  name: z.string(),
  prefix: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
})
export type KeyRow = z.infer<typeof KeyRow>

const agentFields = {
  persona: prose(4000).nullable().optional(),
  systemPrompt: prose(20_000).nullable().optional(),
  presets: z.array(Preset).optional(),
  permissions: z.array(Permission).optional(),
  /** Null means every project. */
  projectUuids: z.array(z.uuid()).nullable().optional(),
}

export const createAgent = signature({
  name: "chorus_create_agent",
  does: "Create an agent that you own.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ name: line(80), ...agentFields }),
  output: AgentRow,
})

export const updateAgent = signature({
  name: "chorus_update_agent",
  does: "Change an agent's name, persona, permissions, projects or, for those who run the workspace, its owner.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    agentUuid: AgentId,
    name: line(80).optional(),
    ownerUuid: UserId.optional(),
    archived: z.boolean().optional(),
    ...agentFields,
  }),
  output: AgentRow,
})

export const listAgents = signature({
  name: "chorus_list_agents",
  does: "List the agents of this workspace.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({ ...pageInput, includeArchived: z.boolean().default(false) }),
  output: z.object({ agents: z.array(AgentRow), ...pageOutput }),
})

export const createKey = signature({
  name: "chorus_create_key",
  does: "Make an API key for an agent; the key itself is shown only in this answer.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    agentUuid: AgentId,
    name: line(80).default("default"),
    expiresInDays: z.number().int().min(1).max(3650).optional(),
  }),
  output: KeyRow.extend({ key: z.string() }),
})

export const listKeys = signature({
  name: "chorus_list_keys",
  does: "List an agent's keys, without the secrets.",
  needs: "person",
  kind: "read",
  tool: "none",
  input: z.object({ agentUuid: AgentId.optional(), ...pageInput }),
  output: z.object({ keys: z.array(KeyRow), ...pageOutput }),
})

export const revokeKey = signature({
  name: "chorus_revoke_key",
  does: "Revoke an API key; it stops working at once.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ keyUuid: KeyId }),
  output: KeyRow,
})

export const rotateKey = signature({
  name: "chorus_rotate_key",
  does: "Replace an API key by a new one of the same name and lifetime; the old one works on for the minutes you give.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    keyUuid: KeyId,
    graceMinutes: z
      .number()
      .int()
      .min(0)
      .max(7 * 24 * 60)
      .default(0),
  }),
  output: KeyRow.extend({ key: z.string() }),
})
