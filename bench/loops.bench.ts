import type { inbox, OutputOf } from "@chorus/contracts"
import { type Brief, type Hand, person, type Person } from "../packages/server/test/closed-loops.ts"
import { runningServer } from "../packages/server/test/running-server.ts"
import { TRIAL_DOCUMENTS, TRIAL_QUESTIONS, TRIAL_TASKS } from "../packages/server/test/trial-plan.ts"
import type { Figure } from "./figure.ts"

type Inbox = OutputOf<typeof inbox.inbox>

/** What a bare MCP client calls on its way from an idea to seven verified tasks, of which every second is sent back once. */
export async function bench(): Promise<Figure[]> {
  const chorus = await runningServer()
  const owner = await person(chorus.server)
  const agent = counting(await owner.hire("Bare", "pm"))
  try {
    const { projectUuid, planning } = await plan(owner, agent)
    const built = await build(owner, agent, projectUuid)
    const calls = (kind: "straight" | "sentBack") => Math.max(...built.filter((one) => one.kind === kind).map(callsOf))
    return [
      { name: "bare client: calls from check-in to an approved plan", value: planning, unit: "calls" },
      {
        name: "bare client: calls for a task that is not sent back",
        value: calls("straight"),
        unit: "calls",
        budget: { atMost: 3 },
      },
      {
        name: "bare client: calls more for one that is sent back",
        value: calls("sentBack") - calls("straight"),
        unit: "calls",
        budget: { atMost: 2 },
      },
      { name: "bare client: calls that brought nothing", value: agent.inVain, unit: "calls", budget: { atMost: 0 } },
      {
        name: "bare client: longest first brief of the seven tasks",
        value: Math.max(...built.map(({ brief }) => brief)),
        unit: "characters",
        budget: { atMost: 2500 },
      },
      {
        name: "bare client: longest brief of a task that was sent back",
        value: Math.max(...built.map(({ briefAgain }) => briefAgain)),
        unit: "characters",
        budget: { atMost: 3500 },
      },
    ]
  } finally {
    await agent.close()
    await chorus.close()
  }
}

interface Built {
  readonly kind: "straight" | "sentBack"
  readonly calls: number
  readonly brief: number
  readonly briefAgain: number
}

function callsOf({ calls }: Built): number {
  return calls
}

interface Counting extends Hand {
  readonly calls: number
  inVain: number
}

function counting(hand: Hand): Counting {
  let calls = 0
  return {
    ...hand,
    inVain: 0,
    get calls() {
      return calls
    },
    use: (tool, input) => {
      calls += 1
      return hand.use(tool, input)
    },
  }
}

/** Claims, asks, hears the answers, proposes, is rejected once, and hears of the approval. */
async function plan(owner: Person, agent: Counting): Promise<{ projectUuid: string; planning: number }> {
  const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Rows" })
  await owner.call("chorus_pm_create_idea", { projectUuid, title: "Reports of what was imported" })
  const hello = await agent.use<{ next: Inbox["waits"]; cursor: number }>("chorus_checkin", {})
  const ideaUuid = hello.next.find(({ kind }) => kind === "idea")?.uuid
  let after = hello.cursor
  const hear = async () => {
    const heard = await agent.use<Inbox>("chorus_inbox", { after, wait_seconds: 50 })
    after = heard.cursor
    if (!heard.fresh) agent.inVain += 1
    return heard
  }
  await agent.use("chorus_claim_idea", { ideaUuid })
  await agent.use("chorus_pm_start_elaboration", {
    ideaUuid,
    depth: "standard",
    questions: TRIAL_QUESTIONS.map(([id, text, label]) => ({
      id,
      text,
      category: "functional",
      options: [
        { id: "this", label },
        { id: "other", label: "Something else" },
      ],
    })),
  })
  const answered = hear()
  const answers = TRIAL_QUESTIONS.map(([questionId]) => ({ questionId, selectedOptionId: "this" }))
  await owner.call("chorus_answer_elaboration", { ideaUuid, answers })
  await answered
  const proposal = {
    projectUuid,
    title: "From rows to reports",
    ideaUuids: [ideaUuid],
    documents: TRIAL_DOCUMENTS,
    tasks: TRIAL_TASKS,
  }
  const { uuid: proposalUuid } = await agent.use<{ uuid: string }>("chorus_submit_plan", proposal)
  const rejected = hear()
  await owner.call("chorus_pm_reject_proposal", { proposalUuid, reviewNote: "Say why." })
  await rejected
  await agent.use("chorus_submit_plan", { ...proposal, proposalUuid, description: "Nobody trusts what they import." })
  const approved = hear()
  await owner.call("chorus_admin_approve_proposal", { proposalUuid })
  await approved
  return { projectUuid, planning: agent.calls }
}

/** Takes each task by a call that waits, and hands it in; what comes back comes by the same call. */
async function build(owner: Person, agent: Counting, projectUuid: string): Promise<Built[]> {
  const built: Built[] = []
  for (const [at] of TRIAL_TASKS.entries()) {
    const before = agent.calls
    const first = await take(agent, projectUuid)
    const taskUuid = first.brief.task.uuid
    const { acceptanceCriteriaItems } = first.brief.task
    await handIn(agent, first.brief)
    const sentBack = at % 2 === 1
    if (sentBack)
      await owner.call("chorus_mark_acceptance_criteria", {
        taskUuid,
        criteria: [{ uuid: acceptanceCriteriaItems[1]?.uuid, status: "failed", evidence: "Row 7 has no amount." }],
        sendBack: "A row without an amount is taken as zero.",
      })
    const again = sentBack ? await take(agent, projectUuid) : undefined
    if (again !== undefined) await handIn(agent, again.brief)
    await owner.call("chorus_admin_verify_task", { taskUuid, passing: acceptanceCriteriaItems.map(({ uuid }) => uuid) })
    built.push({
      kind: sentBack ? "sentBack" : "straight",
      calls: agent.calls - before,
      brief: first.size,
      briefAgain: again?.size ?? 0,
    })
  }
  return built
}

async function take(agent: Counting, projectUuid: string): Promise<{ brief: Brief; size: number }> {
  const brief = await agent.use<Brief>("chorus_next_task", { projectUuid, wait_seconds: 50 })
  if (brief.task === null) agent.inVain += 1
  return { brief, size: JSON.stringify(brief).length }
}

async function handIn(agent: Counting, { task }: Brief): Promise<void> {
  const criteria = task.acceptanceCriteriaItems.map(({ uuid, command }) => ({
    uuid,
    devStatus: "passed",
    ...(command === undefined ? {} : { exitCode: 0 }),
  }))
  const report = `${task.title}: done and tested. ${"A word about how it was done. ".repeat(6)}`
  await agent.use("chorus_finish_task", { taskUuid: task.uuid, report, criteria })
}
