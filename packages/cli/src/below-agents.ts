import { agents, type OperationName, type Signature, signatures } from "@chorus/contracts"
import { agentPermissions } from "@chorus/core"
import { allAgents } from "./agent/agent-name.ts"
import { refuseAgent, refuseBelowAgent } from "./team/person.ts"
import type { Workplace } from "./workplace.ts"

/** Each answers with a link that signs somebody in. */
const WAYS_IN: ReadonlySet<string> = new Set<OperationName>(["chorus_create_sign_in_link", "chorus_invite_member"])
/** Agents do these under keys of their own; under a person's they would be what that person says, or is told. */
const A_PERSONS_WORD: ReadonlySet<string> = new Set<OperationName>([
  "chorus_add_comment",
  "chorus_answer_elaboration",
  "chorus_archive_notification",
  "chorus_comment_on_change",
  "chorus_delete_comment",
  "chorus_edit_comment",
  "chorus_end_sign_in",
  "chorus_end_sign_ins",
  "chorus_mark_notification_read",
  "chorus_pm_reject_proposal",
  "chorus_pm_revoke_proposal",
  "chorus_relay_answer",
  "chorus_submit_review",
  "chorus_update_finding",
  "chorus_update_me",
  "chorus_update_notification_preferences",
])
/** A person asks an agent to set things up; what it makes so decides nothing. */
const SET_UP: ReadonlySet<string> = new Set<OperationName>([
  "chorus_create_agent",
  "chorus_create_key",
  "chorus_import_items",
  "chorus_revoke_key",
  "chorus_update_agent",
])

/** Whether an agent may call it with what lies in its person's data directory: all that looks, and what any worker writes. */
export function isForAgents({ name, kind, needs }: Pick<Signature, "name" | "kind" | "needs">): boolean {
  if (kind === "read" || SET_UP.has(name)) return true
  return !A_PERSONS_WORD.has(name) && needs !== "person" && needs !== "steward" && !needs.endsWith(":admin")
}

/** Refuses an agent what is for people. What no operation is called now, nor was, the server refuses. */
export async function refuseForAgents(own: Workplace, name: string, input: unknown): Promise<void> {
  const called: Signature | undefined = signatures.find(
    (one: Signature) => one.name === name || one.aliases?.includes(name) === true,
  )
  if (called === undefined) return
  if (WAYS_IN.has(called.name)) refuseAgent("a link that signs a person in is for people.")
  if (!isForAgents(called)) refuseBelowAgent()
  if (SET_UP.has(called.name) && (await isAboutDecider(own, input)))
    refuseAgent("an agent that decides, and its keys, are made by people.")
}

const AboutAgent = agents.updateAgent.input.partial()

/** Whether it is one, or would become one; what is not well formed the server refuses. */
async function isAboutDecider(own: Workplace, input: unknown): Promise<boolean> {
  const { data } = AboutAgent.safeParse(input)
  if (data === undefined) return false
  const known = data.agentUuid === undefined ? [] : await allAgents(own, true)
  return [data, ...known.filter(({ uuid }) => uuid === data.agentUuid)]
    .flatMap(({ presets = [], permissions = [] }) => [...agentPermissions(presets, permissions)])
    .some((permission) => permission.endsWith(":admin"))
}
