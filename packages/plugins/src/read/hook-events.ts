export const HANDLER_TYPES = ["command", "http", "mcp_tool", "prompt", "agent"] as const
export type HandlerType = (typeof HANDLER_TYPES)[number]

const ALL: readonly HandlerType[] = HANDLER_TYPES
const START: readonly HandlerType[] = ["command", "mcp_tool"]
const PLAIN: readonly HandlerType[] = ["command", "http", "mcp_tool"]

/** Every event of Claude Code, with the handler types that run on it; the others are accepted in the file and never run. */
export const HOOK_EVENTS: ReadonlyMap<string, readonly HandlerType[]> = new Map([
  ["SessionStart", START],
  ["Setup", START],
  ["InstructionsLoaded", PLAIN],
  ["UserPromptSubmit", ALL],
  ["UserPromptExpansion", ALL],
  ["PreToolUse", ALL],
  ["PermissionRequest", ALL],
  ["PermissionDenied", ALL],
  ["PostToolUse", ALL],
  ["PostToolUseFailure", ALL],
  ["PostToolBatch", ALL],
  ["Notification", PLAIN],
  ["MessageDisplay", PLAIN],
  ["SubagentStart", PLAIN],
  ["SubagentStop", ALL],
  ["TaskCreated", ALL],
  ["TaskCompleted", ALL],
  ["Stop", ALL],
  ["StopFailure", PLAIN],
  ["TeammateIdle", ALL],
  ["ConfigChange", PLAIN],
  ["CwdChanged", PLAIN],
  ["DirectoryAdded", PLAIN],
  ["FileChanged", PLAIN],
  ["WorktreeCreate", PLAIN],
  ["WorktreeRemove", PLAIN],
  ["PreCompact", PLAIN],
  ["PostCompact", PLAIN],
  ["PreModelSwitch", PLAIN],
  ["PostModelSwitch", PLAIN],
  ["Elicitation", PLAIN],
  ["ElicitationResult", PLAIN],
  ["SessionEnd", PLAIN],
])

/** Events that guard permissions: a hook here that cannot be loaded takes the whole plugin down. */
export const GATING_EVENTS: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"])
