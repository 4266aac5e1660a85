export { claudeArguments } from "./claude/settings-flag.ts"
export { codexArguments, trustedHash } from "./codex/hook-flags.ts"
export { type BoardAddress, codexConnection, type ConnectionStep, openCodeConnection } from "./connect/connection.ts"
export { folderNotes, settleFolders } from "./connect/hook-program.ts"
export { filesWithWrappers } from "./doctor/shell-check.ts"
export { statusChecks, type StatusCheck } from "./doctor/status-checks.ts"
export { type ReportedRun, runReported } from "./launch/reported-run.ts"
export { statusPrograms } from "./launch/programs.ts"
export { findRealProgram, installedVersion } from "./launch/real-program.ts"
export { placeOf } from "./launch/terminal-identity.ts"
export { isOlder } from "./launch/version.ts"
export {
  removeTraces,
  type Shell,
  shellCode,
  SHELLS,
  shellUndo,
  shimFolder,
  writeShellFile,
  writeShims,
} from "./launch/shims.ts"
export { isAgent, readResumeCommand, resumeCommandFor } from "./line/index.ts"
export {
  forgetTerminal,
  ping,
  readRows,
  type RowWatch,
  tellTerminal,
  type TerminalAct,
  watchRows,
} from "./listener/listener-client.ts"
export { type AgentHere, agentsHere } from "./watch/agents-here.ts"
export { processTable } from "./watch/process-table.ts"
export { ensureListener, isListenerKnown, listenerCommand } from "./listener/on-demand.ts"
export { cacheFolder, socketPath } from "./listener/socket-path.ts"
export { startStatusService, type StatusService, type StatusServiceOptions } from "./listener/status-service.ts"
export type { StatusForwarder } from "./listener/terminal-book.ts"
export { desktopChannel } from "./notify/desktop-channel.ts"
export {
  noticeFor,
  type Notice,
  type NotificationChannel,
  notificationForwarder,
  type NotifierOptions,
} from "./notify/notifier.ts"
export { notifySettings } from "./notify/notify-settings.ts"
export {
  type ResumeEntry,
  type ResumePlace,
  type ResumeStore,
  resumeStore,
  stateFolder,
} from "./resume/resume-store.ts"
export { LINE_FORMATS, type LineFormat, promptLine } from "./view/prompt-line.ts"
export { type Painter, screenLines } from "./view/screen.ts"
export { age, byUrgency, stateLook, type StateLook, story } from "./view/state-look.ts"
