import { type OutputOf, type tasks, work } from "@chorus/contracts"
import { graphLayout, type GraphTask, isFinished, type Steps } from "@chorus/core"
import { inTurns, lastPosition } from "@chorus/store"
import { costly } from "../../operation.ts"
import { allEdges, allTasks, type ContractedEdge } from "./all-tasks.ts"
import { KeptAnswers } from "./kept-answers.ts"

type Graph = OutputOf<typeof work.getTaskGraph>

const graphs = new KeptAnswers<Graph>(8)

export const getTaskGraph = costly(work.getTaskGraph, async ({ db, engine, actor }, { projectUuid, proposalUuids }) => {
  // The place in the log is read first: what happens after it comes as events, and merging one twice does no harm.
  const position = await lastPosition(db, actor.workspaceUuid)
  return graphs.get(db, JSON.stringify([projectUuid, proposalUuids]), position, async () => {
    const rows = await allTasks({ db, engine }, { projectUuid, proposalUuids })
    const edges = await allEdges({ db, engine }, projectUuid)
    return { ...(await inTurns(graphOf(rows, edges))), position }
  })
})

function* graphOf(rows: readonly tasks.TaskRow[], known: readonly ContractedEdge[]): Steps<Omit<Graph, "position">> {
  const shown = new Map(rows.map((row) => [row.uuid, row]))
  yield
  const edges = known.filter((edge) => shown.has(edge.taskUuid) && shown.has(edge.dependsOnUuid))
  yield
  const graphTasks = rows.map(({ uuid, storyPoints, status }): GraphTask => ({
    uuid,
    weight: storyPoints,
    finished: isFinished(status),
  }))
  const { waves, criticalPath } = yield* graphLayout(graphTasks, edges)
  const waveOf = new Map<string, number>()
  for (const [index, wave] of waves.entries()) {
    for (const uuid of wave) {
      waveOf.set(uuid, index)
      yield
    }
  }
  const critical = new Set(criticalPath)
  const blockedBy = new Map<string, string[]>()
  for (const { taskUuid, dependsOnUuid } of edges) {
    if (waveOf.has(taskUuid) && waveOf.has(dependsOnUuid))
      blockedBy.set(taskUuid, [...(blockedBy.get(taskUuid) ?? []), dependsOnUuid])
    yield
  }
  const nodes: Graph["nodes"] = []
  for (const row of rows) {
    const { uuid } = row
    nodes.push({
      ...row,
      wave: waveOf.get(uuid) ?? null,
      critical: critical.has(uuid),
      blockedBy: blockedBy.get(uuid) ?? [],
    })
    yield
  }
  return {
    nodes,
    edges,
    waves,
    criticalPath,
    criticalWeight: criticalPath.reduce((sum, uuid) => sum + (shown.get(uuid)?.storyPoints ?? 1), 0),
  }
}
