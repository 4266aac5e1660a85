import { z } from "zod"

/** Colours are given to members in this order as they join, and start over after the eighth. */
export const TEAM_COLORS = ["blue", "green", "yellow", "purple", "orange", "pink", "cyan", "red"] as const

export const TEAM_LEAD = "team-lead"

/** Every object here is loose: a field we do not know belongs to somebody and survives a rewrite. */
export const TeamMember = z.looseObject({
  agentId: z.string(),
  name: z.string(),
  agentType: z.string().optional(),
  model: z.string().optional(),
  prompt: z.string().optional(),
  color: z.string().optional(),
  planModeRequired: z.boolean().optional(),
  joinedAt: z.number(),
  tmuxPaneId: z.string().optional(),
  cwd: z.string().optional(),
  subscriptions: z.array(z.unknown()).optional(),
  backendType: z.string().optional(),
  isActive: z.boolean().optional(),
})
export type TeamMember = z.infer<typeof TeamMember>

export const TeamLeadProcess = z.looseObject({
  pid: z.number(),
  pidSpace: z.string().optional(),
  claimedAt: z.number().optional(),
  procStart: z.string().optional(),
})
export type TeamLeadProcess = z.infer<typeof TeamLeadProcess>

export const TeamConfig = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  createdAt: z.number(),
  leadAgentId: z.string(),
  leadSessionId: z.string().optional(),
  leadProcess: TeamLeadProcess.optional(),
  members: z.array(TeamMember),
})
export type TeamConfig = z.infer<typeof TeamConfig>

/** One entry of `inboxes/{agent}.json`. Only `from`, `text` and `timestamp` are sure to be there. */
export const TeamInboxEntry = z.looseObject({
  from: z.string(),
  text: z.string(),
  timestamp: z.string(),
  read: z.boolean().optional(),
  summary: z.string().optional(),
  color: z.string().optional(),
  msgV: z.number().optional(),
  msg_id: z.string().optional(),
  type: z.string().optional(),
  lead_sig: z.string().optional(),
})
export type TeamInboxEntry = z.infer<typeof TeamInboxEntry>

export const TeamTaskStatus = z.enum(["pending", "in_progress", "completed", "deleted"])
export type TeamTaskStatus = z.infer<typeof TeamTaskStatus>

export const TeamTask = z.looseObject({
  id: z.string(),
  subject: z.string(),
  description: z.string(),
  activeForm: z.string().optional(),
  owner: z.string().optional(),
  status: TeamTaskStatus,
  blocks: z.array(z.string()),
  blockedBy: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export type TeamTask = z.infer<typeof TeamTask>

/** `named`: teams made by name, history kept with `read: true`. `session`: one team per session, inboxes emptied on delivery. */
export const TeamEra = z.enum(["named", "session"])
export type TeamEra = z.infer<typeof TeamEra>

export const TeamPermissionMode = z.enum(["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "delegate"])
export type TeamPermissionMode = z.infer<typeof TeamPermissionMode>
