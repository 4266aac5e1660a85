import type { HookOutput } from "@chorus/contracts"
import { encode } from "gpt-tokenizer"
import { isLean, leanAnswer } from "../src/doors/lean-answer.ts"
import { CRITERIA } from "./plan-fixture.ts"
import type { Workspace } from "./workspace-fixture.ts"

/** What an agent's model pays to keep one task tracked. The brief is left out: it has to be read either way. */
export interface TrackingCost {
  readonly calls: number
  readonly tokens: number
}

const SESSION = "cost"
const REPORT = "DONE: the basket adds up."

/** The same task by the plugin's hooks and by calls of the agent's own, with the shortest answers that there are. */
export async function trackingCost(w: Workspace): Promise<{ hooks: TrackingCost; hand: TrackingCost }> {
  return { hooks: { calls: 0, tokens: await byHooks(w) }, hand: await byHand(w) }
}

async function byHooks(w: Workspace): Promise<number> {
  const tell = (hook_event_name: string, more: object) =>
    w.call<HookOutput>(w.developer, "chorus_hook", { session_id: SESSION, hook_event_name, cwd: "/shop", ...more })
  const prompt = `Chorus task: ${await newTask(w)}\nBuild it.`
  const call = { tool_name: "Agent", tool_use_id: "toolu_cost", tool_input: { description: "basket", prompt } }
  const told = String((await tell("PreToolUse", call)).hookSpecificOutput?.updatedInput?.["prompt"])
  await tell("SubagentStop", {
    agent_id: "a1",
    agent_type: "general-purpose",
    last_assistant_message: REPORT,
    transcript_head: { message: { role: "user", content: told } },
  })
  const back = await tell("PostToolUse", { ...call, tool_response: { status: "completed", agentId: "a1" } })
  const brief = told.slice(told.indexOf("Task "), told.indexOf("You are checked in"))
  return tokens(told) - tokens(prompt) - tokens(brief) + tokens(back.hookSpecificOutput?.additionalContext ?? "")
}

async function byHand(w: Workspace): Promise<TrackingCost> {
  const taskUuid = await newTask(w)
  const { uuid: sessionUuid } = await w.call<{ uuid: string }>(w.developer, "chorus_create_session", { name: "hand" })
  const calls: [string, object][] = [
    ["chorus_session_checkin_task", { sessionUuid, taskUuid }],
    ["chorus_update_task", { taskUuid, status: "in_progress", sessionUuid }],
    ["chorus_report_work", { taskUuid, report: REPORT, sessionUuid }],
    ["chorus_session_checkout_task", { sessionUuid, taskUuid }],
    ["chorus_submit_for_verify", { taskUuid, insist: true }],
  ]
  let spent = 0
  for (const [name, input] of calls) {
    const answer = await w.call(w.developer, name, input)
    spent += tokens(`${name}${JSON.stringify(input)}`)
    spent += tokens(JSON.stringify(isLean(name, "lean") ? leanAnswer(answer) : answer))
  }
  return { calls: calls.length, tokens: spent }
}

async function newTask({ call, pm, project: projectUuid }: Workspace): Promise<string> {
  const wanted = { title: "Basket", description: "Sum the prices.", acceptanceCriteriaItems: CRITERIA }
  const { tasks } = await call<{ tasks: { uuid: string }[] }>(pm, "chorus_create_tasks", {
    projectUuid,
    tasks: [wanted],
  })
  return tasks[0]?.uuid ?? ""
}

/** Ids and times are the same in every run, as not all of them have the same number of tokens. */
function tokens(text: string): number {
  const steady = text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "0b8c1c6e-9d0e-4c5b-8a53-0e8f0d4f7a11")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-01-01T00:00:00.000Z")
  return encode(steady).length
}
