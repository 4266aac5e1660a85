import { z } from "zod"
import { NotificationId, pageInput, pageOutput, signature } from "../signature.ts"

/** What a notification is about; each can be switched off by its recipient. */
export const NotificationAction = z.enum([
  "task_assigned",
  "task_status_changed",
  "task_submitted_for_verify",
  "task_verified",
  "task_reopened",
  "task_unblocked",
  "task_reported",
  "changed",
  "proposal_submitted",
  "proposal_approved",
  "proposal_rejected",
  "idea_claimed",
  "idea_assigned",
  "comment_added",
  "mentioned",
  "elaboration_requested",
  "elaboration_answered",
  "elaboration_verified",
  "report_created",
  "review_submitted",
  "attention_requested",
  "attention_answered",
  "idea_done",
])
export type NotificationAction = z.infer<typeof NotificationAction>

/** A notification as the inbox shows it, and as `notification.*` events patch it. Only its recipient hears of it. */
export const NotificationRow = z.object({
  uuid: z.string(),
  projectUuid: z.string().nullable(),
  projectName: z.string().nullable(),
  recipientType: z.enum(["user", "agent"]),
  recipientUuid: z.string(),
  entityType: z.string(),
  entityUuid: z.string(),
  entityTitle: z.string(),
  action: NotificationAction,
  message: z.string(),
  instructionText: z.string().nullable(),
  actorType: z.string(),
  actorUuid: z.string(),
  actorName: z.string(),
  readAt: z.string().nullable(),
  archivedAt: z.string().nullable(),
  createdAt: z.string(),
})
export type NotificationRow = z.infer<typeof NotificationRow>

/** How many are counted at most. */
export const MOST_COUNTED = 1000

export const getNotifications = signature({
  name: "chorus_get_notifications",
  does: "Read your notifications, newest first; those returned become read unless autoMarkRead is false.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({
    status: z.enum(["unread", "read", "all"]).default("unread"),
    limit: pageInput.pageSize,
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    /** Goes on behind this one, the last of the page before. */
    afterNotificationUuid: NotificationId.optional(),
    autoMarkRead: z.boolean().default(true),
  }),
  output: z.object({
    notifications: z.array(NotificationRow),
    /** Counted up to a thousand, as the total is. */
    unreadCount: z.number().int(),
    ...pageOutput,
  }),
})

export const markNotificationRead = signature({
  name: "chorus_mark_notification_read",
  does: "Mark one notification, or all, as read.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z
    .object({ notificationUuid: NotificationId.optional(), all: z.boolean().default(false) })
    .refine(
      ({ notificationUuid, all }) => all || notificationUuid !== undefined,
      "give notificationUuid, or all: true",
    ),
  output: z.object({ success: z.literal(true), marked: z.number().int(), unreadCount: z.number().int() }),
})

export const archiveNotification = signature({
  name: "chorus_archive_notification",
  does: "Put a notification away.",
  needs: "anyone",
  kind: "write",
  tool: "none",
  input: z.object({ notificationUuid: NotificationId }),
  output: NotificationRow,
})

/** What one can be called for: what comes into the inbox, and that an agent's terminal has come to an end. */
export const CallKind = z.enum([...NotificationAction.options, "terminal_finished"])
export type CallKind = z.infer<typeof CallKind>

/** Which notifications one wants; what is left out stays as it was. */
export const NotificationPreferences = z.partialRecord(NotificationAction, z.boolean())
export type NotificationPreferences = z.infer<typeof NotificationPreferences>

/** Whether pushes come one by one or as a summary; what an agent waits for is always pushed at once. */
export const Digest = z.enum(["off", "hourly", "daily"])
export type Digest = z.infer<typeof Digest>

const chosen = z.object({
  /** What comes into the inbox; at first, everything. */
  preferences: z.record(NotificationAction, z.boolean()),
  /** What one is called for, too; at first, an agent's questions, work to be verified and terminals that have finished. */
  push: z.record(CallKind, z.boolean()),
  digest: Digest,
})

export const getNotificationPreferences = signature({
  name: "chorus_get_notification_preferences",
  does: "Get which notifications you want, and how.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({}),
  output: chosen,
})

export const updateNotificationPreferences = signature({
  name: "chorus_update_notification_preferences",
  does: "Choose which notifications you want, and how.",
  needs: "anyone",
  kind: "write",
  tool: "none",
  input: z.object({
    preferences: NotificationPreferences.optional(),
    push: z.partialRecord(CallKind, z.boolean()).optional(),
    digest: Digest.optional(),
  }),
  output: chosen,
})

export const sendDigests = signature({
  name: "chorus_send_digests",
  does: "Push a summary of what is unread to whoever asked for summaries and has waited long enough.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({}),
  output: z.object({ sent: z.number().int() }),
})
