import { type OutputOf, work } from "@chorus/contracts"
import { criticalPath, type GraphTask, isFinished, waves } from "@chorus/core"
import { lastPosition } from "@chorus/store"
import { operation } from "../../operation.ts"
import { checkinRow, selectCheckins } from "../sessions/session-record.ts"
import { allEdges, allTasks } from "./all-tasks.ts"
import { KeptAnswers } from "./kept-answers.ts"

// The place in the log is read first: what happens after it comes as events, and merging one twice does no harm.

const boards = new KeptAnswers<OutputOf<typeof work.getBoard>>()

export const getBoard = operation(work.getBoard, async ({ db, engine, actor }, { projectUuid }) => {
  const position = await lastPosition(db, actor.workspaceUuid)
  return boards.get(db, projectUuid, position, async () => {
    const tasks = await allTasks({ db, engine }, { projectUuid })
    const stays = await selectCheckins(db)
      .innerJoin("tasks as t", "t.uuid", "c.taskUuid")
      .where("t.projectUuid", "=", projectUuid)
      .where("c.checkoutAt", "is", null)
      .orderBy("c.checkinAt")
      .orderBy("c.uuid")
      .execute()
    return { tasks, checkins: stays.map(checkinRow), position }
  })
})

export const getTaskGraph = operation(
  work.getTaskGraph,
  async ({ db, engine, actor }, { projectUuid, proposalUuids }) => {
    const position = await lastPosition(db, actor.workspaceUuid)
    const rows = await allTasks({ db, engine }, { projectUuid, proposalUuids })
    const shown = new Map(rows.map((row) => [row.uuid, row]))
    const edges = (await allEdges({ db, engine }, projectUuid)).filter(
      (edge) => shown.has(edge.taskUuid) && shown.has(edge.dependsOnUuid),
    )
    const tasks = rows.map(({ uuid, storyPoints, status }): GraphTask => ({
      uuid,
      weight: storyPoints,
      finished: isFinished(status),
    }))
    const inWaves = waves(tasks, edges)
    const waveOf = new Map(inWaves.flatMap((wave, index) => wave.map((uuid) => [uuid, index] as const)))
    const path = criticalPath(tasks, edges)
    const critical = new Set(path)
    const blockedBy = Map.groupBy(
      edges.filter((edge) => waveOf.has(edge.taskUuid) && waveOf.has(edge.dependsOnUuid)),
      (edge) => edge.taskUuid,
    )
    return {
      nodes: rows.map((row) => ({
        ...row,
        wave: waveOf.get(row.uuid) ?? null,
        critical: critical.has(row.uuid),
        blockedBy: (blockedBy.get(row.uuid) ?? []).map((edge) => edge.dependsOnUuid),
      })),
      edges,
      waves: inWaves,
      criticalPath: path,
      criticalWeight: path.reduce((sum, uuid) => sum + (shown.get(uuid)?.storyPoints ?? 1), 0),
      position,
    }
  },
)
