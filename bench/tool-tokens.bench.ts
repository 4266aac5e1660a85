import { agentPermissions } from "@chorus/core"
import type { Preset } from "@chorus/contracts"
import { encode } from "gpt-tokenizer"
import { ToolLists, type ToolProfile } from "../packages/server/src/doors/tool-list.ts"
import { type Actor, operations, Registry } from "../packages/server/src/index.ts"
import { TRIAL_DOCUMENTS, TRIAL_TASKS } from "../packages/server/test/trial-plan.ts"
import { openWorkspace, type Workspace } from "../packages/server/test/workspace-fixture.ts"
import type { Figure } from "./figure.ts"

const PROFILES: readonly ToolProfile[] = ["lean", "full"]

const LEAN_BUDGETS: Partial<Record<Preset, number>> = { developer: 1500, lead: 2200 }

/** What the tool list costs an agent at the start of every session, per role and profile. */
export async function bench(): Promise<Figure[]> {
  const workspace = await openWorkspace()
  const lists = new ToolLists(new Registry(workspace.store, operations))
  const figures = (["developer", "lead", "admin"] as const).flatMap((preset) =>
    PROFILES.map((profile): Figure => {
      // Annotations are for the program; a model does not see them.
      const tools = lists
        .for(agentOf(workspace.developer, preset), profile)
        .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
      const most = profile === "lean" ? LEAN_BUDGETS[preset] : undefined
      const budget = most === undefined ? {} : { budget: { atMost: most } }
      return {
        name: `${profile} tool list of a ${preset} (${tools.length} tools)`,
        value: encode(JSON.stringify(tools)).length,
        unit: "tokens",
        ...budget,
      }
    }),
  )
  const briefs = await briefFigures(workspace)
  await workspace.close()
  return [...figures, ...briefs]
}

/** What the brief of a task costs whoever begins it: of a small one, and of each in a plan of the size that was built for real. */
async function briefFigures(workspace: Workspace): Promise<Figure[]> {
  const { call, developer, owner, pm, project: projectUuid } = workspace
  const plan = async (tasks: readonly object[], documents: readonly object[]) => {
    const idea = await call<{ uuid: string }>(pm, "chorus_pm_create_idea", { projectUuid, title: "An idea" })
    const { uuid: proposalUuid } = await call<{ uuid: string }>(pm, "chorus_submit_plan", {
      projectUuid,
      title: "A plan",
      ideaUuids: [idea.uuid],
      skipElaboration: "It is clear.",
      documents,
      tasks,
    })
    const { materializedTasks } = await call<{ materializedTasks: { taskUuid: string }[] }>(
      owner,
      "chorus_admin_approve_proposal",
      { proposalUuid },
    )
    const sizes: string[] = []
    for (const { taskUuid } of materializedTasks) {
      const brief = await call<{ task: { acceptanceCriteriaItems: { uuid: string }[] } }>(
        developer,
        "chorus_start_task",
        { taskUuid },
      )
      sizes.push(JSON.stringify(brief))
      await call(developer, "chorus_finish_task", { taskUuid, report: "Built, tested and described. ".repeat(10) })
      const criteria = brief.task.acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status: "passed" }))
      await call(owner, "chorus_mark_acceptance_criteria", { taskUuid, criteria })
      await call(owner, "chorus_admin_verify_task", { taskUuid })
    }
    return sizes
  }
  const small = { key: "a", title: "One", description: "Do it.", criteria: ["It works", "It is fast"] }
  const [one = ""] = await plan([small], TRIAL_DOCUMENTS.slice(0, 1))
  const trial = await plan(TRIAL_TASKS, TRIAL_DOCUMENTS)
  return [
    { name: "brief of a small task", value: encode(one).length, unit: "tokens", budget: { atMost: 600 } },
    {
      name: "longest brief of a plan with seven tasks",
      value: Math.max(...trial.map((text) => text.length)),
      unit: "characters",
      budget: { atMost: 2500 },
    },
  ]
}

function agentOf(agent: Actor, preset: Preset): Actor {
  return { ...agent, permissions: agentPermissions([preset], []) }
}
