import type { HookEvent, HookOutput } from "@chorus/contracts"
import { fieldsOf } from "./event-field.ts"

/** Codex's spawn in the words of Claude Code's: another name for the tool, the prompt and the call. Everything else it says alike. */
export function fromCodex(event: HookEvent): HookEvent {
  if (event.tool_name === undefined || !event.tool_name.endsWith("spawn_agent")) return event
  const input = fieldsOf(event.tool_input) ?? {}
  const begun = event.hook_event_name !== "PostToolUse" || fieldsOf(event.tool_response)?.["task_name"] !== undefined
  return {
    ...event,
    hook_event_name: begun ? event.hook_event_name : "PostToolUseFailure",
    tool_name: "Agent",
    tool_input: {
      prompt: input["message"],
      description: input["task_name"],
      subagent_type: input["agent_type"] ?? "default",
      run_in_background: true,
    },
    ...(event.tool_use_id === undefined ? {} : { tool_use_id: `toolu_${event.tool_use_id}` }),
  }
}

/** The answer as Codex takes it: the whole input with the new message, allowed, which is what a spawn is anyway. */
export function toCodex(event: HookEvent, answer: HookOutput): HookOutput {
  const { updatedInput, ...rest } = answer.hookSpecificOutput ?? { hookEventName: event.hook_event_name }
  if (updatedInput === undefined) return answer
  return {
    ...answer,
    hookSpecificOutput: {
      ...rest,
      permissionDecision: "allow",
      updatedInput: { ...fieldsOf(event.tool_input), message: updatedInput["prompt"] },
    },
  }
}
