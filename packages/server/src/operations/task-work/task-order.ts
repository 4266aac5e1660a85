import { chainWeights } from "@chorus/core"
import { inTurns } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { holdersFor } from "../checkin/trackers.ts"
import type { TaskRecord } from "../tasks/task-record.ts"
import { FAILED_REVIEW } from "../reviews/review-gate.ts"
import { allEdges } from "./all-tasks.ts"

type Place = Pick<OperationContext, "db" | "engine" | "actor">
export type Candidate = Pick<TaskRecord, (typeof COLUMNS)[number]>

const COLUMNS = [
  "uuid",
  "shortId",
  "title",
  "projectUuid",
  "status",
  "priority",
  "createdAt",
  "returnedAt",
  "briefedAt",
] as const

const RANK = { in_progress: 0, to_verify: 5, assigned: 10, open: 20, done: 30, closed: 30 } as const
const URGENCY = { high: 0, medium: 1, low: 2 } as const

/**
 * The tasks that the caller could take up, in the order in which to do it, wherever they are listed or given out: what came back to it,
 * what it handed in and a reviewer did not let pass, what is assigned to it or to its person, what nobody has; then priority, then the longest chain of work behind it, then age.
 */
export async function tasksInOrder(
  place: Place,
  projectUuids: readonly string[],
  proposalUuids?: readonly string[],
): Promise<Candidate[]> {
  let query = place.db
    .selectFrom("tasks")
    .select(COLUMNS)
    .where("projectUuid", "in", projectUuids)
    .where(({ or, and, eb }) =>
      or([
        and([eb("status", "=", "open"), eb("openDependencies", "=", 0)]),
        and([
          eb("status", "=", "assigned"),
          eb("openDependencies", "=", 0),
          eb("assigneeUuid", "in", holdersFor(place.actor)),
        ]),
        and([
          eb("status", "=", "in_progress"),
          eb("assigneeUuid", "in", holdersFor(place.actor)),
          eb("returnedAt", "is not", null),
        ]),
        and([eb("status", "=", "to_verify"), eb("assigneeUuid", "=", place.actor.uuid), FAILED_REVIEW]),
      ]),
    )
  if (proposalUuids !== undefined) query = query.where("proposalUuid", "in", proposalUuids)
  const candidates = await query.execute()
  const chains = new Map<string, number>()
  for (const projectUuid of tied(candidates))
    for (const [uuid, weight] of await chainsOf(place, projectUuid)) chains.set(uuid, weight)
  return candidates.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || (chains.get(b.uuid) ?? 0) - (chains.get(a.uuid) ?? 0) || byAge(a, b),
  )
}

/** The projects in which something has to decide between tasks of one rank. */
function tied(candidates: readonly Candidate[]): Set<string> {
  const alike = [...Map.groupBy(candidates, rankOf).values()].filter((group) => group.length > 1)
  return new Set(alike.flat().map(({ projectUuid }) => projectUuid))
}

function rankOf(task: Candidate): number {
  return RANK[task.status] + URGENCY[task.priority]
}

function byAge(a: Candidate, b: Candidate): number {
  return a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.uuid < b.uuid ? -1 : 1
}

async function chainsOf(place: Place, projectUuid: string): Promise<Map<string, number>> {
  const edges = await allEdges(place, projectUuid)
  if (edges.length === 0) return new Map()
  const unfinished = await place.db
    .selectFrom("tasks")
    .select(["uuid", "storyPoints"])
    .where("projectUuid", "=", projectUuid)
    .where("status", "not in", ["done", "closed"])
    .execute()
  return inTurns(
    chainWeights(
      unfinished.map(({ uuid, storyPoints }) => ({ uuid, weight: storyPoints, finished: false })),
      edges,
    ),
  )
}
