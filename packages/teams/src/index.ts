export { type NewMember } from "./files/config-file.ts"
export { type Received } from "./files/inbox-file.ts"
export { isSafeName, safeName } from "./files/name.ts"
export { type NewTask, type TaskPatch } from "./files/task-list.ts"
export { type ClaimRules, openBlockers } from "./files/task-rules.ts"
export { claudeConfigDir, teamNames } from "./files/team-paths.ts"
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
export { type Clock, createTeam, type Letter, type NewTeam, openTeam, Team, type TeamPlace } from "./team.ts"
