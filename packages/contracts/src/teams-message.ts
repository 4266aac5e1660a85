import { z } from "zod"

/** The JSON bodies that travel inside an entry's `text`. Shutdown and plan say `requestId`, permission says `request_id`. */
export const TaskAssignment = z.looseObject({
  type: z.literal("task_assignment"),
  taskId: z.string(),
  subject: z.string(),
  description: z.string(),
  assignedBy: z.string(),
  timestamp: z.string(),
})

export const IdleNotification = z.looseObject({
  type: z.literal("idle_notification"),
  from: z.string(),
  timestamp: z.string(),
  idleReason: z.string().optional(),
  summary: z.string().optional(),
  result: z.string().optional(),
  /** Of one whose turn came to no end, with `idleReason: failed`. */
  completedStatus: z.string().optional(),
  failureReason: z.string().optional(),
})

export const ShutdownRequest = z.looseObject({
  type: z.literal("shutdown_request"),
  requestId: z.string(),
  from: z.string(),
  reason: z.string().optional(),
  timestamp: z.string(),
})

export const ShutdownApproved = z.looseObject({
  type: z.literal("shutdown_approved"),
  requestId: z.string(),
  from: z.string(),
  timestamp: z.string(),
  paneId: z.string().optional(),
  backendType: z.string().optional(),
})

export const ShutdownRejected = z.looseObject({
  type: z.literal("shutdown_rejected"),
  requestId: z.string(),
  from: z.string(),
  reason: z.string(),
  timestamp: z.string(),
})

export const PlanApprovalRequest = z.looseObject({
  type: z.literal("plan_approval_request"),
  from: z.string(),
  timestamp: z.string(),
  planFilePath: z.string(),
  planContent: z.string(),
  requestId: z.string(),
})

/** Approved carries `permissionMode` and no feedback; refused carries `feedback` and no mode. */
export const PlanApprovalResponse = z.looseObject({
  type: z.literal("plan_approval_response"),
  requestId: z.string(),
  approved: z.boolean(),
  feedback: z.string().optional(),
  timestamp: z.string(),
  permissionMode: z.string().optional(),
})

export const PermissionRequest = z.looseObject({
  type: z.literal("permission_request"),
  request_id: z.string(),
  agent_id: z.string(),
  tool_name: z.string(),
  tool_use_id: z.string(),
  description: z.string(),
  input: z.record(z.string(), z.unknown()),
  permission_suggestions: z.array(z.unknown()),
})

/** `success` carries `response`, `error` carries `error`; never both. */
export const PermissionResponse = z.looseObject({
  type: z.literal("permission_response"),
  request_id: z.string(),
  subtype: z.enum(["success", "error"]),
  response: z
    .looseObject({ updated_input: z.record(z.string(), z.unknown()), permission_updates: z.array(z.unknown()) })
    .optional(),
  error: z.string().optional(),
})

export const TeamMessageBody = z.discriminatedUnion("type", [
  TaskAssignment,
  IdleNotification,
  ShutdownRequest,
  ShutdownApproved,
  ShutdownRejected,
  PlanApprovalRequest,
  PlanApprovalResponse,
  PermissionRequest,
  PermissionResponse,
])
export type TeamMessageBody = z.infer<typeof TeamMessageBody>
export type TeamMessageKind = TeamMessageBody["type"]
export type BodyOf<K extends TeamMessageKind> = Extract<TeamMessageBody, { type: K }>

/** The three forms in which SendMessage answers. */
export const MessageSent = z.object({
  success: z.literal(true),
  message: z.string(),
  routing: z.object({
    sender: z.string(),
    target: z.string(),
    targetColor: z.string().optional(),
    summary: z.string().optional(),
    content: z.string(),
  }),
})
export type MessageSent = z.infer<typeof MessageSent>

export const BroadcastSent = z.object({
  success: z.literal(true),
  message: z.string(),
  recipients: z.array(z.string()),
  routing: z.object({
    sender: z.string(),
    target: z.literal("@team"),
    summary: z.string().optional(),
    content: z.string(),
  }),
})
export type BroadcastSent = z.infer<typeof BroadcastSent>

export const RequestSent = z.object({
  success: z.literal(true),
  message: z.string(),
  request_id: z.string(),
  target: z.string(),
})
export type RequestSent = z.infer<typeof RequestSent>
