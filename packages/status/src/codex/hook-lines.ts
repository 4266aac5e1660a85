import type { StatusLine } from "@chorus/contracts"
import { errorText, UNDER_WAY } from "./rollout.ts"
import {
  type HookCall,
  isRecord,
  type LineFacts,
  lineFrom,
  oneLine,
  resumeCommandFor,
  summaryOf,
  titleFromPrompt,
  toolDetail,
  wholeRequest,
} from "../line/index.ts"

/** What one Codex hook call says about its terminal; empty when it says nothing. */
export function codexHookLines(call: HookCall): StatusLine[] {
  const { payload } = call
  const line = (event: StatusLine["event"], facts: LineFacts = {}) => lineFrom(call, event, facts)
  const sub = typeof payload["agent_id"] === "string"
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      // It comes with the first prompt, after a compaction too; only the prompt itself starts a turn.
      return [payload["source"] === "compact" ? line("note") : line("idle", { only: ["unknown", "idle", "finished"] })]
    case "UserPromptSubmit":
      if (sub) return [line("running")]
      return [
        line("running", {
          turnStart: true,
          resumeCommand: resumeCommandFor("codex", payload["session_id"]),
          sessionTitle: titleFromPrompt(payload["prompt"]),
          titleOrigin: "prompt",
        }),
      ]
    case "PreToolUse":
      if (payload["tool_name"] === "request_user_input" && !sub)
        return [line("running"), line("needsInput", { toolDetail: detail(payload) })]
      return [line("running", { toolDetail: detail(payload) })]
    case "PermissionRequest":
      return [
        line("running", { toolDetail: detail(payload) }),
        line("needsInput", {
          toolDetail: askedFor(payload),
          asks: call.isCut ? undefined : wholeRequest(payload["tool_name"], payload["tool_input"]),
        }),
      ]
    case "PostToolUse":
      // A command that was left going ends when its turn may long be over; that begins no other one.
      return [line("running", { only: UNDER_WAY, toolError: !sub && toolFailed(payload["tool_response"]) })]
    case "PreModelRequest":
    case "SubagentStart":
    case "SubagentStop":
      return [line("running")]
    case "PostModelRequest":
      if (sub || payload["status"] !== "failed") return []
      // Codex may try again; its next model request takes this back. When it does not, no other hook comes.
      return [
        line("finished", {
          exitCode: 1,
          provisional: true,
          reason: `the model request failed: ${errorText(payload["error"])}`,
        }),
      ]
    case "Stop":
      return [
        line("finished", {
          summary: summaryOf(payload["last_assistant_message"]),
          resumeCommand: resumeCommandFor("codex", payload["session_id"]),
        }),
      ]
    case "Interrupt":
      return [line("idle", { reason: "interrupted by the person" })]
    case "PreCompact":
      return [line("running", { toolDetail: "Compacting the conversation" })]
    case "PostCompact":
      return [payload["trigger"] === "auto" ? line("running") : line("idle", { only: ["running"] })]
    case "SessionEnd":
      return [line("exited")]
    default:
      return []
  }
}

function detail(payload: Record<string, unknown>): string | undefined {
  const label = toolDetail(payload["tool_name"], payload["tool_input"], payload["cwd"])
  return typeof payload["agent_type"] === "string" && label !== undefined
    ? oneLine(`${payload["agent_type"]}: ${label}`, 120)
    : label
}

/** What waits is the command; the model's reason for it is only what the model says. */
function askedFor(payload: Record<string, unknown>): string | undefined {
  const input = payload["tool_input"]
  const [asked, reason] = [detail(payload), isRecord(input) ? oneLine(input["description"], 120) : undefined]
  return asked === undefined || reason === undefined ? (asked ?? reason) : oneLine(`${asked} (${reason})`)
}

/** Patches begin with their exit code. A command's output does not: its exit code is in the rollout alone (rollout.ts). */
function toolFailed(response: unknown): boolean {
  if (isRecord(response)) return response["is_error"] === true || response["isError"] === true
  return typeof response === "string" && /^Exit code: (?!0\b)/.test(response)
}
