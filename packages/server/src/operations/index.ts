import type { Operation } from "../operation.ts"
import { getActivity } from "./activity/activity.ts"
import { createAgent, createKey, listAgents, listKeys, revokeKey, rotateKey, updateAgent } from "./agents/agents.ts"
import { addAttachment, getAttachment, listAttachments, removeAttachment } from "./attachments/attachments.ts"
import {
  answerAttention,
  attentionDelivered,
  createAttention,
  getAttention,
  listAttentions,
  relayAnswer,
  withdrawAttention,
} from "./attentions/attentions.ts"
import { needsYou } from "./attentions/needs-you.ts"
import { createBridge, deleteBridge, listBridges } from "./bridges/bridges.ts"
import { addChannel, listChannels, removeChannel, tryChannel } from "./channels/channels.ts"
import { checkin, getMyAssignments } from "./checkin/checkin.ts"
import { addComment, deleteComment, editComment, getComments } from "./comments/comments.ts"
import {
  createDocument,
  createReport,
  deleteDocument,
  exportDocument,
  getDocument,
  getDocuments,
  updateDocument,
} from "./documents/documents.ts"
import { getAlignmentAnchor } from "./elaboration/anchor.ts"
import { answerElaboration, startElaboration } from "./elaboration/rounds.ts"
import { getElaboration, skipElaboration, validateElaboration } from "./elaboration/settle.ts"
import { hook } from "./hooks/hook.ts"
import { assignIdea, claimIdea, closeIdea, deleteIdea, releaseIdea, updateIdeaStatus } from "./ideas/idea-life.ts"
import { createIdea, editIdea, getAvailableIdeas, getIdea, getIdeas, getIdeaTree } from "./ideas/ideas.ts"
import { moveIdea } from "./ideas/move-idea.ts"
import { reviewOperations } from "./changes/review-operations.ts"
import { requestChange } from "./change-requests/request-change.ts"
import { diffVersions, getVersion, getVersions } from "./versions/versions.ts"
import { importItems } from "./imports/import-items.ts"
import { inbox } from "./inbox/inbox.ts"
import { getFlow } from "./insights/flow.ts"
import { getSessionTimeline } from "./insights/session-timeline.ts"
import {
  archiveNotification,
  getNotificationPreferences,
  getNotifications,
  markNotificationRead,
  updateNotificationPreferences,
} from "./notifications/notifications.ts"
import { endSignIn, endSignIns, getMe, listSignIns, updateMe } from "./people/me.ts"
import { createSignInLink, inviteMember, updateMember } from "./people/members.ts"
import { getProjectSettings, updateProjectSettings } from "./project-settings/project-settings.ts"
import { getGroupDashboard } from "./projects/group-dashboard.ts"
import { createGroup, deleteGroup, getGroup, listGroups, updateGroup } from "./projects/groups.ts"
import { listVisits, pinProject, visitProject } from "./projects/project-visits.ts"
import { createProject, getProject, listProjects, moveProject, updateProject } from "./projects/projects.ts"
import { validateProposal } from "./proposals/check-proposal.ts"
import { createProposal, updateProposal } from "./proposals/create-proposal.ts"
import { approveProposal, closeProposal, rejectProposal, revokeProposal } from "./proposals/decide.ts"
import {
  addDocumentDraft,
  addTaskDraft,
  getDraftVersions,
  removeDocumentDraft,
  removeTaskDraft,
  updateDocumentDraft,
  updateTaskDraft,
} from "./proposals/drafts.ts"
import { getProposal, getProposals } from "./proposals/read-proposals.ts"
import { compareProposalRevisions, getProposalRevisions } from "./proposals/revisions.ts"
import { submitPlan, submitProposal } from "./proposals/submit-proposal.ts"
import { addReference, removeReference, updateReference } from "./references/references.ts"
import { listReservations, releasePaths, reservePaths, sweepReservations } from "./reservations/reservations.ts"
import { getReviews, submitReview, updateFinding } from "./reviews/reviews.ts"
import { searchMentionables } from "./search/mentionables.ts"
import { search } from "./search/search.ts"
import { buildProposal, previewBuild } from "./runs/build.ts"
import { leaseRun, sweepRuns } from "./runs/lease.ts"
import { getRunPolicy, updateRunPolicy } from "./runs/policy.ts"
import { reportRun } from "./runs/report.ts"
import { listRunRules, revokeRunRule } from "./runs/rules.ts"
import { listRunners } from "./runs/runners.ts"
import { getRunSpend } from "./runs/spend.ts"
import { getRunOutput, getTranscript, searchTranscript } from "./runs/transcript.ts"
import {
  changeRunChoice,
  forkRun,
  getRun,
  interruptRun,
  listRuns,
  resumeRun,
  sendToRun,
  startRun,
  stopRun,
  stopRuns,
} from "./runs/runs.ts"
import {
  checkIn,
  checkOut,
  closeSession,
  createSession,
  getSession,
  heartbeat,
  listSessions,
  reopenSession,
} from "./sessions/sessions.ts"
import {
  assignTask,
  assignTaskToPerson,
  claimTask,
  closeTask,
  markCriteria,
  releaseTask,
  reopenTask,
  submitForVerify,
  verifyTask,
} from "./tasks/task-life.ts"
import { createTasks } from "./tasks/create-tasks.ts"
import { reportSelfCheck } from "./tasks/criterion-marks.ts"
import { deleteTask, updateTask } from "./tasks/update-task.ts"
import { addTaskDependency, removeTaskDependency } from "./tasks/edges.ts"
import { getTask } from "./tasks/task-detail.ts"
import { getAvailableTasks, getUnblockedTasks, listTasks } from "./tasks/task-lists.ts"
import { editTasks } from "./tasks/edit-tasks.ts"
import { deleteLabel, listLabels, updateLabel } from "./labels/labels.ts"
import { deleteView, listViews, saveView, updateView } from "./views/views.ts"
import { sendDigests } from "./notifications/digests.ts"
import { getUsage, reportUsage } from "./usage/usage.ts"
import { dismissDelivery, fetchDeliveries, listDeliveries, redeliver, settleDelivery } from "./deliveries/deliveries.ts"
import { getPush, notePageInView, subscribePush, unsubscribePush } from "./push/push.ts"
import {
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  redeliverWebhook,
  updateWebhook,
} from "./webhooks/webhooks.ts"
import { getBoard } from "./task-work/board.ts"
import { getTaskGraph } from "./task-work/graph.ts"
import { finishTask, moveTask, nextTask, reportWork, startTask } from "./task-work/work.ts"
import { reclaimTask, returnLapsedTasks } from "./sessions/lease.ts"
import { getTaskHistory } from "./task-work/history.ts"
import { getPresence } from "./task-work/presence.ts"
import { getWorkSettings, updateWorkSettings } from "./task-work/settings.ts"
import { health, listEvents, listMembers, version, whoami } from "./workspace/workspace.ts"
import { browsePlugins, curatePlugins, getCuratedPlugins, listMachines, listTerminals } from "./machines/machines.ts"
import { seeTerminal, showTerminal, sweepTerminals } from "./machines/terminals.ts"
import { reportMachine } from "./machines/report.ts"
import { relayTeam } from "./team-room/relay.ts"
import { askShutdown, getTeam, landMember, listTeams, writeToMember } from "./team-room/team-room.ts"

/** Everything the platform can do; a new operation is one file and its line here. */
export const operations: readonly Operation[] = [
  health,
  listLabels,
  updateLabel,
  deleteLabel,
  listViews,
  saveView,
  updateView,
  deleteView,
  editTasks,
  sendDigests,
  getPush,
  subscribePush,
  unsubscribePush,
  notePageInView,
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
  listVisits,
  visitProject,
  pinProject,
  listGroups,
  getGroup,
  createGroup,
  updateGroup,
  deleteGroup,
  relayAnswer,
  answerAttention,
  attentionDelivered,
  createAttention,
  getAttention,
  listAttentions,
  withdrawAttention,
  requestChange,
  ...reviewOperations,
  diffVersions,
  getVersion,
  getVersions,
  needsYou,
  listReservations,
  releasePaths,
  reservePaths,
  sweepReservations,
  checkIn,
  checkOut,
  closeSession,
  createSession,
  getSession,
  heartbeat,
  listSessions,
  reopenSession,
  assignTask,
  assignTaskToPerson,
  claimTask,
  releaseTask,
  createTasks,
  markCriteria,
  reportSelfCheck,
  deleteTask,
  addTaskDependency,
  removeTaskDependency,
  closeTask,
  reopenTask,
  submitForVerify,
  verifyTask,
  getTask,
  getAvailableTasks,
  getUnblockedTasks,
  listTasks,
  updateTask,
  getUsage,
  reportUsage,
  getBoard,
  getTaskGraph,
  finishTask,
  getTaskHistory,
  moveTask,
  getPresence,
  reclaimTask,
  returnLapsedTasks,
  getWorkSettings,
  updateWorkSettings,
  nextTask,
  startTask,
  reportWork,
  addAttachment,
  getAttachment,
  listAttachments,
  removeAttachment,
  createDocument,
  createReport,
  deleteDocument,
  getDocument,
  getDocuments,
  updateDocument,
  exportDocument,
  getAlignmentAnchor,
  answerElaboration,
  startElaboration,
  getElaboration,
  skipElaboration,
  validateElaboration,
  assignIdea,
  claimIdea,
  releaseIdea,
  createIdea,
  editIdea,
  closeIdea,
  deleteIdea,
  updateIdeaStatus,
  moveIdea,
  getAvailableIdeas,
  getIdea,
  getIdeas,
  getIdeaTree,
  getProjectSettings,
  updateProjectSettings,
  validateProposal,
  createProposal,
  updateProposal,
  approveProposal,
  closeProposal,
  rejectProposal,
  revokeProposal,
  addDocumentDraft,
  addTaskDraft,
  getDraftVersions,
  removeDocumentDraft,
  removeTaskDraft,
  updateDocumentDraft,
  updateTaskDraft,
  getProposal,
  getProposals,
  compareProposalRevisions,
  getProposalRevisions,
  submitPlan,
  submitProposal,
  addReference,
  removeReference,
  updateReference,
  getReviews,
  submitReview,
  updateFinding,
  getActivity,
  createBridge,
  listBridges,
  deleteBridge,
  listChannels,
  addChannel,
  removeChannel,
  tryChannel,
  checkin,
  importItems,
  inbox,
  getMyAssignments,
  addComment,
  deleteComment,
  editComment,
  getComments,
  getFlow,
  getSessionTimeline,
  archiveNotification,
  getNotificationPreferences,
  getNotifications,
  markNotificationRead,
  updateNotificationPreferences,
  getGroupDashboard,
  searchMentionables,
  search,
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  redeliverWebhook,
  updateWebhook,
  hook,
  startRun,
  listRuns,
  getRun,
  getTranscript,
  sendToRun,
  interruptRun,
  stopRun,
  stopRuns,
  changeRunChoice,
  forkRun,
  searchTranscript,
  getRunOutput,
  buildProposal,
  previewBuild,
  getRunPolicy,
  updateRunPolicy,
  getRunSpend,
  listRunRules,
  revokeRunRule,
  resumeRun,
  listRunners,
  leaseRun,
  sweepRuns,
  reportRun,
  reportMachine,
  fetchDeliveries,
  settleDelivery,
  listDeliveries,
  redeliver,
  dismissDelivery,
  browsePlugins,
  listMachines,
  sweepTerminals,
  listTerminals,
  showTerminal,
  seeTerminal,
  getCuratedPlugins,
  curatePlugins,
  listTeams,
  getTeam,
  writeToMember,
  askShutdown,
  landMember,
  relayTeam,
]
