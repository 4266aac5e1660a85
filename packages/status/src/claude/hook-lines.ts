import type { StatusLine } from "@chorus/contracts"
import {
  type HookCall,
  isRecord,
  type LineFacts,
  lineFrom,
  oneLine,
  questionText,
  resumeCommandFor,
  summaryOf,
  titleFromPrompt,
  toolDetail,
  wholeRequest,
} from "../line/index.ts"

/** Tools that are a question to the person. */
const ASKING_TOOLS = new Set(["AskUserQuestion", "ExitPlanMode"])

/** What one Claude Code hook call says about its terminal; empty when it says nothing. */
export function claudeHookLines(call: HookCall): StatusLine[] {
  const { payload } = call
  const line = (event: StatusLine["event"], facts: LineFacts = {}) => lineFrom(call, event, facts)
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      if (payload["source"] === "compact") return [line("note")]
      // What is brought back is open here from now on; what is new cannot be brought back before its first prompt.
      return [line("idle", payload["source"] === "resume" ? { resumeCommand: resumeCommand(call) } : {})]
    case "UserPromptSubmit":
      return [line("running", { turnStart: true, ...promptFacts(call) })]
    case "PreToolUse":
      return asks(payload["tool_name"])
        ? [line("running"), line("needsInput", { toolDetail: detail(call) })]
        : [line("running", { toolDetail: detail(call) })]
    case "PermissionRequest":
      return [
        line("running", { toolDetail: detail(call) }),
        // A yes is no answer to a question.
        line("needsInput", {
          toolDetail: detail(call),
          ask: asks(payload["tool_name"]) ? undefined : call.ask,
          asks: call.isCut ? undefined : wholeRequest(payload["tool_name"], payload["tool_input"]),
        }),
      ]
    case "Elicitation":
      return [line("running"), line("needsInput", { toolDetail: oneLine(payload["message"]) })]
    case "ElicitationResult":
    case "PermissionDenied":
    case "SubagentStart":
      return [line("running")]
    case "PostToolUse":
      return [line("running", { toolError: responseFailed(payload["tool_response"]) && !isSubagent(call) })]
    case "PostToolUseFailure":
      return [payload["is_interrupt"] === true ? line("note") : line("running", { toolError: !isSubagent(call) })]
    case "Notification":
      return notification(call, line)
    case "Stop":
      return stop(call, line)
    case "StopFailure":
      // What a sub-agent came to is told to the agent, whose turn goes on.
      if (payload["agent_id"] !== undefined) return []
      return [line("finished", { exitCode: 1, reason: `the model request failed: ${failureText(payload)}` })]
    case "PreCompact":
      return [line("running", { toolDetail: "Compacting the conversation" })]
    case "PostCompact":
      // A compaction the person asked for is a turn of its own and has no Stop.
      return [payload["trigger"] === "manual" ? line("idle", { only: ["running"] }) : line("running")]
    case "SessionEnd":
      return [endsProcess(payload["reason"]) ? line("exited") : line("note")]
    default:
      return []
  }
}

type MakeLine = (event: StatusLine["event"], facts?: LineFacts) => StatusLine

/** Sub-agents still at work keep the terminal running: their end brings the main agent back by itself. */
function stop(call: HookCall, line: MakeLine): StatusLine[] {
  const tasks = call.payload["background_tasks"]
  const agents = (Array.isArray(tasks) ? tasks : []).filter(
    (task) => isRecord(task) && task["type"] === "subagent" && task["status"] === "running",
  )
  if (agents.length > 0) {
    const names = agents
      .map((task) => (isRecord(task) ? oneLine(task["description"], 40) : undefined) ?? "agent")
      .join(", ")
    return [
      line("running", {
        toolDetail: oneLine(
          `Waiting for ${agents.length} background agent${agents.length > 1 ? "s" : ""}: ${names}`,
          120,
        ),
      }),
    ]
  }
  return [
    line("finished", {
      summary: summaryOf(call.payload["last_assistant_message"]),
      resumeCommand: resumeCommand(call),
    }),
  ]
}

/** One hook carries three different things: a request, a heartbeat after a minute of nothing, and mere news. */
function notification(call: HookCall, line: MakeLine): StatusLine[] {
  const kind = call.payload["notification_type"]
  const message = String(call.payload["message"] ?? "")
  if (kind === "idle_prompt" || (kind === undefined && /waiting for your input/i.test(message))) {
    return [line("idle", { only: ["running", "unknown"], reason: "Claude Code says it is waiting for a prompt" })]
  }
  const asking =
    kind === "permission_prompt" || kind === "elicitation_dialog" || (kind === undefined && /permission/i.test(message))
  return [asking ? line("needsInput") : line("note")]
}

function promptFacts(call: HookCall): LineFacts {
  return {
    resumeCommand: resumeCommand(call),
    sessionTitle: titleFromPrompt(call.payload["prompt"]),
    titleOrigin: "prompt",
  }
}

function resumeCommand({ payload }: HookCall): string | undefined {
  return resumeCommandFor("claude", payload["session_id"])
}

function detail(call: HookCall): string | undefined {
  const { payload } = call
  const input = payload["tool_input"]
  const label =
    (isRecord(input) ? questionText(input["questions"]) : undefined) ??
    toolDetail(payload["tool_name"], input, payload["cwd"])
  return isSubagent(call) && label !== undefined ? oneLine(`${String(payload["agent_type"])}: ${label}`, 120) : label
}

function isSubagent(call: HookCall): boolean {
  return typeof call.payload["agent_id"] === "string"
}

function asks(tool: unknown): boolean {
  return typeof tool === "string" && ASKING_TOOLS.has(tool)
}

function responseFailed(response: unknown): boolean {
  return isRecord(response) && response["is_error"] === true
}

function failureText(payload: Record<string, unknown>): string {
  return oneLine(payload["last_assistant_message"], 160) ?? oneLine(payload["error"], 160) ?? "no reason given"
}

/** `/clear` and switching sessions end a session, not the agent. */
function endsProcess(reason: unknown): boolean {
  return reason !== "clear" && reason !== "resume"
}
