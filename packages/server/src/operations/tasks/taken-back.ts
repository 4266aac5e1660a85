import type { Db } from "@chorus/store"

/** What others took from somebody who has not had it since, each in words: by whom, and why. */
export async function takenBack(
  db: Db,
  fromUuid: string,
  taskUuids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (taskUuids.length === 0) return new Map()
  const steps = await db
    .selectFrom("events")
    .select(["entityUuid", "kind", "actorName", "patch"])
    .where("entityUuid", "in", taskUuids)
    .where("kind", "in", ["task.assigned", "task.claimed", "task.reclaimed"])
    .orderBy("id")
    .execute()
  const own = steps
    .map((step) => ({ ...step, ...(JSON.parse(step.patch) as Step) }))
    .filter(({ from, assignee }) => [from?.uuid, assignee?.uuid].includes(fromUuid))
  const last = new Map(own.map((step) => [step.entityUuid, step]))
  return new Map(
    [...last.values()].flatMap(({ entityUuid, from, actorName, reason, silentSince }) => {
      if (from?.uuid !== fromUuid || silentSince !== undefined) return []
      const why = reason === undefined ? "" : `: ${reason.replace(/[.\s]+$/, "")}`
      return [[entityUuid, `taken back from you by ${actorName}${why}`] as const]
    }),
  )
}

interface Step {
  /** Who has it now. */
  readonly assignee?: { readonly uuid: string } | null
  /** Whom it was taken from. */
  readonly from?: { readonly uuid: string } | null
  readonly reason?: string
  readonly silentSince?: string
}
