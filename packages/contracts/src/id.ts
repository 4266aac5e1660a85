import { z } from "zod"

/** Every id is a UUID in text; the brand keeps a task's id from being passed where a session's is meant. */
function id<Brand extends string>(_brand: Brand) {
  return z.uuid().brand<Brand>()
}

export const WorkspaceId = id("workspace")
export const UserId = id("user")
export const AgentId = id("agent")
export const KeyId = id("key")
export const SignInId = id("signIn")
export const ProjectId = id("project")
export const GroupId = id("group")
export const IdeaId = id("idea")
export const RoundId = id("round")
export const ProposalId = id("proposal")
export const DraftId = id("draft")
export const DocumentId = id("document")
export const TaskId = id("task")
export const CriterionId = id("criterion")
export const SessionId = id("session")
export const CommentId = id("comment")
export const NotificationId = id("notification")

export type WorkspaceId = z.infer<typeof WorkspaceId>
export type UserId = z.infer<typeof UserId>
export type AgentId = z.infer<typeof AgentId>
export type KeyId = z.infer<typeof KeyId>
export type SignInId = z.infer<typeof SignInId>
export type ProjectId = z.infer<typeof ProjectId>
export type GroupId = z.infer<typeof GroupId>
export type IdeaId = z.infer<typeof IdeaId>
export type RoundId = z.infer<typeof RoundId>
export type ProposalId = z.infer<typeof ProposalId>
export type DraftId = z.infer<typeof DraftId>
export type DocumentId = z.infer<typeof DocumentId>
export type TaskId = z.infer<typeof TaskId>
export type CriterionId = z.infer<typeof CriterionId>
export type SessionId = z.infer<typeof SessionId>
export type CommentId = z.infer<typeof CommentId>
export type NotificationId = z.infer<typeof NotificationId>
