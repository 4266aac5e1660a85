export { ActorKind, ActorRef } from "./actor.ts"
export { ChorusError, type ErrorBody } from "./error.ts"
export { EventAction, LogEvent } from "./event.ts"
export {
  AgentId,
  CommentId,
  CriterionId,
  DocumentId,
  DraftId,
  GroupId,
  IdeaId,
  KeyId,
  NotificationId,
  ProjectId,
  ProposalId,
  RoundId,
  SessionId,
  SignInId,
  TaskId,
  UserId,
  WorkspaceId,
} from "./id.ts"
export * as agents from "./operations/agents.ts"
export * as criteria from "./operations/criteria.ts"
export * as people from "./operations/people.ts"
export * as projects from "./operations/projects.ts"
export { type OperationName, type SignatureNamed, signatures } from "./operations/signatures.ts"
export * as tasks from "./operations/tasks.ts"
export * as workspace from "./operations/workspace.ts"
export { pageInput, pageOutput } from "./page.ts"
export { type Action, ACTIONS, type Need, Permission, PERMISSIONS, Preset, type Resource, RESOURCES, Role } from "./permission.ts"
export { CuratedPlugin, CuratedSet, ExecutableSurface, InstalledPlugin, InventoryPlugin, KnownMarketplace, MachineInventory, MarketplaceSource, PluginDeviation, PluginLock, PluginMessage, PluginPin, PluginScope, SurfaceItem, ValidationReport } from "./plugins.ts"
export { type InputOf, type OutputOf, type ParsedInputOf, type Signature, signature, type ToolVisibility } from "./signature.ts"
export { line, prose } from "./text.ts"
export { StatusAgent, StatusEvent, StatusLine, StatusRow, StatusState, StatusTitleOrigin } from "./status.ts"
export {
  type BodyOf,
  BroadcastSent,
  IdleNotification,
  MessageSent,
  PermissionRequest,
  PermissionResponse,
  PermissionSuggestion,
  PlanApprovalRequest,
  PlanApprovalResponse,
  RequestSent,
  ShutdownApproved,
  ShutdownRejected,
  ShutdownRequest,
  TaskAssignment,
  TEAM_COLORS,
  TEAM_LEAD,
  TeamConfig,
  TeamDecision,
  TeamDelivery,
  TeamEra,
  TeamFact,
  TeamInboxEntry,
  TeamLeadProcess,
  TeamMember,
  TeamMemberState,
  TeamMessageBody,
  TeamMessageFact,
  type TeamMessageKind,
  TeamPermissionMode,
  TeamRequestFact,
  TeamTask,
  TeamTaskStatus,
} from "./teams.ts"
