import { readdirSync } from "node:fs"
import { join } from "node:path"
import { attentions, deliveries, ideas, proposals, signatures, tasks } from "@chorus/contracts"
import { afterStep, agentPermissions, meets, TASK_TRANSITIONS, type TaskAction } from "@chorus/core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { approvedPlan, type Brief, DESIGN, type Hand } from "../packages/server/test/closed-loops.ts"
import { type House, openHouse } from "./walk/house.ts"

let house: House
let planner: Hand
let builder: Hand & { readonly key: string }
let projectUuid: string
beforeAll(async () => {
  house = await openHouse()
  ;[planner, builder] = await Promise.all([house.hire("Petra", "lead"), house.hire("Bob", "developer", "")])
  projectUuid = (await house.owner.call<Uuid>("chorus_admin_create_project", { name: "Shop" })).uuid
})
afterAll(() => house[Symbol.asyncDispose]())

interface Uuid {
  readonly uuid: string
}

/** An operation that takes something on from a state; what gives up, takes back or is noted of another tracker is no way on. */
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
  finish: undefined,
  putBack: undefined,
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

const TASK = { key: "store", title: "Keep baskets", criteria: ["It survives"] }
const newIdea = async () =>
  (await house.owner.call<Uuid>("chorus_pm_create_idea", { projectUuid, title: "Guests can pay" })).uuid

async function askedIdea(): Promise<{ ideaUuid: string; roundUuid: string }> {
  const ideaUuid = await newIdea()
  await planner.use("chorus_claim_idea", { ideaUuid })
  const { uuid } = await planner.use<Uuid>("chorus_pm_start_elaboration", {
    ideaUuid,
    depth: "minimal",
    questions: [question],
  })
  return { ideaUuid, roundUuid: uuid }
}

/** What the companion on an agent's machine tells the server. */
async function tellAsCompanion(name: string, input: object): Promise<void> {
  const answer = await fetch(`${house.server.url}/api/v1/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${builder.key}` },
    body: JSON.stringify(input),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** How each such state comes about, as people and agents bring it about; answers what has to be in the inbox then. */
const BRINGS: Record<string, () => Promise<string>> = {
  "task to_verify": async () => {
    const plan = await approvedPlan(house.owner, planner, { tasks: [TASK] })
    const { task } = await builder.use<Brief>("chorus_next_task", { projectUuid: plan.projectUuid })
    await builder.use("chorus_finish_task", { taskUuid: task.uuid, report: "done" })
    return task.uuid
  },
  "proposal pending": async () => {
    const plan = {
      projectUuid,
      title: "Guest checkout",
      ideaUuids: [await newIdea()],
      skipElaboration: "It is clear.",
      documents: [{ type: "tech_design", title: "Baskets", content: DESIGN }],
      tasks: [TASK],
    }
    return (await planner.use<Uuid>("chorus_submit_plan", plan)).uuid
  },
  "elaboration pending_answers": async () => (await askedIdea()).roundUuid,
  "elaboration validating": async () => {
    const { ideaUuid, roundUuid } = await askedIdea()
    const answers = [{ questionId: "q", selectedOptionId: "a", customText: null }]
    await builder.use("chorus_answer_elaboration", { ideaUuid, answers })
    return roundUuid
  },
  "attention open": async () => (await planner.use<Uuid>("chorus_create_attention", { title: "May I?" })).uuid,
  "delivery dead": async () => {
    const team = { fact: "team", team: "crew", at: "2026-01-01T00:00:00Z", era: "session", ledByChorus: true }
    await tellAsCompanion("chorus_report_machine", { machine: "laptop", teamFacts: [team] })
    const { teams } = await house.owner.call<{ teams: Uuid[] }>("chorus_list_teams")
    const said = { teamUuid: teams[0]?.uuid, to: "bob", text: "Hello" }
    const { orderUuid } = await house.owner.call<{ orderUuid: string }>("chorus_write_to_member", said)
    await tellAsCompanion("chorus_settle_delivery", { deliveryUuid: orderUuid, error: "gone", final: true })
    return orderUuid
  },
}

describe("a state that only a person can leave", () => {
  it("is looked for in every machine there is, and in each of its states", () => {
    const files = readdirSync(join(import.meta.dirname, "../packages/core/src"))
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
    const { items } = await house.owner.call<{ items: Uuid[] }>("chorus_needs_you")
    expect(items.map((item) => item.uuid)).toContain(uuid)
    const { waits, more } = await house.owner.call<{ waits: Uuid[]; more?: object }>("chorus_inbox")
    expect(more).toBeUndefined()
    expect(waits.map((item) => item.uuid)).toContain(uuid)
  })
})
