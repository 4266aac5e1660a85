import { type Client, createClient } from "@chorus/client"
import type { agents, InputOf, OperationName, OutputOf, SignatureNamed } from "@chorus/contracts"
import type { Stage } from "./stage.ts"

type Call = <Name extends OperationName>(
  name: Name,
  input: InputOf<SignatureNamed<Name>>,
) => Promise<OutputOf<SignatureNamed<Name>>>

export interface Hired {
  readonly uuid: string
  readonly call: Call
}

export interface Furnished {
  readonly projectUuid: string
  readonly ideaUuid: string
  readonly proposalUuid: string
  readonly documentUuid: string
  /** In the order of `TITLES`. */
  readonly taskUuids: readonly string[]
  readonly owner: Call
  readonly builder: Hired
  readonly reviewer: Hired
  readonly planner: Hired
}

const TITLES = [
  "Address form with autocomplete",
  "Card fields that never touch our server",
  "Order summary that stays in view",
  "Apply vouchers without a reload",
  "Express pay buttons",
  "Track the funnel with consent",
  "Show delivery dates per item",
  "Guest checkout keeps the basket",
  "Handle 3-D Secure challenges",
  "Explain declined cards in plain words",
  "Save the address book",
  "Tax lines per region",
]

const DESIGN = `# How checkout works

Three steps on **one page**; nothing is sent before the last.

| step | holds | done when |
| --- | --- | --- |
| address | name, street, city | the carrier knows it |
| payment | card or wallet | the bank says yes |
| review | everything | the shopper presses *Pay* |

\`\`\`ts
export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, { price, count }) => sum + price * count, 0)
}
\`\`\`

\`\`\`mermaid
flowchart LR
  basket --> address --> payment --> review --> order[(orders)]
\`\`\`
`

/** A workspace as it looks on a busy afternoon: agents at work, things that wait, a history. */
export async function furnish(stage: Pick<Stage, "url" | "ownerKey">): Promise<Furnished> {
  const owner = callsOf(createClient({ url: stage.url, key: stage.ownerKey() }))
  const project = await owner("chorus_admin_create_project", {
    name: "Checkout redesign",
    description: "One page, three steps, no surprises. Pay in under a minute.",
  })
  await owner("chorus_admin_create_project", { name: "Search that forgives typos" })
  const projectUuid = project.uuid
  const [builder, reviewer, planner] = await Promise.all(
    ["Builder", "Reviewer", "Planner"].map((name) => hire(stage.url, owner, name)),
  )
  if (builder === undefined || reviewer === undefined || planner === undefined) throw new Error("nobody was hired")

  const idea = await owner("chorus_pm_create_idea", {
    projectUuid,
    title: "Checkout on one page",
    content: "People leave on page three. Put **everything on one page** and keep the summary in view.",
  })
  await planner.call("chorus_claim_idea", { ideaUuid: idea.uuid })
  await planner.call("chorus_pm_start_elaboration", {
    ideaUuid: idea.uuid,
    depth: "standard",
    questions: [
      {
        id: "guest",
        text: "May people buy without an account?",
        category: "functional",
        options: [
          { id: "yes", label: "Yes", description: "Ask for an account after paying" },
          { id: "no", label: "No" },
        ],
      },
      {
        id: "wallets",
        text: "Which wallets come first?",
        category: "scope",
        options: [
          { id: "both", label: "Apple and Google" },
          { id: "later", label: "None yet" },
        ],
      },
    ],
  })
  await owner("chorus_answer_elaboration", {
    ideaUuid: idea.uuid,
    answers: [
      { questionId: "guest", selectedOptionId: "yes" },
      { questionId: "wallets", selectedOptionId: "both", customText: "Google first" },
    ],
  })
  const plan = await planner.call("chorus_submit_plan", {
    projectUuid,
    title: "One page, three steps",
    description: "Build the steps side by side, join them last.",
    ideaUuids: [idea.uuid],
    documents: [
      { type: "tech_design", title: "How checkout works", content: DESIGN },
      {
        type: "prd",
        title: "Checkout on one page",
        content: "# Checkout on one page\n\nA shopper pays in under a minute, on a phone, with one hand. ".repeat(3),
      },
    ],
    tasks: TITLES.map((title, at) => ({
      key: `t${at}`,
      title,
      description: `As a shopper I want this to be quick and clear: ${title.toLowerCase()}.`,
      priority: (["high", "medium", "low"] as const)[at % 3] ?? "medium",
      storyPoints: [1, 2, 3, 0.5][at % 4] ?? 1,
      criteria: ["Works with the keyboard alone", "p95 below 200 ms", "Covered by a test"].slice(0, 1 + (at % 3)),
      dependsOn: at > 7 ? [`t${at - 4}`, `t${at - 7}`] : at === 4 ? ["t1"] : [],
    })),
  })
  const approved = await owner("chorus_admin_approve_proposal", { proposalUuid: plan.uuid, reviewNote: "Clear. Go." })
  const byTitle = new Map((approved.materializedTasks ?? []).map(({ title, taskUuid }) => [title, taskUuid]))
  const taskUuids = TITLES.map((title) => byTitle.get(title) ?? "")
  const documentUuid =
    (approved.materializedDocuments ?? []).find(({ title }) => title === "How checkout works")?.documentUuid ?? ""

  await work({ builder, reviewer, owner, taskUuids })
  await waiting({ builder, planner, owner, projectUuid })
  return {
    projectUuid,
    ideaUuid: idea.uuid,
    proposalUuid: plan.uuid,
    documentUuid,
    taskUuids,
    owner,
    builder,
    reviewer,
    planner,
  }
}

interface Work {
  readonly builder: Hired
  readonly reviewer: Hired
  readonly owner: Call
  readonly taskUuids: readonly string[]
}

async function work({ builder, reviewer, owner, taskUuids }: Work): Promise<void> {
  const at = (index: number) => taskUuids[index] ?? ""
  const frontend = await builder.call("chorus_create_session", {
    name: "frontend",
    source: "claude-code",
    machine: "studio",
  })
  const payments = await builder.call("chorus_create_session", { name: "payments", source: "codex", machine: "studio" })
  const checker = await reviewer.call("chorus_create_session", {
    name: "reviewer",
    source: "claude-code",
    machine: "laptop",
  })
  for (const index of [0, 2, 3, 5])
    await builder.call("chorus_start_task", { taskUuid: at(index), sessionUuid: frontend.uuid })
  await builder.call("chorus_start_task", { taskUuid: at(1), sessionUuid: payments.uuid })
  await builder.call("chorus_report_work", {
    taskUuid: at(0),
    report: "The form is in place; autocomplete comes next.\n\n- street and city\n- postal code",
    sessionUuid: frontend.uuid,
  })
  await builder.call("chorus_reserve_paths", { taskUuid: at(0), globs: ["src/checkout/address/**"] })
  for (const index of [2, 3, 5]) {
    const { acceptanceCriteriaItems } = await builder.call("chorus_get_task", { taskUuid: at(index) })
    await builder.call("chorus_report_usage", {
      taskUuid: at(index),
      sessionUuid: frontend.uuid,
      model: "sonnet",
      inputTokens: 41_000,
      outputTokens: 6200,
      costUsd: 0.42,
    })
    await builder.call("chorus_finish_task", {
      taskUuid: at(index),
      report: "Built and tested. The slow part was a missing index.",
      criteria: acceptanceCriteriaItems.map(({ uuid }) => ({
        uuid,
        devStatus: "passed" as const,
        devEvidence: "`npm test` is green",
        exitCode: 0,
      })),
    })
  }
  await reviewer.call("chorus_session_checkin_task", { sessionUuid: checker.uuid, taskUuid: at(1) })
  await reviewer.call("chorus_submit_review", {
    targetType: "task",
    targetUuid: at(2),
    verdict: "pass_with_notes",
    summary: "Good. One thing about small screens.",
    findings: [{ severity: "note", text: "The summary covers the button at 320 px." }],
  })
  const done = await owner("chorus_get_task", { taskUuid: at(3) })
  await owner("chorus_mark_acceptance_criteria", {
    taskUuid: at(3),
    criteria: done.acceptanceCriteriaItems.map(({ uuid }) => ({
      uuid,
      status: "passed" as const,
      evidence: "Tried it on my phone.",
    })),
  })
  await owner("chorus_admin_verify_task", { taskUuid: at(3) })
  await owner("chorus_add_comment", {
    targetType: "task",
    targetUuid: at(0),
    content: "Please keep the keyboard order as it is.",
  })
  await builder.call("chorus_add_comment", {
    targetType: "task",
    targetUuid: at(0),
    content: "Kept; there is a test for it.",
  })
  await builder.call("chorus_claim_task", { taskUuid: at(6) })
}

interface Waiting {
  readonly builder: Hired
  readonly planner: Hired
  readonly owner: Call
  readonly projectUuid: string
}

async function waiting({ builder, planner, owner, projectUuid }: Waiting): Promise<void> {
  const later = await owner("chorus_pm_create_idea", {
    projectUuid,
    title: "Buy now, pay later",
    content: "Offer instalments at checkout.",
  })
  await planner.call("chorus_claim_idea", { ideaUuid: later.uuid })
  await planner.call("chorus_pm_start_elaboration", {
    ideaUuid: later.uuid,
    depth: "minimal",
    questions: [
      {
        id: "who",
        text: "Which provider?",
        category: "business_context",
        options: [
          { id: "k", label: "Klarna" },
          { id: "a", label: "Affirm" },
        ],
      },
    ],
  })
  await planner.call("chorus_submit_plan", {
    projectUuid,
    title: "Receipts within a minute",
    ideaUuids: [(await planner.call("chorus_pm_create_idea", { projectUuid, title: "Receipts by e-mail" })).uuid],
    skipElaboration: "Small and clear.",
    documents: [
      {
        type: "prd",
        title: "Receipts",
        content: "A receipt arrives within a minute of paying, readable without images. ".repeat(3),
      },
    ],
    tasks: [{ key: "mail", title: "Send the receipt", criteria: ["Arrives within a minute"] }],
  })
  await builder.call("chorus_create_attention", {
    title: "May I add the dependency libphonenumber-js?",
    kind: "permission",
    projectUuid,
    detail: { tool: "Bash", command: "npm install libphonenumber-js" },
  })
  await planner.call("chorus_create_attention", { title: "Which countries do we launch in first?", projectUuid })
}

async function hire(url: string, owner: Call, name: string): Promise<Hired> {
  const agent: agents.AgentRow = await owner("chorus_create_agent", { name, presets: ["pm"] })
  const { key } = await owner("chorus_create_key", { agentUuid: agent.uuid })
  return { uuid: agent.uuid, call: callsOf(createClient({ url, key })) }
}

function callsOf(client: Client): Call {
  return (name, input) => client.call(name, input)
}
