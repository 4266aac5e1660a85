export { plainWords } from "./plain-words.ts"
export { projectKeyFrom, shortIdOf } from "./short-id.ts"
export { danglingDependencies, dependencyCircles, type DraftNode } from "./draft-graph.ts"
export {
  answerFaults,
  type AskedQuestion,
  elaborationStatus,
  MAX_ROUNDS,
  questionFaults,
  roundStatus,
} from "./elaboration.ts"
export { faultOf, formQuestions, saidTo } from "./form-questions.ts"
export { hostReach, type HostReach, isLoopbackUrl } from "./host-reach.ts"
export { asForest, closesCircle, type Descendant } from "./idea-lineage.ts"
export { type IdeaFacts, ideaStanding, type ProposalFacts, type Standing, type WorkState } from "./idea-status.ts"
export { acceptanceStatus, acceptanceSummary, type MarkedCriterion, maySucceed } from "./acceptance.ts"
export { Bell } from "./bell.ts"
export { globsOverlap, normalGlob } from "./glob-conflict.ts"
export { type HeldTask, type Lease, leaseOf, patienceWith, sessionStatus, WATCHED_MINUTES } from "./lease.ts"
export { type Claimant, type Holder, holds } from "./ownership.ts"
export { clip, closeness, condensed, passagesAbout } from "./passages.ts"
export { agentPermissions, type Caller, meets, personPermissions } from "./permissions.ts"
export { checkProposal, type InputToCheck, type ProposalToCheck, type TaskToCheck } from "./proposal-checks.ts"
export { teamFields, teamWords, toolWords, wordsIn } from "./team-words.ts"
export { afterStep, type Author, isOwnProposal, type ProposalStep, stepFrom } from "./proposal-status.ts"
export { type GivenReview, nextFindingKey, type RaisedFinding, reviewGate, verdictFault } from "./review-gate.ts"
export {
  addToHistory,
  beginHistory,
  compareLines,
  continueHistory,
  HISTORY_LIMIT,
  type StatusHistory,
} from "./status/history.ts"
export { isNewFailure, statusRow, type TerminalStatus, unknownTerminal } from "./status/terminal.ts"
export { applyStatusLine } from "./status/transition.ts"
export {
  atOnce,
  chainWeights,
  criticalPath,
  findCycle,
  type GraphEdge,
  graphLayout,
  type GraphTask,
  leadsTo,
  type Steps,
  waves,
} from "./task-graph.ts"
export {
  actionForMove,
  isFinished,
  nextTaskStatus,
  TASK_TRANSITIONS,
  type TaskAction,
  taskStatusesFor,
} from "./task-status.ts"
export {
  dayOf,
  FLOW_STATUSES,
  flowByDay,
  type FlowDay,
  type FlowStatus,
  lastDays,
  spreadOf,
  type TaskStepFact,
} from "./insights.ts"
export { type Mention, mentionsIn, type Named, namedIn, preview } from "./mentions.ts"
export {
  answerWords,
  changeAsked,
  changeDecided,
  type Bond,
  bondsOf,
  NOTIFICATION_RULES,
  type NotificationRule,
  type Party,
  recipientsOf,
  settledBy,
  settledByKind,
} from "./notification-rules.ts"
export { pathOfCall, pathOfNotification, pathOfWaiting } from "./notification-place.ts"
export { searchTerms, snippet } from "./search-text.ts"
export { extraPlugins, pluginDeviations } from "./plugin-deviations.ts"
export { programPlaces } from "./program-path.ts"
export {
  type Account,
  answersAsk,
  askSubject,
  type BudgetVerdict,
  type CallStreak,
  callStreak,
  judgeSpend,
  tellsCost,
} from "./run-budget.ts"
export { type Admission, admission, type WantedRun } from "./run-admission.ts"
export {
  afterFact,
  isAtWork,
  isEnded,
  mayFollow,
  QUEUED_RUN,
  type RunFact,
  type RunProgress,
  runTime,
  SIGN_IN_NEEDED,
} from "./run-state.ts"
export {
  patchHead,
  type PatchHead,
  type PatchRow,
  type PatchRowKind,
  patchRows,
  patchSections,
  type PatchStatus,
} from "./patch.ts"
export { anchorAt, type LineAnchor, lineOf } from "./line-anchor.ts"
export { type MeetingFile, meetInLines } from "./line-overlap.ts"
export { withoutSecrets } from "./obvious-secrets.ts"
export { type CheckedTree, type Scripts, touchedBy } from "./check-files.ts"
export { type ChangeCircumstances, type ChangePoint, changePoints, type PointedFile } from "./change-points.ts"
export { usualProgram } from "./usual-program.ts"
