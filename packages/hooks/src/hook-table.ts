import type { ClaudePlugin } from "./claude-plugin.ts"

/** One thing Claude Code tells a plugin of. */
interface Heard {
  readonly event: string
  readonly matcher?: string | Readonly<Record<ClaudePlugin, string>>
  /** What the hook program is told that it is, where the event's name does not say enough. */
  readonly as?: string
  readonly seconds: number
  /** Goes without a process of its own where Claude Code can do that: to the one that serves the session, with these fields. */
  readonly fields?: readonly string[]
  /** Known to the versions that today's plugin is for, and not in February. */
  readonly later?: true
}

const AGENT = ["agent_id", "agent_type"]
const CALL = ["tool_name", "tool_use_id", ...AGENT]
/** The tool that starts a sub-agent was called Task up to 2.1.62. */
const SPAWN = { chorus: "Agent", "chorus-legacy": "Task|Agent" }
/** Tools that ask the person something themselves. */
const TALKS = "AskUserQuestion|ExitPlanMode"

/**
 * What must not be lost, and what may not go to a server, goes by a process of its own. The old plugin keeps to the
 * events of 2.1.41.
 */
const HEARD: readonly Heard[] = [
  { event: "SessionStart", matcher: "startup|resume|clear|compact", seconds: 10 },
  { event: "UserPromptSubmit", seconds: 5 },
  { event: "PreToolUse", matcher: "EnterPlanMode", as: "EnterPlanMode", seconds: 5 },
  { event: "PreToolUse", matcher: "ExitPlanMode", as: "ExitPlanMode", seconds: 5 },
  { event: "PreToolUse", matcher: SPAWN, seconds: 10, fields: [...CALL, "tool_input"] },
  { event: "PreToolUse", matcher: "SendMessage", seconds: 10, fields: [...CALL, "tool_input"] },
  { event: "PostToolUse", matcher: SPAWN, seconds: 10, fields: [...CALL, "tool_input", "tool_response"] },
  { event: "PostToolUse", matcher: TALKS, seconds: 10, fields: CALL },
  { event: "PostToolUseFailure", matcher: SPAWN, seconds: 10, fields: [...CALL, "transcript_path"] },
  { event: "SubagentStart", seconds: 10, fields: AGENT },
  { event: "SubagentStop", seconds: 10 },
  // What comes instead of its end where its model failed a sub-agent; up to 2.1.62 that came all the same.
  { event: "StopFailure", seconds: 10, fields: [...AGENT, "transcript_path"], later: true },
  { event: "TeammateIdle", seconds: 10, fields: [...AGENT, "teammate_name", "team_name"] },
  { event: "TaskCompleted", seconds: 10 },
  // It waits for as long as the dialog is open.
  { event: "PermissionRequest", seconds: 7 * 24 * 3600 },
  {
    event: "Notification",
    matcher: { chorus: "idle_prompt|agent_needs_input", "chorus-legacy": "idle_prompt|elicitation_dialog" },
    seconds: 10,
  },
  { event: "Elicitation", seconds: 10, fields: ["mcp_server_name", "message", "requested_schema"], later: true },
  { event: "ElicitationResult", seconds: 10, fields: ["mcp_server_name"], later: true },
  // Without a server Claude Code would tell its person of an error at the end of every turn.
  { event: "Stop", seconds: 10 },
  { event: "SessionEnd", seconds: 10 },
]

const SAYS = {
  chorus:
    "Spawns and starts go to the process that serves the session; what must not be lost, and what may not go there, by one of its own.",
  "chorus-legacy": "Events and hook types of Claude Code 2.1.41; later versions know more.",
}

/** What a plugin's hooks.json says. */
export function hooksFile(plugin: ClaudePlugin) {
  const known = HEARD.filter(({ later }) => plugin === "chorus" || later !== true)
  const events = Map.groupBy(known, ({ event }) => event)
  return {
    description: SAYS[plugin],
    hooks: Object.fromEntries([...events].map(([event, all]) => [event, all.map((heard) => group(heard, plugin))])),
  }
}

function group(heard: Heard, plugin: ClaudePlugin) {
  const matcher = typeof heard.matcher === "object" ? heard.matcher[plugin] : heard.matcher
  const hook = heard.fields === undefined || plugin === "chorus-legacy" ? byProgram(heard) : byConnection(heard.fields)
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [{ ...hook, timeout: heard.seconds }] }
}

function byProgram({ event, as = event }: Heard) {
  return { type: "command", command: `"\${CLAUDE_PLUGIN_ROOT}"/bin/chorus-hook ${as}` }
}

function byConnection(fields: readonly string[]) {
  const input = ["hook_event_name", "session_id", "cwd", ...fields].map((field) => [field, `\${${field}}`])
  return { type: "mcp_tool", server: "plugin:chorus:hooks", tool: "chorus_hook", input: Object.fromEntries(input) }
}
