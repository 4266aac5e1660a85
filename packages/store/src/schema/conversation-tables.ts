import type { ActorKind } from "@chorus/contracts"
import type { Generated } from "kysely"

export interface CommentsTable {
  uuid: string
  projectUuid: string
  targetType: "idea" | "proposal" | "task" | "document"
  targetUuid: string
  parentUuid: string | null
  content: string
  authorType: ActorKind
  authorUuid: string
  createdAt: string
  editedAt: string | null
  deletedAt: string | null
}

export interface MentionsTable {
  uuid: string
  projectUuid: string
  sourceType: "comment" | "task" | "idea"
  sourceUuid: string
  mentionedType: "user" | "agent"
  mentionedUuid: string
  actorType: ActorKind
  actorUuid: string
  createdAt: string
}

export interface NotificationsTable {
  uuid: string
  workspaceUuid: string
  projectUuid: string | null
  recipientType: "user" | "agent"
  recipientUuid: string
  entityType: string
  entityUuid: string
  entityTitle: string
  projectName: string | null
  action: string
  message: string
  instructionText: string | null
  actorType: ActorKind
  actorUuid: string
  actorName: string
  readAt: string | null
  archivedAt: string | null
  createdAt: string
}

export interface NotificationPreferencesTable {
  ownerType: "user" | "agent"
  ownerUuid: string
  preferences: string
  push: Generated<string>
  digest: Generated<"off" | "hourly" | "daily">
  /** When the last summary was sent, or summaries were asked for. */
  digestAt: string | null
  updatedAt: string
}

export interface ProjectVisitsTable {
  userUuid: string
  projectUuid: string
  lastVisitedAt: string
  pinnedAt: string | null
}

export interface WebhooksTable {
  uuid: string
  workspaceUuid: string
  projectUuid: string | null
  url: string
  secret: string
  kinds: string
  active: number
  allowPrivate: number
  /** The position in the log up to which its deliveries were made out. */
  lastEvent: number
  createdByUuid: string
  createdAt: string
  updatedAt: string
}

/** Kept by triggers from what it is about; never written by hand. */
export interface SearchEntriesTable {
  id: Generated<number>
  entityType: "task" | "idea" | "proposal" | "document" | "project" | "project_group"
  entityUuid: string
  /** What a criterion or comment stands on: that is what it is found as. */
  ofUuid: string | null
  projectUuid: string | null
  title: string
  body: string
}
