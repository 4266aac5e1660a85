import { readdirSync } from "node:fs"
import { join } from "node:path"
import { attentions, deliveries, ideas, proposals, signatures, tasks } from "@chorus/contracts"
import { afterStep, agentPermissions, meets, TASK_TRANSITIONS, type TaskAction } from "@chorus/core"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { submittedPlan, type Uuid } from "../../../test/plan-fixture.ts"

const w = embeddedWorkspace()

/** An operation that takes something on from a state; what gives up or takes back is no way on. */
type WaysOn = Record<string, readonly string[]>

const TASK_STEPS: Record<TaskAction, string | undefined> = {
  claim: "chorus_claim_task",
  assign: "chorus_pm_assign_task",
  start: "chorus_start_task",
  submit: "chorus_finish_task",
  verify: "chorus_admin_verify_task",
  takeBack: undefined,
  release: undefined,
  reclaim: undefined,
  reopen: undefined,
  close: undefined,
}
const PROPOSAL_STEPS = { submit: "chorus_pm_submit_proposal", approve: "chorus_admin_approve_proposal" } as const

/** Every machine of states there is, from the rules themselves where they are stated as such. */
const MACHINES: Record<string, WaysOn> = {
  task: Object.fromEntries(
    tasks.TaskStatus.options.map((status) => [
      status,
      (Object.keys(TASK_TRANSITIONS) as TaskAction[]).flatMap((action) =>
        TASK_TRANSITIONS[action][status] === undefined ? [] : (TASK_STEPS[action] ?? []),
      ),
    ]),
  ),
  proposal: Object.fromEntries(
    proposals.ProposalStatus.options.map((status) => [
      status,
      (["submit", "approve"] as const).flatMap((step) =>
        afterStep(step, status) === undefined ? [] : PROPOSAL_STEPS[step],
      ),
    ]),
  ),
  idea: {
    open: ["chorus_claim_idea"],
    elaborating: ["chorus_pm_start_elaboration"],
    elaborated: ["chorus_submit_plan"],
  },
  elaboration: {
    // Any agent may answer, but whoever asked asked a person.
    pending_answers: ["a person's answer"],
    validating: ["chorus_pm_validate_elaboration"],
    resolved: ["chorus_submit_plan"],
  },
  attention: {
    open: ["chorus_answer_attention"],
    answered: ["chorus_inbox"],
    delivered: [],
    withdrawn: [],
    expired: [],
  },
  delivery: { pending: ["chorus_settle_delivery"], delivered: [], dead: ["chorus_redeliver"] },
}

/** An agent with every right to plan and build. */
const lead = { type: "agent", role: null, permissions: agentPermissions(["lead"], []) } as const

const onlyPeople = Object.entries(MACHINES).flatMap(([machine, states]) =>
  Object.entries(states).flatMap(([state, waysOn]) =>
    waysOn.length > 0 && waysOn.every((name) => !mayTake(name)) ? [`${machine} ${state}`] : [],
  ),
)

function mayTake(name: string): boolean {
  const signature = signatures.find((candidate) => candidate.name === name)
  return signature !== undefined && meets(lead, signature.needs)
}

const question = {
  id: "q",
  text: "Which?",
  category: "scope",
  options: [
    { id: "a", label: "A" },
    { id: "b", label: "B" },
  ],
}

async function askedIdea(): Promise<{ ideaUuid: string; roundUuid: string }> {
  const ideaUuid = await w.newIdea()
  await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
  const { uuid } = await w.call<Uuid>(w.pm, "chorus_pm_start_elaboration", {
    ideaUuid,
    depth: "minimal",
    questions: [question],
  })
  return { ideaUuid, roundUuid: uuid }
}

/** How each such state comes about, as people and agents bring it about; answers what has to be in the inbox then. */
const BRINGS: Record<string, () => Promise<string>> = {
  "task to_verify": () => w.taskAt("to_verify"),
  "proposal pending": async () => (await submittedPlan(w, w.pm)).uuid,
  "elaboration pending_answers": async () => (await askedIdea()).roundUuid,
  "elaboration validating": async () => {
    const { ideaUuid, roundUuid } = await askedIdea()
    const answers = [{ questionId: "q", selectedOptionId: "a" }]
    await w.call(w.developer, "chorus_answer_elaboration", { ideaUuid, answers })
    return roundUuid
  },
  "attention open": async () => (await w.call<Uuid>(w.developer, "chorus_create_attention", { title: "May I?" })).uuid,
  "delivery dead": async () => {
    const team = { fact: "team", team: "crew", at: "2026-01-01T00:00:00Z", era: "session", ledByChorus: true }
    await w.call(w.developer, "chorus_report_machine", { machine: "laptop", teamFacts: [team] })
    const { teams } = await w.call<{ teams: Uuid[] }>(w.owner, "chorus_list_teams")
    const said = { teamUuid: teams[0]?.uuid, to: "bob", text: "Hello" }
    const { orderUuid } = await w.call<{ orderUuid: string }>(w.owner, "chorus_write_to_member", said)
    await w.call(w.developer, "chorus_settle_delivery", { deliveryUuid: orderUuid, error: "gone", final: true })
    return orderUuid
  },
}

describe("a state that only a person can leave", () => {
  it("is looked for in every machine there is, and in each of its states", () => {
    const files = readdirSync(join(import.meta.dirname, "../../../../core/src"))
    expect(files.filter((name) => name.endsWith("-status.ts")).sort()).toEqual([
      "idea-status.ts",
      "proposal-status.ts",
      "task-status.ts",
    ])
    const stated = (machine: string) => Object.keys(MACHINES[machine] ?? {}).sort()
    expect(stated("idea")).toEqual([...ideas.IdeaStatus.options].sort())
    expect(stated("elaboration")).toEqual([...ideas.ElaborationStatus.options].sort())
    expect(stated("attention")).toEqual([...attentions.AttentionRow.shape.state.options].sort())
    expect(stated("delivery")).toEqual([...deliveries.DeliveryState.options].sort())
  })

  it("is one of these", () => {
    expect(onlyPeople.toSorted()).toEqual(Object.keys(BRINGS).toSorted())
  })

  it.each(onlyPeople)("%s is in the inbox", async (state) => {
    const uuid = await BRINGS[state]?.()
    const { items } = await w.call<{ items: Uuid[] }>(w.owner, "chorus_needs_you")
    expect(items.map((item) => item.uuid)).toContain(uuid)
    const { waits, more } = await w.call<{ waits: Uuid[]; more?: object }>(w.owner, "chorus_inbox")
    expect(more).toBeUndefined()
    expect(waits.map((item) => item.uuid)).toContain(uuid)
  })
})
