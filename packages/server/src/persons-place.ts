import { agents, ChorusError, type OperationName, type Signature } from "@chorus/contracts"
import { agentPermissions } from "@chorus/core"
import type { Db } from "@chorus/store"
import type { Actor } from "./operation.ts"
import { permissionsOf } from "./operations/agents/agent-row.ts"

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

/** Whether an agent may call it with what lies in its person's data directory: what looks, and what any worker writes. */
export function isForAgents({ name, kind, needs }: Pick<Signature, "name" | "kind" | "needs">): boolean {
  if (kind === "read" || SET_UP.has(name)) return true
  return !A_PERSONS_WORD.has(name) && needs !== "person" && needs !== "steward" && !needs.endsWith(":admin")
}

/**
 * By what lies in the data directory everybody who runs there acts for its owner, and would decide what agents ask for,
 * or come in as a person who may. Refuses an agent what is for people.
 */
export async function refuseAgents(db: Db, actor: Actor, signature: Signature, input: unknown): Promise<void> {
  if (actor.below === undefined) return
  const decides = !isForAgents(signature)
  if (!decides && !SET_UP.has(signature.name)) return
  const agent = actor.below()
  if (agent === undefined) return
  if (WAYS_IN.has(signature.name)) throw needsPerson(agent, "a link that signs a person in is for people.")
  if (decides) throw needsPerson(agent, "a decision is a person's, made at a terminal or on the page.")
  if (await isAboutDecider(db, input))
    throw needsPerson(agent, "an agent that decides, and its keys, are made by people.")
}

/** Refuses an agent a change of how its person signs in. */
export function refuseAgentsPassword({ below }: Actor): void {
  const agent = below?.()
  if (agent !== undefined) throw needsPerson(agent, "a person's password is set by that person.")
}

const AboutAgent = agents.updateAgent.input.pick({ agentUuid: true, presets: true, permissions: true }).partial()

/** Whether it is one, or would become one. */
async function isAboutDecider(db: Db, input: unknown): Promise<boolean> {
  const { data } = AboutAgent.safeParse(input)
  if (data === undefined) return false
  const { agentUuid, presets = [], permissions = [] } = data
  const known =
    agentUuid === undefined
      ? undefined
      : await db
          .selectFrom("agents")
          .select(["presets", "permissions"])
          .where("uuid", "=", agentUuid)
          .executeTakeFirst()
  return [...agentPermissions(presets, permissions), ...(known === undefined ? [] : permissionsOf(known))].some(
    (permission) => permission.endsWith(":admin"),
  )
}

function needsPerson(agent: string, what: string): ChorusError {
  return new ChorusError("needs_a_person", `This runs below ${agent}; ${what}`, {
    status: 403,
    next: "Do it on the page, or in a terminal of your own.",
  })
}
