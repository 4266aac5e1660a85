export { type AppendedLines, appendedLines } from "./appended-lines.ts"
export {
  type HookCall,
  isAgent,
  isRecord,
  isTerminalId,
  type LineFacts,
  lineFrom,
  readAt,
  readHookCall,
  readResumeCommand,
  readStatusLine,
  resumeCommandFor,
  withoutEmpty,
} from "./read-line.ts"
export { oneLine, summaryOf, titleFromPrompt, wholeText } from "./text.ts"
export { questionText, toolDetail, wholeRequest } from "./tool-detail.ts"
