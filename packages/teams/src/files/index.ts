export {
  addMember,
  createConfig,
  type NewMember,
  patchMember,
  readConfig,
  refuseAnothersInbox,
  removeMember,
  requireMember,
  updateConfig,
} from "./config-file.ts"
export { eraOf } from "./era.ts"
export { teamFileFault, teamGone } from "./file-fault.ts"
export {
  allIn,
  allInNow,
  appendToInbox,
  historyFolder,
  historyOf,
  historySince,
  idOf,
  openInbox,
  type Received,
  takeFromInbox,
  unreadIn,
} from "./inbox-file.ts"
export { appendJsonLines, jsonLines } from "./json-lines.ts"
export { fileNameOf, isFileName, isSafeName, personName, safeName, sameName } from "./name.ts"
export { readJson, tryReadJson } from "./patient-json.ts"
export { removeTeam } from "./remove-team.ts"
export { changeTasks, readTasks } from "./task-files.ts"
export {
  claimNext,
  claimTask,
  createTask,
  getTask,
  listTasks,
  type NewTask,
  releaseTasksOf,
  type TaskPatch,
  updateTask,
} from "./task-list.ts"
export { type ClaimRules, openBlockers } from "./task-rules.ts"
export { withTeamLock } from "./team-lock.ts"
export { claudeConfigDir, entriesOf, refuseLinks, teamNames, teamPaths, type TeamPaths } from "./team-paths.ts"
