import { type AgentId, type agents, ChorusError } from "@chorus/contracts"
import { everyPage } from "../pages.ts"
import type { Workplace } from "../workplace.ts"

export async function allAgents({ call }: Workplace, includeArchived: boolean): Promise<agents.AgentRow[]> {
  return everyPage(async (page) => {
    const answer = await call("chorus_list_agents", { ...page, includeArchived })
    return { rows: answer.agents, total: answer.total }
  })
}

/** The one agent a person means by its name or uuid. */
export async function agentNamed(
  workplace: Workplace,
  nameOrUuid: string,
): Promise<agents.AgentRow & { uuid: AgentId }> {
  const known = await allAgents(workplace, true)
  const found = known.filter(
    ({ uuid, name, archivedAt }) => uuid === nameOrUuid || (name === nameOrUuid && archivedAt === null),
  )
  const [agent] = found
  if (agent !== undefined && found.length === 1) return { ...agent, uuid: agent.uuid as AgentId }
  if (found.length > 1) {
    throw new ChorusError("ambiguous", `${found.length} agents are called ${nameOrUuid}.`, {
      next: `Name one by its uuid: ${found.map(({ uuid }) => uuid).join(", ")}.`,
    })
  }
  throw new ChorusError("not_found", `There is no agent called ${nameOrUuid}.`, {
    status: 404,
    next: "See `chorus agent list`.",
  })
}
