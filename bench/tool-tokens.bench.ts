import { agentPermissions } from "@chorus/core"
import type { Preset } from "@chorus/contracts"
import { encode } from "gpt-tokenizer"
import { ToolLists, type ToolProfile } from "../packages/server/src/doors/tool-list.ts"
import { type Actor, operations, Registry } from "../packages/server/src/index.ts"
import { trackingCost } from "../packages/server/test/tracking-cost.ts"
import { TRIAL_DOCUMENTS } from "../packages/server/test/trial-plan.ts"
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
  const review = lists
    .for(agentOf(workspace.developer, "developer"), "review")
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  figures.push({
    name: `review tool list (${review.length} tools)`,
    value: encode(JSON.stringify(review)).length,
    unit: "tokens",
    budget: { atMost: 900 },
  })
  const brief = await briefFigure(workspace)
  const { hooks, hand } = await trackingCost(workspace)
  await workspace.close()
  return [
    ...figures,
    brief,
    { name: "a task tracked by the plugin: calls", value: hooks.calls, unit: "calls", budget: { atMost: 0 } },
    {
      name: "a task tracked by the plugin: beyond its brief",
      value: hooks.tokens,
      unit: "tokens",
      budget: { atMost: 250 },
    },
    { name: "a task tracked by hand: calls", value: hand.calls, unit: "calls" },
    { name: "a task tracked by hand: beyond its brief", value: hand.tokens, unit: "tokens" },
  ]
}

/** What the brief of a small task costs whoever begins it. */
async function briefFigure({ call, developer, owner, pm, project: projectUuid }: Workspace): Promise<Figure> {
  const idea = await call<{ uuid: string }>(pm, "chorus_pm_create_idea", { projectUuid, title: "An idea" })
  const { uuid: proposalUuid } = await call<{ uuid: string }>(pm, "chorus_submit_plan", {
    projectUuid,
    title: "A plan",
    ideaUuids: [idea.uuid],
    skipElaboration: "It is clear.",
    documents: TRIAL_DOCUMENTS.slice(0, 1),
    tasks: [{ key: "a", title: "One", description: "Do it.", criteria: ["It works", "It is fast"] }],
  })
  await call(owner, "chorus_admin_approve_proposal", { proposalUuid })
  const brief = JSON.stringify(await call(developer, "chorus_next_task", { projectUuid }))
  return { name: "brief of a small task", value: encode(brief).length, unit: "tokens", budget: { atMost: 600 } }
}

function agentOf(agent: Actor, preset: Preset): Actor {
  return { ...agent, permissions: agentPermissions([preset], []) }
}
