export { agentPermissions, type Caller, meets, personPermissions } from "./permissions.ts"
export { addToHistory, beginHistory, compareLines, continueHistory, HISTORY_LIMIT, type StatusHistory } from "./status/history.ts"
export { statusRow, type TerminalStatus, unknownTerminal } from "./status/terminal.ts"
export { applyStatusLine } from "./status/transition.ts"
