export { ActorKind, ActorRef } from "./actor.ts"
export { BundleEnd, BundleHeader, BundleRow } from "./bundle.ts"
export { ENVIRONMENT, type EnvironmentVariable } from "./environment.ts"
export { ChorusError, type ErrorBody } from "./error.ts"
export {
  EventAction,
  type EventOf,
  type Exactly,
  type KindAbout,
  LogEvent,
  type NewEvent,
  type PatchOf,
  type UnknownEvent,
} from "./event.ts"
export { EVENT_KINDS, type EventDeclaration, type EventKind } from "./event-kinds.ts"
export { ENTITY_ROWS, type Entity, type RowOf } from "./event-rows.ts"
export { HookEvent, HookOutput } from "./hook-event.ts"
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
export * as activity from "./operations/activity.ts"
export * as agents from "./operations/agents.ts"
export * as attachments from "./operations/attachments.ts"
export * as attentions from "./operations/attentions.ts"
export * as checkin from "./operations/checkin.ts"
export * as comments from "./operations/comments.ts"
export * as criteria from "./operations/criteria.ts"
export * as deliveries from "./operations/deliveries.ts"
export * as documents from "./operations/documents.ts"
export * as drafts from "./operations/drafts.ts"
export * as elaboration from "./operations/elaboration.ts"
export * as groups from "./operations/groups.ts"
export * as hooks from "./operations/hooks.ts"
export * as ideas from "./operations/ideas.ts"
export * as insights from "./operations/insights.ts"
export * as machines from "./operations/machines.ts"
export * as notifications from "./operations/notifications.ts"
export * as people from "./operations/people.ts"
export * as projectSettings from "./operations/project-settings.ts"
export * as projects from "./operations/projects.ts"
export * as projectVisits from "./operations/project-visits.ts"
export * as proposals from "./operations/proposals.ts"
export * as references from "./operations/references.ts"
export * as reservations from "./operations/reservations.ts"
export * as reviews from "./operations/reviews.ts"
export * as revisions from "./operations/revisions.ts"
export { type OperationName, type SignatureNamed, signatures } from "./operations/signatures.ts"
export * as search from "./operations/search.ts"
export * as sessions from "./operations/sessions.ts"
export * as tasks from "./operations/tasks.ts"
export * as teamRoom from "./operations/team-room.ts"
export * as usage from "./operations/usage.ts"
export * as push from "./operations/push.ts"
export * as webhooks from "./operations/webhooks.ts"
export * as work from "./operations/work.ts"
export * as workspace from "./operations/workspace.ts"
export { pageInput, pageOutput } from "./page.ts"
export {
  type Action,
  ACTIONS,
  type Need,
  Permission,
  PERMISSIONS,
  Preset,
  type Resource,
  RESOURCES,
  Role,
} from "./permission.ts"
export {
  CuratedPlugin,
  CuratedSet,
  ExecutableSurface,
  InstalledPlugin,
  InventoryPlugin,
  KnownMarketplace,
  MachineInventory,
  MarketplaceSource,
  PluginDeviation,
  PluginLock,
  PluginMessage,
  PluginPin,
  PluginScope,
  SurfaceItem,
  ValidationReport,
} from "./plugins.ts"
export { type RouteInput, type RouteName, type RouteOutput, type RouteParsed, routes } from "./routes.ts"
export {
  LinkAnswer,
  LinkQuestion,
  LinkRequest,
  Password,
  PasswordChange,
  PasswordSignIn,
  SIGN_IN_REFUSALS,
  SignedInPerson,
  SignInState,
} from "./sign-in.ts"
export {
  type InputOf,
  type OutputOf,
  type ParsedInputOf,
  type Signature,
  signature,
  type ToolVisibility,
} from "./signature.ts"
export { line, prose } from "./text.ts"
export { StatusAgent, StatusEvent, StatusLine, StatusRow, StatusState, StatusTitleOrigin } from "./status.ts"
export {
  TEAM_COLORS,
  TEAM_LEAD,
  TeamConfig,
  TeamEra,
  TeamInboxEntry,
  TeamLeadProcess,
  TeamMember,
  TeamPermissionMode,
  TeamTask,
  TeamTaskStatus,
} from "./teams-files.ts"
export {
  BroadcastSent,
  IdleNotification,
  MessageSent,
  PermissionRequest,
  PermissionResponse,
  PlanApprovalRequest,
  PlanApprovalResponse,
  RequestSent,
  ShutdownApproved,
  ShutdownRejected,
  ShutdownRequest,
  TaskAssignment,
  TeamMessageBody,
  type BodyOf,
  type TeamMessageKind,
} from "./teams-message.ts"
export {
  TeamDecision,
  TeamDelivery,
  TeamFact,
  TeamMemberState,
  TeamMessageFact,
  TeamRequestFact,
} from "./teams-facts.ts"
