export { agentType, type AgentType, agentTypes } from "./agents/agent-type.ts"
export { type MemberFlags, memberFlags } from "./agents/claude-flags.ts"
export { memberEnvironment } from "./agents/environment.ts"
export { reachOf, toolsBeyond } from "./agents/permission-table.ts"
export { requireKeepsToPlan } from "./agents/plan-keeping.ts"
export { requireProgram } from "./agents/program.ts"
export { teamTools } from "./agents/team-tools.ts"
export { type Backend, type Placement, type Running } from "./backends/backend.ts"
export { tmuxBackend, tmuxPane } from "./backends/tmux.ts"
export { examineTeams } from "./doctor/examine.ts"
export { type Finding } from "./doctor/finding.ts"
export {
  type ClaimRules,
  claudeConfigDir,
  fileNameOf,
  isSafeName,
  type NewMember,
  type NewTask,
  openBlockers,
  personName,
  type Received,
  safeName,
  type TaskPatch,
  teamNames,
} from "./files/index.ts"
export type { SpawnRequest } from "./mcp/server.ts"
export { serveTeamTools } from "./mcp/stdio.ts"
export { type ObserverOptions, TeamObserver } from "./observer/team-observer.ts"
export { bodyOf, kindOf } from "./protocol/body.ts"
export {
  answerPermission,
  answerPlan,
  answerShutdown,
  assignTask,
  broadcast,
  notifyIdle,
  requestPermission,
  requestPlanApproval,
  requestShutdown,
  sendMessage,
} from "./protocol/send.ts"
export { type RelayOptions, TeamRelay } from "./relay/team-relay.ts"
export { isDeadAndOurs } from "./runtime/dead-member.ts"
export { hostOf, memberLiveness } from "./runtime/host-note.ts"
export { type Driver, type PermissionAnswer, type ShutdownAnswer, type Turn } from "./runtime/driver.ts"
export { type MemberEvent, MemberHost, type MemberOptions } from "./runtime/member-host.ts"
export {
  type AgentChoice,
  driverFor,
  logPath,
  memberArgv,
  ownProcessBackend,
  processBackend,
  requireAgent,
  runMember,
} from "./runtime/member-program.ts"
export { requireOwnVoice } from "./runtime/own-voice.ts"
export { cameByItself, noteOwnSign } from "./runtime/own-reader.ts"
export { endOrphan, type Progress, progressOf } from "./runtime/progress.ts"
export {
  membersWithWorktrees,
  type MemberWorktree,
  type PlanDecider,
  type SpawnNote,
  spawnNoteOf,
  writeSpawnNote,
} from "./runtime/spawn-note.ts"
export { restartMember, type Spawn, startMember, usualDecider } from "./runtime/start-member.ts"
export {
  type Clock,
  createTeam,
  forgetTeam,
  type Letter,
  type NewTeam,
  openTeam,
  openTeamOn,
  Team,
  type TeamPlace,
} from "./team.ts"
export { watchFolder, type Watching } from "./watch.ts"
