import { type HookEvent, type HookOutput, hooks } from "@chorus/contracts"
import { operation, type OperationContext } from "../../operation.ts"
import { agentFailed, agentStopped } from "./agent-end.ts"
import { agentUsed } from "./agent-usage.ts"
import { fromCodex, toCodex } from "./codex-event.ts"
import { isOfRun } from "../runs/run-record.ts"
import { answerAwaited, answeredThere, notified, permissionAsked, serverAsked } from "./question.ts"
import { programLives, sessionEnded, sessionStarted, stateAfter, turnTaken } from "./session-life.ts"
import { afterSpawn, agentStarted, beforeSpawn, spawnFailed } from "./spawn.ts"
import { memberIdle, memberLeaves, taskCompleted } from "./team-turn.ts"
import { lost } from "./lost-agent.ts"
import { begun, unshown } from "./unshown.ts"

type Handler = (context: OperationContext, event: HookEvent) => Promise<HookOutput>

/** Tools that talk to the person themselves. */
const TALKING = new Set(["AskUserQuestion", "ExitPlanMode"])

/**
 * After these the hook program is there to show what was handed in, and to keep the line of state for the prompt that
 * follows; a spawn that has returned is told of without it.
 */
const ENDS = new Set(["SubagentStop", "TaskCompleted", "Stop"])

/** With these a session may be checked in. */
const BEGINS = new Set(["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"])

/** With these sub-agents may be over of which nothing else tells. */
const LOSES = new Set(["SessionStart", "SessionEnd", "Stop", "Notification", "PostToolUseFailure"])

const HANDLERS: ReadonlyMap<string, Handler> = new Map(
  Object.entries({
    SessionStart: sessionStarted,
    SessionEnd: sessionEnded,
    Beat: programLives,
    Usage: agentUsed,
    UserPromptSubmit: turnTaken,
    Stop: turnTaken,
    PreToolUse: async (context, event) =>
      event.tool_name === "SendMessage" ? memberLeaves(context, event) : onSpawns(beforeSpawn)(context, event),
    PostToolUse: async (context, event) =>
      TALKING.has(event.tool_name ?? "") ? answeredThere(context, event) : onSpawns(afterSpawn)(context, event),
    PostToolUseFailure: onSpawns(spawnFailed),
    SubagentStart: agentStarted,
    SubagentStop: agentStopped,
    StopFailure: agentFailed,
    TeammateIdle: memberIdle,
    TaskCompleted: taskCompleted,
    PermissionRequest: permissionAsked,
    PermissionAnswer: answerAwaited,
    Notification: notified,
    Elicitation: serverAsked,
    ElicitationResult: answeredThere,
  }),
)

/** Events nobody here knows are answered with nothing, so that a newer program is never held up. */
export const hook = operation(hooks.hook, async (context, told) => {
  const event = told.program === "codex" ? fromCodex(told) : told
  // A run tells of its agent itself; hooks that fire in it as well would make it two.
  if (event.session_id !== undefined && (await isOfRun(context, event.session_id))) return {}
  const said = (await HANDLERS.get(event.hook_event_name)?.(context, event)) ?? {}
  const over = ENDS.has(event.hook_event_name)
  const changes = over ? await unshown(context, event) : []
  const state = over && said.chorus?.needs === undefined ? await stateAfter(context, event) : undefined
  const started = BEGINS.has(event.hook_event_name) ? await begun(context, event) : []
  const ended = LOSES.has(event.hook_event_name) ? await lost(context, event) : []
  const more = {
    ...(changes.length === 0 ? {} : { changes }),
    ...(started.length === 0 ? {} : { begun: started }),
    ...(ended.length === 0 ? {} : { lost: ended }),
    ...(state === undefined ? {} : { state }),
  }
  const answer = Object.keys(more).length === 0 ? said : { ...said, chorus: { ...said.chorus, ...more } }
  return told.program === "codex" ? toCodex(told, answer) : answer
})

/** The tool that starts a sub-agent; it was called Task up to 2.1.62. */
function onSpawns(handler: Handler): Handler {
  return async (context, event) =>
    event.tool_name === "Agent" || event.tool_name === "Task" ? handler(context, event) : {}
}
